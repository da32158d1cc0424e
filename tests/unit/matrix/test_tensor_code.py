"""Compiled products in tensor memory (engines/tensor_cores/product_text.py) equal the definition on random memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tensor_kernels import CODES
from test_routines import KINDS, codes

from openptx.engines.common.tensor_block import BLOCK
from openptx.engines.tensor_cores import library, tiles
from openptx.engines.tensor_cores.library import tensor_copy, tensor_product
from openptx.isa.machine import Machine
from openptx.isa.semantics import tensor_memory
from openptx.isa.semantics.matrix import tensor_execution
from openptx.isa.semantics.matrix.tensor_operations import ENABLED, MODES, TensorCopy, TensorProduct
from openptx.numerics import FORMATS, Bits
from openptx.numerics.matrix_product import MatrixProduct
from openptx.numerics.numpy_machine import NumpyMachine

SHARED = 1 << 16  # bytes
A_AT, SCALES_A, SCALES_B = 256, 288, 320  # columns of tensor memory; d begins at 0


class Memory(NumpyMachine, Machine):
    """One thread, with shared and tensor memory as arrays."""

    def __init__(self, shared: Any, block: Any) -> None:
        super().__init__()
        self.shared, self.cells = shared.view(np.uint32), block["cells"][0]

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        assert (space, w) == ("shared", 32)
        at = int(address.v[0])
        assert at % (4 * count) == 0
        assert at + 4 * count <= SHARED
        return tuple(Bits(self, 32, self.shared[at // 4 + i : at // 4 + i + 1]) for i in range(count))

    @property
    def tensor_memory(self) -> Any:
        return Tensor(self)

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        assert p.v.all(), message

    def cases(self, a: Bits, step: Any, *values: Bits) -> None:
        step(int(a.v[0]), *values)


class Tensor(tensor_memory.TensorMemory):
    def __init__(self, x: Memory) -> None:
        self.x = x

    def at(self, address: Bits, count: int) -> Any:
        at = int(address.v[0])
        return self.x.cells[at >> 16, (at & 0xFFFF) : (at & 0xFFFF) + count]

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        assert rank is None
        return tuple(Bits(self.x, 32, np.array([word])) for word in self.at(address, count))

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        assert rank is None
        self.at(address, len(values))[:] = [int(value.v[0]) for value in values]


HALVES = {"f16": 0, "bf16": 1}
SMALL = {name: CODES[name] for name in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")}
KIND_TYPES: dict[str, dict[str, int]] = {
    "f16": HALVES,
    "tf32": {"tf32": 2},
    "f8f6f4": SMALL,
    "i8": {"u8": 0, "s8": 1},
    "mxf8f6f4": SMALL,
    "mxf4": {"e2m1": 1},
    "mxf4nvf4": {"e2m1": 1},
}
#               scale, how many
SCALED = {
    "mxf8f6f4": [("ue8m0", 1)],
    "mxf4": [("ue8m0", 2)],
    "mxf4nvf4": [("ue8m0", 2), ("ue4m3", 4), ("ue4m3", 2), ("ue8m0", 4)],
}
RESULTS = {"f16": (0, 1), "f8f6f4": (0, 1), "tf32": (1,), "i8": (2,)}


class Case:
    """A random product that is allowed: its description, `code`, the operands, and memory."""

    def __init__(self, random: np.random.Generator, kind: str) -> None:
        self.random = random
        scaled = kind in SCALED
        kept, stored = bool(random.random() < 0.25) and not scaled, bool(random.random() < 0.3)
        rows = int(
            random.choice([32, 64, 128] if kept and not stored else [128] if kept else [128] if scaled else [64, 128])
        )
        columns = int(random.choice([64, 128] if kept else [8, 24, 64, 104]))
        a, b = (str(random.choice([*KIND_TYPES[kind]])) for _ in "ab")
        result = int(random.choice(RESULTS.get(kind, (1,))))
        across = [bool(random.random() < 0.3) and self.width(kind, name) >= 8 for name in (a, b)]
        across[0] = across[0] and not stored
        self.idesc = result << 4 | KIND_TYPES[kind][a] << 7 | KIND_TYPES[kind][b] << 10
        self.idesc |= across[0] << 15 | across[1] << 16 | columns >> 3 << 17 | rows >> 4 << 24
        self.idesc |= int(random.integers(0, 2)) << (3 if kind == "i8" else int(random.choice([13, 14])))
        scale, scales = SCALED[kind][random.integers(0, len(SCALED[kind]))] if scaled else ("", 1)
        if scaled:
            self.idesc = KIND_TYPES[kind][a] << 7 | KIND_TYPES[kind][b] << 10 | self.idesc & 0x1E000
            self.idesc |= columns >> 3 << 17 | (scale == "ue8m0") << 23 | rows >> 7 << 27
            for at in (4, 29):
                self.idesc |= int(random.choice({1: [0, 1, 2, 3], 2: [0, 2], 4: [0]}[scales])) << at
        names = ["d-tmem", "a-tmem" if stored else "a-desc", "b-desc", "idesc"]
        names += ["scale-A-tmem", "scale-B-tmem"] if scaled else []
        self.p = TensorProduct(
            f"kind::{kind}", names, 0, ctas=1, kept=kept, sparse=False, scales=scales, divisor=0, shifts=False
        )
        modes = [int(random.choice([0, 1, 2, 4, 6])) for _ in range(1 + (not stored))]
        self.code = self.idesc | int(random.integers(0, 2)) << ENABLED
        self.code |= sum(mode << MODES + 3 * i for i, mode in enumerate(modes))
        descriptors = [self.descriptor(mode, most) for mode, most in zip(modes, (rows, columns), strict=False)]
        d_at = int(random.choice([0, 32, 57]))
        self.values = [
            d_at,
            *([A_AT] if stored else []),
            *descriptors,
            self.idesc,
            *([SCALES_A, SCALES_B] if scaled else []),
        ]
        self.fill(kind, a, b, result)
        if scaled:
            self.fill_scales(scale)

    def fill_scales(self, scale: str) -> None:
        """Codes near one, or any."""
        random = self.random
        middle = 127 if scale == "ue8m0" else 56
        wide = int(random.choice([0, 2, 20, 60, 256]))
        found = np.clip(middle + random.integers(-wide, wide + 1, (128, 4 * 64)), 0, 255 if wide > 60 else 254)
        if random.random() < 0.2:
            found[random.random(found.shape) < 0.5] = 0
        self.block["cells"][0, :, SCALES_A : SCALES_A + 64] = found.astype(np.uint8).view(np.uint32)

    def width(self, kind: str, name: str) -> int:
        return 8 if kind == "i8" else FORMATS[name].width

    def descriptor(self, mode: int, lines: int) -> int:
        start, leading, stride = (int(self.random.integers(0, most)) for most in (512, 100, 64))
        base = int(self.random.integers(0, 8)) if self.random.random() < 0.3 else 0
        return start | leading << 16 | stride << 32 | base << 49 | mode << 61

    def fill(self, kind: str, a: str, b: str, result: int) -> None:
        random = self.random
        kinds = [str(random.choice(KINDS)) for _ in range(3)]
        self.shared = random.integers(0, 256, SHARED).astype(np.uint8)
        self.block = np.zeros(1, BLOCK)
        self.block["owned"] = 0xFFFF
        self.block["cells"] = random.integers(0, 1 << 32, (1, 128, 512), np.uint32)
        if kind == "i8" or "any" in kinds:
            return
        if "mxf4" in kind:
            of_c = FORMATS["f32"]
            self.block["cells"][0, :, :256] = codes(of_c, (128, 256), kinds[1], random)
            return
        of_b = FORMATS[b]
        size = of_b.storage // 8
        self.shared[:] = codes(of_b, (SHARED // size,), kinds[0], random).view(np.uint8)
        of_c = FORMATS["f32" if result else "f16"]
        self.block["cells"][0, :, :256] = codes(of_c, (128, 256), kinds[1], random)
        of_a = FORMATS[a]
        words = codes(of_a, (128, 256 * 4 // (of_a.storage // 8)), kinds[2], random).view(np.uint32)
        self.block["cells"][0, :, 256:] = words.reshape(128, 256)

    @property
    def given(self) -> list[int]:
        return [0, self.code, *self.values]

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(32 if name == "idesc" else 64 for name in self.p.names)

    def expected(self) -> Any:
        block = self.block.copy()
        x = Memory(self.shared, block)
        values = [Bits(x, w, np.array([v], f"u{w // 8}")) for w, v in zip(self.widths, self.values, strict=True)]
        tensor_execution.multiply_equal(x, self.p, 0, self.code, *values)
        return block["cells"][0]

    def found(self) -> Any:
        block = self.block.copy()
        code = tensor_product(self.p, self.code, self.widths)
        assert code is not None
        words = np.array(self.given, np.uint64)
        assert code.call(words.ctypes.data, 8, SHARED, self.shared.ctypes.data, block.ctypes.data, 0, 0) == 1
        return block["cells"][0]


def compare(kind: str, seed: int) -> None:
    case = Case(np.random.default_rng(seed), kind)
    want, got = case.expected(), case.found()
    wrong = np.argwhere(want != got)
    assert not len(wrong), (kind, seed, case.p.key, hex(case.code), len(wrong), wrong[0])


@pytest.mark.parametrize(("kind", "seed"), [("f16", 1), ("f8f6f4", 2), ("i8", 3), ("mxf8f6f4", 4), ("mxf4nvf4", 5)])
def test_code_of_a_product(kind: str, seed: int) -> None:
    compare(kind, seed)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KIND_TYPES)
def test_code_without_avx512(kind: str) -> None:
    def narrow(m: MatrixProduct, name: str, avx512: bool) -> str:
        return tiles.tile_routine(m, name, False)

    def make(what: str, make: Callable[[], bytes]) -> bytes:
        return make()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "tile_routine", narrow)
        patch.setattr(library, "load_or_make", make)
        patch.setattr(library, "_tiles", {})
        patch.setattr(library, "_tensor_code", {})
        for seed in range(6):
            compare(kind, 50 + seed)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KIND_TYPES)
def test_code_of_many_products(kind: str) -> None:
    for seed in range(60):
        compare(kind, 1000 + seed)


SHAPES = list(
    itertools.product(
        [(128, 2, False, False), (128, 1, False, False), (64, 1, False, False), (64, 1, True, False),
         (32, 1, False, False), (4, 2, False, True)],
        (0, 4, 6),
        (0, 1, 2, 4, 6),
    )
)  # fmt: skip
"""Rows, chunks, for pairs of warps, for one warp each; widths of elements; modes of swizzling."""


def compare_copies(shapes: Any, random: np.random.Generator) -> None:
    for (rows, chunks, paired, apart), width, mode in shapes:
        p = TensorCopy(rows, chunks, width, 1, paired=paired, apart=apart)
        memory = random.integers(0, 256, SHARED).astype(np.uint8)
        before = np.zeros(1, BLOCK)
        before["owned"], before["cells"] = 0xFFFF, random.integers(0, 1 << 32, (1, 128, 512), np.uint32)
        start, leading, stride = (int(random.integers(0, most)) for most in (512, 100, 64))
        code = start | leading << 16 | stride << 32 | int(random.integers(0, 8)) << 49 | mode << 61
        column = int(random.integers(0, 500))
        want, got = before.copy(), before.copy()
        x = Memory(memory, want)
        tensor_execution.copy_equal(
            x, p, mode, Bits(x, 32, np.array([column], np.uint32)), Bits(x, 64, np.array([code], np.uint64))
        )
        words, found = np.array([column, code], np.uint64), tensor_copy(p, mode)
        assert found is not None
        assert (want["cells"] != before["cells"]).any()
        assert found.call(words.ctypes.data, 8, SHARED, memory.ctypes.data, got.ctypes.data, 0, 0) == 1
        np.testing.assert_array_equal(want["cells"], got["cells"], str((p.key, mode)))


def test_code_of_copies() -> None:
    compare_copies(SHAPES[::13], np.random.default_rng(7))


@pytest.mark.sweep
def test_code_of_all_copies() -> None:
    compare_copies(SHAPES, np.random.default_rng(8))


def test_code_changes_nothing_where_it_must_not_read_or_write() -> None:
    """Shared memory ends before the last row; columns that are not allocated; another mode; then all is well."""
    p = TensorCopy(128, 2, 0, 1, paired=False, apart=False)
    found = tensor_copy(p, 0)
    assert found is not None
    assert tensor_copy(p, 3) is None
    memory, block = np.ones(SHARED, np.uint8), np.zeros(1, BLOCK)
    block["owned"] = 1
    code = 8 << 16 | 16 << 32
    last = 15 * 256 + 7 * 16 + 128 + 16  # bytes
    for size, column, given, made in (
        (last - 1, 0, code, 0),
        (last, 25, code, 0),
        (last, 0, code | 2 << 61, 0),
        (last, 128 << 16, code, 0),
        (last, 24, code, 1),
    ):
        words = np.array([column, given], np.uint64)
        assert found.call(words.ctypes.data, 8, size, memory.ctypes.data, block.ctypes.data, 0, 0) == made
        assert block["cells"].any() == bool(made)
