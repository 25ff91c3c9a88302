"""Every error that this package raises on purpose.

AutograderError
├── UsageError            the command was called wrongly                  (exit 2)
├── AuthorError           a mistake in the course's own material          (exit 1)
│   ├── SourceError       a source notebook does not follow the rules
│   ├── SuiteError        a hidden suite or a visible check is unusable
│   └── LeakError         a release would show what students must not see
├── SubmissionError       a file that was handed in cannot be graded as it is
│   └── UnreadError       it could not be read as it was found, which is not the student's fault
├── GradebookError        nbgrader's gradebook cannot be used as it is
└── GraderError           our own side failed; never costs a student marks
    ├── MachineError      this machine ended, or refused, what grading needs
    ├── IsolationError    this machine cannot contain untrusted code
    ├── ClusterError      the cluster that was to grade cannot be used, or is gone
    └── WireError         a message does not follow the protocol
"""


class AutograderError(Exception):
    """Base of all errors here; its text says what happened, where, and what to do next."""


class UsageError(AutograderError):
    """The command was called wrongly."""


class AuthorError(AutograderError):
    """The course's own material is at fault."""


class SourceError(AuthorError):
    """A source notebook does not follow the rules."""


class SuiteError(AuthorError):
    """A hidden suite or a visible check cannot be used."""


class LeakError(AuthorError):
    """A release would show students something that they must not see."""


class SubmissionError(AutograderError):
    """A file that was handed in cannot be graded as it is."""


class UnreadError(SubmissionError):
    """What was handed in could not be read as it was found: it is gone, it has changed, or the machine refuses it."""


class GradebookError(AutograderError):
    """nbgrader's gradebook cannot be used as it is."""


class GraderError(AutograderError):
    """The grading side failed; nobody loses marks for it."""


class MachineError(GraderError):
    """This machine ended, or refused, what grading needs: processes, memory, room. Another time it may not.

    It says nothing about a submission, so it is never evidence against one.
    """


class IsolationError(GraderError):
    """This machine cannot contain untrusted code as was asked."""


class ClusterError(GraderError):
    """The cluster that was to grade cannot be used, or is gone."""


class WireError(GraderError):
    """A message between grader and student process breaks the protocol."""
