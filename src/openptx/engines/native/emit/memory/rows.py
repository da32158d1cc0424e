"""Rows of half a warp: in many tiles either half accesses neighbours, which two moves do in a tenth of the time that a
gather takes. Or its lanes are alike: where a row of the block is half a warp, they read the same place."""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native.analysis.lane_patterns import ZEROS, Pattern
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.emit.ir_builder import DATA, IRBuilder

HALF = N // 2

LENGTHS = (8, 16)
"""Rows of so many lanes are tested for where the facts expect them."""


class Row(NamedTuple):
    """How the lanes of a part of a warp access memory."""

    length: int
    """The number of lanes."""
    step: int
    """The bytes from one lane's place to the next one's; 0: they are alike."""
    size: int
    """The bytes from the first lane's place on that are accessed."""
    align: int

    @property
    def firsts(self) -> range:
        return range(0, N, self.length)


def neighbours(step: int, length: int = HALF) -> Row:
    """Lanes that access one element after the other."""
    return Row(length, step, length * step, step)


def expected(p: Pattern, step: int) -> Row | None:
    """The rows that addresses with a pattern are likely to be, for elements of `step` bytes: neighbours, or alike."""
    if p.length not in LENGTHS:
        return None
    if p.offsets == ZEROS:
        return Row(p.length, 0, step, step)
    return neighbours(step, p.length) if p.offsets == tuple(i % p.length * step for i in range(N)) else None


def in_rows(b: IRBuilder, t: str, places: str, steps: str, length: int = HALF) -> str:
    """Which lanes access what follows their row's first place; `steps`: the distance of each lane from there, "" for
    none."""
    begins = b.shuffle(t, places, "poison", [i // length * length for i in range(N)])
    return b.emit(f"icmp eq {t} {places}, {b.emit(f'add {t} {begins}, {steps}') if steps else begins}")


def steps_of(step: int) -> tuple[int, ...]:
    return tuple(i % HALF * step for i in range(N))


def load_rows(b: IRBuilder, w: int, pointers: list[str]) -> str:
    """The elements of rows of neighbours."""
    length = N // len(pointers)
    return b.concatenate(f"i{w}", length, [b.load(f"<{length} x i{w}>", at, w // 8, DATA) for at in pointers])


def load_alike(b: IRBuilder, w: int, row: Row, pointers: list[str], offset: int = 0) -> str:
    """The elements at `offset` from rows whose lanes are alike, which a processor broadcasts as it loads them."""
    found = "poison"
    for i, at in enumerate(pointers):
        one = b.load(f"i{w}", b.field(at, offset) if offset else at, w // 8, DATA)
        found = b.emit(f"insertelement <{len(pointers)} x i{w}> {found}, i{w} {one}, i32 {i}")
    return b.shuffle(f"<{len(pointers)} x i{w}>", found, "poison", [i // row.length for i in range(N)])


def store_rows(b: IRBuilder, w: int, value: str, pointers: list[str]) -> None:
    length = N // len(pointers)
    for i, at in enumerate(pointers):
        part = b.shuffle(f"<{N} x i{w}>", value, "poison", range(i * length, (i + 1) * length))
        b.store(f"<{length} x i{w}>", part, at, w // 8, DATA)


def store_part_of_rows(b: IRBuilder, w: int, value: str, pointers: list[str], word: str) -> None:
    """The same, under a mask that is given as an i32."""
    length = N // len(pointers)
    for i, at in enumerate(pointers):
        part = b.shuffle(f"<{N} x i{w}>", value, "poison", range(i * length, (i + 1) * length))
        own = b.emit(f"trunc i{N} {b.emit(f'lshr i{N} {word}, {i * length}')} to i{length}")
        mask = b.emit(f"bitcast i{length} {own} to <{length} x i1>")
        b.masked_store(f"<{length} x i{w}>", f"v{length}i{w}", part, at, w // 8, mask, DATA)
