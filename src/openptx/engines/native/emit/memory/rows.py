"""Rows of half a warp: in many tiles either half accesses neighbours, which two moves do in a tenth of the time that a
gather takes."""

from __future__ import annotations

from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.emit.ir_builder import DATA, IRBuilder

HALF = N // 2


def in_rows(b: IRBuilder, t: str, places: str, steps: str) -> str:
    """Which lanes access what follows their half's first place; `steps`: the distance of each lane from there."""
    begins = b.shuffle(t, places, "poison", [i // HALF * HALF for i in range(N)])
    return b.emit(f"icmp eq {t} {places}, {b.emit(f'add {t} {begins}, {steps}')}")


def steps_of(step: int) -> tuple[int, ...]:
    return tuple(i % HALF * step for i in range(N))


def load_rows(b: IRBuilder, w: int, pointers: list[str]) -> str:
    """The elements of two rows."""
    return b.concatenate(f"i{w}", HALF, [b.load(f"<{HALF} x i{w}>", at, w // 8, DATA) for at in pointers])


def store_rows(b: IRBuilder, w: int, value: str, pointers: list[str]) -> None:
    for first, at in zip((0, HALF), pointers, strict=True):
        part = b.shuffle(f"<{N} x i{w}>", value, "poison", range(first, first + HALF))
        b.store(f"<{HALF} x i{w}>", part, at, w // 8, DATA)
