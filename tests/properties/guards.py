"""Workers' memory with marked bytes around it, to detect code that writes outside of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from openptx.engines.native.runtime import workers

MARK, ROOM = 0xA5, 4096


class Guarded(workers.Buffer):
    """A buffer between two runs of marked bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._data = np.full(size + 2 * ROOM + workers.LINE, MARK, np.uint8)
        self.address = -(-(self._data.ctypes.data + ROOM) // workers.LINE) * workers.LINE

    def damage(self) -> list[int]:
        """Where marks are gone, in bytes from the buffer's begin."""
        start = self.address - self._data.ctypes.data
        gone = np.flatnonzero(self._data != MARK) - start
        return gone[(gone < 0) | (gone >= self.size)].tolist()


@contextmanager
def guards() -> Generator[None]:
    """Workers made meanwhile write nowhere but into their own memory."""
    made: list[Guarded] = []
    plain = workers.Buffer

    def buffer(size: int) -> Guarded:
        made.append(Guarded(size))
        return made[-1]

    workers.Buffer = buffer
    try:
        yield
    finally:
        workers.Buffer = plain
    for each in made:
        assert not each.damage(), f"{len(each.damage())} bytes around a buffer of {each.size} were written"
