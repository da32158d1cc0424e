"""A full warp's pointers to array elements, or to shared memory: one number plus 32 bits per lane.

Half as many vectors are compared as of addresses with 64 bits, of which only the largest lane matters. By AVX-512 two
lanes leave a vector register at once; by AVX2 each is loaded from memory where it is used, which is one instruction
(`histogram` takes 0.80 of the time on a Zen 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from openptx.engines.native.analysis.accesses import TABLE
from openptx.engines.native.analysis.lattice import N, Value, vector_type
from openptx.engines.native.analysis.transfer import origin_of
from openptx.engines.native.emit.ir_builder import IRBuilder, Spread
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.numerics import Bits

_LARGEST = (1 << 32) - 1


class SpreadLanes(NamedTuple):
    good: str
    """An i1: whether all lanes' words are valid, if all lanes execute."""
    pointers: Callable[[], Iterable[str]]
    """Emits them; each only when it is asked for, if they are loaded."""
    addresses: Callable[[], Bits]
    """Computes the places once more. Code that hardly ever runs should not need those that exist: LLVM would compute
    them before."""


def spread_lanes(checks: BoundsCheck, region: str, place: Bits, size: int) -> SpreadLanes | None:
    """For words of `size` bytes that are written; None if the addresses are not known to be of this kind."""
    ir, s = checks.ir, checks.ir.spread.get(place.v.name) if isinstance(place.v, Value) else None
    if s is None or region == "local" or s.shift >= N or not checks.c.options.checks:
        return None
    if region in TABLE and checks.window_of(region) is None and origin_of(place) is None:
        return None
    start, room, host = checks.limits(region, place, size, True)
    first = ir.emit(f"sub i64 {s.base or 0}, {start}")
    last = ir.emit(f"sub i64 {ir.emit(f'sub i64 {room}, 1')}, {first}")
    most = ir.emit(f"lshr i64 {last}, {s.shift}")
    if s.signed:
        most = ir.emit(f"call i64 @llvm.umin.i64(i64 {most}, i64 {_LARGEST >> 1})")
    largest = ir.emit(f"call i32 @llvm.vector.reduce.umax.v{N}i32({vector_type(32)} {s.narrow})")
    inside = ir.emit(f"icmp ule i64 {ir.emit(f'zext i32 {largest} to i64')}, {most}")
    good = ir.emit(f"and i1 {ir.emit(f'icmp ult i64 {first}, {room}')}, {inside}")
    if size > 1:
        low = ir.emit(f"and i64 {low_bits(ir, s, size)}, {size - 1}")
        good = ir.emit(f"and i1 {good}, {ir.emit(f'icmp eq i64 {low}, 0')}")
    pointers = extracted_pointers if checks.c.cpu.avx512 else loaded_pointers
    return SpreadLanes(good, lambda: pointers(checks, s, host), lambda: places_of(checks, s, place))


def low_bits(ir: IRBuilder, s: Spread, size: int) -> str:
    """Bits that are 0 below `size`, a power of two, if the base and all lanes are multiples of it."""
    if 1 << s.shift >= size:
        return s.base or "0"
    every = ir.emit(f"call i32 @llvm.vector.reduce.or.v{N}i32({vector_type(32)} {s.narrow})")
    lanes = ir.emit(f"shl i64 {ir.emit(f'zext i32 {every} to i64')}, {s.shift}")
    return ir.emit(f"or i64 {lanes}, {s.base or 0}")


def origin_in_process(ir: IRBuilder, s: Spread, host: str) -> str:
    """The pointer for lanes of 0; a place plus `host` is the address in this process."""
    return ir.emit(f"inttoptr i64 {ir.emit(f'add i64 {s.base or 0}, {host}')} to ptr")


def loaded_pointers(checks: BoundsCheck, s: Spread, host: str) -> Iterator[str]:
    ir, t = checks.ir, vector_type(32)
    origin, lanes = origin_in_process(ir, s, host), ir.first(f"alloca {t}, align 32")
    ir.store(t, s.narrow, lanes, 32)
    for i in range(N):
        # Volatile: LLVM would take it from the vector, by up to three instructions, and before it is used.
        lane = ir.emit(f"load volatile i32, ptr {ir.emit(f'getelementptr i32, ptr {lanes}, i64 {i}')}")
        offset = ir.emit(f"shl i64 {ir.emit(f'zext i32 {lane} to i64')}, {s.shift}")
        yield ir.emit(f"getelementptr i8, ptr {origin}, i64 {offset}")


def extracted_pointers(checks: BoundsCheck, s: Spread, host: str) -> list[str]:
    """From elements of 64 bits for two lanes."""
    ir, n = checks.ir, N // 2
    origin = origin_in_process(ir, s, host)
    pairs, found = ir.emit(f"bitcast {vector_type(32)} {s.narrow} to <{n} x i64>"), list[str]()
    for i in range(n):
        pair = ir.emit(f"extractelement <{n} x i64> {pairs}, i32 {i}")
        for part in (f"and i64 {pair}, {_LARGEST}", f"lshr i64 {pair}, 32"):
            offset = ir.emit(f"shl i64 {ir.emit(part)}, {s.shift}")
            found.append(ir.emit(f"getelementptr i8, ptr {origin}, i64 {offset}"))
    return found


def places_of(checks: BoundsCheck, s: Spread, place: Bits) -> Bits:
    """The places of all lanes, computed from what they are made of."""
    ir, t = checks.ir, vector_type(64)
    wide = ir.emit(f"{'sext' if s.signed else 'zext'} {vector_type(32)} {s.narrow} to {t}")
    wide = ir.emit(f"shl {t} {wide}, splat (i64 {s.shift})")
    wide = ir.emit(f"add {t} {wide}, {checks.x.splat(s.base or '0', 'i64')}")
    ir.spread[wide] = s
    return checks.x.come_from(checks.x.bits(wide, 64), origin_of(place))
