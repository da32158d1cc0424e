"""Whether all lanes' places are valid, executing or not, without masks of lanes.

AVX2 has no mask registers: to compare 32 numbers of 64 bits and gather the results in a word takes some sixty
instructions, and a mask that is not full another thirty. Signs and low bits of all lanes, combined, take half of that.
"""

from __future__ import annotations

from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.llvm.builder import Builder


def all_valid(b: Builder, w: int, offsets: str, places: str, room: str, align: int) -> str:
    """An i1, whether all offsets, numbers of `w` bits, are below `room`, which as a signed number is not negative, and
    all places are multiples of `align`."""
    t = vector_type(w)
    last = splat(b, b.emit(f"sub i{w} {room}, 1"), w)
    # An offset beyond the last valid one makes the difference negative, unless it is negative itself.
    outside = b.emit(f"or {t} {b.emit(f'sub {t} {last}, {offsets}')}, {offsets}")
    good = b.emit(f"icmp sge i{w} {combined(b, w, outside)}, 0")
    if align == 1:
        return good
    low = b.emit(f"and i{w} {combined(b, w, places)}, {align - 1}")
    return b.emit(f"and i1 {good}, {b.emit(f'icmp eq i{w} {low}, 0')}")


def combined(b: Builder, w: int, a: str) -> str:
    """The lanes' bits, by `or`."""
    return b.emit(f"call i{w} @llvm.vector.reduce.or.v{N}i{w}({vector_type(w)} {a})")


def splat(b: Builder, name: str, w: int) -> str:
    """A scalar in all lanes."""
    one = b.emit(f"insertelement {vector_type(w)} poison, i{w} {name}, i32 0")
    return b.shuffle(vector_type(w), one, "poison", [0] * N)
