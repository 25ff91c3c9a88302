"""Release, grade and validate courses made of notebooks.

The packages, from the top down: each imports what stands below it, and nothing that stands above.

    cli              the command `autograder`, a small module per verb
    pages            what people read: feedback, the report about a class, similar pairs
    classroom        a class and its instructor: the nbgrader course, downloads, final marks, a sample class
    authoring        from source notebooks to what students get: refresh, release, leak scan, bundle, site
    nbgrader_bridge  everything that is asked of nbgrader, and everything that nbgrader asks
    validity         who grades the grader: known answers, mutants, criteria, the record
    grading          a class becomes results on disk: submissions, executors, store
    engine           one submission becomes one result: run, ask, score, follow through, diagnose
    sandbox          the trust boundary: the processes that student code runs in
    course           what a course is, and the words that all the others speak

Two folders hold secrets, and nobody imports them: suites/ (hidden checks) and misconceptions/ (known answers).
"""

__version__ = "0.2.0"
