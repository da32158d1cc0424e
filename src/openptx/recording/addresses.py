"""Relocates pointers from one layout of allocations to another: words that are addresses in one become addresses in the
other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openptx.device.allocation import Bytes

Words = NDArray[np.uint64]
WORD = 8


class Relocation:
    """Translates the addresses of allocations that were `recorded` at (address, bytes) to those where they are
    `restored`.

    A word is a pointer if it lies in an allocation, or is one past its end and no other begins there.
    """

    def __init__(self, recorded: Sequence[tuple[int, int]], restored: Sequence[int]) -> None:
        pairs = sorted((address, size, to) for (address, size), to in zip(recorded, restored, strict=True))
        self._starts, self._sizes, to = (np.array([p[i] for p in pairs], np.uint64) for i in range(3))
        self._shifts = to - self._starts  # modulo 2^64

    def words(self, words: Words) -> Words:
        """The words, with pointers relocated."""
        if not self._starts.size:
            return words
        i = np.searchsorted(self._starts, words, side="right").astype(np.int64) - 1
        first = np.maximum(i, 0)
        inside = (i >= 0) & (words - self._starts[first] <= self._sizes[first])
        return np.where(inside, words + self._shifts[first], words)

    def content(self, address: int, data: Bytes) -> None:
        """Relocates, in place, the pointers in bytes that lie at an address; pointers lie at multiples of 8."""
        view = aligned(address, data)
        words = view.copy()
        found = self.words(words)
        changed = np.flatnonzero(found != words)
        if changed.size:
            view[changed] = found[changed]

    def parameter(self, offset: int, data: bytes) -> bytes:
        """The bytes of one parameter, with pointers relocated."""
        content = np.frombuffer(bytearray(data), np.uint8)
        if content.size >= WORD:
            self.content(offset, content)
        return content.tobytes()


def aligned(address: int, data: Bytes) -> NDArray[Any]:
    """The words in bytes that lie at an address."""
    lead = min(-address % WORD, data.size)
    return data[lead : lead + (data.size - lead) // WORD * WORD].view(np.uint64)
