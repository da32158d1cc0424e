"""Compiled routines of matrix products (engines/tensor_cores) equal the interpreter's sums, bit for bit."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import test_products
from tensor_kernels import described, in_memory, lane, multiplied, placed

from openptx.engines.interp import tensor_cores
from openptx.engines.tensor_cores.library import routine_of, supported
from openptx.engines.tensor_cores.routine import exact, routine
from openptx.llvm.jit import Library
from openptx.locks import LLVM
from openptx.numerics import FORMATS, Bits, Format
from openptx.numerics.compiled import vectorised_object
from openptx.numerics.dot import Factors
from openptx.numerics.formats import BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, TF32
from openptx.numerics.matrix_product import MatrixProduct, parsed
from openptx.numerics.numpy_machine import NumpyMachine

COUNT = 24  # products of a call
X = NumpyMachine()
KINDS = ("any", "near", "wide", "small", "large", "tiny", "ones", "sparse", "zeros", "special")
PRODUCTS = (
    MatrixProduct(Factors(16, F16), Factors(16, F16), 8, F32, F32),
    MatrixProduct(Factors(16, F16), Factors(16, F16), 4, F32, F16),
    MatrixProduct(Factors(16, F16), Factors(16, F16), 8, F16, F16),
    MatrixProduct(Factors(16, BF16), Factors(16, BF16), 8, F32, F32),
    MatrixProduct(Factors(32, TF32), Factors(32, TF32), 8, F32, F32),
    MatrixProduct(Factors(8, E4M3), Factors(8, E5M2), 8, F32, F32, halves=True),
    MatrixProduct(Factors(8, E5M2), Factors(8, E5M2), 8, F16, F16, halves=True),
    MatrixProduct(Factors(8, E4M3), Factors(8, E5M2), 8, F32, F32, 13),
    MatrixProduct(Factors(8, E5M2), Factors(8, E4M3), 8, F32, F32),
    MatrixProduct(Factors(8, E2M1, low=2), Factors(8, E3M2), 8, F32, F32),
    MatrixProduct(Factors(8, E2M3), Factors(8, E4M3), 8, F32, F32),
)
INTEGERS = (
    MatrixProduct(Factors(8, None, True), Factors(8), 8),
    MatrixProduct(Factors(8, None, True), Factors(8, None, True), 4, satfinite=True),
)


def codes(k: Format, shape: tuple[int, ...], kind: str, random: np.random.Generator) -> Any:
    """Codes in `k.storage` bits, of a kind of numbers; lower bits that a format has not are noise."""
    k, n = F32 if k is TF32 else k, int(np.prod(shape))
    sign, man = random.integers(0, 2, n), random.integers(0, k.hidden, n)
    top = (1 << k.exp) - 1
    most = top - (k is F16 or k is F32 or k is BF16 or k is E5M2)  # exponents of numbers
    exp = np.clip(k.bias + random.integers(-3, 3, n), 0, most)
    if kind == "any":
        exp = random.integers(0, top + 1, n)
    elif kind == "wide":
        exp = np.clip(k.bias + random.integers(-20, 20, n), 0, most)
    elif kind == "small":
        exp = random.integers(0, 3, n)
    elif kind == "large":
        exp, man, sign = np.full(n, most), np.where(random.random(n) < 0.8, k.hidden - 1, man), sign * 0
    elif kind == "tiny":
        exp = np.clip(k.bias - random.integers(50, 75, n), 0, most)
    elif kind == "ones":
        exp, man, sign = np.full(n, k.bias), np.full(n, k.hidden - 1), np.full(n, random.integers(0, 2))
    elif kind in ("sparse", "zeros"):
        zero = random.random(n) < (0.8 if kind == "sparse" else 2)
        exp, man = np.where(zero, 0, exp), np.where(zero, 0, man)
    elif kind == "special":
        rare = random.random(n)
        exp, man = np.where(rare < 0.02, top, exp), np.where(rare < 0.01, 0, man)
    found = sign << k.storage - 1 | (exp << k.man | man) << k.storage - k.width
    return (found & (1 << k.storage) - 1).astype(f"u{k.storage // 8}").reshape(shape)


def operands(p: MatrixProduct, kinds: tuple[str, str, str], random: np.random.Generator) -> tuple[Any, Any, Any]:
    depth = p.words * p.elements
    if p.f.format is None or p.g.format is None or p.h is None:
        a, b = (random.integers(0, 256, (COUNT, n, depth)).astype(np.uint8) for n in (16, 8))
        if kinds[0] == "large":
            a[:], b[:] = 127, 127
        return a, b, random.integers(0, 1 << 32, (COUNT, 16, 8), np.uint32)
    a = codes(p.f.format, (COUNT, 16, depth), kinds[0], random) >> 0
    b = codes(p.g.format, (COUNT, 8, depth), kinds[1], random)
    for v, f in ((a, p.f), (b, p.g)):
        if f.format in (E2M1, E2M3, E3M2):
            v >>= 8 - f.format.width
            v <<= f.low
    if random.random() < 0.3:  # sums of which nothing is left
        half, sign = depth // 2, 1 << p.g.low + p.g.format.low + p.g.format.width - 1
        a[:, :, half:], b[:, :, half:] = a[:, :, :half], b[:, :, :half] ^ sign
    return a, b, codes(p.h, (COUNT, 16, 8), kinds[2], random)


def expected(p: MatrixProduct, a: Any, b: Any, c: Any) -> Any:
    def tile(v: Any) -> Any:
        columns = v.view(np.uint32) if v is not c else v
        w = 8 * columns.dtype.itemsize
        return tuple(
            tuple(Bits(X, w, np.ascontiguousarray(columns[:, i, j])) for j in range(columns.shape[2]))
            for i in range(columns.shape[1])
        )

    d = p.definition(X, tile(a), tile(b), tile(c))
    return np.array([[e.v for e in line] for line in d]).transpose(2, 0, 1).astype(np.uint32)


def computed(p: MatrixProduct, call: Any, a: Any, b: Any, c: Any) -> Any:
    """Of fragments, as `mma` has them."""
    chunks = p.words // 4
    left = np.ascontiguousarray(a.view(np.uint32).reshape(COUNT, 2, 8, chunks, 4).transpose(0, 3, 1, 2, 4))
    right = np.ascontiguousarray(b.view(np.uint32).reshape(COUNT, 8, chunks, 4).transpose(0, 2, 1, 3))
    d = np.ascontiguousarray(c.astype(np.uint32).reshape(COUNT, 2, 8, 4, 2).transpose(0, 1, 4, 2, 3))
    places = (v.ctypes.data for v in (left, right, d, d))
    call(*places, 1, COUNT, left[0].nbytes, right[0].nbytes, d[0].nbytes, d[0].nbytes)
    return d.reshape(COUNT, 2, 2, 8, 4).transpose(0, 1, 3, 4, 2).reshape(COUNT, 16, 8)


def compare(p: MatrixProduct, call: Any, share: float, seed: int = 0) -> None:
    random = np.random.default_rng(seed)
    for kinds in ((x, y, z) for x in KINDS for y in KINDS for z in KINDS):
        if random.random() < share:
            given = operands(p, kinds, random)
            want, got = expected(p, *given), computed(p, call, *given)
            wrong = np.argwhere(want != got)
            assert not len(wrong), (p.key, kinds, tuple(wrong[0]), got[tuple(wrong[0])], want[tuple(wrong[0])])


@pytest.mark.parametrize("p", [PRODUCTS[0], PRODUCTS[7], *INTEGERS], ids=lambda p: p.key)
def test_routine(p: MatrixProduct) -> None:
    assert supported(p)
    compare(p, routine_of(p).all, 0.06)


@pytest.mark.sweep
@pytest.mark.parametrize("p", PRODUCTS + INTEGERS, ids=lambda p: p.key)
def test_routine_of_all_kinds(p: MatrixProduct) -> None:
    for seed in range(2):
        compare(p, routine_of(p).all, 0.7, seed)


@pytest.mark.parametrize("p", [PRODUCTS[0], INTEGERS[0]], ids=lambda p: p.key)
def test_routine_without_avx512(p: MatrixProduct) -> None:
    with LLVM:
        library = Library(vectorised_object(routine(p, "f", avx512=False)), ("f.all",))
    compare(p, ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 6)(library["f.all"]), 0.03)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference engine calls routines however little is multiplied."""
    monkeypatch.setattr(tensor_cores, "WORTH_LINKING", 0)
    monkeypatch.setattr(tensor_cores, "WORTH_MAKING", 0)


@pytest.mark.usefixtures("at_once")
def test_reference_engine() -> None:
    called: list[str] = []
    multiply = tensor_cores.multiply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tensor_cores, "multiply", lambda p, *rest: called.append(p.key) or multiply(p, *rest))
        patch.setattr(tensor_cores, "compiled", lambda *_: None)
        test_products.test_dense("m16n8k16", "f32", "f16", "f16", "f32", "")
        test_products.test_integer_overflow((1 << 31) - 1, True)
        for add in (False, True):
            for rows, mode in ((64, 0), (128, 128)):
                tensor_memory_product(rows, mode, add)
    assert [key.split(".")[0] for key in called] == ["f16_16_0", "s_8_0", *["f16_16_0"] * 4]


def tensor_memory_product(rows: int, mode: int, add: bool) -> None:
    """Products of f16 of matrices with descriptors, without the steps that are done line by line."""
    random = np.random.default_rng(rows)
    (ca, left), (cb, right) = (test_products.draw(random, "f16", (n, 16)) for n in (rows, 64))
    cd, addend = test_products.draw(random, "f32", (rows, 64))
    (ma, da), (mb, db) = (in_memory(v, "f16", mode, across=False) for v in (ca, cb))
    idesc = described("f32", "f16", "f16", rows, 64)
    opcode = "tcgen05.mma.cta_group::1.kind::f16"
    found = multiplied(opcode, placed(cd), (ma, mb), (da, db), idesc, add=add)
    want = test_products.coded(left @ right.T + (addend if add else 0), "f32").astype(np.uint32)
    used = [lane(rows, i) for i in range(rows)]
    np.testing.assert_array_equal(found[used], want)


def test_sums_are_loops() -> None:
    """The definition's code hardly grows with the depth, and rows are staged in a loop (unrolled: 153,000 characters):
    a first launch waits for the compilation."""
    f = Factors(8, E4M3)
    assert len(routine(MatrixProduct(f, f, 8, F32, F32), "f", avx512=True)) < 100_000
    short, long = (len(exact(MatrixProduct(f, f, words, F32, F32))) for words in (4, 16))
    assert long < 1.5 * short


def test_keys() -> None:
    for p in PRODUCTS + INTEGERS:
        assert parsed(p.key) == p


def test_unsupported() -> None:
    f64, s4 = Factors(64, FORMATS["f64"]), Factors(4, None, True)
    assert not supported(MatrixProduct(f64, f64, 4, F32, F32))
    assert not supported(MatrixProduct(s4, s4, 4))
    assert not supported(MatrixProduct(Factors(16, F16), Factors(16, F16), 8, F32, F32, 35))
