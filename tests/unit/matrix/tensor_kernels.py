"""A kernel that multiplies by `tcgen05.mma`, and matrices in its layouts: in tensor memory, with descriptors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from test_wgmma import laid_out
from warp_kernels import HEAD, program

from openptx.isa.types import TYPES
from openptx.numerics import FORMATS

MODES = (0, 32, 64, 128)
A_AT, SCALES_A, SCALES_B, METADATA = 256, 288, 320, 352  # columns of tensor memory; d begins at 0
KERNEL = """
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5,
                  .param .u64 p6, .param .u64 pa, .param .u64 pb, .param .u32 pi, .param .u32 pe)
{{
    .shared .align 1024 .b8 sa[32768];
    .shared .align 1024 .b8 sb[32768];
    .shared .align 8 .b64 bar;
    .shared .b32 place;
    .reg .b32 %t, %v, %sp, %i, %at, %d, %lanes, %idesc, %m<4>, %enable, %rank;
    .reg .b64 %rd<9>, %da, %db, %w, %x;
    .reg .b16 %both;
    .reg .pred %p, %one, %some, %e;
    mov.u32 %t, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2];
    mul.wide.u32 %rd3, %rank, 32768; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    setp.eq.u32 %one, %t, 0;
    mul.wide.u32 %rd3, %t, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    shl.b32 %at, %t, 2; mov.u32 %i, 0;
COPY:
    ld.global.u32 %v, [%rd1]; mov.u32 %d, sa; add.u32 %d, %d, %at; st.shared.u32 [%d], %v;
    ld.global.u32 %v, [%rd2]; mov.u32 %d, sb; add.u32 %d, %d, %at; st.shared.u32 [%d], %v;
    add.s64 %rd1, %rd1, 512; add.s64 %rd2, %rd2, 512; add.u32 %at, %at, 512; add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 64; @%p bra COPY;
    @%one mbarrier.init.shared.b64 [bar], 1;
    setp.lt.u32 %p, %t, 32;
    @%p tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [place], 512;
    @%p tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;
    bar.sync 0;
    ld.shared.u32 %d, [place];
    and.b32 %lanes, %t, 96; shl.b32 %lanes, %lanes, 16; add.u32 %lanes, %lanes, %d;
    {moves}
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    tcgen05.fence::after_thread_sync;
    mov.u32 %v, sa; bfe.u32 %v, %v, 4, 14; cvt.u64.u32 %w, %v; ld.param.u64 %da, [pa]; or.b64 %da, %da, %w;
    mov.u32 %v, sb; bfe.u32 %v, %v, 4, 14; cvt.u64.u32 %w, %v; ld.param.u64 %db, [pb]; or.b64 %db, %db, %w;
    ld.param.u32 %idesc, [pi]; ld.param.u32 %enable, [pe]; setp.ne.u32 %e, %enable, 0;
    mov.u32 %m0, 1; mov.u32 %m1, 2; mov.u32 %m2, 0; mov.u32 %m3, 0x80000000;
    add.u32 %at, %d, {a_at}; add.u32 %i, %d, {scales_a}; add.u32 %v, %d, {scales_b};
    add.u32 %sp, %d, {metadata};
    setp.eq.and.u32 %one, %rank, 0, %one;
    mov.u16 %both, 3; mov.u64 %rd8, 0x8000000000;
    setp.eq.u32 %p, %rank, {rank}; setp.eq.and.u32 %some, %t, {more}, %p; or.pred %some, %some, %one;
    @%some {instruction}
    @%one {commit}
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra WAIT;
    {back}
    tcgen05.wait::ld.sync.aligned;
    bar.sync 0;
    setp.lt.u32 %p, %t, 32;
    @%p tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %d, 512;
    ret;
}}
"""


def moves(parameter: str, columns: int, at: int, number: int, *, back: bool = False) -> str:
    """A row of `columns` words for every lane of every CTA, from global memory to tensor memory or back."""
    copy = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%at]; st.global.u32 [%rd5], %v;"
    if not back:
        copy = "ld.global.u32 %v, [%rd5]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%at], {%v};"
    return f"""
    ld.param.u64 %rd5, [{parameter}]; mul.wide.u32 %rd6, %t, {4 * columns}; add.s64 %rd5, %rd5, %rd6;
    mul.wide.u32 %rd6, %rank, {512 * columns}; add.s64 %rd5, %rd5, %rd6;
    add.u32 %at, %lanes, {at}; mov.u32 %i, 0;
L{number}:
    {copy}
    add.u32 %at, %at, 1; add.s64 %rd5, %rd5, 4; add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, {columns}; @%p bra L{number};"""


def multiplied(
    opcode: str,
    d: Any,
    memory: tuple[Any, Any],
    descriptors: tuple[int, int],
    idesc: int,
    *,
    a: Any = None,
    meta: Any = None,
    shifted: bool = False,
    scales: tuple[Any, Any] | None = None,
    tail: str = "%e",
    add: bool = True,
    more: int = 0,
    rank: int = 0,
    engine: str = "interp",
) -> Any:
    """What stands in tensor memory after `opcode`: d before; a, scales, metadata as words [lane, column].

    If `shifted`, a is brought back too. Arrays of a pair of CTAs have one axis more, in front. Thread 0 of
    the cluster executes it, and thread `more` of the CTA of rank `rank`.
    """
    columns, group = d.shape[-1], 2 if "group::2" in opcode else 1
    commit = f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster"
    kept = [moves("p0", columns, 0, 0)]
    kept += [moves("p3", a.shape[-1], A_AT, 1)] if a is not None else []
    scaled = ""
    if scales is not None:
        kept += [moves("p4", scales[0].shape[-1], SCALES_A, 2), moves("p5", scales[1].shape[-1], SCALES_B, 3)]
        scaled = ", [%i], [%v]"
    if meta is not None:
        kept += [moves("p6", meta.shape[-1], METADATA, 5)]
    back = moves("p0", columns, 0, 4, back=True)
    if shifted and a is not None:
        back += moves("p3", a.shape[-1], A_AT, 6, back=True)
    first = "[%at]" if a is not None else "%da"
    text = HEAD.format("sm_100a") + KERNEL.format(
        group=group,
        more=more,
        rank=rank,
        commit=f"{commit}.multicast::cluster.b64 [bar], %both;" if group == 2 else f"{commit}.b64 [bar];",
        moves="".join(kept),
        back=back,
        instruction=f"{opcode} [%d], {first}, %db{', [%sp]' if meta is not None else ''}, %idesc{scaled}, {tail};",
        a_at=A_AT,
        scales_a=SCALES_A,
        scales_b=SCALES_B,
        metadata=METADATA,
    )
    nothing = np.zeros(1, np.uint32)
    given = a, *(scales or (None, None)), meta
    own = [np.array(x, np.uint32, order="C") if x is not None else nothing for x in given]
    result = np.array(d, np.uint32)
    args = result, memory[0].view(np.uint32), memory[1].view(np.uint32), *own, *descriptors, np.uint32(idesc)
    program(text)["k"]((group,), (128,), (*args, np.uint32(add)), cluster=(group,), engine=engine)
    return (result, own[0]) if shifted else result


def lane(rows: int, row: int) -> int:
    """Layouts D (128 rows) and F (64 rows)."""
    return row if rows == 128 else row // 16 * 32 + row % 16


def placed(codes: Any) -> Any:
    """Elements of d or words of a, [row, column], as tensor memory has them."""
    cells = np.zeros((128, codes.shape[1]), np.uint32)
    for row in range(len(codes)):
        cells[lane(len(codes), row)] = codes[row]
    return cells


CODES = {"f16": 0, "bf16": 1, "tf32": 2, "e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5, "u8": 0, "s8": 1}
RESULTS = {"f16": 0, "f32": 1, "s32": 2}


def described(d: str, a: str, b: str, rows: int, columns: int, *flags: int) -> int:
    """An instruction descriptor; flags are numbers of bits."""
    types = RESULTS[d] << 4 | CODES[a] << 7 | CODES[b] << 10
    return types | columns >> 3 << 17 | rows >> 4 << 24 | sum(1 << bit for bit in flags)


def in_memory(codes: Any, type: str, mode: int, across: bool) -> tuple[Any, int]:
    """A matrix in shared memory. Elements of fewer than eight bits stand together in the beginning of 16 bytes."""
    width = FORMATS[type].width if type in ("e2m1", "e2m3", "e3m2") else TYPES[type].width
    if width >= 8:
        return laid_out(codes, width, mode, across)
    chunks = codes.reshape(len(codes), -1, 16)
    whole = [[sum(int(c) << width * i for i, c in enumerate(chunk)) for chunk in line] for line in chunks]
    padded = np.array([[n >> 8 * i & 255 for n in line for i in range(16)] for line in whole], np.uint64)
    return laid_out(padded, 8, mode, across)


def scale_words(codes: Any, first: int) -> Any:
    """Scales [line, number] as words: lane j of each warp has line 32 i + j in column i, from byte `first` on."""
    words = np.zeros((128, 8), np.uint32)
    for line, number in itertools.product(range(len(codes)), range(codes.shape[1])):
        words[line % 32 :: 32, line // 32] |= np.uint32(int(codes[line, number]) << 8 * (first + number))
    return words
