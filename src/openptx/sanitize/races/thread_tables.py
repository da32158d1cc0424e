"""Tables with an entry for each thread of a launch, of which only those of running threads take memory."""

from __future__ import annotations

import math
import mmap
import sys
from typing import Any

import numpy as np

from openptx.array_types import Array


class ThreadTables:
    """Makes such tables, zeros at first, and clears the entries of threads that have exited."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.running: list[slice] = []
        """The threads of the batches that have begun and not ended; entries of others are 0."""
        self._tables: list[tuple[Array, mmap.mmap | None]] = []

    def zeros(self, dtype: Any, width: int = 1) -> Array:
        """A table; with a `width` above 1, of rows."""
        shape = (self.count, width) if width > 1 else (self.count,)
        size, pages = math.prod(shape) * np.dtype(dtype).itemsize, None
        if sys.platform == "linux" and size >= mmap.PAGESIZE:
            pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        made: Array = np.zeros(shape, dtype) if pages is None else np.frombuffer(pages, dtype).reshape(shape)
        self._tables.append((made, pages))
        return made

    def begin(self, first: int, stop: int) -> None:
        """These threads begin."""
        self.running.append(slice(first, stop))

    def end(self, first: int, stop: int) -> None:
        """These threads have exited. Whole pages go back to the system, and are zeros again."""
        self.running.remove(slice(first, stop))
        for table, pages in self._tables:
            start, end = (at * table.strides[0] for at in (first, stop))
            whole = range(-(-start // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE)
            if pages is None or not len(whole) or sys.platform != "linux":
                table[first:stop] = 0
                continue
            pages.madvise(mmap.MADV_DONTNEED, whole.start, len(whole))
            data = table.reshape(-1).view(np.uint8)
            data[start : whole.start] = data[whole.stop : end] = 0
