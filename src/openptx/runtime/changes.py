"""What a range of blocks changed in an array, as it is sent back to the launching process, and merged there.

A range that writes all of an array sends 1.25 bytes for each byte, and one that writes a single byte sends 17: the
lines of 64 bytes with a change, a bit for each byte of them, and the values of the changed bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openptx.array_types import Array
from openptx.device.allocation import Bytes

LINE = 64
PART = 1 << 20
"""Bytes that are compared at once, a multiple of `LINE`: what is known of them stays in the caches."""


@dataclass(frozen=True, slots=True)
class Change:
    """The changed bytes of an array."""

    lines: Array
    """Indices of the lines with a changed byte."""
    written: Bytes
    """For each of the lines, a bit for each byte."""
    values: Bytes
    """Of the changed bytes, in order."""


def change(before: Bytes, after: Bytes) -> Change | None:
    """The difference of two contents of an array; None if there is none."""
    found: list[tuple[Array, Bytes, Bytes]] = []
    for start in range(0, before.size, PART):
        old, new = before[start : start + PART], after[start : start + PART]
        differ = np.zeros(lines_of(old.size), np.bool_)
        flat = differ.reshape(-1)[: old.size]
        np.not_equal(old, new, out=flat)
        lines = np.flatnonzero(differ.view(np.uint64).any(axis=1))
        if lines.size:
            found.append((lines + start // LINE, np.packbits(differ[lines], axis=1), new[flat]))
    return Change(*map(np.concatenate, zip(*found, strict=True))) if found else None


class MergedChanges:
    """The changes of all ranges to an array of `size` bytes."""

    __slots__ = ("_values", "_written")

    def __init__(self, size: int) -> None:
        self._values, self._written = np.zeros(lines_of(size), np.uint8), np.zeros(lines_of(size), np.bool_)

    def add(self, change: Change) -> int | None:
        """Adds a change. If an earlier one wrote another value to some byte, returns the first such byte instead."""
        mask = np.unpackbits(change.written, axis=1).view(np.bool_)
        old, written = self._values[change.lines], self._written[change.lines]
        new = old.copy()
        new[mask] = change.values
        clash = written & (old != new)
        if clash.any():
            line, byte = np.argwhere(clash)[0]
            return int(change.lines[line]) * LINE + int(byte)
        self._values[change.lines], self._written[change.lines] = new, written | mask
        return None

    def write(self, target: Bytes) -> None:
        """Writes the changed bytes to the array."""
        written, values = self._written.reshape(-1)[: target.size], self._values.reshape(-1)[: target.size]
        np.copyto(target, values, where=written)


def lines_of(size: int) -> tuple[int, int]:
    """The shape of an array of whole lines that has room for `size` bytes."""
    return -(-size // LINE), LINE
