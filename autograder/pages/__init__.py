"""Pages for people: feedback for each student, a report about a class, similar pairs."""
