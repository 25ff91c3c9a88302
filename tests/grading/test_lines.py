"""Lines come out whole, and none of them stays behind."""

from __future__ import annotations

import pytest

from autograder.grading.lines import Lines


def test_lines_that_arrive_together_come_out_together() -> None:
    assert Lines().complete(b"waits\nwaits no more\ndone\n") == [b"waits", b"waits no more", b"done"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_line_that_arrives_in_pieces_comes_out_whole(size: int) -> None:
    text, lines = b"one\n\nthe third line\nrest", Lines()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert [line for piece in pieces for line in lines.complete(piece)] == [b"one", b"", b"the third line"]
    assert lines.complete(b" of it\n") == [b"rest of it"]
