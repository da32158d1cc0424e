"""Kernels in PTX that multiply two square matrices by tensor cores, and matrices laid out as they want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

COLUMNS = 64
"""Of d that a warp makes by `mma` and `wmma`; 16 rows."""

LINE = 32
"""Bytes of a line that one instruction multiplies; `wmma` of bytes half as many."""


@dataclass(frozen=True)
class Types:
    name: str
    dtype: Any
    result: str
    bytes: int


class Kernel:
    """A launch of `product(a, b, d)` for two matrices of type `t`."""

    types: tuple[str, ...] = ()
    target = "sm_90a"
    parameters = ".param .u64 pa, .param .u64 pb, .param .u64 pd"

    def __init__(self, t: Types, a: Any, b: Any) -> None:
        self.t, self.n = t, len(a)
        self.depth = LINE // t.bytes  # of one instruction
        self.arguments = self.placed(np.ascontiguousarray(a), np.ascontiguousarray(b.T))
        self.zero = "0" if t.result == "s32" else "0f00000000"
        self.text = f".version 8.7\n.target {self.target}\n.address_size 64\n{self.kernel()}"

    def placed(self, a: Any, b: Any) -> tuple[Any, Any]:
        """a as rows, b as columns, in memory."""
        raise NotImplementedError

    def kernel(self) -> str:
        raise NotImplementedError

    @property
    def grid(self) -> tuple[int, int]:
        return (self.n // COLUMNS, self.n // 16)

    @property
    def block(self) -> int:
        return 32

    def result(self, d: Any) -> Any:
        """d by rows and columns, of what the kernel wrote."""
        return d

    def entry(self, registers: str, body: str) -> str:
        return f"""
.visible .entry product({self.parameters})
{{
    .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p; {registers}
    ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pd];
    mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x;
{body}
    ret;
}}
"""


def listed(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{first + i}" for i in range(count)) + "}"


class Mma(Kernel):
    types = ("f16", "bf16", "e4m3", "s8", "tf32")

    def placed(self, a: Any, b: Any) -> tuple[Any, Any]:
        """By fragments: a lane's registers are adjacent."""
        n, words = self.n, (self.n * self.t.bytes) // LINE
        rows = a.view(np.uint32).reshape(n // 16, 2, 8, words, 2, 4).transpose(0, 3, 2, 5, 4, 1)
        columns = b.view(np.uint32).reshape(n // 8, 8, words, 2, 4).transpose(0, 2, 1, 4, 3)
        return np.ascontiguousarray(rows), np.ascontiguousarray(columns)

    def result(self, d: Any) -> Any:
        return d.reshape(self.n // 16, self.n // 8, 8, 4, 2, 2).transpose(0, 4, 2, 1, 3, 5).reshape(self.n, self.n)

    def kernel(self) -> str:
        t, steps = self.t, self.n // self.depth
        groups = COLUMNS // 8
        shape = f"m16n8k{self.depth}.row.col"
        steps_b = [f"ld.global.v2.b32 {listed('b', 2 * i, 2)}, [%rd2+{i * steps * 256}];" for i in range(groups)]
        products = [
            f"mma.sync.aligned.{shape}.{t.result}.{t.name}.{t.name}.{t.result}"
            f" {listed('c', 4 * i, 4)}, {listed('a', 0, 4)}, {listed('b', 2 * i, 2)}, {listed('c', 4 * i, 4)};"
            for i in range(groups)
        ]
        kind = "f32" if t.result == "f32" else "b32"
        zeros = " ".join(f"mov.b32 %c{i}, {self.zero};" for i in range(4 * groups))
        stores = [f"st.global.v4.b32 [%rd3+{512 * i}], {listed('c', 4 * i, 4)};" for i in range(groups)]
        body = f"""
    mul.lo.u32 %r4, %r1, {steps * 512}; mad.lo.u32 %r4, %r3, 16, %r4; cvt.u64.u32 %rd4, %r4; add.s64 %rd1, %rd1, %rd4;
    mul.lo.u32 %r4, %r2, {groups * steps * 256}; mad.lo.u32 %r4, %r3, 8, %r4; cvt.u64.u32 %rd4, %r4;
    add.s64 %rd2, %rd2, %rd4;
    mul.lo.u32 %r4, %r1, {self.n // 8}; mad.lo.u32 %r4, %r2, {groups}, %r4; shl.b32 %r4, %r4, 9;
    mad.lo.u32 %r4, %r3, 16, %r4; cvt.u64.u32 %rd4, %r4; add.s64 %rd3, %rd3, %rd4;
    {zeros}
    mov.u32 %r5, 0;
LOOP:
    ld.global.v4.b32 {listed("a", 0, 4)}, [%rd1];
    {" ".join(steps_b)}
    {" ".join(products)}
    add.s64 %rd1, %rd1, 512; add.s64 %rd2, %rd2, 256;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, {steps}; @%p bra LOOP;
    {" ".join(stores)}"""
        return self.entry(f".reg .b32 %a<4>; .reg .b32 %b<{2 * groups}>; .reg .{kind} %c<{4 * groups}>;", body)


class Wmma(Kernel):
    types = ("f16", "bf16", "s8", "tf32")

    def placed(self, a: Any, b: Any) -> tuple[Any, Any]:
        return a, b

    def kernel(self) -> str:
        t = self.t
        depth = 8 if t.name == "tf32" else 16
        shape, groups = f"m16n16k{depth}", COLUMNS // 16
        count_a = {"f16": 8, "bf16": 4, "s8": 2, "tf32": 4}[t.name]
        count_c, line = 8, self.n * t.bytes
        loads = [
            f"wmma.load.b.sync.aligned.col.{shape}.global.{t.name} {listed('b', count_a * i, count_a)},"
            f" [%rd2+{16 * i * line}], {self.n};"
            for i in range(groups)
        ]
        kinds = "row.col"
        types = f"{t.result}.f32" if t.name == "f16" else f"{t.result}.{t.name}.{t.name}.{t.result}"
        products = [
            f"wmma.mma.sync.aligned.{kinds}.{shape}.{types} {listed('c', count_c * i, count_c)},"
            f" {listed('a', 0, count_a)}, {listed('b', count_a * i, count_a)}, {listed('c', count_c * i, count_c)};"
            for i in range(groups)
        ]
        stores = [
            f"wmma.store.d.sync.aligned.row.{shape}.global.{t.result} [%rd3+{64 * i}],"
            f" {listed('c', count_c * i, count_c)}, {self.n};"
            for i in range(groups)
        ]
        kind = "f32" if t.result == "f32" else "b32"
        zeros = " ".join(f"mov.b32 %c{i}, {self.zero};" for i in range(count_c * groups))
        body = f"""
    mul.lo.u32 %r4, %r1, {16 * line}; cvt.u64.u32 %rd4, %r4; add.s64 %rd1, %rd1, %rd4;
    mul.lo.u32 %r4, %r2, {COLUMNS * line}; cvt.u64.u32 %rd4, %r4; add.s64 %rd2, %rd2, %rd4;
    mul.lo.u32 %r4, %r1, {16 * 4 * self.n}; mad.lo.u32 %r4, %r2, {COLUMNS * 4}, %r4; cvt.u64.u32 %rd4, %r4;
    add.s64 %rd3, %rd3, %rd4;
    {zeros}
    mov.u32 %r5, 0;
LOOP:
    wmma.load.a.sync.aligned.row.{shape}.global.{t.name} {listed("a", 0, count_a)}, [%rd1], {self.n};
    {" ".join(loads)}
    {" ".join(products)}
    add.s64 %rd1, %rd1, {depth * t.bytes}; add.s64 %rd2, %rd2, {depth * t.bytes};
    add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, {self.n // depth}; @%p bra LOOP;
    {" ".join(stores)}"""
        return self.entry(
            f".reg .b32 %a<{count_a}>; .reg .b32 %b<{count_a * groups}>; .reg .{kind} %c<{count_c * groups}>;", body
        )


def by_chunks(lines: Any, tile: int) -> Any:
    """Lines in tiles; of a tile, what one instruction multiplies as chunks of 16 bytes after another: no swizzling."""
    words = lines.view(np.uint32)
    parts = words.reshape(len(lines) // tile, tile, -1, 2, 4)
    return np.ascontiguousarray(parts.transpose(0, 2, 3, 1, 4))


class Wgmma(Kernel):
    types = ("f16", "bf16", "e4m3", "s8", "tf32")
    rows, columns, warps = 64, 128, 4

    def placed(self, a: Any, b: Any) -> tuple[Any, Any]:
        return by_chunks(a, self.rows), by_chunks(b, self.columns)

    @property
    def grid(self) -> tuple[int, int]:
        return (self.n // self.columns, self.n // self.rows)

    @property
    def block(self) -> int:
        return 32 * self.warps

    def result(self, d: Any) -> Any:
        """Fragments: tiles, warps, lanes 4g + t, elements."""
        tiles = d.reshape(self.n // self.rows, self.n // self.columns, 4, 8, 4, self.columns // 8, 2, 2)
        return tiles.transpose(0, 2, 6, 3, 1, 5, 4, 7).reshape(self.n, self.n)

    def kernel(self) -> str:
        t, steps = self.t, self.n // self.depth
        count = self.columns // 2
        kind = "f32" if t.result == "f32" else "b32"
        scales = "1" if t.result == "s32" else "1, 1, 1" + (", 0, 0" if t.bytes == 2 else "")
        tail = "1" if t.result == "s32" else scales
        opcode = f"wgmma.mma_async.sync.aligned.m64n{self.columns}k{self.depth}.{t.result}.{t.name}.{t.name}"
        zeros = " ".join(f"mov.b32 %c{i}, {self.zero};" for i in range(count))
        stores = " ".join(f"st.global.v4.b32 [%rd3+{16 * i}], {listed('c', 4 * i, 4)};" for i in range(count // 4))
        body = f"""
    .shared .align 1024 .b8 sa[{self.rows * LINE}];
    .shared .align 1024 .b8 sb[{self.columns * LINE}];
    mul.lo.u32 %r4, %r1, {steps * self.rows * LINE}; mad.lo.u32 %r4, %r3, 16, %r4; cvt.u64.u32 %rd4, %r4;
    add.s64 %rd1, %rd1, %rd4;
    mul.lo.u32 %r4, %r2, {steps * self.columns * LINE}; mad.lo.u32 %r4, %r3, 16, %r4; cvt.u64.u32 %rd4, %r4;
    add.s64 %rd2, %rd2, %rd4;
    mul.lo.u32 %r4, %r1, {self.n // self.columns}; add.u32 %r4, %r4, %r2;
    mul.lo.u32 %r4, %r4, {self.rows * self.columns * 4}; mad.lo.u32 %r4, %r3, {4 * count}, %r4;
    cvt.u64.u32 %rd4, %r4; add.s64 %rd3, %rd3, %rd4;
    mov.u32 %r6, sa; mov.u32 %r7, sb; mad.lo.u32 %r8, %r3, 16, %r6; mad.lo.u32 %r9, %r3, 16, %r7;
    shr.u32 %r6, %r6, 4; cvt.u64.u32 %rd5, %r6; or.b64 %rd5, %rd5, {descriptor(self.rows)};
    shr.u32 %r7, %r7, 4; cvt.u64.u32 %rd6, %r7; or.b64 %rd6, %rd6, {descriptor(self.columns)};
    {zeros}
    mov.u32 %r5, 0;
LOOP:
    ld.global.v4.b32 {listed("a", 0, 4)}, [%rd1]; st.shared.v4.b32 [%r8], {listed("a", 0, 4)};
    ld.global.v4.b32 {listed("a", 0, 4)}, [%rd2]; st.shared.v4.b32 [%r9], {listed("a", 0, 4)};
    ld.global.v4.b32 {listed("a", 0, 4)}, [%rd2+2048]; st.shared.v4.b32 [%r9+2048], {listed("a", 0, 4)};
    bar.sync 0;
    wgmma.fence.sync.aligned;
    {opcode} {listed("c", 0, count)}, %rd5, %rd6, {tail};
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
    bar.sync 0;
    add.s64 %rd1, %rd1, {self.rows * LINE}; add.s64 %rd2, %rd2, {self.columns * LINE};
    add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, {steps}; @%p bra LOOP;
    {stores}"""
        return self.entry(f".reg .b32 %a<4>; .reg .{kind} %c<{count}>;", body)


def descriptor(lines: int) -> int:
    """Without swizzling (9.7.15.5.1.2): the next chunk of the depth is after all lines, the next eight at 128 bytes."""
    return (lines * 16 >> 4) << 16 | (128 >> 4) << 32


TCGEN05 = {
    "f16": ("f16", 0, 1),
    "bf16": ("f16", 1, 1),
    "tf32": ("tf32", 2, 1),
    "e4m3": ("f8f6f4", 0, 1),
    "s8": ("i8", 1, 2),
}
"""The kind of each type, and what an instruction descriptor calls it and the result."""


class Tcgen05(Kernel):
    types = ("f16", "bf16", "e4m3", "s8", "tf32")
    target = "sm_100a"
    rows, columns = 128, 256

    def placed(self, a: Any, b: Any) -> tuple[Any, Any]:
        return by_chunks(a, self.rows), by_chunks(b, self.columns)

    @property
    def grid(self) -> tuple[int, int]:
        return (self.n // self.columns, self.n // self.rows)

    @property
    def block(self) -> int:
        return 128

    def result(self, d: Any) -> Any:
        tiles = d.reshape(self.n // self.rows, self.n // self.columns, self.rows, self.columns)
        return tiles.transpose(0, 2, 1, 3).reshape(self.n, self.n)

    def kernel(self) -> str:
        steps = self.n // self.depth
        kind, code, result = TCGEN05[self.t.name]
        shape = result << 4 | code << 7 | code << 10 | self.columns >> 3 << 17 | self.rows >> 4 << 24
        moved = 4 * self.columns
        copies = " ".join(
            f"ld.global.v4.b32 {listed('a', 0, 4)}, [%rd2+{i}]; st.shared.v4.b32 [%r9+{i}], {listed('a', 0, 4)};"
            for i in range(0, self.columns * LINE, 2048)
        )
        copies_a = copies.replace("%rd2", "%rd1").replace("%r9", "%r8").split(" ld.")
        left = " ld.".join(copies_a[: self.rows * LINE // 2048])
        back = " ".join(
            f"tcgen05.ld.sync.aligned.32x32b.x4.b32 {listed('a', 0, 4)}, [%r10+{i}];"
            f" tcgen05.wait::ld.sync.aligned; st.global.v4.b32 [%rd3+{4 * i}], {listed('a', 0, 4)};"
            for i in range(0, self.columns, 4)
        )
        body = f"""
    .shared .align 1024 .b8 sa[{self.rows * LINE}];
    .shared .align 1024 .b8 sb[{self.columns * LINE}];
    .shared .align 8 .b64 bar; .shared .b32 place;
    .reg .pred %one, %some, %e; .reg .b32 %parity;
    mul.lo.u32 %r4, %r1, {steps * self.rows * LINE}; mad.lo.u32 %r4, %r3, 16, %r4; cvt.u64.u32 %rd4, %r4;
    add.s64 %rd1, %rd1, %rd4;
    mul.lo.u32 %r4, %r2, {steps * self.columns * LINE}; mad.lo.u32 %r4, %r3, 16, %r4; cvt.u64.u32 %rd4, %r4;
    add.s64 %rd2, %rd2, %rd4;
    mul.lo.u32 %r4, %r1, {self.n // self.columns}; add.u32 %r4, %r4, %r2;
    mul.lo.u32 %r4, %r4, {self.rows * self.columns * 4}; mad.lo.u32 %r4, %r3, {moved}, %r4;
    cvt.u64.u32 %rd4, %r4; add.s64 %rd3, %rd3, %rd4;
    mov.u32 %r6, sa; mov.u32 %r7, sb; mad.lo.u32 %r8, %r3, 16, %r6; mad.lo.u32 %r9, %r3, 16, %r7;
    shr.u32 %r6, %r6, 4; cvt.u64.u32 %rd5, %r6; or.b64 %rd5, %rd5, {descriptor(self.rows) | 1 << 46};
    shr.u32 %r7, %r7, 4; cvt.u64.u32 %rd6, %r7; or.b64 %rd6, %rd6, {descriptor(self.columns) | 1 << 46};
    setp.eq.u32 %one, %r3, 0; @%one mbarrier.init.shared.b64 [bar], 1;
    setp.lt.u32 %some, %r3, 32;
    @%some tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], {self.columns};
    bar.sync 0;
    ld.shared.u32 %r11, [place]; and.b32 %r10, %r3, 96; shl.b32 %r10, %r10, 16; add.u32 %r10, %r10, %r11;
    mov.u32 %r5, 0; mov.u32 %r12, {shape}; mov.u32 %parity, 0;
LOOP:
    {left}
    {copies}
    bar.sync 0;
    setp.ne.u32 %e, %r5, 0;
    @%one tcgen05.mma.cta_group::1.kind::{kind} [%r11], %rd5, %rd6, %r12, %e;
    @%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], %parity; @!%p bra WAIT;
    xor.b32 %parity, %parity, 1;
    bar.sync 0;
    add.s64 %rd1, %rd1, {self.rows * LINE}; add.s64 %rd2, %rd2, {self.columns * LINE};
    add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, {steps}; @%p bra LOOP;
    tcgen05.fence::after_thread_sync;
    {back}
    bar.sync 0;
    @%some tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r11, {self.columns};"""
        return self.entry(".reg .b32 %a<4>;", body)


KERNELS = {"mma": Mma, "wmma": Wmma, "wgmma": Wgmma, "tcgen05": Tcgen05}
