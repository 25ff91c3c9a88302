"""The split-process engine: hidden checks on this side, the student's code in a sandbox, plain data between."""
