"""The process that looks at students' code: for each text that comes in, the lengths and kinds of its parts go out.

It is run as a file, by itself, and imports nothing of ours. A text that takes too long ends it.
"""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import sys
from itertools import groupby

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

SECONDS = 1.0  # of processor time for one text; what people write takes a few thousandths
MEMORY = 1 << 29  # bytes
_KINDS = (
    (Comment, "comment"),
    (String, "text"),
    (Number, "figure"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Function, "name"),
    (Name.Class, "name"),
    (Name.Decorator, "name"),
)


def main() -> None:
    """Answer line by line, until there are no more."""
    with contextlib.suppress(ValueError, OSError):  # where the system knows no such limit, there is the time
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        code = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        found = parts(code)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(found), flush=True)


def parts(code: str) -> list[tuple[int, str]]:
    """How long each part of the code is, in characters, and of which kind: together they are as long as the code."""
    told = ((_kind(kind), len(text)) for _, kind, text in PythonLexer().get_tokens_unprocessed(code))
    return [(sum(length for _, length in same), kind) for kind, same in groupby(told, key=lambda one: one[0])]


def _kind(kind: _TokenType) -> str:
    return next((name for group, name in _KINDS if kind in group), "")


if __name__ == "__main__":
    main()
