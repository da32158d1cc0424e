"""Tensor-core sums by generation, compared with a model in fractions of the rules of MMA-Sim and FPRev.

Terms are cut towards zero a number of bits below the largest exponent and added exactly; the sum is cut (f32) or
rounded to nearest (f16). Of more products than are added at once, the lowest come first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from manual_fragments import OLD_A, OLD_B, OLD_C, A, B, C
from test_dots import tame
from test_products import dimensions, gathered, packed, spread
from test_wmma import operands
from warp_kernels import run, run_on_memory

import openptx
from openptx.isa.types import TYPES
from openptx.numerics import FORMATS
from openptx.numerics.codec import decode


def term(name: str, code: int) -> tuple[Fraction, int]:
    """A number and its exponent; subnormal ones have the format's smallest."""
    f, value = FORMATS[name], decode(FORMATS[name], int(code)).number
    assert value
    return value, max(math.frexp(float(value))[1] - 1, f.emin)


def rounded(d: str, v: Fraction, kept: int) -> Fraction:
    if not v:
        return v
    least, bits = (-126, kept) if d == "f32" else (-14, 10)
    unit = Fraction(2) ** (max(math.frexp(float(abs(v)))[1] - 1, least) - bits)
    return (math.trunc(v / unit) if d == "f32" else round(v / unit)) * unit


def total(a: str, b: str, d: str, row: Any, column: Any, c: int, together: int, cut: int, kept: int = 23) -> float:
    sum_, exponent = term(d, c)
    for at in range(0, len(row), together):
        terms = [(sum_, exponent)]
        for p, q in zip(row[at : at + together], column[at : at + together], strict=True):
            (v, ev), (w, ew) = term(a, p), term(b, q)
            terms.append((v * w, ev + ew))
        unit = Fraction(2) ** (max(e for _, e in terms) - cut)
        sum_ = rounded(d, sum(math.trunc(v / unit) for v, _ in terms) * unit, kept)
        exponent = math.frexp(float(sum_))[1] - 1 if sum_ else -126
    return float(sum_)


def in_f32(row: Any, column: Any, c: int) -> float:
    """The products added by `fma.rn.f32`, from zero, and then c, as ptxas's subroutine does."""
    sum_ = 0.0
    for p, q in zip(row, column, strict=True):
        sum_ = float(np.float32(float(term("f16", p)[0] * term("f16", q)[0] + Fraction(sum_))))
    return float(np.float32(float(term("f32", c)[0] + Fraction(sum_))))


def random(rng: np.random.Generator, name: str, shape: tuple[int, int]) -> Any:
    return tame(rng, name, shape[0] * shape[1]).reshape(shape).astype(np.uint64)


def as_numbers(codes: Any, d: str) -> Any:
    return codes.astype(np.uint32).view(np.float32) if d == "f32" else codes.astype(np.uint16).view(np.float16)


#   target      shape       d      a       b       together  cut  kept
CASES = [
    ("sm_75",  "m16n8k8",  "f32", "f16",  "f16",  8,  24, 23),
    ("sm_75",  "m16n8k8",  "f16", "f16",  "f16",  8,  24, 23),
    ("sm_80",  "m16n8k8",  "f32", "bf16", "bf16", 8,  24, 23),
    ("sm_86",  "m16n8k16", "f32", "f16",  "f16",  8,  24, 23),
    ("sm_80",  "m16n8k16", "f16", "f16",  "f16",  8,  24, 23),
    ("sm_80",  "m16n8k4",  "f32", "tf32", "tf32", 4,  24, 23),
    ("sm_80",  "m16n8k8",  "f32", "tf32", "tf32", 4,  24, 23),
    ("sm_89",  "m16n8k16", "f32", "bf16", "bf16", 8,  24, 23),
    ("sm_89",  "m16n8k32", "f32", "e4m3", "e5m2", 16, 13, 13),
    ("sm_89",  "m16n8k32", "f16", "e4m3", "e5m2", 16, 13, 13),
    ("sm_89",  "m16n8k16", "f32", "e5m2", "e5m2", 16, 13, 13),
    ("sm_90",  "m16n8k16", "f32", "f16",  "f16",  16, 25, 23),
    ("sm_90",  "m16n8k8",  "f32", "tf32", "tf32", 8,  25, 23),
    ("sm_100", "m16n8k16", "f32", "bf16", "bf16", 16, 25, 23),
    ("sm_120", "m16n8k32", "f32", "e4m3", "e5m2", 32, 25, 23),
    ("sm_120", "m16n8k32", "f16", "e4m3", "e4m3", 32, 25, 23),
]  # fmt: skip


@pytest.mark.parametrize(("target", "shape", "d", "a", "b", "together", "cut", "kept"), CASES)
def test_mma(target: str, shape: str, d: str, a: str, b: str, together: int, cut: int, kept: int) -> None:
    rng = np.random.default_rng(together + cut)
    rows, columns, depth = dimensions(shape)
    codes = [random(rng, name, size) for name, size in ((a, (16, depth)), (b, (depth, 8)), (d, (16, 8)))]
    sources = [
        spread(each, place, TYPES[name].width)
        for each, place, name in zip(
            codes, (A[shape, TYPES[a].width], B[shape, TYPES[b].width], C[16]), (a, b, d), strict=True
        )
    ]
    opcode = f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{d}"
    count = 2 if d == "f16" else 4
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", sources, (count, 32), target)
    found = as_numbers(gathered(found, C[16], TYPES[d].width, (16, 8)), d)
    want = [
        [total(a, b, d, codes[0][i], codes[1][:, j], codes[2][i, j], together, cut, kept) for j in range(columns)]
        for i in range(rows)
    ]
    np.testing.assert_array_equal(found, np.array(want).astype(found.dtype))


OLDEST: dict[str, Callable[..., float]] = {
    "sm_70": partial(total, "f16", "f16", "f32", together=4, cut=23),
    "sm_75": partial(total, "f16", "f16", "f32", together=4, cut=24),
    "sm_80": in_f32, "sm_90": in_f32, "sm_120": in_f32,
}  # fmt: skip


@pytest.mark.parametrize("target", OLDEST)
def test_the_oldest_mma(target: str) -> None:
    """m8n8k4, of which lanes 0 to 3 and 16 to 19 have the first product."""
    rng = np.random.default_rng(7)
    a, b, c = random(rng, "f16", (8, 4)), random(rng, "f16", (4, 8)), random(rng, "f32", (8, 8))
    lanes = [lane for lane in range(32) if lane & 12 == 0]

    def placed(matrix: Any, place: Any, count: int, width: int) -> Any:
        codes = np.zeros((count, 32), np.uint64)
        for lane, i in itertools.product(lanes, range(count)):
            codes[i, lane] = matrix[place(lane, i)]
        return packed(codes, width)

    sources = [placed(a, OLD_A["row"], 4, 16), placed(b, OLD_B["col"], 4, 16), placed(c, OLD_C["f32"], 8, 32)]
    opcode = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", sources, (8, 32), target).view(np.float32)
    for lane, i in itertools.product(lanes, range(8)):
        row, column = OLD_C["f32"](lane, i)
        assert found[i, lane] == OLDEST[target](a[row], b[:, column], c[row, column])


@pytest.mark.parametrize(
    ("target", "a", "together", "cut"),
    [
        ("sm_70", "f16", 4, 23), ("sm_75", "f16", 8, 24), ("sm_80", "bf16", 8, 24), ("sm_90a", "f16", 16, 25),
        ("sm_90", "tf32", 4, 25),
    ],
)  # fmt: skip
def test_wmma(target: str, a: str, together: int, cut: int) -> None:
    rng = np.random.default_rng(together)
    depth, size = (8, np.uint32) if a == "tf32" else (16, np.uint16)
    left, right, c = random(rng, a, (16, depth)), random(rng, a, (depth, 16)), random(rng, "f32", (16, 16))
    count = 8 if a == "f16" else 4
    (ra, la), (rb, lb), (rc, lc) = operands(count, 32, "a"), operands(count, 32, "b"), operands(8, 32, "c")
    kind = "f32.f32" if a == "f16" else f"f32.{a}.{a}.f32"
    text = f"""
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {{
    {ra} {rb} {rc} .reg .b64 %p, %q, %r;
    ld.param.u64 %p, [pa]; ld.param.u64 %q, [pb]; ld.param.u64 %r, [pc];
    wmma.load.a.sync.aligned.row.m16n16k{depth}.global.{a} {la}, [%p];
    wmma.load.b.sync.aligned.col.m16n16k{depth}.global.{a} {lb}, [%q];
    wmma.load.c.sync.aligned.row.m16n16k{depth}.global.f32 {lc}, [%r];
    wmma.mma.sync.aligned.row.col.m16n16k{depth}.{kind} {lc}, {la}, {lb}, {lc};
    wmma.store.d.sync.aligned.row.m16n16k{depth}.global.f32 [%r], {lc};
    ret;
}}"""
    arrays = [left.astype(size), np.ascontiguousarray(right.T.astype(size)), c.astype(np.uint32)]
    found = run_on_memory(text, arrays, target)[2].view(np.float32)
    want = [[total(a, a, "f32", left[i], right[:, j], c[i, j], together, cut) for j in range(16)] for i in range(16)]
    np.testing.assert_array_equal(found, np.array(want, np.float32))


TEXT = """.version 8.7
.target {0}
.address_size 64
.visible .entry k(.param .u64 p) {{
    .reg .b32 %a<4>, %c<4>;
    {1} {{%c0, %c1, %c2, %c3}}, {{%a0, %a1, %a2, %a3}}, {{%a0, %a1}}, {{%c0, %c1, %c2, %c3}};
    ret;
}}"""


@pytest.mark.parametrize(
    ("target", "types", "said"),
    [
        ("sm_80", "m16n8k16.row.col.f32.f16.f16.f32", "MMA-Sim, A100: 16 bytes of products at once"),
        ("sm_89", "m16n8k32.row.col.f32.e4m3.e4m3.f32", "MMA-Sim, Ada: sixteen products at once, cut to 13 bits"),
        ("sm_90", "m16n8k16.row.col.f32.f16.f16.f32", "MMA-Sim and H100"),
        ("sm_90", "m16n8k32.row.col.f32.e4m3.e4m3.f32", "of f16 products"),
        ("sm_100a", "m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", "of f16 products"),
        ("sm_120", "m16n8k32.row.col.f32.e4m3.e4m3.f32", "MMA-Sim, RTX Blackwell"),
    ],
)
def test_the_fidelity_says_whose_sums_they_are(target: str, types: str, said: str) -> None:
    text = TEXT.format(target, f"mma.sync.aligned.{types}")
    (used,) = (u for u in openptx.load(text)["k"].fidelity() if "mma" in u.text)
    assert used.fidelity.kind == "modelled"
    assert said in used.fidelity.text


def test_the_target_that_is_asked_for_decides() -> None:
    text = TEXT.format("sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
    (used,) = (u for u in openptx.load(text, target="sm_90")["k"].fidelity() if "mma" in u.text)
    assert "H100" in used.fidelity.text
    sparse = (
        text.replace("mma.sync", "mma.sp.sync")
        .replace("m16n8k16", "m16n8k32")
        .replace("{%a0, %a1},", "{%a0, %a1, %a2, %a3},")
    )
    sparse = sparse.replace("%c3};", "%c3}, %a0, 0;")
    (used,) = (u for u in openptx.load(sparse)["k"].fidelity() if "mma" in u.text)
    assert "a guess for Ampere" in used.fidelity.text
