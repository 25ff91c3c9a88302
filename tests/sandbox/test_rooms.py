"""Rooms: who is alone in one has it for themselves, and nobody waits for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from autograder.sandbox.rooms import RoomFile, Rooms

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="rooms are made of Linux's locks")
PATIENT = 300.0  # seconds until a test gives up on something that should happen at once


@pytest.fixture
def file() -> Iterator[RoomFile]:
    file = RoomFile()
    yield file
    file.close()


class Guest:
    """Somebody who enters a room in a thread of their own, and stays until they are asked to leave."""

    def __init__(self, file: RoomFile, enter: Callable[[Rooms], AbstractContextManager[None]]) -> None:
        self.waiting, self.inside, self._leave = threading.Event(), threading.Event(), threading.Event()
        descriptor = file.another()
        assert descriptor is not None
        self._descriptor = descriptor
        self._rooms = Rooms(descriptor, lambda waits: self.waiting.set() if waits else None)
        self._thread = threading.Thread(target=self._visit, args=[enter])
        self._thread.start()

    def _visit(self, enter: Callable[[Rooms], AbstractContextManager[None]]) -> None:
        with enter(self._rooms):
            self.inside.set()
            assert self._leave.wait(PATIENT)

    def leave(self) -> None:
        self._leave.set()
        self._thread.join()
        os.close(self._descriptor)


def beside(*stems: str) -> Callable[[Rooms], AbstractContextManager[None]]:
    return lambda rooms: rooms.beside_others(stems)


def alone(stem: str) -> Callable[[Rooms], AbstractContextManager[None]]:
    return lambda rooms: rooms.alone(stem)


def test_many_are_in_a_room_at_once(file: RoomFile) -> None:
    guests = [Guest(file, beside("01_bayes_rule")) for _ in range(4)]
    assert all(guest.inside.wait(PATIENT) for guest in guests)
    for guest in guests:
        guest.leave()


def test_who_wants_to_be_alone_waits_until_the_others_have_left(file: RoomFile) -> None:
    other = Guest(file, beside("01_bayes_rule", "02_maximum_likelihood"))
    assert other.inside.wait(PATIENT)
    one = Guest(file, alone("01_bayes_rule"))
    assert one.waiting.wait(PATIENT)
    assert not one.inside.is_set()
    other.leave()
    assert one.inside.wait(PATIENT)
    one.leave()


def test_nobody_enters_while_somebody_is_alone_or_waits_for_it(file: RoomFile) -> None:
    first = Guest(file, beside("01_bayes_rule"))
    assert first.inside.wait(PATIENT)
    one = Guest(file, alone("01_bayes_rule"))
    assert one.waiting.wait(PATIENT)
    second = Guest(file, beside("01_bayes_rule"))  # or a class of any size could keep one waiting
    assert second.waiting.wait(PATIENT)
    first.leave()
    assert one.inside.wait(PATIENT)
    assert not second.inside.is_set()
    one.leave()
    assert second.inside.wait(PATIENT)
    second.leave()


def test_two_cannot_be_alone_in_one_room(file: RoomFile) -> None:
    one = Guest(file, alone("01_bayes_rule"))
    assert one.inside.wait(PATIENT)
    other = Guest(file, alone("01_bayes_rule"))
    assert other.waiting.wait(PATIENT)
    assert not other.inside.is_set()
    one.leave()
    assert other.inside.wait(PATIENT)
    other.leave()


def test_every_notebook_has_a_room_of_its_own(file: RoomFile) -> None:
    guests = [Guest(file, alone(f"{number:02}_notebook")) for number in range(8)]
    assert all(guest.inside.wait(PATIENT) for guest in guests)
    for guest in guests:
        guest.leave()


def test_without_a_file_nobody_waits() -> None:
    with Rooms().beside_others(["01_bayes_rule"]), Rooms().alone("01_bayes_rule"):
        pass


def test_a_process_that_is_killed_leaves_its_room(tmp_path: Path) -> None:
    path = tmp_path / "rooms"
    file = RoomFile(path)
    code = (
        "import sys, pathlib; from autograder.sandbox.rooms import RoomFile, Rooms\n"
        "with Rooms(RoomFile(pathlib.Path(sys.argv[1])).another()).alone('01_bayes_rule'):\n"
        "    print('inside', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "inside\n"
        guest = Guest(file, beside("01_bayes_rule"))
        assert guest.waiting.wait(PATIENT)
        process.kill()
        assert guest.inside.wait(PATIENT)
    guest.leave()
    file.close()
    assert not path.exists()


def test_the_last_one_removes_a_named_file(tmp_path: Path) -> None:
    one, other = RoomFile(tmp_path / "rooms"), RoomFile(tmp_path / "rooms")
    one.close()
    assert (tmp_path / "rooms").exists()
    other.close()
    assert not list(tmp_path.iterdir())
