"""tcgen05.mma.ws, pairs of CTAs, and descriptors that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensor_kernels import CODES, described, multiplied, scale_words
from test_products import coded, draw
from test_wgmma import laid_out

import openptx
from openptx.engines.interp import tensor_cores


@pytest.mark.parametrize("rows", [32, 64, 128])
@pytest.mark.parametrize("add", [True, False])
def test_weights_that_stay(rows: int, add: bool) -> None:
    """Fewer rows than 128 lie below each other, each time with the next columns (layouts E and G)."""
    rng = np.random.default_rng(rows)
    (ca, left), (cb, right) = draw(rng, "e4m3", (rows, 32)), draw(rng, "e5m2", (64, 32))
    cd, addend = draw(rng, "f32", (rows, 64))
    (ma, da), (mb, db) = laid_out(ca, 8, 64, False), laid_out(cb, 8, 0, False)
    parts = 128 // rows

    def place(codes: Any) -> Any:
        return np.concatenate(np.split(codes.astype(np.uint32), parts, axis=1))

    opcode, idesc = "tcgen05.mma.ws.cta_group::1.kind::f8f6f4", described("f32", "e4m3", "e5m2", rows, 64)
    want = place(coded(left @ right.T + add * addend, "f32"))
    found = multiplied(opcode + ".collector::b1::fill", place(cd), (ma, mb), (da, db), idesc, add=add)
    np.testing.assert_array_equal(found, want)
    words = np.zeros((128, 8), np.uint32)
    words[:rows] = np.ascontiguousarray(ca.astype(np.uint8)).view(np.uint32)
    if rows == 128:
        found = multiplied(opcode, place(cd), (mb, mb), (0, db), idesc, a=words, add=add)
        np.testing.assert_array_equal(found, want)
    else:
        with pytest.raises(openptx.Unsupported, match=f"M = {rows}"):
            multiplied(opcode, place(cd), (mb, mb), (0, db), idesc, a=words, add=add)


def both(parts: list[tuple[Any, int]]) -> tuple[Any, int]:
    """The shared memory of two CTAs, with their common descriptor."""
    assert parts[0][1] == parts[1][1]
    return np.stack([memory for memory, _ in parts]), parts[0][1]


def laid_as_they_are(codes: Any) -> Any:
    """128 rows of each CTA, of 32 columns."""
    return codes.reshape(2, 128, 32)


def laid_in_halves(codes: Any) -> Any:
    """Layout B: 64 rows of each CTA, the second half of the columns in lanes 64 to 127."""
    half = codes.shape[1] // 2
    return np.stack([np.concatenate((own[:, :half], own[:, half:])) for own in (codes[:64], codes[64:])])


@pytest.mark.parametrize("rows", [128, 256])
@pytest.mark.parametrize("mode", [0, 128])
@pytest.mark.parametrize("from_tensor_memory", [False, True])
def test_a_pair_of_ctas(rows: int, mode: int, from_tensor_memory: bool) -> None:
    """Each has half of the rows of a and d, and half of the columns of b."""
    rng = np.random.default_rng(rows + mode)
    (ca, left), (cb, right) = draw(rng, "bf16", (rows, 16)), draw(rng, "bf16", (32, 16))
    cd, addend = draw(rng, "f32", (rows, 32))
    mb, db = both([laid_out(half, 16, mode, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 16, mode, False) for half in np.split(ca, 2)])
    want = coded(left @ right.T + addend, "f32").astype(np.uint32)
    words = None
    if from_tensor_memory:
        words = np.ascontiguousarray(ca.astype(np.uint16)).view(np.uint32).reshape(2, rows // 2, 8)
        words = np.concatenate([words] * (256 // rows), axis=1)
    idesc = described("f32", "bf16", "bf16", rows, 32)
    place = laid_in_halves if rows == 128 else laid_as_they_are
    found = multiplied(
        "tcgen05.mma.cta_group::2.kind::f16", place(cd.astype(np.uint32)), (ma, mb), (da, db), idesc, a=words
    )
    np.testing.assert_array_equal(found, place(want))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products become code however little was multiplied."""
    monkeypatch.setattr(tensor_cores, "WORTH_LINKING", 0)
    monkeypatch.setattr(tensor_cores, "WORTH_MAKING", 0)


@pytest.mark.usefixtures("at_once")
def test_pairs_of_ctas_as_code() -> None:
    test_each_thread_of_a_pair_of_ctas_makes_a_product_of_its_own()
    for columns in (32, 224):
        test_a_pair_of_ctas_with_scales_and_64_rows_each(columns)
    for rows in (128, 256):
        test_a_pair_of_ctas(rows, 128, from_tensor_memory=rows == 128)


def test_each_thread_of_a_pair_of_ctas_makes_a_product_of_its_own() -> None:
    rng = np.random.default_rng(4)
    (ca, left), (cb, right) = draw(rng, "f16", (256, 16)), draw(rng, "f16", (32, 16))
    mb, db = both([laid_out(half, 16, 0, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 16, 0, False) for half in np.split(ca, 2)])
    idesc, zero = described("f32", "f16", "f16", 256, 32), np.zeros((2, 128, 32), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::2.kind::f16", zero, (ma, mb), (da, db), idesc, rank=1)
    want = coded(2 * (left @ right.T), "f32").astype(np.uint32)
    np.testing.assert_array_equal(found.reshape(256, 32), want)


def test_a_pair_of_ctas_with_scales_and_masks() -> None:
    rng = np.random.default_rng(1)
    (ca, left), (cb, right) = draw(rng, "e4m3", (256, 32)), draw(rng, "e5m2", (32, 32))
    sa, sb = rng.integers(126, 129, (256, 1)), rng.integers(126, 129, (32, 1))
    cd, addend = draw(rng, "f32", (256, 32))
    mb, db = both([laid_out(half, 8, 64, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 8, 64, False) for half in np.split(ca, 2)])
    words = np.stack([scale_words(half, 1) for half in np.split(sa, 2)]), np.stack([scale_words(sb, 2)] * 2)
    idesc = CODES["e4m3"] << 7 | CODES["e5m2"] << 10 | 2 << 4 | 32 >> 3 << 17 | 1 << 23 | 2 << 27 | 1 << 29
    opcode = "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.block32"
    found = multiplied(opcode, cd.astype(np.uint32).reshape(2, 128, 32), (ma, mb), (da, db), idesc, scales=words)
    want = coded((left * 2.0 ** (sa - 127)) @ (right * 2.0 ** (sb - 127)).T + addend, "f32").astype(np.uint32)
    np.testing.assert_array_equal(found.reshape(256, 32), want)
    idesc = described("f32", "e4m3", "e5m2", 256, 32)
    masks = "{%m0, %m1, %m2, %m3, %m2, %m0, %m1, %m3}"
    found = multiplied(
        "tcgen05.mma.cta_group::2.kind::f8f6f4",
        cd.astype(np.uint32).reshape(2, 128, 32),
        (ma, mb),
        (da, db),
        idesc,
        tail=f"{masks}, %e",
    ).reshape(256, 32)
    want = coded(left @ right.T + addend, "f32").astype(np.uint32)
    for kept in (0, 33, 127, 128 + 32, 128 + 65, 128 + 127):
        want[kept] = cd[kept]
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("columns", [32, 128, 224])
def test_a_pair_of_ctas_with_scales_and_64_rows_each(columns: int) -> None:
    """As CUTLASS has it (`tmem_sf_frg`, the data path of two by two): each half of b's columns has its scales in the
    lanes in which d has that half, counted from the half's first column."""
    rng = np.random.default_rng(columns)
    (ca, left), (cb, right) = draw(rng, "e4m3", (128, 32)), draw(rng, "e5m2", (columns, 32))
    sa, sb = rng.integers(124, 131, (128, 1)), rng.integers(124, 131, (columns, 1))
    cd, addend = draw(rng, "f32", (128, columns))
    mb, db = both([laid_out(half, 8, 64, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 8, 64, False) for half in np.split(ca, 2)])
    of_halves = np.concatenate([scale_words(half, 2)[:64] for half in np.split(sb, 2)])
    words = np.stack([scale_words(half, 1) for half in np.split(sa, 2)]), np.stack([of_halves] * 2)
    idesc = CODES["e4m3"] << 7 | CODES["e5m2"] << 10 | 2 << 4 | columns >> 3 << 17 | 1 << 23 | 1 << 27 | 1 << 29
    opcode = "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.block32"
    found = multiplied(opcode, laid_in_halves(cd.astype(np.uint32)), (ma, mb), (da, db), idesc, scales=words)
    want = coded((left * 2.0 ** (sa - 127)) @ (right * 2.0 ** (sb - 127)).T + addend, "f32").astype(np.uint32)
    np.testing.assert_array_equal(found, laid_in_halves(want))


MISSING = {
    "tcgen05.mma.cta_group::1.kind::mxf4.block_scale": (1 << 7 | 1 << 10 | 1 << 18 | 1 << 27 | 1 << 31, "%e", "K = 96"),
}


@pytest.mark.parametrize("opcode", MISSING)
def test_what_is_missing_is_said_by_name(opcode: str) -> None:
    idesc, tail, what = MISSING[opcode]
    group = 2 if "group::2" in opcode else 1
    memory, d = np.zeros((group, 32768), np.uint8), np.zeros((group, 128, 64), np.uint32)
    words = np.zeros((group, 128, 8), np.uint32)
    scales = (words, words) if "scale" in opcode else None
    with pytest.raises(openptx.Unsupported, match=what):
        multiplied(opcode, d, (memory, memory), (0, 0), idesc, scales=scales, tail=tail)


#        rows  start counts  first spans  non-zero  skip  use  shift   runs of columns that are masked, by the examples
MASKED = [
    (128, (0, 0, 0, 0), (0, 0, 0, 0), 0, 4, 3, 0, [""]),
    (128, (0, 0, 0, 0), (0, 0, 0, 0), 1, 2, 3, 0, ["0000111"]),
    (64, (0, 0, 0, 0), (1, 0, 0, 0), 1, 2, 3, 0, ["1110000", "0000111"]),
    (32, (0, 1, 2, 1), (1, 1, 0, 0), 1, 2, 3, 2, ["1110000", "1100001", "0011100", "0001110"]),
]


@pytest.mark.parametrize(("rows", "starts", "firsts", "on", "skip", "use", "shift", "runs"), MASKED)
def test_columns_that_are_masked(
    rows: int, starts: Any, firsts: Any, on: int, skip: int, use: int, shift: int, runs: list[str]
) -> None:
    """Examples 1 to 4 of 9.7.16.4.3, in which the first column of a mask stands at the right."""
    rng = np.random.default_rng(rows)
    (ca, left), (cb, right) = draw(rng, "f16", (rows, 16)), draw(rng, "f16", (72, 16))
    (ma, da), (mb, db) = laid_out(ca, 16, 0, False), laid_out(cb, 16, 0, False)
    fields = [*((n, 8 * i) for i, n in enumerate(starts)), *((n, 32 + i) for i, n in enumerate(firsts))]
    fields += [(on, 39), (skip, 40), (use, 48), (shift, 56)]
    mask = sum(n << at for n, at in fields)
    parts, per = 128 // rows, 64 * rows // 128
    used = np.array([[bit != "1" for bit in (run * 10 or "0" * 64)[:per]] for run in runs]).reshape(-1)
    want = coded(left @ (right[shift : shift + 64] * used[:, None]).T, "f32").astype(np.uint32)
    idesc = described("f32", "f16", "f16", rows, 64)
    zero = np.zeros((128, 64 // parts), np.uint32)
    opcode = "tcgen05.mma.ws.cta_group::1.kind::f16"
    found = multiplied(opcode, zero, (ma, mb), (da, db), idesc, tail=f"%e, {mask}")
    np.testing.assert_array_equal(found, np.concatenate(np.split(want, parts, axis=1)))


def test_columns_that_are_shifted_too_far() -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    idesc = described("f32", "f16", "f16", 32, 64)
    with pytest.raises(openptx.Fault, match="shifts 17 columns"):
        multiplied("tcgen05.mma.ws.cta_group::1.kind::f16", d, (memory, memory), (0, 0), idesc, tail=f"%e, {17 << 56}")


WRONG = {
    "names a type of a or b": described("f32", "f16", "f16", 128, 16) | 7 << 7,
    "names a type of d": described("s32", "f16", "f16", 128, 16),
    "asks for 32 rows and 16 columns": described("f32", "f16", "f16", 32, 16),
    "asks for 128 rows and 0 columns": described("f32", "f16", "f16", 128, 0),
}


@pytest.mark.parametrize("what", WRONG)
def test_descriptors_that_can_not_be(what: str) -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault, match=what) as caught:
            multiplied("tcgen05.mma.cta_group::1.kind::f16", d, (memory, memory), (0, 0), WRONG[what], engine=engine)
        assert caught.value.code == "PTX9015"


def test_a_descriptor_of_no_rows_with_a_kept_matrix() -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    idesc = described("f32", "f16", "f16", 0, 64)
    with pytest.raises(openptx.Fault, match="asks for 0 rows and 64 columns"):
        multiplied("tcgen05.mma.ws.cta_group::1.kind::f16", d, (memory, memory), (0, 0), idesc)


def test_a_mode_of_swizzling_that_is_none() -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    idesc = described("f32", "f16", "f16", 128, 16)
    with pytest.raises(openptx.Fault, match="swizzling mode 3"):
        multiplied("tcgen05.mma.cta_group::1.kind::f16", d, (memory, memory), (3 << 61, 0), idesc)
