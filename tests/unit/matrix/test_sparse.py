"""Every form of mma.sp: a sparse matrix packed with its metadata, against the product of the whole matrix.

Where metadata stands is shown in figures 119 to 147 of the manual. In words: the indices of a row lie in its order, the
first in the lowest bits. Elements of sixteen bits and more: a lane has sixteen columns (tf32: eight) of row g in its
lower half, of row g + 8 in the upper one. Smaller elements: a lane has one row, 32 columns of bytes or 64 of nibbles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from manual_fragments import C
from test_products import coded, contained, dimensions, draw, gathered, scale_words, spread, width_of
from warp_kernels import run

from openptx.isa.types import TYPES

FORMS = [
    *(("m16n8k16 m16n8k32", d, "f16", "f16", "") for d in ("f16", "f32")),
    ("m16n8k16 m16n8k32", "f32", "bf16", "bf16", ""),
    ("m16n8k8 m16n8k16", "f32", "tf32", "tf32", ""),
    *(("m16n8k32 m16n8k64", "s32", a, b, "") for a, b in (("s8", "u8"), ("u8", "s8"))),
    *(("m16n8k64 m16n8k128", "s32", a, b, "") for a, b in (("s4", "u4"), ("u4", "s4"))),
    ("m16n8k64", "f32", "e5m2", "e4m3", ""),
    ("m16n8k64", "f32", "e3m2", "e2m3", "f8f6f4"),
    ("m16n8k64", "f16", "e2m3", "e2m1", "f8f6f4"),
]
MANUAL = [("m16n8k32", "f32", "e4m3", "e5m2", ""), ("m16n8k32", "f16", "e5m2", "e4m3", "")]
"""What the manual has and ptxas refuses. It has no layout of its own for them: bytes lie as those of integers."""
CASES = [(shape, *rest) for shapes, *rest in FORMS for shape in shapes.split()]


def sparse(rng: np.random.Generator, type: str, rows: int, depth: int, kind: str) -> tuple[Any, Any, Any]:
    """The codes that are kept [row, depth / 2], their places in the row, and the matrix with zeros elsewhere."""
    codes, values = draw(rng, type, (rows, depth // 2))
    places = np.zeros((rows, depth // 2), np.int64)
    small = width_of(type, kind) == 4
    for r in range(rows):
        if type == "tf32":
            places[r] = np.arange(depth // 2) * 2 + rng.integers(0, 2, depth // 2)
        elif small:  # pairs of elements in chunks of four pairs
            for chunk in range(depth // 8):
                p, q = np.sort(rng.choice(4, 2, replace=False))
                places[r, 4 * chunk : 4 * chunk + 4] = 8 * chunk + np.array([2 * p, 2 * p + 1, 2 * q, 2 * q + 1])
        else:
            for chunk in range(depth // 4):
                places[r, 2 * chunk : 2 * chunk + 2] = 4 * chunk + np.sort(rng.choice(4, 2, replace=False))
    matrix = np.zeros((rows, depth))
    np.put_along_axis(matrix, places, values, 1)
    return codes, places, matrix


def metadata(rng: np.random.Generator, type: str, places: Any, selector: int, kind: str) -> Any:
    """One register; lanes that don't count have junk."""
    e = rng.integers(0, 1 << 32, 32, dtype=np.uint64)
    width = width_of(type, kind)
    if type == "tf32":
        indices, bits = np.where(places % 2 == 1, 0b1110, 0b0100), 4
    elif width == 4:
        indices, bits = places[:, ::2] % 8 // 2, 2
    else:
        indices, bits = places % 4, 2
    words = [sum(int(v) << bits * i for i, v in enumerate(line)) for line in indices]  # of whole rows
    total = bits * indices.shape[1]
    for g in range(8):
        if width > 8:
            count = total // 16
            for i in range(count):
                low, high = (words[r] >> 16 * i & 0xFFFF for r in (g, g + 8))
                e[4 * g + selector * count + i] = low | high << 16
        else:
            for i in range(total // 32):
                for h in (0, 1):
                    e[4 * g + 2 * (selector + i) + h] = words[g + 8 * h] >> 32 * i & 0xFFFFFFFF
    return e.astype(np.uint32)[None]


def selectors(type: str, depth: int, kind: str) -> range:
    """How many lanes of a quad hold metadata decides which there are."""
    width = width_of(type, kind)
    lanes = {32: depth // 8, 16: depth // 16, 8: depth // 16, 4: depth // 32}[width]
    return range(4 // lanes)


def spread_rows(codes: Any, width: int) -> Any:
    """The elements that are kept as registers: those of a dense matrix of half the depth."""
    per = 32 // width

    def place(g: int, t: int, i: int) -> tuple[int, int]:
        r, e = divmod(i, per)
        return g + 8 * (r % 2), (4 * (r // 2) + t) * per + e

    return spread(codes, place, width)


def spread_columns(codes: Any, width: int) -> Any:
    per = 32 // width

    def place(g: int, t: int, i: int) -> tuple[int, int]:
        r, e = divmod(i, per)
        return (4 * r + t) * per + e, g

    return spread(codes, place, width)


ONE_SHAPE = [(shapes.split()[i % len(shapes.split())], *rest) for i, (shapes, *rest) in enumerate(FORMS)]
SPELT = [(*case, "sp::ordered_metadata") for case in ONE_SHAPE] + [
    pytest.param(*case, "sp", marks=pytest.mark.sweep) for case in CASES if not case[4]
]
SPELT += [(*case, "sp") for case in MANUAL]
"""Forms of a kind have one spelling. Of the others both mean the same."""


@pytest.mark.parametrize(("shape", "d", "a", "b", "kind", "variant"), SPELT)
def test_sparse(shape: str, d: str, a: str, b: str, kind: str, variant: str) -> None:
    """In one shape, and with one of the selectors, another for the next form."""
    chosen = selectors(a, dimensions(shape)[2], kind)
    number = -1 if variant == "sp" else ONE_SHAPE.index((shape, d, a, b, kind))
    compare(shape, d, a, b, kind, variant, [chosen[number % len(chosen)]])


@pytest.mark.sweep
@pytest.mark.parametrize(("shape", "d", "a", "b", "kind"), CASES)
def test_every_selector(shape: str, d: str, a: str, b: str, kind: str) -> None:
    compare(shape, d, a, b, kind, "sp::ordered_metadata", [*selectors(a, dimensions(shape)[2], kind)])


def compare(shape: str, d: str, a: str, b: str, kind: str, variant: str, chosen: list[int]) -> None:
    rng = np.random.default_rng(8)
    rows, columns, depth = dimensions(shape)
    width = width_of(a, kind)
    kept, places, left = sparse(rng, a, rows, depth, kind)
    codes_b, right = draw(rng, b, (depth, columns))
    codes_c, addend = draw(rng, d, (rows, columns))
    for selector in chosen:
        sources = [
            spread_rows(contained(kept, a, kind), width),
            spread_columns(contained(codes_b, b, kind), width),
            spread(codes_c, C[16], TYPES[d].width),
            metadata(rng, a, places, selector, kind),
        ]
        kinds = f".kind::{kind}" if kind else ""
        opcode = f"mma.{variant}.sync.aligned.{shape}.row.col{kinds}.{d}.{a}.{b}.{d}"
        count = 2 if d == "f16" else 4
        text = f"{opcode} {{0}}, {{1}}, {{2}}, {{3}}, %g4_0, {selector};"
        manual = (shape, d, a, b, kind) in MANUAL
        found = run(text, sources, (count, 32), profile="isa" if manual else "ptxas")
        want = coded(left @ right + addend, d)
        np.testing.assert_array_equal(gathered(found, C[16], TYPES[d].width, (16, 8)), want)


SCALED = [
    ("m16n8k64", "mxf8f6f4", "e3m2", "e2m1", "ue8m0", 1),
    ("m16n8k128", "mxf4", "e2m1", "e2m1", "ue8m0", 2),
    ("m16n8k128", "mxf4nvf4", "e2m1", "e2m1", "ue4m3", 4),
]


@pytest.mark.parametrize(("shape", "kind", "a", "b", "s", "count"), SCALED)
def test_sparse_scaled(shape: str, kind: str, a: str, b: str, s: str, count: int) -> None:
    rng = np.random.default_rng(9)
    rows, columns, depth = dimensions(shape)
    width = width_of(a, kind)
    kept, places, left = sparse(rng, a, rows, depth, kind)
    codes_b, right = draw(rng, b, (depth, columns))
    codes_c, addend = draw(rng, "f32", (rows, columns))
    of_a, scale_a = scale_words(rng, s, count, 0, lambda r: 4 * (r % 8) + 2 + r // 8, 16)
    of_b, scale_b = scale_words(rng, s, count, 0, lambda n: 4 * n + 3, 8)
    sources = [
        spread_rows(contained(kept, a, kind), width),
        spread_columns(contained(codes_b, b, kind), width),
        spread(codes_c, C[16], 32),
        metadata(rng, a, places, 0, kind),
        of_a,
        of_b,
    ]
    opcode = f"mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.kind::{kind}.block_scale.scale_vec::{count}X"
    registers = f"{opcode}.f32.{a}.{b}.f32.{s} {{0}}, {{1}}, {{2}}, {{3}}"
    text = registers + ", %g4_0, 0, %g5_0, {{0, 1}}, %g6_0, {{0, 3}};"
    found = run(text, sources, (4, 32))
    per = depth // count
    want = (left * np.repeat(scale_a, per, 1)) @ (right * np.repeat(scale_b.T, per, 0)) + addend
    np.testing.assert_array_equal(gathered(found, C[16], 32, (16, 8)), coded(want, "f32"))
