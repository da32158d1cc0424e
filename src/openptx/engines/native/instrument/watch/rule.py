"""Whether an access is ordered with those that a cell represents, and what the cell represents afterwards.

The rule of sanitize/races/detector.py (8.7.1) without vector clocks: only barriers of all threads of a CTA or of a warp
order accesses here. So it may suspect accesses that fences, flags or copies order, but accepts no race.
"""

from __future__ import annotations

from dataclasses import dataclass

from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.words import Flag, Word


@dataclass(frozen=True, slots=True)
class Moment:
    """The times that cells are compared with: the last barriers of the CTA and of the warp, and the CTA's start, in the
    units of cells. The latter is None in shared memory, which belongs to the CTA."""

    tick: Word
    near: Word
    begin: Word | None


@dataclass(frozen=True, slots=True)
class Cell:
    """Earlier accesses of a granule, relative to a new one."""

    old: Word
    mine: Word
    now: Moment
    by_barrier: Flag
    """A barrier of the CTA has ordered them."""
    known: Flag
    """They happened before, or do not exist."""


def compare_access(old: Word, mine: Word, now: Moment, alone: Flag | None) -> Cell:
    """`alone`: the new access is a single lane's; None: certainly."""
    differs = old ^ mine
    warp = (differs & (layout.WARP | layout.OF_CTA)).equals(0)
    same = (differs & (layout.THREAD | layout.LEVEL | layout.SPREADS)).equals(0)
    if alone is not None:
        same &= alone
    if now.begin is None:
        by_barrier = old.below(now.tick)
        return Cell(old, mine, now, by_barrier, by_barrier | same | (warp & old.below(now.near)))
    since = old - now.begin  # of other CTAs: a huge value
    by_barrier = since.below(now.tick - now.begin)
    same &= ~since.negative()
    known = by_barrier | same | (warp & since.below(now.near - now.begin)) | old.equals(0)
    return Cell(old, mine, now, by_barrier, known)


def far(cell: Cell) -> Flag | None:
    """The flag for accesses by other CTAs."""
    begin = cell.now.begin
    return None if begin is None else cell.old.below(begin) | ~cell.old.below(layout.EVER)


def compatible(cell: Cell) -> Flag:
    """All of them and the new one are strong, of the same size, with scopes that include each other (8.7)."""
    sizes = (cell.old & layout.SIZES) & (cell.mine ^ -1)
    found = ((cell.old & (layout.WEAK | layout.CONSTANT)) | sizes).equals(0)
    apart = far(cell)
    if apart is None:
        return found
    return found & ~(apart & ((cell.old | cell.mine) & layout.NARROW).differs(0))


def merge(cell: Cell) -> Word:
    """The cell with the new access: it replaces those that happened before, because whatever follows it follows them.

    Flags remain until a barrier of all threads that may access the granule: those of another CTA are not ordered with
    anything.
    """
    kept = cell.old & layout.FLAGS
    if cell.now.begin is None:
        kept = (~cell.by_barrier).choose(kept, 0)
    near = (((cell.old ^ cell.mine) & layout.WARP) | (cell.old & layout.OF_CTA)).equals(0)
    of_warp = (cell.mine & ~(layout.LEVEL | layout.LANE)) | layout.OF_WARP
    both = near.choose(of_warp, (cell.mine & ~(layout.LEVEL | layout.THREAD)) | layout.OF_CTA)
    apart = far(cell)
    if apart is not None:
        both = apart.choose((cell.mine & layout.FLAGS) | layout.EVER | layout.OF_GRID, both)
    return cell.known.choose(cell.mine, both) | kept


def untouched(old: Word, mine: Word, now: Moment) -> Flag:
    """Whether no earlier access conflicts with the new one: a first, quick test."""
    if now.begin is None:
        return old.below(now.tick)
    kept = (old & layout.FLAGS & (mine ^ -1)).equals(0)
    return ((old - now.begin).below(now.tick - now.begin) & kept) | old.equals(0)


def is_unchanged_read(old: Word, mine: Word, now: Moment) -> Flag:
    """A cell of reads that one more read of the same kind leaves unchanged: several warps have read since the
    barrier."""
    several = (old & layout.OF_CTA).differs(0) & ~old.below(now.tick)
    return several & ((mine & layout.FLAGS) & (old ^ -1)).equals(0)
