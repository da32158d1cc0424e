"""A launch that may end before its end, leaving memory as it found it, so that another engine can run all of it.

A launch keeps a copy of each allocation from before its first write to it. Writes go through one function
(`Spaces.in_allocation`), so pointers that the kernel found in memory, module variables, atomics and copies are covered,
and arrays that it only reads cost nothing. What can't be taken back makes the launch run to its end here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.device.memory_view import Allocation, Bytes

if TYPE_CHECKING:
    from openptx.engines.interp.batch import Batch

LIMIT = 256 << 20
"""Bytes that are copied, which takes 0.1 s each way. A launch that is about to write to more is large, and abandoned at
once: compiled code runs it as soon as it is there."""


class Abandoned(Exception):
    """The launch is to end now, and to be undone."""


class Abandonable:
    """`wanted` is asked now and then whether the launch is to be abandoned: for every block of the kernel, for every 16
    instructions of long ones, and within instructions that take long. Then `objection` says why it can't be, if so."""

    __slots__ = ("_objection", "_saved", "_wanted", "batch", "copied", "kept", "missed")

    def __init__(self, wanted: Callable[[], bool], objection: Callable[[], str]) -> None:
        self._wanted, self._objection = wanted, objection
        self._saved: dict[int, tuple[Allocation, Bytes]] = {}
        self.copied = 0
        self.batch: Batch | None = None
        """What runs now."""
        self.kept = ""
        """Why the launch can't be abandoned any more."""
        self.missed = False
        """Whether it would have been abandoned."""

    def keep(self, reason: str) -> None:
        """Makes the launch run to its end, because it does something that can't be undone."""
        self.kept = self.kept or reason
        self._saved.clear()

    def before_write(self, row: Allocation) -> None:
        """Somebody is about to write to an allocation."""
        if row.base in self._saved or self.kept:
            return
        if self.copied + row.size > LIMIT:
            self.end()
            return
        self._saved[row.base] = row, row.bytes().copy()
        self.copied += row.size

    def ask(self) -> None:
        """Raises Abandoned where the launch is to end and still can be undone. Asks also where it can't: code for later
        launches is asked for meanwhile."""
        if not self.missed and self._wanted():
            self.end()

    def end(self) -> None:
        """Abandons the launch, if nothing speaks against it."""
        if reason := self.kept or self._objection():
            self.keep(reason)
            self.missed = True
        else:
            raise Abandoned

    def restore(self) -> None:
        """Memory becomes what it was. Of overlapping allocations the one that was copied last goes first."""
        for row, data in reversed(self._saved.values()):
            row.bytes()[:] = data
        self._saved.clear()
