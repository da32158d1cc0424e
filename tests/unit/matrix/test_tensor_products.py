"""tcgen05.mma: matrices in shared and tensor memory in the manual's canonical layouts, against NumPy products.

Values are small, so that sums are exact however they are made.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from test_products import coded, draw, values_of
from test_wgmma import laid_out
from warp_kernels import HEAD, program

import openptx
from openptx.isa.types import TYPES
from openptx.numerics import FORMATS

MODES = (0, 32, 64, 128)
A_AT, SCALES_A, SCALES_B = 256, 288, 320  # columns of tensor memory; d begins at 0
KERNEL = """
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5,
                  .param .u64 pa, .param .u64 pb, .param .u32 pi, .param .u32 pe)
{{
    .shared .align 1024 .b8 sa[32768];
    .shared .align 1024 .b8 sb[32768];
    .shared .align 8 .b64 bar;
    .shared .b32 place;
    .reg .b32 %t, %v, %i, %at, %d, %lanes, %idesc, %m<4>, %enable, %rank;
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
    mov.u32 %v, sa; shr.u32 %v, %v, 4; cvt.u64.u32 %w, %v; ld.param.u64 %da, [pa]; or.b64 %da, %da, %w;
    mov.u32 %v, sb; shr.u32 %v, %v, 4; cvt.u64.u32 %w, %v; ld.param.u64 %db, [pb]; or.b64 %db, %db, %w;
    ld.param.u32 %idesc, [pi]; ld.param.u32 %enable, [pe]; setp.ne.u32 %e, %enable, 0;
    mov.u32 %m0, 1; mov.u32 %m1, 2; mov.u32 %m2, 0; mov.u32 %m3, 0x80000000;
    add.u32 %at, %d, {a_at}; add.u32 %i, %d, {scales_a}; add.u32 %v, %d, {scales_b};
    setp.eq.and.u32 %one, %rank, 0, %one;
    mov.u16 %both, 3; mov.u64 %rd8, 0x8000000000;
    setp.eq.u32 %some, %t, {more}; or.pred %some, %some, %one;
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
    scales: tuple[Any, Any] | None = None,
    tail: str = "%e",
    add: bool = True,
    more: int = 0,
    engine: str = "interp",
) -> Any:
    """What stands in tensor memory behind `opcode`: d [lane, column] before, a and scales as words [lane, column].

    Arrays of a pair of CTAs have one axis more, in front. Thread 0 executes it, and thread `more`.
    """
    columns, group = d.shape[-1], 2 if "group::2" in opcode else 1
    commit = f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster"
    kept = [moves("p0", columns, 0, 0)]
    kept += [moves("p3", a.shape[-1], A_AT, 1)] if a is not None else []
    scaled = ""
    if scales is not None:
        kept += [moves("p4", scales[0].shape[-1], SCALES_A, 2), moves("p5", scales[1].shape[-1], SCALES_B, 3)]
        scaled = ", [%i], [%v]"
    first = "[%at]" if a is not None else "%da"
    text = HEAD.format("sm_100a") + KERNEL.format(
        group=group,
        more=more,
        commit=f"{commit}.multicast::cluster.b64 [bar], %both;" if group == 2 else f"{commit}.b64 [bar];",
        moves="".join(kept),
        back=moves("p0", columns, 0, 4, back=True),
        instruction=f"{opcode} [%d], {first}, %db, %idesc{scaled}, {tail};",
        a_at=A_AT,
        scales_a=SCALES_A,
        scales_b=SCALES_B,
    )
    nothing = np.zeros(1, np.uint32)
    own = [np.ascontiguousarray(x) if x is not None else nothing for x in (a, *(scales or (None, None)))]
    result = np.array(d, np.uint32)
    args = result, memory[0].view(np.uint32), memory[1].view(np.uint32), *own, *descriptors, np.uint32(idesc)
    program(text)["k"]((group,), (128,), (*args, np.uint32(add)), cluster=(group,), engine=engine)
    return result


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


#        kind      d      a       b       k
TYPES_OF = [
    ("f16", "f32", "f16", "f16", 16),
    ("f16", "f16", "f16", "f16", 16),
    ("f16", "f32", "bf16", "f16", 16),
    ("tf32", "f32", "tf32", "tf32", 8),
    ("f8f6f4", "f32", "e4m3", "e5m2", 32),
    ("f8f6f4", "f16", "e2m1", "e3m2", 32),
    ("f8f6f4", "f32", "e2m3", "e2m1", 32),
    ("i8", "s32", "s8", "u8", 32),
]
CASES = [
    (types, 64 if mode in (0, 64) else 128, mode, trans)
    for n, types in enumerate(TYPES_OF)
    for mode in MODES
    for trans in ((0, 0), (1, 1))
    if mode in (0, 128) or (n == 0)
    if not trans[0] or (TYPES[types[2]].width in (8, 16) and TYPES[types[3]].width in (8, 16))
]


@pytest.mark.parametrize(("types", "rows", "mode", "trans"), CASES)
def test_shared(types: tuple[str, str, str, str, int], rows: int, mode: int, trans: tuple[int, int]) -> None:
    rng = np.random.default_rng(mode + rows)
    kind, d, a, b, depth = types
    columns = 128 if trans[1] and mode == 128 else 64 if mode else 24  # whole atoms
    columns = 32 if trans[1] and not mode else columns
    (ca, left), (cb, right) = draw(rng, a, (rows, depth)), draw(rng, b, (columns, depth))
    cd, addend = draw(rng, d, (rows, columns))
    (ma, da), (mb, db) = in_memory(ca, a, mode, bool(trans[0])), in_memory(cb, b, mode, bool(trans[1]))
    sign = -1 if kind != "i8" else 1
    flags = [bit for bit, on in ((13, sign < 0), (15, trans[0]), (16, trans[1])) if on]
    idesc = described(d, a, b, rows, columns, *flags)
    found = multiplied(f"tcgen05.mma.cta_group::1.kind::{kind}", placed(cd), (ma, mb), (da, db), idesc)
    want = placed(coded(sign * (left @ right.T) + addend, d).astype(np.uint32))
    np.testing.assert_array_equal(found, want)


def test_words_of_32_bits_lie_across_in_pairs_of_chunks() -> None:
    """tf32, MN-major, 128 bytes of swizzling: Swizzle<2,5,2> on ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO))."""
    rng = np.random.default_rng(5)
    (ca, left), (cb, right) = draw(rng, "tf32", (64, 8)), draw(rng, "tf32", (64, 8))

    def laid(codes: Any) -> tuple[Any, int]:
        words, leading, stride = np.zeros(8192, np.uint32), 1024, 512
        for i, k in itertools.product(range(64), range(8)):
            at = i % 32 * 4 + i // 32 * leading + k % 4 * 128 + k // 4 * stride
            words[(at ^ (at >> 7 & 3) << 5) // 4] = codes[i, k]
        return words.view(np.uint8), leading >> 4 << 16 | stride >> 4 << 32 | 1 << 61

    (ma, da), (mb, db) = laid(ca), laid(cb)
    idesc = described("f32", "tf32", "tf32", 64, 64, 15, 16)
    zero = np.zeros((128, 64), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::1.kind::tf32", zero, (ma, mb), (da, db), idesc)
    np.testing.assert_array_equal(found, placed(coded(left @ right.T, "f32").astype(np.uint32)))


@pytest.mark.parametrize("rows", [64, 128])
@pytest.mark.parametrize("add", [True, False])
def test_a_in_tensor_memory(rows: int, add: bool) -> None:
    rng = np.random.default_rng(rows)
    (ca, left), (cb, right) = draw(rng, "f16", (rows, 16)), draw(rng, "f16", (16, 16))
    cd, addend = draw(rng, "f32", (rows, 16))
    mb, db = laid_out(cb, 16, 32, False)
    words = placed(np.ascontiguousarray(ca.astype(np.uint16)).view(np.uint32))
    opcode, idesc = "tcgen05.mma.cta_group::1.kind::f16", described("f32", "f16", "f16", rows, 16)
    used = [lane(rows, row) for row in range(rows)]
    for tail, part in ("%e", 1), ("%e, 2", 1 / 4):
        found = multiplied(opcode, placed(cd), (mb, mb), (0, db), idesc, a=words, tail=tail, add=add)
        want = placed(coded(left @ right.T + add * part * addend, "f32").astype(np.uint32))
        np.testing.assert_array_equal(found[used], want[used])


@pytest.mark.parametrize("other", [1, 32])
def test_every_thread_that_executes_it_makes_a_product_of_its_own(other: int) -> None:
    rng = np.random.default_rng(2)
    (ca, left), (cb, right) = draw(rng, "f16", (128, 16)), draw(rng, "f16", (8, 16))
    (ma, da), (mb, db) = laid_out(ca, 16, 0, False), laid_out(cb, 16, 0, False)
    idesc, zero = described("f32", "f16", "f16", 128, 8), np.zeros((128, 8), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::1.kind::f16", zero, (ma, mb), (da, db), idesc, more=other)
    np.testing.assert_array_equal(found, coded(2 * (left @ right.T), "f32").astype(np.uint32))


def test_bytes_of_a_in_tensor_memory_hold_e2m1_in_their_middle() -> None:
    rng = np.random.default_rng(9)
    (ca, left), (cb, right) = draw(rng, "e2m1", (128, 32)), draw(rng, "e4m3", (16, 32))
    mb, db = laid_out(cb, 8, 0, False)
    words = np.ascontiguousarray((ca << np.uint64(2)).astype(np.uint8)).view(np.uint32)
    idesc = described("f32", "e2m1", "e4m3", 128, 16)
    zero = np.zeros((128, 16), np.uint32)
    found = multiplied("tcgen05.mma.cta_group::1.kind::f8f6f4", zero, (mb, mb), (0, db), idesc, a=words)
    np.testing.assert_array_equal(found, coded(left @ right.T, "f32").astype(np.uint32))


def test_lanes_that_are_disabled_keep_what_they_have_and_d_can_be_divided() -> None:
    rng = np.random.default_rng(3)
    (ca, left), (cb, right) = draw(rng, "f16", (128, 16)), draw(rng, "f16", (8, 16))
    cd, addend = draw(rng, "f32", (128, 8))
    (ma, da), (mb, db) = laid_out(ca, 16, 0, False), laid_out(cb, 16, 0, False)
    opcode, idesc = "tcgen05.mma.cta_group::1.kind::f16", described("f32", "f16", "f16", 128, 8)
    tail = "{%m0, %m1, %m2, %m3}, %e, 3"
    found = multiplied(opcode, cd, (ma, mb), (da, db), idesc, tail=tail)
    want = coded(left @ right.T + addend / 8, "f32").astype(np.uint32)
    for kept in (0, 33, 127):
        want[kept] = cd[kept]
    np.testing.assert_array_equal(found, want)


def test_sums_of_integers_are_clamped_where_the_descriptor_says_so() -> None:
    ones = np.full((128, 32), 0x7F, np.uint64)
    (ma, da), (mb, db) = laid_out(ones, 8, 0, False), laid_out(ones[:8], 8, 0, False)
    d = np.full((128, 8), 0x7FFFFF00, np.uint32)
    for flags, want in ((), (0x7FFFFF00 + 32 * 127 * 127) & 0xFFFFFFFF), ((3,), 0x7FFFFFFF):
        idesc = described("s32", "s8", "s8", 128, 8, *flags)
        found = multiplied("tcgen05.mma.cta_group::1.kind::i8", d, (ma, mb), (da, db), idesc)
        assert (found == want).all()


def scale_words(codes: Any, first: int) -> Any:
    """Scales [line, number] as words: lane j of each warp has line 32 i + j in column i, from byte `first` on."""
    words = np.zeros((128, 8), np.uint32)
    for line, number in itertools.product(range(len(codes)), range(codes.shape[1])):
        words[line % 32 :: 32, line // 32] |= np.uint32(int(codes[line, number]) << 8 * (first + number))
    return words


#        kind        a       b       scales   per line   bytes that ids name
SCALED = [
    ("mxf8f6f4.block_scale", "e4m3", "e5m2", "ue8m0", 1, (0, 3)),
    ("mxf8f6f4.block_scale.scale_vec::1X", "e2m1", "e3m2", "ue8m0", 1, (2, 1)),
    ("mxf4.block_scale", "e2m1", "e2m1", "ue8m0", 2, (0, 2)),
    ("mxf4nvf4.block_scale.scale_vec::2X", "e2m1", "e2m1", "ue8m0", 2, (2, 0)),
    ("mxf4nvf4.block_scale.block16", "e2m1", "e2m1", "ue4m3", 4, (0, 0)),
]


@pytest.mark.parametrize(("kind", "a", "b", "scale", "per", "ids"), SCALED)
def test_scaled(kind: str, a: str, b: str, scale: str, per: int, ids: tuple[int, int]) -> None:
    rng = np.random.default_rng(per)
    blocked, columns = "mxf4" in kind, 40
    depth = 64 if blocked else 32
    (ca, left), (cb, right) = draw(rng, a, (128, depth)), draw(rng, b, (columns, depth))
    if scale == "ue8m0":
        sa, sb = rng.integers(126, 129, (128, per)), rng.integers(126, 129, (columns, per))
        va, vb = 2.0 ** (sa - 127), 2.0 ** (sb - 127)
    else:
        codes, values = values_of("e4m3")
        codes, values = codes[values > 0], values[values > 0]
        ia, ib = rng.integers(0, len(codes), (128, per)), rng.integers(0, len(codes), (columns, per))
        sa, va, sb, vb = codes[ia], values[ia], codes[ib], values[ib]
    cd, addend = draw(rng, "f32", (128, columns))
    if blocked:
        (ma, da), (mb, db) = (laid_out(c[:, ::2] | c[:, 1::2] << np.uint64(4), 8, 32, False) for c in (ca, cb))
        types = 1 << 7 | 1 << 10
    else:
        (ma, da), (mb, db) = in_memory(ca, a, 128, False), in_memory(cb, b, 128, False)
        types = CODES[a] << 7 | CODES[b] << 10
    idesc = types | ids[1] << 4 | columns >> 3 << 17 | (scale == "ue8m0") << 23 | 1 << 27 | ids[0] << 29
    words = scale_words(sa, ids[0]), scale_words(sb, ids[1])
    opcode = f"tcgen05.mma.cta_group::1.kind::{kind}"
    found = multiplied(opcode, cd, (ma, mb), (da, db), idesc, scales=words)
    in_bytes = ca[:, ::2] | ca[:, 1::2] << np.uint64(4) if blocked else ca << np.uint64(2 * (a == "e2m1"))
    stored = np.ascontiguousarray(in_bytes.astype(np.uint8)).view(np.uint32)
    again = multiplied(opcode, cd, (mb, mb), (0, db), idesc, a=stored, scales=words)
    np.testing.assert_array_equal(found, again)
    rows, lines = left * np.repeat(va, depth // per, 1), right * np.repeat(vb, depth // per, 1)
    np.testing.assert_array_equal(found, coded(rows @ lines.T + addend, "f32").astype(np.uint32))


@pytest.mark.parametrize("rows", [32, 64, 128])
@pytest.mark.parametrize("add", [True, False])
def test_weights_that_stay(rows: int, add: bool) -> None:
    """Fewer rows than 128 lie below each other, each time with the next columns (layouts E and G)."""
    rng = np.random.default_rng(rows)
    (ca, left), (cb, right) = draw(rng, "e4m3", (rows, 32)), draw(rng, "e5m2", (64, 32))
    cd, addend = draw(rng, "f32", (rows, 64))
    (ma, da), (mb, db) = laid_out(ca, 8, 64, False), laid_out(cb, 8, 0, False)
    parts = 128 // rows

    def place(codes: Any) -> Any:
        return np.concatenate(np.split(codes.astype(np.uint32), parts, axis=1))

    opcode, idesc = "tcgen05.mma.ws.cta_group::1.kind::f8f6f4", described("f32", "e4m3", "e5m2", rows, 64)
    want = place(coded(left @ right.T + add * addend, "f32"))
    found = multiplied(opcode + ".collector::b1::fill", place(cd), (ma, mb), (da, db), idesc, add=add)
    np.testing.assert_array_equal(found, want)
    words = np.zeros((128, 8), np.uint32)
    words[:rows] = np.ascontiguousarray(ca.astype(np.uint8)).view(np.uint32)
    if rows == 128:
        found = multiplied(opcode, place(cd), (mb, mb), (0, db), idesc, a=words, add=add)
        np.testing.assert_array_equal(found, want)
    else:
        with pytest.raises(openptx.Unsupported, match=f"M = {rows}"):
            multiplied(opcode, place(cd), (mb, mb), (0, db), idesc, a=words, add=add)


MISSING = {
    "tcgen05.mma.cta_group::1.kind::f16": (described("f32", "f16", "f16", 128, 16, 2), "%e", "sparse"),
    "tcgen05.mma.cta_group::1.kind::mxf4.block_scale": (1 << 7 | 1 << 10 | 1 << 18 | 1 << 27 | 1 << 31, "%e", "K = 96"),
    "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale": (1 << 18 | 1 << 23 | 1 << 27, "%e", "M = 128"),
    "tcgen05.mma.ws.cta_group::1.kind::f16": (described("f32", "f16", "f16", 64, 64), "%e, %rd8", "zero-column-mask"),
}


@pytest.mark.parametrize("opcode", MISSING)
def test_what_is_missing_is_said_by_name(opcode: str) -> None:
    idesc, tail, what = MISSING[opcode]
    group = 2 if "group::2" in opcode else 1
    memory, d = np.zeros((group, 32768), np.uint8), np.zeros((group, 128, 64), np.uint32)
    words = np.zeros((group, 128, 8), np.uint32)
    scales = (words, words) if "scale" in opcode else None
    with pytest.raises(openptx.Unsupported, match=what):
        multiplied(opcode, d, (memory, memory), (0, 0), idesc, scales=scales, tail=tail)


def both(parts: list[tuple[Any, int]]) -> tuple[Any, int]:
    """The shared memory of two CTAs, with their common descriptor."""
    assert parts[0][1] == parts[1][1]
    return np.stack([memory for memory, _ in parts]), parts[0][1]


def laid_in_halves(codes: Any) -> Any:
    """Layout B: 64 rows of each CTA, the second half of the columns in lanes 64 to 127."""
    half = codes.shape[1] // 2
    return np.stack([np.concatenate((own[:, :half], own[:, half:])) for own in (codes[:64], codes[64:])])


@pytest.mark.parametrize("rows", [128, 256])
@pytest.mark.parametrize("mode", [0, 128])
@pytest.mark.parametrize("from_tensor_memory", [False, True])
def test_a_pair_of_ctas(rows: int, mode: int, from_tensor_memory: bool) -> None:
    """Each has half of the rows of a and d, and half of the columns of b."""
    rng = np.random.default_rng(rows + mode)
    (ca, left), (cb, right) = draw(rng, "bf16", (rows, 16)), draw(rng, "bf16", (32, 16))
    cd, addend = draw(rng, "f32", (rows, 32))
    mb, db = both([laid_out(half, 16, mode, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 16, mode, False) for half in np.split(ca, 2)])
    want = coded(left @ right.T + addend, "f32").astype(np.uint32)
    words = None
    if from_tensor_memory:
        words = np.ascontiguousarray(ca.astype(np.uint16)).view(np.uint32).reshape(2, rows // 2, 8)
        words = np.concatenate([words] * (256 // rows), axis=1)
    idesc = described("f32", "bf16", "bf16", rows, 32)
    place = laid_in_halves if rows == 128 else lambda codes: codes.reshape(2, 128, 32)
    found = multiplied(
        "tcgen05.mma.cta_group::2.kind::f16", place(cd.astype(np.uint32)), (ma, mb), (da, db), idesc, a=words
    )
    np.testing.assert_array_equal(found, place(want))


def test_a_pair_of_ctas_with_scales_and_masks() -> None:
    rng = np.random.default_rng(1)
    (ca, left), (cb, right) = draw(rng, "e4m3", (256, 32)), draw(rng, "e5m2", (32, 32))
    sa, sb = rng.integers(126, 129, (256, 1)), rng.integers(126, 129, (32, 1))
    cd, addend = draw(rng, "f32", (256, 32))
    mb, db = both([laid_out(half, 8, 64, False) for half in np.split(cb, 2)])
    ma, da = both([laid_out(half, 8, 64, False) for half in np.split(ca, 2)])
    words = np.stack([scale_words(half, 1) for half in np.split(sa, 2)]), np.stack([scale_words(sb, 2)] * 2)
    idesc = CODES["e4m3"] << 7 | CODES["e5m2"] << 10 | 2 << 4 | 32 >> 3 << 17 | 1 << 23 | 2 << 27 | 1 << 29
    opcode = "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.block32"
    found = multiplied(opcode, cd.astype(np.uint32).reshape(2, 128, 32), (ma, mb), (da, db), idesc, scales=words)
    want = coded((left * 2.0 ** (sa - 127)) @ (right * 2.0 ** (sb - 127)).T + addend, "f32").astype(np.uint32)
    np.testing.assert_array_equal(found.reshape(256, 32), want)
    idesc = described("f32", "e4m3", "e5m2", 256, 32)
    masks = "{%m0, %m1, %m2, %m3, %m2, %m0, %m1, %m3}"
    found = multiplied(
        "tcgen05.mma.cta_group::2.kind::f8f6f4",
        cd.astype(np.uint32).reshape(2, 128, 32),
        (ma, mb),
        (da, db),
        idesc,
        tail=f"{masks}, %e",
    ).reshape(256, 32)
    want = coded(left @ right.T + addend, "f32").astype(np.uint32)
    for kept in (0, 33, 127, 128 + 32, 128 + 65, 128 + 127):
        want[kept] = cd[kept]
    np.testing.assert_array_equal(found, want)


WRONG = {
    "names a type of a or b": described("f32", "f16", "f16", 128, 16) | 7 << 7,
    "names a type of d": described("s32", "f16", "f16", 128, 16),
    "asks for 32 rows and 16 columns": described("f32", "f16", "f16", 32, 16),
    "asks for 128 rows and 0 columns": described("f32", "f16", "f16", 128, 0),
}


@pytest.mark.parametrize("what", WRONG)
def test_descriptors_that_can_not_be(what: str) -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault, match=what) as caught:
            multiplied("tcgen05.mma.cta_group::1.kind::f16", d, (memory, memory), (0, 0), WRONG[what], engine=engine)
        assert caught.value.code == "PTX9015"


def test_a_mode_of_swizzling_that_is_none() -> None:
    memory, d = np.zeros(32768, np.uint8), np.zeros((128, 16), np.uint32)
    idesc = described("f32", "f16", "f16", 128, 16)
    with pytest.raises(openptx.Fault, match="swizzling mode 3"):
        multiplied("tcgen05.mma.cta_group::1.kind::f16", d, (memory, memory), (3 << 61, 0), idesc)
