"""A launch that can be abandoned and undone, so that another engine can run all of it.

A launch keeps a copy of each allocation from before its first write to it. Writes go through one function
(`Spaces.in_allocation`), so pointers loaded from memory, module variables, atomics and copies are covered, and arrays
that it only reads cost nothing. Once it has done something irrevocable, the launch runs to its end on this engine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from openptx.device.allocation import Allocation, Bytes

LIMIT = 256 << 20
"""The maximum number of bytes copied, which takes 0.1 s each way. A launch about to write to more is large, and is
abandoned at once: compiled code runs it as soon as it is available."""

INTERVAL = 1e-3
"""The minimum seconds between two calls of `wanted`: one takes 2 to 5 us, and a launch with many lanes asks every 25.
Code is made in 10 ms and more."""


class Abandoned(Exception):
    """The launch is to end now and to be undone."""


class Abandonable:
    """`ask` is called for every block of the kernel, for every 16 instructions of long ones, and within instructions
    that take long. Every `INTERVAL` it calls `wanted`, whether the launch is to be abandoned. `objection` then gives
    the reason if that is impossible."""

    __slots__ = ("_next", "_objection", "_saved", "_wanted", "copied", "kept", "missed")

    def __init__(self, wanted: Callable[[], bool], objection: Callable[[], str]) -> None:
        self._wanted, self._objection, self._next = wanted, objection, 0.0
        self._saved: dict[int, tuple[Allocation, Bytes]] = {}
        self.copied = 0
        self.kept = ""
        """The reason why the launch can no longer be abandoned."""
        self.missed = False
        """Whether it would have been abandoned."""

    def keep(self, reason: str) -> None:
        """Makes the launch run to its end, because it does something irrevocable."""
        self.kept = self.kept or reason
        self._saved.clear()

    def before_write(self, row: Allocation) -> None:
        """An allocation is about to be written."""
        if row.base in self._saved or self.kept:
            return
        if self.copied + row.size > LIMIT:
            self.end()
            return
        self._saved[row.base] = row, row.bytes().copy()
        self.copied += row.size

    def ask(self) -> None:
        """Raises Abandoned if the launch is to end and can still be undone. Calls `wanted` even if it cannot, because
        that also requests code for later launches."""
        now = time.perf_counter()
        if now < self._next:
            return
        self._next = now + INTERVAL
        if not self.missed and self._wanted():
            self.end()

    def end(self) -> None:
        """Raises Abandoned, which ends the launch, if there is no objection."""
        if reason := self.kept or self._objection():
            self.keep(reason)
            self.missed = True
        else:
            raise Abandoned

    def restore(self) -> None:
        """Restores memory. Of overlapping allocations the one copied last is restored first."""
        for row, data in reversed(self._saved.values()):
            row.bytes()[:] = data
        self._saved.clear()
