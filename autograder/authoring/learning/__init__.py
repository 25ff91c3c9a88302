"""From a wrong answer that a class gave to an entry of the catalogue: code made nobody's, tried, and then added."""
