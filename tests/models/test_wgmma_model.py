"""wgmma.mma_async (9.7.15.5) of all types with random sizes, layouts, signs and descriptors, against NumPy products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shared_matrices import ROOM, WIDTHS, encoded, placed, random_codes

import openptx
from openptx.engines.interp import tensor_cores

MODES = {0: 0, 128: 1, 64: 2, 32: 3}
"""9.7.15.5.1.2.2: bits 62 and 63 of a descriptor."""
#        d      a       b       depth
TYPES = [
    ("f32", "f16",  "f16",  16),
    ("f16", "f16",  "f16",  16),
    ("f32", "bf16", "bf16", 16),
    ("f32", "tf32", "tf32", 8),
    ("f32", "e4m3", "e5m2", 32),
    ("f16", "e5m2", "e4m3", 32),
    ("s32", "s8",   "u8",   32),
    ("s32", "u8",   "s8",   32),
    ("s32", "b1",   "b1",   256),
]  # fmt: skip
KERNEL = """.version 8.4
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u64 pd, .param .u64 pf, .param .u64 pm, .param .u64 pa, .param .u64 pb) {{
    .shared .align 8 .b64 bar;
    .reg .b32 t, n, d<{count}>, a<4>; .reg .b64 da, db, to, from, memory; .reg .pred p, scale;
    mov.u32 t, %tid.x; mov.u32 n, s; shr.u32 n, n, 4; cvt.u64.u32 memory, n;
    ld.param.u64 da, [pa]; add.s64 da, da, memory; ld.param.u64 db, [pb]; add.s64 db, db, memory;
    ld.param.u64 to, [pd]; mad.wide.u32 to, t, 4, to; ld.param.u64 from, [pf]; mad.wide.u32 from, t, 4, from;
    ld.param.u64 memory, [pm];
    setp.ne.u32 p, t, 0; @p bra FILLED;
    mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], {bytes};
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [memory], {bytes}, [bar];
FILLED: bar.sync 0;
WAIT: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @!p bra WAIT;
    {loads}
    setp.eq.u32 scale, 1, {scale};
    wgmma.fence.sync.aligned;
    {instruction}
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    {stores}
    ret;
}}
"""


def registers_of_a(codes: Any, width: int) -> Any:
    """Figures 148, 150, 152 and 154: [register, thread], each register with elements of one row that lie together."""
    found, per = np.zeros((4, 128), np.uint32), 32 // width
    for thread, register in np.ndindex(128, 4):
        row = thread // 32 * 16 + thread % 32 // 4 + register % 2 * 8
        first = (thread % 4 + register // 2 * 4) * per
        for i, code in enumerate(codes[row, first : first + per].tolist()):
            found[register, thread] |= np.uint32(code << i * width)
    return found


def registers_of_d(codes: Any, type: str) -> Any:
    """Figures 149, 151, 153 and 155: pairs of columns, two rows of them in each eight columns."""
    found = np.zeros((codes.shape[1] // 2, 128), np.uint32)
    for thread, i in np.ndindex(128, len(found)):
        row = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8
        found[i, thread] = codes[row, i // 4 * 8 + thread % 4 * 2 + i % 2]
    return found if type != "f16" else found[::2] | found[1::2] << 16


class Product:
    """A random one, with `columns` columns if given: `instruction` of KERNEL, its operands, and the result."""

    def __init__(self, seed: int, columns: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.d, a, b, depth = TYPES[seed % len(TYPES)]
        width, whole = WIDTHS[a], self.d == "s32"
        sizes = range(8, 257, 8) if not whole else [8, 16, 24, 32, *range(48, 225, 16)]
        columns = columns or int(rng.choice(sizes))
        (codes_a, left), (codes_b, right) = random_codes(rng, a, (64, depth)), random_codes(rng, b, (columns, depth))
        trans = [int(width == 16 and rng.random() < 0.4) for _ in "ab"]
        signs = [1 if whole else int(rng.choice([-1, 1])) for _ in "ab"]
        in_memory, self.add = bool(rng.random() < 0.7), bool(rng.random() < 0.7)
        saturates = whole and a != "b1" and bool(rng.random() < 0.5)
        addend = rng.integers(-(1 << 31), 1 << 31, (64, columns)) if whole else rng.integers(-5, 6, (64, columns))

        self.memory = rng.integers(0, 256, 2 * ROOM, dtype=np.uint8)
        matrices = [
            placed(rng, len(codes), depth, width, "MN" if t else "K")
            for codes, t in ((codes_a, trans[0]), (codes_b, trans[1]))
        ]
        for i, codes in enumerate((codes_a, codes_b)):
            matrices[i].store(self.memory[ROOM * i :][:ROOM], codes, width)
        self.descriptors = [m.descriptor(MODES, 62) + (ROOM * i >> 4) for i, m in enumerate(matrices)]
        self.fragment, self.before = registers_of_a(codes_a, width), registers_of_d(encoded(addend, self.d), self.d)

        total = signs[0] * signs[1] * (left @ right.T) + self.add * addend
        if saturates:
            total = np.clip(total, -(1 << 31), (1 << 31) - 1)
        self.expected = registers_of_d(encoded(total, self.d), self.d)

        shape = f"m64n{columns}k{depth}{'.satfinite' * saturates}"
        opcode = f"wgmma.mma_async.sync.aligned.{shape}.{self.d}.{a}.{b}{'.and.popc' * (a == 'b1')}"
        results = ", ".join(f"d{i}" for i in range(len(self.before)))
        more = [] if whole else signs + (trans[not in_memory :] if width == 16 else [])
        first = "da" if in_memory else "{a0, a1, a2, a3}"
        self.instruction = f"{opcode} {{{results}}}, {first}, db, {', '.join(['scale', *map(str, more)])};"
        self.about = f"{self.instruction} {[m.__dict__ | {'places': None} for m in matrices]}"

    def run(self, engine: str) -> None:
        count = len(self.before)
        text = KERNEL.format(
            count=count, bytes=2 * ROOM, scale=int(self.add), instruction=self.instruction,
            loads=" ".join([*(f"ld.global.b32 d{i}, [to+{512 * i}];" for i in range(count)),
                            *(f"ld.global.b32 a{i}, [from+{512 * i}];" for i in range(4))]),
            stores=" ".join(f"st.global.b32 [to+{512 * i}], d{i};" for i in range(count)),
        )  # fmt: skip
        found = self.before.copy()
        arguments = found, self.fragment, self.memory, *self.descriptors
        openptx.load(text)["k"](1, 128, arguments, shared_mem=2 * ROOM, engine=engine)
        np.testing.assert_array_equal(found, self.expected, f"{self.about}, {engine}")


def test_products() -> None:
    for seed in range(len(TYPES)):
        Product(seed).run("interp")


@pytest.mark.parametrize("seed", [3, 9])
def test_products_in_compiled_kernels(seed: int) -> None:
    Product(seed, columns=32).run("native")


def test_products_as_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter's products become code however little was multiplied."""
    monkeypatch.setattr(tensor_cores, "WORTH_LINKING", 0)
    monkeypatch.setattr(tensor_cores, "WORTH_MAKING", 0)
    for seed in range(100, 100 + len(TYPES)):
        Product(seed).run("interp")


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 2000, 50))
def test_many_products(first: int) -> None:
    for seed in range(first, first + 50):
        Product(seed).run("interp")
