"""tcgen05.mma.sp: metadata where CuTe's layouts for sm_100 have it, against NumPy products of the whole matrices.

The layouts are written as CuTe writes them, sizes and strides of (row, depth), slowest last; an offset is 128 times a
bit of a lane's words plus the lane. Atoms of 128 rows: f16 ((8,2,8),(16,2)):((1,2048,16),(128,8)), tf32 in units of two
bits ((8,2,8),(8,2)):((1,1024,16),(128,8)), bytes (128,64):(1,128), pairs of e2m1 (128,64):(1,128).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tensor_kernels import CODES, described, in_memory, multiplied, placed, scale_words
from test_products import coded, draw, width_of
from test_sparse import sparse
from test_tensor_variants import both
from test_wgmma import laid_out

import openptx

#        kind      d      a       b       depth
TYPES_OF = [
    ("f16", "f32", "f16", "bf16", 32),
    ("f16", "f16", "f16", "f16", 32),
    ("tf32", "f32", "tf32", "tf32", 16),
    ("f8f6f4", "f32", "e4m3", "e2m1", 64),
    ("f8f6f4", "f32", "e2m3", "e5m2", 64),
    ("i8", "s32", "s8", "u8", 64),
]


def offsets(width: int, depth: int) -> Any:
    """By row of sixteen and kept pair of indices: lane and bit of the four bits that tell of a chunk."""
    found = np.zeros((16, depth, 2), np.int64)
    for m, k in itertools.product(range(16), range(depth)):
        if width == 16:
            at = m % 8 + 2048 * (m // 8) + 128 * (k % 16) + 8 * (k // 16)
            found[m, k] = at % 128, at // 128
        elif width == 32:
            at = m % 8 + 1024 * (m // 8) + 128 * (k % 8) + 8 * (k // 8)
            found[m, k] = at % 128, at // 128 * 2
        elif width == 8:
            found[m, k] = m, k
        else:
            found[m, k] = m, k // 2
    return found


def metadata(places: Any, width: int, selector: int = 0, spacing: int = 16, copies: int = 1) -> Any:
    """Words [lane, column] that tell of the kept places [row, depth / 2]; the columns of another selector have junk."""
    words = np.random.default_rng(1).integers(0, 1 << 32, (128, 4), dtype=np.uint64)
    rows, depth = places.shape[0], 2 * places.shape[1]
    where = offsets(width, depth)
    chunk = {32: 2, 16: 4, 8: 4, 4: 8}[width]
    for row, k in itertools.product(range(rows), range(0, depth, chunk)):
        kept = places[row, k // 2 : (k + chunk) // 2] % chunk
        if width == 32:
            index = 0b1110 if kept[0] else 0b0100
        else:
            first, second = kept[:: 2 if width == 4 else 1] // (2 if width == 4 else 1)
            index = int(first) | int(second) << 2
        lane, bit = where[row % 16, k]
        for copy in range(copies):
            at = row // 16 * spacing + lane + rows * copy, bit // 32 + selector
            words[at] = int(words[at]) & ~(15 << bit % 32) | index << bit % 32
    return words.astype(np.uint32)


CASES = [(*types, rows) for i, types in enumerate(TYPES_OF) for rows in (64, 128) if rows == 128 or i % 2 == 0]


@pytest.mark.parametrize(("kind", "d", "a", "b", "depth", "rows"), CASES)
def test_sparse(kind: str, d: str, a: str, b: str, depth: int, rows: int) -> None:
    rng = np.random.default_rng(rows + depth)
    width = width_of(a, kind) if kind != "f8f6f4" else 8
    (kept, places, left), (cb, right) = sparse(rng, a, rows, depth, kind), draw(rng, b, (16, depth))
    cd, addend = draw(rng, d, (rows, 16))
    mode = 64 if rows == 64 else 128
    (ma, da), (mb, db) = in_memory(kept, a, 32, False), in_memory(cb, b, mode, False)
    selector = int(width >= 16 and rows == 128)
    idesc = described(d, a, b, rows, 16, 2) | selector
    words = metadata(places, width, selector, 32 if rows == 64 else 16)
    opcode = f"tcgen05.mma.sp.cta_group::1.kind::{kind}"
    tail, part = ("%e, 2", 1 / 4) if d == "f32" and kind != "f8f6f4" and rows == 64 else ("%e", 1)
    found = multiplied(opcode, placed(cd), (ma, mb), (da, db), idesc, meta=words, tail=tail)
    want = placed(coded(left @ right.T + part * addend, d).astype(np.uint32))
    np.testing.assert_array_equal(found, want)


def test_a_in_tensor_memory_and_b_that_lies_across() -> None:
    rng = np.random.default_rng(4)
    (kept, places, left), (cb, right) = sparse(rng, "f16", 128, 32, ""), draw(rng, "f16", (64, 32))
    cd, addend = draw(rng, "f32", (128, 64))
    mb, db = laid_out(cb, 16, 128, True)
    stored = np.ascontiguousarray(kept.astype(np.uint16)).view(np.uint32)
    idesc = described("f32", "f16", "f16", 128, 64, 2, 16, 14)
    opcode = "tcgen05.mma.sp.cta_group::1.kind::f16"
    found = multiplied(opcode, cd, (mb, mb), (0, db), idesc, a=stored, meta=metadata(places, 16), tail="%e, 1")
    np.testing.assert_array_equal(found, coded(addend / 2 - left @ right.T, "f32").astype(np.uint32))


@pytest.mark.parametrize(
    ("kind", "a", "depth", "rows"), [("f16", "f16", 32, 32), ("tf32", "tf32", 16, 64), ("i8", "s8", 64, 128)]
)
def test_weights_that_stay(kind: str, a: str, depth: int, rows: int) -> None:
    """Each part of the columns has metadata in the lanes of its own rows."""
    rng = np.random.default_rng(rows)
    d, width = "s32" if a == "s8" else "f32", width_of(a, kind)
    (kept, places, left), (cb, right) = sparse(rng, a, rows, depth, kind), draw(rng, a, (64, depth))
    cd, addend = draw(rng, d, (rows, 64))
    (ma, da), (mb, db) = in_memory(kept, a, 32, False), in_memory(cb, a, 64, False)
    words = metadata(places, width, copies=128 // rows)

    def place(codes: Any) -> Any:
        return np.concatenate(np.split(codes.astype(np.uint32), 128 // rows, axis=1))

    opcode, idesc = f"tcgen05.mma.ws.sp.cta_group::1.kind::{kind}", described(d, a, a, rows, 64, 2)
    stored = np.ascontiguousarray(kept.astype(np.uint8)).view(np.uint32) if rows == 128 else None
    for a_there in (None, stored) if rows == 128 else (None,):
        at = da if a_there is None else 0
        found = multiplied(opcode, place(cd), (ma, mb), (at, db), idesc, a=a_there, meta=words)
        np.testing.assert_array_equal(found, place(coded(left @ right.T + addend, d)))


@pytest.mark.parametrize("rows", [128, pytest.param(256, marks=pytest.mark.sweep)])
def test_a_pair_of_ctas(rows: int) -> None:
    """128 rows lie in the first half of each warp's lanes, with all columns (layout C)."""
    rng = np.random.default_rng(rows)
    (kept, places, left), (cb, right) = sparse(rng, "e4m3", rows, 64, ""), draw(rng, "e5m2", (32, 64))
    cd, addend = draw(rng, "f32", (rows, 32))
    mb, db = both([laid_out(half, 8, 64, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 8, 32, False) for half in np.split(kept, 2)])
    spacing = 32 if rows == 128 else 16
    words = np.stack([metadata(half, 8, 0, spacing) for half in np.split(places, 2)])

    def place(codes: Any) -> Any:
        return np.stack([placed(half.astype(np.uint32)) for half in np.split(codes, 2)])

    idesc = described("f32", "e4m3", "e5m2", rows, 32, 2)
    opcode = "tcgen05.mma.sp.cta_group::2.kind::f8f6f4"
    found = multiplied(opcode, place(cd), (ma, mb), (da, db), idesc, meta=words)
    np.testing.assert_array_equal(found, place(coded(left @ right.T + addend, "f32")))


@pytest.mark.parametrize(
    ("kind", "a", "per"),
    [
        ("mxf8f6f4.block_scale.block32", "e4m3", 1),
        ("mxf4.block_scale", "e2m1", 2),
        ("mxf4nvf4.block_scale.scale_vec::4X", "e2m1", 4),
    ],
)
def test_scaled(kind: str, a: str, per: int) -> None:
    """As many scales as a dense product has, each of twice as many elements."""
    rng = np.random.default_rng(per)
    blocked = "mxf4" in kind
    depth = 128 if blocked else 64
    (kept, places, left), (cb, right) = sparse(rng, a, 128, depth, "mxf4" if blocked else ""), draw(rng, a, (24, depth))
    sa, sb = rng.integers(126, 129, (128, per)), rng.integers(126, 129, (24, per))
    cd, addend = draw(rng, "f32", (128, 24))
    if blocked:
        (ma, da), (mb, db) = (laid_out(c[:, ::2] | c[:, 1::2] << np.uint64(4), 8, 64, False) for c in (kept, cb))
        types = 1 << 7 | 1 << 10
    else:
        (ma, da), (mb, db) = in_memory(kept, a, 64, False), in_memory(cb, a, 64, False)
        types = CODES[a] << 7 | CODES[a] << 10
    idesc = types | 1 << 2 | 24 >> 3 << 17 | 1 << 23 | 1 << 27
    words = scale_words(sa, 0), scale_words(sb, 0)
    opcode = f"tcgen05.mma.sp.cta_group::1.kind::{kind}"
    meta = metadata(places, 4 if blocked else 8)
    found = multiplied(opcode, cd, (ma, mb), (da, db), idesc, scales=words, meta=meta)
    in_bytes = kept[:, ::2] | kept[:, 1::2] << np.uint64(4) if blocked else kept
    stored = np.ascontiguousarray(in_bytes.astype(np.uint8)).view(np.uint32)
    again = multiplied(opcode, cd, (mb, mb), (0, db), idesc, a=stored, scales=words, meta=meta)
    np.testing.assert_array_equal(found, again)
    rows, lines = (v * np.repeat(2.0 ** (s - 127), depth // per, 1) for v, s in ((left, sa), (right, sb)))
    np.testing.assert_array_equal(found, coded(rows @ lines.T + addend, "f32").astype(np.uint32))


@pytest.mark.parametrize(
    ("opcode", "flags", "shape", "mode", "error"),
    [
        ("mma.sp", (), (128, 16), 0, (openptx.Fault, "says that a is dense")),
        ("mma", (2,), (128, 16), 0, (openptx.Fault, "says that a is sparse")),
        ("mma.ws.sp", (2,), (64, 256), 0, (openptx.Fault, "asks for 64 rows and 256 columns")),
        ("mma.sp", (2,), (128, 16), 6, (openptx.Unsupported, "swizzled by 32 bytes along its depth")),
    ],
)
def test_what_no_sparse_product_has(opcode: str, flags: Any, shape: Any, mode: int, error: Any) -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    meta, idesc = np.zeros((128, 2), np.uint32), described("f32", "f16", "f16", *shape, *flags)
    name = f"tcgen05.{opcode}.cta_group::1.kind::f16"
    with pytest.raises(error[0], match=error[1]):
        multiplied(name, d, (memory, memory), (0, mode << 61), idesc, meta=meta if "sp" in opcode else None)


@pytest.mark.parametrize("sparse_a", [False, True])
def test_a_shifts_after_the_product(sparse_a: bool) -> None:
    """The product has a as it was; then every row but the last of a warp's 32 gets the next one (CuTe's documents)."""
    rng = np.random.default_rng(6)
    depth = 32 if sparse_a else 16
    if sparse_a:
        kept, places, left = sparse(rng, "f16", 128, 32, "")
    else:
        (kept, left), places = draw(rng, "f16", (128, 16)), None
    cb, right = draw(rng, "f16", (16, depth))
    cd, addend = draw(rng, "f32", (128, 16))
    mb, db = laid_out(cb, 16, 64, False)
    stored = np.ascontiguousarray(kept.astype(np.uint16)).view(np.uint32)
    name, flags = ("tcgen05.mma.sp", (2,)) if sparse_a else ("tcgen05.mma", ())
    idesc = described("f32", "f16", "f16", 128, 16, *flags)
    meta = metadata(places, 16) if sparse_a else None
    for engine in ("interp",) if sparse_a else ("interp", "native"):
        found, after = multiplied(
            f"{name}.cta_group::1.kind::f16.ashift", cd, (mb, mb), (0, db), idesc, a=stored, meta=meta, shifted=True,
            engine=engine,
        )  # fmt: skip
        np.testing.assert_array_equal(found, coded(left @ right.T + addend, "f32").astype(np.uint32))
        want = stored.copy()
        for row in range(128):
            if row % 32 != 31:
                want[row] = stored[row + 1]
        np.testing.assert_array_equal(after, want)


def test_64_rows_do_not_shift() -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    idesc, a = described("f32", "f16", "f16", 64, 16), np.zeros((128, 8), np.uint32)
    with pytest.raises(openptx.Fault, match="with 64 rows"):
        multiplied("tcgen05.mma.cta_group::1.kind::f16.ashift", d, (memory, memory), (0, 0), idesc, a=a)
