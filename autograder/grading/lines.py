"""Lines from a stream, however their bytes arrive: in pieces, or many at once."""

from __future__ import annotations


class Lines:
    """Puts lines together. Nothing that is complete stays behind: whoever waits for more bytes would never see it."""

    def __init__(self) -> None:
        self._beginning = bytearray()

    def complete(self, found: bytes) -> list[bytes]:
        """The lines that these bytes complete, without their ends."""
        *ends, rest = found.split(b"\n")
        lines = []
        for end in ends:
            lines.append(bytes(self._beginning + end))
            self._beginning.clear()
        self._beginning += rest
        return lines
