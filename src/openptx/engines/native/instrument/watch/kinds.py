"""Kinds of accesses: which of a granule's two cells they must be ordered with, and which of them they enter."""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.rule import Moment, compare_access, compatible, merge, untouched
from openptx.engines.native.instrument.watch.words import Flag, Word


class Kind(NamedTuple):
    """`writes` enters the cell of writes; `strong` accesses may conflict with other strong ones."""

    name: str
    writes: bool
    strong: bool


KINDS = (
    Kind("load", False, False),
    Kind("store", True, False),
    Kind("strong", False, True),
    Kind("update", True, True),
)


def kind_of(writes: bool, strong: bool) -> Kind:
    return next(kind for kind in KINDS if (kind.writes, kind.strong) == (writes, strong))


class Verdict(NamedTuple):
    wrong: Flag
    cell: Word
    """The new value of the cell that the access enters."""


def judge(kind: Kind, written: Word, read: Word, mine: Word, now: Moment, alone: Flag | None) -> Verdict:
    """The verdict on an access, given the granule's cells of writes and of reads and the access's own cell, `mine`."""
    writes, reads = compare_access(written, mine, now, alone), compare_access(read, mine, now, alone)
    fine = writes.known | compatible(writes) if kind.strong else writes.known
    if kind.writes:
        fine &= reads.known | compatible(reads) if kind.strong else reads.known
        if not kind.strong and alone is not None:
            fine &= alone  # lanes of a warp store to one address at once
    if now.begin is not None:  # ld.global.nc is for memory that the kernel never writes
        fine &= (read & layout.CONSTANT).equals(0) if kind.writes else constant(written, mine)
    return Verdict(~fine, merge(writes if kind.writes else reads))


def follows(kind: Kind, written: Word, mine: Word, now: Moment, alone: Flag) -> Flag:
    """Whether an access follows all earlier writes, and is none that must not: a first, quick test."""
    found = untouched(written, mine, now)
    if kind.strong:
        return found
    if kind.writes:
        return found & alone
    return found if now.begin is None else found & constant(written, mine)


def constant(written: Word, mine: Word) -> Flag:
    return written.equals(0) | (mine & layout.CONSTANT).equals(0)
