"""Every form of mma and mma.sp: registers to registers, against NumPy products by the manual's tables of fragments.

Values are small, so that sums are exact however they are made.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from manual_fragments import OLD_A, OLD_B, OLD_C, A, B, C, Place
from warp_kernels import run

from openptx.isa.types import TYPES
from openptx.numerics import FORMATS
from openptx.numerics.codec import decode


def dimensions(shape: str) -> tuple[int, int, int]:
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def spread(matrix: Any, place: Place, width: int) -> Any:
    """Codes of a matrix as registers, [register, lane]."""
    per_lane = matrix.size // 32
    codes = np.array(
        [[int(matrix[place(lane >> 2, lane % 4, i)]) for lane in range(32)] for i in range(per_lane)], np.uint64
    )
    return packed(codes, width)


def packed(codes: Any, width: int) -> Any:
    """Elements [i, lane] as registers, lowest first."""
    word = max(32, width)
    per = word // width
    found = np.zeros((len(codes) // per, 32), np.uint64)
    for e in range(per):
        found |= codes[e::per] << np.uint64(e * width)
    return found.astype(f"u{word // 8}")


def gathered(registers: Any, place: Place, width: int, shape: tuple[int, int]) -> Any:
    """The codes of a matrix from its registers."""
    matrix = np.zeros(shape, np.uint64)
    word = 8 * registers.itemsize
    per = word // width
    for r, e, lane in itertools.product(range(len(registers)), range(per), range(32)):
        code = int(registers[r, lane]) >> e * width & (1 << width) - 1
        matrix[place(lane >> 2, lane % 4, r * per + e)] = code
    return matrix


def values_of(type: str) -> tuple[Any, Any]:
    """Some codes of a type, and what they mean: small numbers, so that everything is exact."""
    t = TYPES[type]
    if t.format is None:
        codes = np.arange(1 << t.width if t.width < 8 else 256, dtype=np.int64)
        signed = codes - (codes >> t.width - 1 << t.width) if t.signed else codes
        return codes, signed.astype(np.float64)
    f = FORMATS[t.format]
    if f.storage == 8:
        every = [(c, decode(f, c)) for c in range(1 << f.width)]
        small = [(c, float(v.number)) for c, v in every if v.kind == "finite" and abs(v.number) <= 4]
        small = [(c, v) for c, v in small if v * 4 == round(v * 4)]
    else:
        numbers = np.arange(-3, 4, dtype=np.float64)
        bits = {"f16": np.float16, "f64": np.float64}.get(type, np.float32)
        codes = numbers.astype(bits).view(f"u{np.dtype(bits).itemsize}").astype(np.uint64)
        if type == "bf16":
            codes >>= np.uint64(16)
        small = [(int(c), float(v)) for c, v in zip(codes, numbers, strict=True)]
    return np.array([c for c, _ in small], np.uint64), np.array([v for _, v in small])


def draw(rng: np.random.Generator, type: str, shape: tuple[int, int]) -> tuple[Any, Any]:
    codes, values = values_of(type)
    index = rng.integers(0, len(codes), shape)
    return codes[index].astype(np.uint64), values[index]


def width_of(type: str, kind: str = "") -> int:
    return 8 if kind in ("f8f6f4", "mxf8f6f4") else TYPES[type].width


def contained(codes: Any, type: str, kind: str) -> Any:
    """e2m1 stands in the middle of its byte, where it has one."""
    return codes << np.uint64(2) if type == "e2m1" and width_of(type, kind) == 8 else codes


DENSE = [
    *(("m16n8k8 m16n8k16", d, "f16", "f16", d, "") for d in ("f16", "f32")),
    ("m16n8k8 m16n8k16", "f32", "bf16", "bf16", "f32", ""),
    ("m16n8k4 m16n8k8", "f32", "tf32", "tf32", "f32", ""),
    ("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64", "f64", "f64", ""),
    *(("m8n8k16 m16n8k16 m16n8k32", "s32", a, b, "s32", "") for a in ("s8", "u8") for b in ("s8", "u8")),
    *(("m8n8k32 m16n8k32 m16n8k64", "s32", a, b, "s32", "") for a in ("s4", "u4") for b in ("s4", "u4")),
    *(("m16n8k16 m16n8k32", d, a, b, d, "") for d in ("f16", "f32") for a, b in (("e4m3", "e5m2"), ("e5m2", "e4m3"))),
    *(
        ("m16n8k32", d, a, b, d, "f8f6f4")
        for d, a, b in (
            ("f32", "e3m2", "e2m3"),
            ("f16", "e2m3", "e2m1"),
            ("f32", "e2m1", "e5m2"),
            ("f32", "e4m3", "e3m2"),
        )
    ),
]
FORMS = [
    pytest.param(shape, *rest, marks=[pytest.mark.sweep] if rest[0] == "s32" and (i + j) % 3 else [])
    for i, (shapes, *rest) in enumerate(DENSE)
    for j, shape in enumerate(shapes.split())
]
"""Every shape and every pair of types of integers, but in the sweep alone each with each."""


def fragments(
    rng: np.random.Generator, shape: str, a: str, b: str, c: str, kind: str
) -> tuple[list[Any], tuple[Any, Any, Any]]:
    """Registers of random matrices, and the matrices."""
    rows, columns, depth = dimensions(shape)
    codes_a, matrix_a = draw(rng, a, (rows, depth))
    codes_b, matrix_b = draw(rng, b, (depth, columns))
    codes_c, matrix_c = draw(rng, c, (rows, columns))
    width = width_of(a, kind)
    registers = [
        spread(contained(codes_a, a, kind), A[shape, width], width),
        spread(contained(codes_b, b, kind), B[shape, width], width),
        spread(codes_c, C[rows], TYPES[c].width),
    ]
    return registers, (matrix_a, matrix_b, matrix_c)


def coded(values: Any, type: str) -> Any:
    """What codes exact results have."""
    if type == "s32":
        return (values.astype(np.int64) & 0xFFFFFFFF).astype(np.uint64)
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type]
    d = values.astype(dtype) + dtype(0)
    return d.view(f"u{d.itemsize}").astype(np.uint64)


@pytest.mark.parametrize(("shape", "d", "a", "b", "c", "kind"), FORMS)
def test_dense(shape: str, d: str, a: str, b: str, c: str, kind: str) -> None:
    rng = np.random.default_rng(1)
    rows, columns, _ = dimensions(shape)
    registers, (left, right, addend) = fragments(rng, shape, a, b, c, kind)
    kinds = f".kind::{kind}" if kind else ""
    width = TYPES[d].width
    count = max(rows * columns * width // 32 // max(width, 32), 1)
    opcode = f"mma.sync.aligned.{shape}.row.col{kinds}.{d}.{a}.{b}.{c}"
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", registers, (count, max(width, 32)))
    want = coded(left @ right + addend, d)
    np.testing.assert_array_equal(gathered(found, C[rows], width, (rows, columns)), want)


@pytest.mark.parametrize("op", ["xor", "and"])
@pytest.mark.parametrize("shape", ["m8n8k128", "m16n8k128", "m16n8k256"])
def test_bits(shape: str, op: str) -> None:
    rng = np.random.default_rng(2)
    rows, columns, _ = dimensions(shape)
    registers, (left, right, addend) = fragments(rng, shape, "b1", "b1", "s32", "")
    both = left @ right
    if op == "xor":
        both = left.sum(1)[:, None] + right.sum(0)[None] - 2 * both
    opcode = f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc"
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", registers, (rows // 4, 32))
    want = coded(both + addend, "s32")
    np.testing.assert_array_equal(gathered(found, C[rows], 32, (rows, columns)), want)


@pytest.mark.parametrize("satfinite", [False, True])
@pytest.mark.parametrize("limit", [(1 << 31) - 1, -(1 << 31)])
def test_integer_overflow(limit: int, satfinite: bool) -> None:
    """Sums wrap, or stop at the limits."""
    a = np.full((2, 32), 0x7F7F7F7F, np.uint32)
    b = np.full((1, 32), 0x01010101 if limit > 0 else 0xFFFFFFFF, np.uint32)
    c = np.full((4, 32), limit & 0xFFFFFFFF, np.uint32)
    suffix = ".satfinite" if satfinite else ""
    opcode = f"mma.sync.aligned.m16n8k16.row.col{suffix}.s32.s8.s8.s32"
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", [a, b, c], (4, 32))
    total = limit + 16 * 127 * (1 if limit > 0 else -1)
    assert np.all(found == ((limit if satfinite else total) & 0xFFFFFFFF))


@pytest.mark.parametrize("rnd", ["rn", "rz", "rm", "rp"])
def test_f64_rounding(rnd: str) -> None:
    """One rounding for each product, in the order of k."""
    rng = np.random.default_rng(3)
    a, b, c = (rng.standard_normal((n, 32)) for n in (1, 1, 2))
    opcode = f"mma.sync.aligned.m8n8k4.row.col.{rnd}.f64.f64.f64.f64"
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", [v.view(np.uint64) for v in (a, b, c)], (2, 64))
    from openptx.numerics.bits import Bits
    from openptx.numerics.numpy_machine import NumpyMachine

    x = NumpyMachine()

    def bits(v: Any) -> Bits:
        return Bits(x, 64, np.array([v], np.float64).view(np.uint64))

    for lane, i in itertools.product((0, 5, 31), (0, 1)):
        g, t = lane >> 2, lane % 4
        total = bits(c[i, lane])
        for k in range(4):
            total = x.fma(FORMATS["f64"], bits(a[0, 4 * g + k]), bits(b[0, 4 * (2 * t + i) + k]), total, rnd)
        assert found[i, lane] == total.v[0]


@pytest.mark.parametrize(("d", "c"), [("f16", "f16"), ("f32", "f16"), ("f32", "f32")])
@pytest.mark.parametrize(("alayout", "blayout"), list(itertools.product(("row", "col"), repeat=2)))
def test_quarters(alayout: str, blayout: str, d: str, c: str) -> None:
    rng = np.random.default_rng(4)
    sets = [[draw(rng, t, s) for t, s in (("f16", (8, 4)), ("f16", (4, 8)), (c, (8, 8)))] for _ in range(4)]

    def registers(which: int, place: Any, count: int, width: int) -> Any:
        codes = [[int(sets[lane % 16 // 4][which][0][place(lane, i)]) for lane in range(32)] for i in range(count)]
        return packed(np.array(codes, np.uint64), width)

    sources = [
        registers(0, OLD_A[alayout], 4, 16),
        registers(1, OLD_B[blayout], 4, 16),
        registers(2, OLD_C[c], 8, TYPES[c].width),
    ]
    opcode = f"mma.sync.aligned.m8n8k4.{alayout}.{blayout}.{d}.f16.f16.{c}"
    found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", sources, (4 if d == "f16" else 8, 32), "sm_80")
    width = TYPES[d].width
    for lane, i in itertools.product(range(32), range(8)):
        (_, a), (_, b), (_, addend) = sets[lane % 16 // 4]
        want = coded(a @ b + addend, d)[OLD_C[d](lane, i)]
        per = 32 // width
        assert int(found[i // per, lane]) >> i % per * width & (1 << width) - 1 == want


# Scaled blocks (9.7.14.3)

SCALED = [
    ("m16n8k32", "mxf8f6f4", "e4m3", "e5m2", "ue8m0", 1),
    ("m16n8k32", "mxf8f6f4", "e3m2", "e2m1", "ue8m0", 1),
    ("m16n8k64", "mxf4", "e2m1", "e2m1", "ue8m0", 2),
    ("m16n8k64", "mxf4nvf4", "e2m1", "e2m1", "ue8m0", 2),
    ("m16n8k64", "mxf4nvf4", "e2m1", "e2m1", "ue8m0", 4),
    ("m16n8k64", "mxf4nvf4", "e2m1", "e2m1", "ue4m3", 4),
]


def scale_words(
    rng: np.random.Generator, s: str, count: int, byte: int, lane_of: Callable[[int], int], lines: int
) -> Any:
    """Registers that hold scales where the selectors say, junk elsewhere; and the scales, [line, i]."""
    choices = [126, 127, 128] if s == "ue8m0" else [0x30, 0x38, 0x3C, 0x40]
    codes = rng.choice(choices, (lines, count))
    data = rng.integers(0, 1 << 32, 32, dtype=np.uint64)
    for line in range(lines):
        for i in range(count):
            at = np.uint64(8 * (byte + i))
            word = data[lane_of(line)] & ~(np.uint64(255) << at)
            data[lane_of(line)] = word | np.uint64(codes[line, i]) << at
    values = np.array([[float(decode(FORMATS[s], int(c)).number) for c in line] for line in codes])
    return data.astype(np.uint32)[None], values


@pytest.mark.parametrize(("selectors", "shape", "kind", "a", "b", "s", "count"), [
    (selectors, *form) if (i + selectors) % 2 == 0 else pytest.param(selectors, *form, marks=pytest.mark.sweep)
    for i, form in enumerate(SCALED) for selectors in range(4)
])  # fmt: skip
def test_scaled(shape: str, kind: str, a: str, b: str, s: str, count: int, selectors: int) -> None:
    rng = np.random.default_rng(5 + selectors)
    bytes_ = {1: (0, 1, 2, 3), 2: (0, 2, 0, 2), 4: (0, 0, 0, 0)}[count]
    byte_a, byte_b, thread_a, thread_b = bytes_[selectors], bytes_[3 - selectors], selectors & 1, selectors
    registers, (left, right, addend) = fragments(rng, shape, a, b, "f32", kind)
    of_a, scale_a = scale_words(rng, s, count, byte_a, lambda r: 4 * (r % 8) + 2 * thread_a + r // 8, 16)
    of_b, scale_b = scale_words(rng, s, count, byte_b, lambda n: 4 * n + thread_b, 8)
    opcode = f"mma.sync.aligned.{shape}.row.col.kind::{kind}.block_scale.scale_vec::{count}X.f32.{a}.{b}.f32.{s}"
    selector_a, selector_b = f"{{{{{byte_a}, {thread_a}}}}}", f"{{{{{byte_b}, {thread_b}}}}}"
    text = f"{opcode} {{0}}, {{1}}, {{2}}, {{3}}, %g4_0, {selector_a}, %g5_0, {selector_b};"
    found = run(text, [*registers, of_a, of_b], (4, 32))
    per = left.shape[1] // count
    want = (left * np.repeat(scale_a, per, 1)) @ (right * np.repeat(scale_b.T, per, 0)) + addend
    np.testing.assert_array_equal(gathered(found, C[16], 32, (16, 8)), coded(want, "f32"))


def test_selector_after_a_constant() -> None:
    """The register after a constant may have any width, as ptxas has it; its low bits select."""
    rng, shape = np.random.default_rng(11), "m16n8k32"
    registers, _ = fragments(rng, shape, "e4m3", "e4m3", "f32", "mxf8f6f4")
    scales = [rng.integers(126, 129, (1, 32), dtype=np.uint32) for _ in range(2)]
    opcode = f"mma.sync.aligned.{shape}.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0"
    written = f"{opcode} {{0}}, {{1}}, {{2}}, {{3}}, %g4_0, {{{{0, 1}}}}, %g5_0, {{{{0, SELECTOR}}}};"
    want = run(written.replace("SELECTOR", "3"), [*registers, *scales], (4, 32))
    for type in ("b32", "s64"):
        declared = f".reg .{type} %w; mov.{type} %w, 0xfff3;\n"
        found = run(declared + written.replace("SELECTOR", "%w"), [*registers, *scales], (4, 32))
        np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(
    "opcode",
    [
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32",
    ],
)
def test_any_bits(opcode: str) -> None:
    """Engines agree on whatever is in the registers: subnormal, infinite, not a number, sums that round."""
    rng = np.random.default_rng(10)
    halves = ".f16.f16.f16.f16" in opcode
    for mask in (0xFFFFFFFF, 0xBFFFBFFF, 0x8FFF8FFF):
        counts = (4, 2, 2 if halves else 4)
        sources = [rng.integers(0, 1 << 32, (n, 32), dtype=np.uint32) & np.uint32(mask) for n in counts]
        found = run(f"{opcode} {{0}}, {{1}}, {{2}}, {{3}};", sources, (counts[2], 32))
        assert len(np.unique(found)) > 1 or mask == 0xFFFFFFFF
