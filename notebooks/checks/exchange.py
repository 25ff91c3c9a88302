"""Sending a notebook through nbgrader's exchange: `python -m checks.exchange`, which `guard.run` starts.

It is given a folder that holds the folder STEM with what is handed in: {"folder": ..., "stem": ...}. It tells one line:
{"course": ..., "sent": time}, {"problem": "..."}, or {} where nbgrader knows of no course here. What does not arrive as
a whole does not arrive.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from checks import guard

_WHERE = re.compile(r"^\[Errno \d+\] |: '.*")  # a number and paths, around the words


def main() -> None:
    """Send what was given, and tell."""
    given, answers = guard.attach()
    signal.signal(signal.SIGTERM, _leave)  # so that what has been begun is taken back
    print(json.dumps(send(given["folder"], given["stem"])), file=answers, flush=True)


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(1)


def send(folder: str, stem: str) -> dict[str, str]:
    """Submit the folder with nbgrader, as it is configured for this user."""
    from jupyter_core.paths import jupyter_config_path

    places = [Path.cwd(), *map(Path, jupyter_config_path())]
    if not any((place / f"nbgrader_config.{suffix}").is_file() for place in places for suffix in ("py", "json")):
        return {}  # importing nbgrader takes seconds
    from nbgrader.apps.submitapp import SubmitApp
    from nbgrader.auth import Authenticator
    from nbgrader.exchange import ExchangeError, ExchangeFactory

    app = SubmitApp()
    app.initialize([stem])
    if not app.coursedir.course_id:
        return {}
    problems: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: problems.append(record.getMessage())  # type: ignore[method-assign]
    app.log.addHandler(handler)
    app.coursedir.assignment_id = stem
    submit: Any = ExchangeFactory(parent=app).Submit(
        coursedir=app.coursedir, authenticator=Authenticator(parent=app), parent=app
    )
    submit.assignment_dir = folder
    _as_a_whole(submit)
    try:
        submit.start()
    except ExchangeError as error:
        return {"problem": (problems or [str(error)])[0].rstrip(".") + "."}
    except (RuntimeError, shutil.Error) as error:  # too large by the course's rules; parts that could not be copied
        return {"problem": (problems or [_first_reason(error)])[0].rstrip(".") + "."}
    except OSError as error:
        return {"problem": f"{error.filename or 'the exchange'}: {error.strerror or error}."}
    return {"course": app.coursedir.course_id, "sent": submit.timestamp}


def _as_a_whole(submit: Any) -> None:
    """Let nbgrader's own exchange copy to a name that nobody collects, and give it the right one when all is there."""
    from nbgrader.exchange.default import ExchangeSubmit

    if not isinstance(submit, ExchangeSubmit):
        return  # another exchange sends in a way of its own
    copy_files = submit.copy_files

    def copy_as_a_whole() -> None:
        name = submit.assignment_filename
        submit.assignment_filename = f".{name}"
        cached = name.rsplit("+", 1)[0] if submit.add_random_string else name
        sent, kept = Path(submit.inbound_path), Path(submit.cache_path)
        try:
            copy_files()
            os.rename(kept / f".{cached}", kept / cached)
            os.rename(sent / f".{name}", sent / name)
        except BaseException:
            shutil.rmtree(kept / cached, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(kept / f".{cached}", ignore_errors=True)
            shutil.rmtree(sent / f".{name}", ignore_errors=True)

    submit.copy_files = copy_as_a_whole


def _first_reason(error: BaseException) -> str:
    """The reason why, of the many that copying a folder may give."""
    match error.args:
        case ([(_, target, reason), *_],):
            return f"{Path(str(target)).name}: {_WHERE.sub('', str(reason))}"
    return str(error)


if __name__ == "__main__":
    main()
