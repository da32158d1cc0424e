"""wmma through memory: load, multiply, store, for every shape, type, layout and space, compared with NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from test_products import coded, dimensions, draw
from warp_kernels import ENGINES, run_on_memory

from openptx.isa.types import TYPES

SHAPES = ("m16n16k16", "m8n32k16", "m32n8k16")
LAYOUTS = list(itertools.product(("row", "col"), repeat=3))
#        shapes         d      a       c
FORMS = [
    *((s, d, "f16", c) for s in SHAPES for d, c in itertools.product(("f16", "f32"), repeat=2)),
    *((s, "s32", a, "s32") for s in SHAPES for a in ("s8", "u8")),
    *((s, "f32", "bf16", "f32") for s in SHAPES),
    ("m16n16k8", "f32", "tf32", "f32"),
    ("m8n8k4", "f64", "f64", "f64"),
    ("m8n8k32", "s32", "s4", "s32"),
    ("m8n8k32", "s32", "u4", "s32"),
    ("m8n8k128", "s32", "b1", "s32"),
]
NAMES = ("b1", "s4", "u4", "s8", "u8", "f16", "bf16", "tf32", "f32", "s32", "f64")
WIDTHS = {type: TYPES[type].width for type in NAMES}


def fragment(shape: str, type: str, which: str) -> int:
    rows, columns, depth = dimensions(shape)
    size = {"a": rows * depth, "b": depth * columns}.get(which, rows * columns)
    if which in "ab" and type == "f16":
        return 8
    return max(size * WIDTHS[type] // 32 // max(WIDTHS[type], 32), 1)


def stored(codes: Any, layout: str, stride: int, width: int) -> Any:
    """A matrix in memory, its lines `stride` elements apart."""
    lines = codes if layout == "row" else codes.T
    wide = np.zeros((lines.shape[0], stride), np.uint64)
    wide[:, : lines.shape[1]] = lines
    if width >= 8:
        return wide.astype(f"u{width // 8}")
    flat = wide.reshape(-1, 8 // width)
    return sum((flat[:, i] << np.uint64(i * width) for i in range(8 // width)), np.uint64(0)).astype(np.uint8)


def operands(count: int, width: int, name: str) -> tuple[str, str]:
    return f".reg .b{width} %{name}<{count}>;", "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


@pytest.mark.parametrize(("shape", "d", "a", "c"), FORMS)
def test_wmma(shape: str, d: str, a: str, c: str) -> None:
    rng = np.random.default_rng(6)
    rows, columns, depth = dimensions(shape)
    sub = WIDTHS[a] < 8
    layouts = [("row", "col", "row"), ("row", "col", "col")] if sub else LAYOUTS
    whole = FORMS.index((shape, d, a, c)) % len(layouts)  # native code takes a second to make: one layout a form
    for n, (la, lb, lc) in enumerate(layouts):
        padding = (0, 32 if sub else 16)[n % 2] * (4 if a == "b1" else 1)
        codes_a, left = draw(rng, a, (rows, depth))
        codes_b, right = draw(rng, a, (depth, columns))
        codes_c, addend = draw(rng, c, (rows, columns))
        steps = [
            (depth if la == "row" else rows) + padding,
            (columns if lb == "row" else depth) + padding,
            (columns if lc == "row" else rows) + padding,
        ]
        arrays = [
            np.zeros((rows if lc == "row" else columns, steps[2]), f"u{WIDTHS[d] // 8}"),
            stored(codes_a, la, steps[0], WIDTHS[a]),
            stored(codes_b, lb, steps[1], WIDTHS[a]),
            stored(codes_c, lc, steps[2], WIDTHS[c]),
        ]
        named = ((d, "d"), (a, "a"), (a, "b"), (c, "c"))
        parts = [operands(fragment(shape, type, name), max(WIDTHS[type], 32), name) for type, name in named]
        declared, lists = zip(*parts, strict=True)
        strides = [f", {s}" if padding else "" for s in steps]
        op = "xor.popc." if a == "b1" else ""
        types = f"{d}.{a}.{a}.{c}" if a not in ("f16",) else f"{d}.{c}"
        space = ".global" if n % 2 else ""
        text = f"""
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{{
    {" ".join(declared)}
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2]; ld.param.u64 %rd3, [p3];
    wmma.load.a.sync.aligned.{la}.{shape}{space}.{a} {lists[1]}, [%rd1]{strides[0]};
    wmma.load.b.sync.aligned.{lb}.{shape}{space}.{a} {lists[2]}, [%rd2]{strides[1]};
    wmma.load.c.sync.aligned.{lc}.{shape}{space}.{c} {lists[3]}, [%rd3]{strides[2]};
    wmma.mma.{op}sync.aligned.{la}.{lb}.{shape}.{types} {lists[0]}, {lists[1]}, {lists[2]}, {lists[3]};
    wmma.store.d.sync.aligned.{lc}.{shape}{space}.{d} [%rd0], {lists[0]}{strides[2]};
    ret;
}}
"""
        found = run_on_memory(text, arrays, "sm_90a", ENGINES if n == whole else ENGINES[:1])[0]
        both = left @ right
        if a == "b1":
            both = left.sum(1)[:, None] + right.sum(0)[None] - 2 * both
        want = np.zeros_like(found)
        exact = coded(both + addend, d)
        exact = exact if lc == "row" else exact.T
        want[:, : exact.shape[1]] = exact
        np.testing.assert_array_equal(found, want)


LAYOUT = """
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{
    .reg .b32 %t, %b<4>, %c<8>, %a; .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2]; ld.param.u64 %rd3, [p3];
    wmma.load.a.sync.aligned.row.m8n32k16.s8 {%a}, [%rd1];
    wmma.load.b.sync.aligned.row.m8n32k16.s8 {%b0, %b1, %b2, %b3}, [%rd2];
    wmma.load.c.sync.aligned.row.m8n32k16.s32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%rd0];
    wmma.mma.sync.aligned.row.row.m8n32k16.s32.s8.s8.s32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7},
        {%a}, {%b0, %b1, %b2, %b3}, {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};
    wmma.store.d.sync.aligned.row.m8n32k16.s32 [%rd0], {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};
    mov.u32 %t, %laneid; mad.wide.u32 %rd3, %t, 8, %rd3; st.global.v2.b32 [%rd3], {%c0, %c1};
    ret;
}
"""


@pytest.mark.parametrize(("target", "transposed"), [("sm_75", False), ("sm_80", True)])
def test_integers_of_eight_rows(target: str, transposed: bool) -> None:
    """What a lane has of the first eight columns: ptxas computes the transposed product from sm_80 on."""
    rng = np.random.default_rng(7)
    a, b = rng.integers(-128, 128, (8, 16), np.int8), rng.integers(-128, 128, (16, 32), np.int8)
    c = rng.integers(-1000, 1000, (8, 32), np.int32)
    d, _, _, lanes = run_on_memory(LAYOUT, [c, a, b, np.zeros((32, 2), np.int32)], target)
    np.testing.assert_array_equal(d, a.astype(np.int32) @ b + c)
    part = d[:, :8].T if transposed else d[:, :8]
    np.testing.assert_array_equal(lanes, part.reshape(32, 2))
