"""wgmma: matrices in shared memory in the manual's canonical layouts, by tables of strides, against NumPy products."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from manual_fragments import A, C
from test_products import coded, draw, packed
from test_sparse import metadata, sparse, spread_rows
from warp_kernels import ENGINES, HEAD, program

from openptx.isa.types import TYPES

MODES = {0: 1, 32: 2, 64: 4, 128: 8}  # bytes of swizzling: chunks of 16 bytes in a row of an atom
ENCODED = {0: 0, 128: 1, 64: 2, 32: 3}


def swizzled(at: int, mode: int) -> int:
    """Swizzle<b, 4, 3> of CuTe."""
    return at ^ (at >> 3 & (MODES[mode] - 1) << 4)


def laid_out(codes: Any, width: int, mode: int, across: bool) -> tuple[Any, int]:
    """A matrix of lines (line, k) in shared memory, and the descriptor without its start; canonical layouts."""
    lines, depth = codes.shape
    size = width // 8
    t, s = 16 // size, MODES[mode]
    if across and not mode:  # ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO))
        stride, leading = 128, 128 * (lines // t)
    elif across:  # ((T,s,m),(8,k)) : ((1,T,LBO),(sT,SBO))
        leading, stride = 128 * s, 128 * s * max(lines // (t * s), 1)
    elif not mode:  # ((8,m),(T,2k)) : ((1T,SBO),(1,LBO))
        leading, stride = 128, 8 * depth * size
    else:  # ((8,m),(T,2k)) : ((sT,SBO),(1,T))
        leading, stride = 16, 128 * s
    memory = np.zeros(32768, np.uint8)
    for i, k in itertools.product(range(lines), range(depth)):
        if across:
            at = i % t * size + i // t % s * 16 + k % 8 * 16 * s
            at += i // t // s * (leading if mode else stride) + k // 8 * (stride if mode else leading)
        else:
            at = i % 8 * 16 * s + i // 8 * stride + k % t * size + k // t * (16 if mode else leading)
        code = int(codes[i, k])
        for byte in range(size):
            memory[swizzled(at + byte, mode)] = code >> 8 * byte & 255
    return memory, leading >> 4 << 16 | stride >> 4 << 32 | ENCODED[mode] << 62


KERNEL = """
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 pa, .param .u64 pb)
{{
    .shared .align 1024 .b8 sa[32768];
    .shared .align 1024 .b8 sb[32768];
    .reg .b32 %t, %v, %i, %at, %d<{count}>, %a<5>;
    .reg .b64 %rd<9>, %da, %db, %w;
    .reg .pred %p, %scale;
    mov.u32 %t, %tid.x;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2]; ld.param.u64 %rd5, [p3];
    mul.wide.u32 %rd3, %t, 4;
    add.s64 %rd0, %rd0, %rd3; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3; add.s64 %rd5, %rd5, %rd3;
    {loads}
    {fragment}
    shl.b32 %at, %t, 2; mov.u32 %i, 0;
COPY:
    ld.global.u32 %v, [%rd1]; mov.u32 %d0, sa; add.u32 %d0, %d0, %at; st.shared.u32 [%d0], %v;
    ld.global.u32 %v, [%rd2]; mov.u32 %d0, sb; add.u32 %d0, %d0, %at; st.shared.u32 [%d0], %v;
    add.s64 %rd1, %rd1, 512; add.s64 %rd2, %rd2, 512; add.u32 %at, %at, 512; add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 64; @%p bra COPY;
    ld.global.u32 %d0, [%rd0];
    bar.sync 0;
    mov.u32 %v, sa; shr.u32 %v, %v, 4; cvt.u64.u32 %w, %v; ld.param.u64 %da, [pa]; or.b64 %da, %da, %w;
    mov.u32 %v, sb; shr.u32 %v, %v, 4; cvt.u64.u32 %w, %v; ld.param.u64 %db, [pb]; or.b64 %db, %db, %w;
    setp.eq.u32 %scale, 0, {off};
    wgmma.fence.sync.aligned;
    {instruction}
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    {stores}
    ret;
}}
"""


def multiplied(opcode: str, a: Any, b: Any, c: Any, desc: tuple[int, int], tail: str, off: int, frag: Any) -> Any:
    """The accumulator afterwards. Matrix a is in the first four registers of `frag` if `desc` names none in memory.

    The fifth is the metadata where `opcode` is sparse; its selector stands after a colon.
    """
    count = len(c)
    d = ", ".join(f"%d{i}" for i in range(count))
    first = "%da" if desc[0] else "{%a0, %a1, %a2, %a3}"
    meta = f"%a4, {opcode.rpartition(':')[2]}, " if ":" in opcode else ""
    opcode = opcode.partition(":")[0]
    text = HEAD.format("sm_90a") + KERNEL.format(
        count=count,
        off=off,
        loads=" ".join(f"ld.global.u32 %d{i}, [%rd0+{512 * i}];" for i in range(count)),
        fragment=" ".join(f"ld.global.u32 %a{i}, [%rd5+{512 * i}];" for i in range(5)),
        stores=" ".join(f"st.global.u32 [%rd0+{512 * i}], %d{i};" for i in range(count)),
        instruction=f"{opcode} {{{d}}}, {first}, %db, {meta}%scale{tail};",
    )
    found: list[Any] = []
    registers = np.zeros((5, 128), np.uint32) if frag is None else frag
    for engine in ENGINES:
        result = c.copy()
        args = (result, a.view(np.uint32), b.view(np.uint32), registers, *desc)
        program(text)["k"]((1,), (128,), args, engine=engine)
        found.append(result)
    np.testing.assert_array_equal(found[0], found[1])
    return found[0]


def fragments(codes: Any, width: int) -> Any:
    """An accumulator of 64 rows as registers [register, thread]."""
    columns = codes.shape[1]
    elements = np.zeros((columns // 2, 128), np.uint64)
    for thread, j, i in itertools.product(range(128), range(columns // 8), range(4)):
        row, column = C[16](thread % 32 >> 2, thread % 4, i)
        elements[4 * j + i, thread] = codes[thread // 32 * 16 + row, 8 * j + column]
    if width == 32:
        return elements.astype(np.uint32)
    return (elements[::2] | elements[1::2] << np.uint64(16)).astype(np.uint32)


#        d      a       b       k   columns
TYPES_OF = [
    ("f32", "f16", "f16", 16, 16),
    ("f16", "f16", "f16", 16, 8),
    ("f32", "bf16", "bf16", 16, 64),
    ("f32", "tf32", "tf32", 8, 16),
    ("f32", "e4m3", "e5m2", 32, 16),
    ("s32", "s8", "u8", 32, 16),
]
CASES = [
    (types, mode, trans)
    for n, types in enumerate(TYPES_OF)
    for mode in MODES
    for trans in ([(0, 0), (1, 1), (0, 1)] if TYPES[types[1]].width == 16 and not n else [(0, 0)])
    if not (types[1] != "f16" and mode not in (0, 128))
]


@pytest.mark.parametrize(("types", "mode", "trans"), CASES)
def test_shared(types: tuple[str, str, str, int, int], mode: int, trans: tuple[int, int]) -> None:
    rng = np.random.default_rng(mode)
    d, a, b, depth, columns = types
    columns = max(columns, 64) if trans[1] else columns  # whole atoms
    (ca, left), (cb, right) = draw(rng, a, (64, depth)), draw(rng, b, (columns, depth))
    cd, addend = draw(rng, d, (64, columns))
    width = TYPES[a].width
    (ma, da), (mb, db) = (laid_out(c, width, mode, bool(t)) for c, t in ((ca, trans[0]), (cb, trans[1])))
    tail = "" if d == "s32" else ", -1, 1" + (f", {trans[0]}, {trans[1]}" if width == 16 else "")
    opcode = f"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{d}.{a}.{b}"
    sign = 1 if d == "s32" else -1
    found = multiplied(opcode, ma, mb, fragments(cd, TYPES[d].width), (da, db), tail, 0, None)
    want = fragments(coded(sign * (left @ right.T) + addend, d), TYPES[d].width)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("off", [0, 1])
def test_registers(off: int) -> None:
    """Matrix a from registers; without scale-d the accumulator does not count."""
    rng = np.random.default_rng(off)
    (ca, left), (cb, right) = draw(rng, "f16", (64, 16)), draw(rng, "f16", (8, 16))
    cd, addend = draw(rng, "f32", (64, 8))
    mb, db = laid_out(cb, 16, 128, False)
    a = np.concatenate([packed(warp_fragment(ca[16 * w : 16 * w + 16]), 16) for w in range(4)], axis=1)
    a = np.concatenate((a, a[:1]))
    opcode = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"
    found = multiplied(opcode, mb, mb, fragments(cd, 32), (0, db), ", 1, 1, 0", off, a)
    want = left @ right.T + (0 if off else addend)
    np.testing.assert_array_equal(found, fragments(coded(want, "f32"), 32))


def warp_fragment(rows: Any) -> Any:
    """Sixteen rows of a, as figure 148 has them: element i of a lane."""
    place = A["m16n8k16", 16]
    return np.array([[rows[place(lane >> 2, lane % 4, i)] for lane in range(32)] for i in range(8)], np.uint64)


SPARSE = [
    ("f32", "f16", "f16", 32),
    ("f16", "f16", "f16", 32),
    ("f32", "bf16", "bf16", 32),
    ("f32", "tf32", "tf32", 16),
    ("f32", "e4m3", "e5m2", 64),
    ("s32", "s8", "u8", 64),
]


@pytest.mark.parametrize(("mode", "d", "a", "b", "depth"), [
    (mode, *types) if mode == (0, 128)[i & 1] else pytest.param(mode, *types, marks=pytest.mark.sweep)
    for mode in (0, 128) for i, types in enumerate(SPARSE)
])  # fmt: skip
def test_sparse(d: str, a: str, b: str, depth: int, mode: int) -> None:
    """Half of a's elements stand in memory or registers; metadata of each warp's rows is that of `mma.sp`.

    One selector with each of them.
    """
    wide = TYPES[a].width > 8
    compare_sparse(d, a, b, depth, mode, [(0, True)] if mode else [(0, True), (int(wide), False)])


@pytest.mark.sweep
@pytest.mark.parametrize(("d", "a", "b", "depth"), [types for types in SPARSE if TYPES[types[1]].width > 8])
def test_sparse_with_the_other_selector(d: str, a: str, b: str, depth: int) -> None:
    compare_sparse(d, a, b, depth, 0, [(1, True), (0, False)])


def compare_sparse(d: str, a: str, b: str, depth: int, mode: int, chosen: list[tuple[int, bool]]) -> None:
    """With selectors, and whether a stands in memory."""
    rng = np.random.default_rng(mode)
    columns, width = 16, TYPES[a].width
    kept, at, left = sparse(rng, a, 64, depth, "")
    cb, right = draw(rng, b, (columns, depth))
    cd, addend = draw(rng, d, (64, columns))
    (ma, da), (mb, db) = laid_out(kept, width, mode, False), laid_out(cb, width, mode, False)
    tail = "" if d == "s32" else ", 1, 1" + (", 0, 0" if width == 16 else "")
    want = fragments(coded(left @ right.T + addend, d), TYPES[d].width)
    for selector, in_memory in chosen:
        warps = [slice(16 * w, 16 * w + 16) for w in range(4)]
        meta = np.concatenate([metadata(rng, a, at[rows], selector, "") for rows in warps], axis=1)
        registers = np.concatenate([spread_rows(kept[rows], width) for rows in warps], axis=1)
        opcode = f"wgmma.mma_async.sp.sync.aligned.m64n{columns}k{depth}.{d}.{a}.{b}:{selector}"
        given = np.concatenate((registers, meta)).astype(np.uint32)
        desc, ending = (da, tail) if in_memory else (0, tail.removesuffix(", 0"))
        found = multiplied(opcode, ma, mb, fragments(cd, TYPES[d].width), (desc, db), ending, 0, given)
        np.testing.assert_array_equal(found, want)
