"""tcgen05.mma (9.7.16.10) of all kinds with random shapes, layouts, descriptors and scales, against NumPy products.

All of tensor memory that the product could touch is compared, so it changes d alone.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from shared_matrices import ROOM, WIDTHS, encoded, placed, random_codes

import openptx
from openptx.engines.interp import tensor_cores

MODES = {0: 0, 128: 2, 64: 4, 32: 6}
"""Table 40: bits 61 to 63 of a descriptor."""
CONSTANT = 1 << 46
FLOATS = {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}
#    kind         types of a and b          types of d                  depth
KINDS = {
    "f16":      ({"f16": 0, "bf16": 1}, {"f16": 0, "f32": 1}, 16),
    "tf32":     ({"tf32": 2},           {"f32": 1},           8),
    "f8f6f4":   (FLOATS,                {"f16": 0, "f32": 1}, 32),
    "i8":       ({"u8": 0, "s8": 1},    {"s32": 2},           32),
    "mxf8f6f4": (FLOATS,                {"f32": 0},           32),
    "mxf4":     ({"e2m1": 1},           {"f32": 0},           64),
    "mxf4nvf4": ({"e2m1": 1},           {"f32": 0},           64),
}  # fmt: skip
"""Table 39, and codes of types by Tables 42 to 44."""
SCALES = {
    "mxf8f6f4": [("ue8m0", 1, ".block_scale.block32")],
    "mxf4": [("ue8m0", 2, ".block_scale.scale_vec::2X")],
    "mxf4nvf4": [("ue8m0", 2, ".block_scale.block32"), ("ue8m0", 4, ".block_scale.scale_vec::4X"),
                 ("ue4m3", 4, ".block_scale.block16")],
}  # fmt: skip
"""Table 57."""
D, A, SCALE_A, SCALE_B, COLUMNS = 0, 256, 288, 296, 304
KERNEL = """.version 8.8
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u64 pt, .param .u64 pm, .param .u64 pa, .param .u64 pb, .param .u32 pi) {{
    .shared .align 8 .b64 bar, done; .shared .b32 base;
    .reg .b32 t, n, d, at, own, lane, idesc, v<8>; .reg .b64 da, db, image, from, memory; .reg .pred p, one, enable;
    mov.u32 t, %tid.x; mov.u32 n, s; shr.u32 n, n, 4; cvt.u64.u32 memory, n;
    ld.param.u64 da, [pa]; add.s64 da, da, memory; ld.param.u64 db, [pb]; add.s64 db, db, memory;
    ld.param.u64 image, [pt]; mad.wide.u32 image, t, {row}, image; ld.param.u64 memory, [pm];
    setp.ne.u32 one, t, 0; @one bra FILLED;
    mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [done], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], {bytes};
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [memory], {bytes}, [bar];
FILLED: setp.lt.u32 p, t, 32;
    @p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 512;
    bar.sync 0;
WAIT: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @!p bra WAIT;
    ld.shared.u32 d, [base]; and.b32 own, t, 96; shl.b32 own, own, 16; add.u32 own, own, d;
    mov.u32 n, 0; mov.u64 from, image;
STORE: ld.global.v4.b32 {{v0, v1, v2, v3}}, [from]; ld.global.v4.b32 {{v4, v5, v6, v7}}, [from+16];
    tcgen05.st.sync.aligned.32x32b.x8.b32 [own], {{v0, v1, v2, v3, v4, v5, v6, v7}};
    add.u32 own, own, 8; add.s64 from, from, 32; add.u32 n, n, 8; setp.lt.u32 p, n, {columns}; @p bra STORE;
    tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
    ld.param.u32 idesc, [pi]; add.u32 at, d, {a}; add.u32 v0, d, {scale_a}; add.u32 v1, d, {scale_b};
    add.u32 v2, d, {lane}; add.u32 at, at, {lane};
    setp.ne.u32 enable, {add}, 0; setp.eq.u32 one, t, 0;
    mov.b32 v4, {m0}; mov.b32 v5, {m1}; mov.b32 v6, {m2}; mov.b32 v7, {m3};
    @one {instruction}
    @one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];
DONE: mbarrier.try_wait.parity.shared.b64 p, [done], 0; @!p bra DONE;
    mov.u32 n, 0; sub.u32 own, own, {columns};
LOAD: tcgen05.ld.sync.aligned.32x32b.x8.b32 {{v0, v1, v2, v3, v4, v5, v6, v7}}, [own]; tcgen05.wait::ld.sync.aligned;
    st.global.v4.b32 [image], {{v0, v1, v2, v3}}; st.global.v4.b32 [image+16], {{v4, v5, v6, v7}};
    add.u32 own, own, 8; add.s64 image, image, 32; add.u32 n, n, 8; setp.lt.u32 p, n, {columns}; @p bra LOAD;
    bar.sync 0; setp.lt.u32 p, t, 32; @p tcgen05.dealloc.cta_group::1.sync.aligned.b32 d, 512;
    ret;
}}
"""


class Product:
    """A random one, with at most `most` columns: `tmem` before it and as `expected` after it."""

    def __init__(self, seed: int, most: int = 256) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.kind = kind = [*KINDS][seed % len(KINDS)]
        types, results, self.depth = KINDS[kind]
        self.scaled, self.packed = kind in SCALES, "mxf4" in kind
        self.a, self.b = (str(rng.choice([*types])) for _ in "ab")
        self.d = "f32" if "bf16" in (self.a, self.b) else str(rng.choice([*results]))
        self.stationary = not self.scaled and bool(rng.random() < 0.3)  # .ws
        self.rows = 128 if self.scaled else int(rng.choice([32, 64, 128] if self.stationary else [64, 128]))
        self.columns = self.some_columns(most)
        self.stored = bool(rng.random() < 0.3) and (self.rows == 128 or not self.stationary)  # a in tensor memory
        self.half = 16 if self.rows == 64 and not self.stationary and rng.random() < 0.5 else 0  # layout F
        across = [WIDTHS[t] in (8, 16) and not self.packed and bool(rng.random() < 0.3) for t in (self.a, self.b)]
        across = [across[0] and not self.stored, across[1] and (WIDTHS[self.b] == 16 or self.columns % 16 == 0)]
        signs = [kind != "i8" and bool(rng.random() < 0.3) for _ in "ab"]
        self.saturates = kind == "i8" and bool(rng.random() < 0.5)
        self.add, self.divisor = bool(rng.random() < 0.7), 0
        self.masks = [0] * 4
        self.idesc = types[self.a] << 7 | types[self.b] << 10 | signs[0] << 13 | signs[1] << 14
        self.idesc |= across[0] << 15 | across[1] << 16 | self.columns >> 3 << 17
        self.idesc |= self.saturates << 3 | results[self.d] << 4 if not self.scaled else 0
        self.idesc |= self.rows >> 7 << 27 if self.scaled else self.rows >> 4 << 24

        codes_a, left = random_codes(rng, self.a, (self.rows, self.depth))
        codes_b, right = random_codes(rng, self.b, (self.columns, self.depth))
        self.memory = rng.integers(0, 256, 2 * ROOM, dtype=np.uint8)
        self.descriptors = list[int]()
        for i, (codes, type) in enumerate(((codes_a, self.a), (codes_b, self.b))):
            major = "MN" if across[i] else "K"
            matrix = placed(rng, len(codes), self.depth, WIDTHS[type], major, packed=self.packed)
            matrix.store(self.memory[ROOM * i :][:ROOM], codes, WIDTHS[type])
            self.descriptors.append((matrix.descriptor(MODES, 61) | CONSTANT) + (ROOM * i >> 4))
        left, right = (-v if negative else v for v, negative in zip((left, right), signs, strict=True))

        self.tmem = rng.integers(0, 1 << 32, (128, COLUMNS), dtype=np.uint32)
        if self.stored:
            self.store_a(codes_a)
        modifier = ""
        if self.scaled:
            modifier, left, right = self.scale(left, right)
        self.opcode = f"tcgen05.mma{'.ws' * self.stationary}.cta_group::1.kind::{kind}{modifier}"
        if not self.stationary and not self.scaled:
            self.masks = [int(m) if rng.random() < 0.3 else 0 for m in rng.integers(0, 1 << 32, 4)]
            self.divisor = int(rng.integers(0, 4)) if kind in ("f16", "tf32") and self.d == "f32" else 0
        self.finish(left @ right.T)

    def some_columns(self, most: int) -> int:
        if self.stationary:
            return int(self.rng.choice([n for n in (64, 128, 256) if n <= most]))
        columns = int(self.rng.integers(1, most // 8 + 1)) * 8
        return columns if self.kind != "i8" or columns <= 32 else columns // 16 * 16

    def lanes(self) -> Any:
        """The lane of each row of a, and of d outside of `.ws` (layouts D and F)."""
        row = np.arange(self.rows)
        return row // 16 * 32 + row % 16 + self.half if self.rows == 64 and not self.stationary else row

    def store_a(self, codes: Any) -> None:
        """Figures 199 to 201 and 204: 4-bit elements stand in the middle of a byte, or two in one."""
        if self.packed:
            codes = codes[:, ::2] | codes[:, 1::2] << 4
        elif self.a == "e2m1":
            codes = codes << 2
        words = np.ascontiguousarray(codes.astype(f"u{max(WIDTHS[self.a] // 8, 1)}")).view(np.uint32)
        self.tmem[self.lanes(), A : A + words.shape[1]] = words

    def scale(self, left: Any, right: Any) -> tuple[str, Any, Any]:
        """9.7.16.10.7: a scale for each block along the depth; those of a line are in lane line % 32 of each 32."""
        options = SCALES[self.kind]
        format, per, modifier = options[self.rng.integers(len(options))]
        self.idesc |= (format == "ue8m0") << 23
        found = list[Any]()
        for values, at, bit in ((left, SCALE_A, 29), (right, SCALE_B, 4)):
            first = int(self.rng.choice({1: [0, 1, 2, 3], 2: [0, 2], 4: [0]}[per]))
            self.idesc |= first << bit
            if format == "ue8m0":
                codes = self.rng.integers(124, 131, (len(values), per), dtype=np.uint8)
                numbers = 2.0 ** (codes.astype(float) - 127)
            else:
                numbers = self.rng.choice([0.25, 0.5, 0.75, 1, 1.5, 2, 3], (len(values), per))
                codes = numbers.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
            nan = self.rng.random(codes.shape) < 0.01
            codes[nan], numbers[nan] = 255 if format == "ue8m0" else 127, np.nan
            bytes = self.tmem.view(np.uint8)
            for line, scales in enumerate(codes):
                column = 4 * (at + line // 32) + first
                bytes[line % 32 :: 32, column : column + per] = scales
            found.append(values * np.repeat(numbers, self.depth // per, 1))
        return modifier, *found

    def finish(self, products: Any) -> None:
        """d in tensor memory (9.7.16.10.5): rows in lanes; under `.ws` parts of the columns stand below each other."""
        whole = self.d == "s32"
        low, high = (-(1 << 31), 1 << 31) if whole else (-5, 6)
        addend = self.rng.integers(low, high, (self.rows, self.columns))
        total = products + self.add * addend / (1 << self.divisor) if not whole else products + self.add * addend
        codes = encoded(np.clip(total, low, high - 1) if self.saturates else total, self.d)
        codes[np.isnan(total)] = 0x7FFF if self.d == "f16" else 0x7FFFFFFF
        parts = 128 // self.rows if self.stationary else 1
        lanes = np.arange(128) if self.stationary else self.lanes()
        cells = slice(D, D + self.columns // parts)
        self.tmem[lanes, cells] = np.concatenate(np.split(encoded(addend, self.d), parts, axis=1))
        self.expected = self.tmem.copy()
        self.expected[lanes, cells] = np.concatenate(np.split(codes, parts, axis=1))
        for lane in range(128):
            if self.masks[lane // 32] >> lane % 32 & 1:
                self.expected[lane] = self.tmem[lane]

    def run(self, engine: str) -> None:
        operands = ["[v2]", "[at]" if self.stored else "da", "db", "idesc", *(["[v0]", "[v1]"] * self.scaled)]
        if any(self.masks):
            operands.append("{v4, v5, v6, v7}")
        operands += ["enable", *([str(self.divisor)] if self.divisor else [])]
        instruction = f"{self.opcode} {', '.join(operands)};"
        places = {"a": A, "scale_a": SCALE_A, "scale_b": SCALE_B, "lane": self.half << 16, "row": 4 * COLUMNS}
        masks = {f"m{i}": mask for i, mask in enumerate(self.masks)}
        text = KERNEL.format(
            instruction=instruction, columns=COLUMNS, bytes=2 * ROOM, add=int(self.add), **places, **masks
        )
        found = self.tmem.copy()
        arguments = found, self.memory, *self.descriptors, np.uint32(self.idesc)
        openptx.load(text)["k"](1, 128, arguments, shared_mem=2 * ROOM, engine=engine)
        about = (
            f"{instruction} {self.d} = {self.a} * {self.b}, {self.rows} x {self.columns}, {self.descriptors}, {engine}"
        )
        np.testing.assert_array_equal(found, self.expected, about)


def test_products() -> None:
    for seed in range(len(KINDS)):
        Product(seed, most=64).run("interp")


@pytest.mark.parametrize("seed", [0, 5])
def test_products_in_compiled_kernels(seed: int) -> None:
    Product(seed, most=64).run("native")


def test_products_as_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter's products become code however little was multiplied."""
    monkeypatch.setattr(tensor_cores, "WORTH_LINKING", 0)
    monkeypatch.setattr(tensor_cores, "WORTH_MAKING", 0)
    for seed in range(100, 100 + len(KINDS)):
        Product(seed).run("interp")


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 2000, 50))
def test_many_products(first: int) -> None:
    for seed in range(first, first + 50):
        Product(seed).run("interp")
