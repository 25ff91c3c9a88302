"""Sending a notebook through nbgrader's exchange: `python -m checks.exchange FOLDER STEM`, in a process of its own.

FOLDER holds the folder STEM with what is handed in. The last line that is printed is JSON:
{"course": ..., "sent": time}, {"problem": "..."}, or {} where nbgrader knows of no course here.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any


def main(folder: str, stem: str) -> dict[str, str]:
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
    try:
        submit.start()
    except ExchangeError as error:
        return {"problem": (problems or [str(error)])[0].rstrip(".") + "."}
    return {"course": app.coursedir.course_id, "sent": submit.timestamp}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
