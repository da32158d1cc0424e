"""tcgen05.mma: matrices in shared and tensor memory in the manual's canonical layouts, against NumPy products.

Values are small, so that sums are exact however they are made.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tensor_kernels import CODES, MODES, described, in_memory, lane, multiplied, placed, scale_words
from test_products import coded, draw, values_of
from test_wgmma import laid_out

from openptx.isa.types import TYPES

#        kind      d      a       b       k
TYPES_OF = [
    ("f16", "f32", "f16", "f16", 16),
    ("f16", "f16", "f16", "f16", 16),
    ("f16", "f32", "bf16", "f16", 16),
    ("tf32", "f32", "tf32", "tf32", 8),
    ("f8f6f4", "f32", "e4m3", "e5m2", 32),
    ("f8f6f4", "f16", "e2m1", "e3m2", 32),
    ("f8f6f4", "f32", "e2m3", "e2m1", 32),
    ("i8", "s32", "s8", "u8", 32),
]
CASES = [
    (types, 64 if mode in (0, 64) else 128, mode, trans)
    for n, types in enumerate(TYPES_OF)
    for mode in MODES
    for trans in ((0, 0), (1, 1))
    if mode in (0, 128) or (n == 0)
    if not trans[0] or (TYPES[types[2]].width in (8, 16) and TYPES[types[3]].width in (8, 16))
]


@pytest.mark.parametrize(("types", "rows", "mode", "trans"), CASES)
def test_shared(types: tuple[str, str, str, str, int], rows: int, mode: int, trans: tuple[int, int]) -> None:
    rng = np.random.default_rng(mode + rows)
    kind, d, a, b, depth = types
    columns = 128 if trans[1] and mode == 128 else 64 if mode else 24  # whole atoms
    columns = 32 if trans[1] and not mode else columns
    (ca, left), (cb, right) = draw(rng, a, (rows, depth)), draw(rng, b, (columns, depth))
    cd, addend = draw(rng, d, (rows, columns))
    (ma, da), (mb, db) = in_memory(ca, a, mode, bool(trans[0])), in_memory(cb, b, mode, bool(trans[1]))
    sign = -1 if kind != "i8" else 1
    flags = [bit for bit, on in ((13, sign < 0), (15, trans[0]), (16, trans[1])) if on]
    idesc = described(d, a, b, rows, columns, *flags)
    found = multiplied(f"tcgen05.mma.cta_group::1.kind::{kind}", placed(cd), (ma, mb), (da, db), idesc)
    want = placed(coded(sign * (left @ right.T) + addend, d).astype(np.uint32))
    np.testing.assert_array_equal(found, want)


def test_words_of_32_bits_lie_across_in_pairs_of_chunks() -> None:
    """tf32, MN-major, 128 bytes of swizzling: Swizzle<2,5,2> on ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO))."""
    rng = np.random.default_rng(5)
    (ca, left), (cb, right) = draw(rng, "tf32", (64, 8)), draw(rng, "tf32", (64, 8))

    def laid(codes: Any) -> tuple[Any, int]:
        words, leading, stride = np.zeros(8192, np.uint32), 1024, 512
        for i, k in itertools.product(range(64), range(8)):
            at = i % 32 * 4 + i // 32 * leading + k % 4 * 128 + k // 4 * stride
            words[(at ^ (at >> 7 & 3) << 5) // 4] = codes[i, k]
        return words.view(np.uint8), leading >> 4 << 16 | stride >> 4 << 32 | 1 << 61

    (ma, da), (mb, db) = laid(ca), laid(cb)
    idesc = described("f32", "tf32", "tf32", 64, 64, 15, 16)
    zero = np.zeros((128, 64), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::1.kind::tf32", zero, (ma, mb), (da, db), idesc)
    np.testing.assert_array_equal(found, placed(coded(left @ right.T, "f32").astype(np.uint32)))


@pytest.mark.parametrize("rows", [64, 128])
@pytest.mark.parametrize("add", [True, False])
def test_a_in_tensor_memory(rows: int, add: bool) -> None:
    rng = np.random.default_rng(rows)
    (ca, left), (cb, right) = draw(rng, "f16", (rows, 16)), draw(rng, "f16", (16, 16))
    cd, addend = draw(rng, "f32", (rows, 16))
    mb, db = laid_out(cb, 16, 32, False)
    words = placed(np.ascontiguousarray(ca.astype(np.uint16)).view(np.uint32))
    opcode, idesc = "tcgen05.mma.cta_group::1.kind::f16", described("f32", "f16", "f16", rows, 16)
    used = [lane(rows, row) for row in range(rows)]
    for tail, part in ("%e", 1), ("%e, 2", 1 / 4):
        found = multiplied(opcode, placed(cd), (mb, mb), (0, db), idesc, a=words, tail=tail, add=add)
        want = placed(coded(left @ right.T + add * part * addend, "f32").astype(np.uint32))
        np.testing.assert_array_equal(found[used], want[used])


@pytest.mark.parametrize("other", [1, 32])
def test_every_thread_that_executes_it_makes_a_product_of_its_own(other: int) -> None:
    rng = np.random.default_rng(2)
    (ca, left), (cb, right) = draw(rng, "f16", (128, 16)), draw(rng, "f16", (8, 16))
    (ma, da), (mb, db) = laid_out(ca, 16, 0, False), laid_out(cb, 16, 0, False)
    idesc, zero = described("f32", "f16", "f16", 128, 8), np.zeros((128, 8), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::1.kind::f16", zero, (ma, mb), (da, db), idesc, more=other)
    np.testing.assert_array_equal(found, coded(2 * (left @ right.T), "f32").astype(np.uint32))


def test_bytes_of_a_in_tensor_memory_hold_e2m1_in_their_middle() -> None:
    rng = np.random.default_rng(9)
    (ca, left), (cb, right) = draw(rng, "e2m1", (128, 32)), draw(rng, "e4m3", (16, 32))
    mb, db = laid_out(cb, 8, 0, False)
    words = np.ascontiguousarray((ca << np.uint64(2)).astype(np.uint8)).view(np.uint32)
    idesc = described("f32", "e2m1", "e4m3", 128, 16)
    zero = np.zeros((128, 16), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::1.kind::f8f6f4", zero, (mb, mb), (0, db), idesc, a=words)
    np.testing.assert_array_equal(found, coded(left @ right.T, "f32").astype(np.uint32))


def test_lanes_that_are_disabled_keep_what_they_have_and_d_can_be_divided() -> None:
    rng = np.random.default_rng(3)
    (ca, left), (cb, right) = draw(rng, "f16", (128, 16)), draw(rng, "f16", (8, 16))
    cd, addend = draw(rng, "f32", (128, 8))
    (ma, da), (mb, db) = laid_out(ca, 16, 0, False), laid_out(cb, 16, 0, False)
    opcode, idesc = "tcgen05.mma.cta_group::1.kind::f16", described("f32", "f16", "f16", 128, 8)
    tail = "{%m0, %m1, %m2, %m3}, %e, 3"
    found = multiplied(opcode, cd, (ma, mb), (da, db), idesc, tail=tail)
    want = coded(left @ right.T + addend / 8, "f32").astype(np.uint32)
    for kept in (0, 33, 127):
        want[kept] = cd[kept]
    np.testing.assert_array_equal(found, want)


def test_sums_of_integers_are_clamped_where_the_descriptor_says_so() -> None:
    ones = np.full((128, 32), 0x7F, np.uint64)
    (ma, da), (mb, db) = laid_out(ones, 8, 0, False), laid_out(ones[:8], 8, 0, False)
    d = np.full((128, 8), 0x7FFFFF00, np.uint32)
    for flags, want in ((), (0x7FFFFF00 + 32 * 127 * 127) & 0xFFFFFFFF), ((3,), 0x7FFFFFFF):
        idesc = described("s32", "s8", "s8", 128, 8, *flags)
        found = multiplied("tcgen05.mma.cta_group::1.kind::i8", d, (ma, mb), (da, db), idesc)
        assert (found == want).all()


#        kind        a       b       scales   per line   bytes that ids name
SCALED = [
    ("mxf8f6f4.block_scale", "e4m3", "e5m2", "ue8m0", 1, (0, 3)),
    ("mxf8f6f4.block_scale.scale_vec::1X", "e2m1", "e3m2", "ue8m0", 1, (2, 1)),
    ("mxf4.block_scale", "e2m1", "e2m1", "ue8m0", 2, (0, 2)),
    ("mxf4nvf4.block_scale.scale_vec::2X", "e2m1", "e2m1", "ue8m0", 2, (2, 0)),
    ("mxf4nvf4.block_scale.block16", "e2m1", "e2m1", "ue4m3", 4, (0, 0)),
]


@pytest.mark.parametrize(("kind", "a", "b", "scale", "per", "ids"), SCALED)
def test_scaled(kind: str, a: str, b: str, scale: str, per: int, ids: tuple[int, int]) -> None:
    rng = np.random.default_rng(per)
    blocked, columns = "mxf4" in kind, 40
    depth = 64 if blocked else 32
    (ca, left), (cb, right) = draw(rng, a, (128, depth)), draw(rng, b, (columns, depth))
    if scale == "ue8m0":
        sa, sb = rng.integers(126, 129, (128, per)), rng.integers(126, 129, (columns, per))
        va, vb = 2.0 ** (sa - 127), 2.0 ** (sb - 127)
    else:
        codes, values = values_of("e4m3")
        codes, values = codes[values > 0], values[values > 0]
        ia, ib = rng.integers(0, len(codes), (128, per)), rng.integers(0, len(codes), (columns, per))
        sa, va, sb, vb = codes[ia], values[ia], codes[ib], values[ib]
    cd, addend = draw(rng, "f32", (128, columns))
    if blocked:
        (ma, da), (mb, db) = (laid_out(c[:, ::2] | c[:, 1::2] << np.uint64(4), 8, 32, False) for c in (ca, cb))
        types = 1 << 7 | 1 << 10
    else:
        (ma, da), (mb, db) = in_memory(ca, a, 128, False), in_memory(cb, b, 128, False)
        types = CODES[a] << 7 | CODES[b] << 10
    idesc = types | ids[1] << 4 | columns >> 3 << 17 | (scale == "ue8m0") << 23 | 1 << 27 | ids[0] << 29
    words = scale_words(sa, ids[0]), scale_words(sb, ids[1])
    opcode = f"tcgen05.mma.cta_group::1.kind::{kind}"
    found = multiplied(opcode, cd, (ma, mb), (da, db), idesc, scales=words)
    in_bytes = ca[:, ::2] | ca[:, 1::2] << np.uint64(4) if blocked else ca << np.uint64(2 * (a == "e2m1"))
    stored = np.ascontiguousarray(in_bytes.astype(np.uint8)).view(np.uint32)
    again = multiplied(opcode, cd, (mb, mb), (0, db), idesc, a=stored, scales=words)
    np.testing.assert_array_equal(found, again)
    rows, lines = left * np.repeat(va, depth // per, 1), right * np.repeat(vb, depth // per, 1)
    np.testing.assert_array_equal(found, coded(rows @ lines.T + addend, "f32").astype(np.uint32))
