"""Who grades the grader: known answers, mutants, what must be true of a suite, and the record of what was found."""
