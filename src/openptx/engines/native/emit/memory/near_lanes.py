"""Shared memory at a separate offset of 32 bits per lane: what the functions that `CheckedLanes` calls for it move.

An address in shared memory usually is a register of 32 bits, extended to 64. Two such offsets leave a vector register
at once, and half as many vectors are compared as of pointers: a warp's gather takes 5.0 ns on a Zen 5 instead of 8.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.ir_builder import DATA, IRBuilder
from openptx.engines.native.emit.memory.gather_scatter import LANES, PLACES, GatherScatter
from openptx.engines.native.emit.memory.masked_lanes import load_some, offsets_of, store_some

OFFSETS, PAIRS = vector_type(32), f"<{N // 2} x i64>"


def load_near(b: IRBuilder, lanes: GatherScatter, w: int, every: bool) -> str:
    """The elements at `%places`, of every lane or of those in `%mask`."""
    t = vector_type(w)
    if lanes.gathers(w):
        masked = f"{LANES} splat (i1 true)" if every else f"{LANES} %mask"
        given = f"{PLACES} align {w // 8} {pointers(b)}, {masked}, {t} zeroinitializer"
        return b.emit(f"call {t} @llvm.masked.gather.v{N}i{w}.v{N}p0({given}){DATA}")
    if not every:
        return load_some(b, w, offsets_of(b, "%places"))
    return b.collect(w, [b.load(f"i{w}", at, w // 8, DATA) for at in each_place(b)])


def store_near(b: IRBuilder, lanes: GatherScatter, w: int, every: bool) -> None:
    """Stores `%value0` there."""
    t = vector_type(w)
    if lanes.scatters(w):
        masked = f"{LANES} splat (i1 true)" if every else f"{LANES} %mask"
        given = f"{t} %value0, {PLACES} align {w // 8} {pointers(b)}, {masked}"
        b.line(f"call void @llvm.masked.scatter.v{N}i{w}.v{N}p0({given}){DATA}")
        return
    if not every:
        store_some(b, w, "%value0", offsets_of(b, "%places"))
        return
    for i, at in enumerate(each_place(b)):
        b.store(f"i{w}", b.emit(f"extractelement {t} %value0, i32 {i}"), at, w // 8, DATA)


def each_place(b: IRBuilder) -> Iterator[str]:
    """A pointer for each lane, computed from an element of 64 bits for two lanes."""
    pairs = b.emit(f"bitcast {OFFSETS} %places to {PAIRS}")
    for i in range(N // 2):
        pair = b.emit(f"extractelement {PAIRS} {pairs}, i32 {i}")
        for part in (f"and i64 {pair}, 4294967295", f"lshr i64 {pair}, 32"):
            yield b.emit(f"getelementptr i8, ptr %host, i64 {b.emit(part)}")


def pointers(b: IRBuilder) -> str:
    """A pointer for each lane. Offsets of executing lanes have been checked, and so are below 2^31: it does not matter
    that `getelementptr` extends them with their sign."""
    return b.emit(f"getelementptr i8, ptr %host, {OFFSETS} %places")
