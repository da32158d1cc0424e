"""tcgen05.ld, .st, .cp, .alloc: which thread accesses which cell of tensor memory, and refusals."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from warp_kernels import ENGINES, HEAD, program

import openptx

ROWS, COLUMNS = 128, 64
HEADER = """
.visible .entry k(.param .u64 p0, .param .u64 p1)
{{
    .shared .align 1024 .b8 sa[32768];
    .shared .b32 place;
    .reg .b32 %t, %v, %i, %at, %d, %lanes, %warp, %r<128>;
    .reg .b64 %rd<9>, %desc;
    .reg .pred %p, %one;
    mov.u32 %t, %tid.x;
    setp.lt.u32 %p, %t, 32;
    @%p tcgen05.alloc.cta_group::1.sync.aligned.b32 [place], {columns};
    bar.sync 0;
    ld.shared.u32 %d, [place];
    and.b32 %warp, %t, 96; shl.b32 %lanes, %warp, 16; add.u32 %lanes, %lanes, %d;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1];
    {body}
    bar.sync 0;
    @%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, {columns};
    ret;
}}
"""
FILL = """
    mul.wide.u32 %rd2, %t, 256; add.s64 %rd2, %rd0, %rd2; mov.u32 %at, %lanes; mov.u32 %i, 0;
FILL:
    ld.global.u32 %v, [%rd2]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%at], {%v};
    add.u32 %at, %at, 1; add.s64 %rd2, %rd2, 4; add.u32 %i, %i, 1; setp.lt.u32 %one, %i, 64; @%one bra FILL;
    tcgen05.wait::st.sync.aligned;
"""
DRAIN = FILL.replace("FILL", "DRAIN").replace("%rd0", "%rd1").replace("wait::st", "wait::ld")
DRAIN = DRAIN.replace(
    "ld.global.u32 %v, [%rd2]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%at], {%v};",
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%at]; st.global.u32 [%rd2], %v;",
)


def run(body: str, *arrays: Any, engine: str = "interp", target: str = "sm_100a", columns: int = 64) -> None:
    text = HEAD.format(target) + HEADER.format(body=body, columns=columns)
    program(text)["k"]((1,), (128,), arrays, engine=engine)


# Threads by strides (size, stride), slowest last, of a cell's place 1000 * lane + column; registers of `.x1` likewise.
# These are the layouts of CuTe's copy traits for sm_100.
LAYOUTS: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]], int]] = {
    "32x32b":  ([(32, 1000)],                      [],                      1),
    "16x64b":  ([(2, 8000), (2, 1), (8, 1000)],    [],                      2),
    "16x128b": ([(4, 1), (8, 1000)],               [(2, 8000)],             4),
    "16x256b": ([(4, 2), (8, 1000)],               [(2, 1), (2, 8000)],     8),
    "16x32bx2": ([(16, 1000)],                     [],                      1),
}  # fmt: skip


def place(index: int, strides: list[tuple[int, int]]) -> tuple[int, int]:
    """The place of an index, and what is left of it after the last stride."""
    found = 0
    for size, stride in strides:
        found += index % size * stride
        index //= size
    return found, index


def cell(shape: str, thread: int, register: int, columns: int) -> tuple[int, int]:
    """The lane within the warp's, and the column, where each takes so many `columns`; `.16x32bx2` is split by 9."""
    threads, registers, per_repetition = LAYOUTS[shape]
    where, repetition = place(register, registers)
    here, second = place(thread, threads)
    row, column = divmod(where + here + repetition * per_repetition, 1000)
    return row, column * columns + 9 * second


SHAPES = [(shape, num) for shape in LAYOUTS for num in (1, 2, 4)] + [("32x32b", 16), ("16x64b", 8), ("16x128b", 8)]


def vector(shape: str, num: int) -> tuple[int, str, str]:
    count = num * {"16x128b": 2, "16x256b": 4}.get(shape, 1)
    names = ", ".join(f"%r{i}" for i in range(count))
    return count, f"{{{names}}}", ", 9" if shape == "16x32bx2" else ""


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("shape", "num"), SHAPES)
def test_loads(shape: str, num: int, packed: bool) -> None:
    memory = np.random.default_rng(num).integers(0, 1 << 32, (ROWS, COLUMNS), dtype=np.uint32)
    count, registers, split = vector(shape, num)
    pack = ".pack::16b" if packed else ""
    stores = " ".join(f"st.global.u32 [%rd3+{4 * i}], %r{i};" for i in range(count))
    body = f"""{FILL}
    tcgen05.ld.sync.aligned.{shape}.x{num}{pack}.b32 {registers}, [%lanes]{split};
    tcgen05.wait::ld.sync.aligned;
    mul.wide.u32 %rd3, %t, {4 * count}; add.s64 %rd3, %rd1, %rd3; {stores}"""
    found = np.zeros((ROWS, count), np.uint32)
    run(body, memory, found)
    for thread, i in itertools.product(range(ROWS), range(count)):
        row, column = cell(shape, thread % 32, i, 1 + packed)
        line = memory[thread // 32 * 32 + row]
        want = line[column] if not packed else (line[column] & 0xFFFF) | (line[column + 1] << 16)
        assert found[thread, i] == want


REDUCTIONS = {
    "min.s32": lambda a: a.view(np.int32).min(axis=1),
    "max.u32": lambda a: a.max(axis=1),
    "max.f32": lambda a: np.fmax.reduce(a.view(np.float32), axis=1),
    "min.abs.NaN.f32": lambda a: np.minimum.reduce(np.abs(a.view(np.float32)), axis=1),
}


@pytest.mark.parametrize("operation", REDUCTIONS)
def test_loads_that_reduce(operation: str) -> None:
    rng = np.random.default_rng(1)
    memory = rng.integers(0, 1 << 32, (ROWS, COLUMNS), dtype=np.uint32)
    if "f32" in operation:
        memory = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32).view(np.uint32)
        memory[5, 1] = memory[6] = 0x7FC00001
    found = np.zeros((ROWS, 5), np.uint32)
    stores = " ".join(f"st.global.u32 [%rd3+{4 * i}], %r{i};" for i in range(5))
    body = f"""{FILL}
    tcgen05.ld.red.sync.aligned.32x32b.x4.{operation} {{%r0, %r1, %r2, %r3}}, %r4, [%lanes];
    mul.wide.u32 %rd3, %t, 20; add.s64 %rd3, %rd1, %rd3; {stores}"""
    run(body, memory, found, target="sm_103a")
    np.testing.assert_array_equal(found[:, :4], memory[:, :4])
    want = np.ascontiguousarray(REDUCTIONS[operation](memory[:, :4].copy())).view(np.uint32)
    if "f32" in operation:
        want[np.isnan(want.view(np.float32))] = 0x7FFFFFFF
    np.testing.assert_array_equal(found[:, 4], want)


@pytest.mark.parametrize("operation", ["max.u32", "min.f32"])
def test_split_loads_that_reduce(operation: str) -> None:
    """The threads of the upper half of a warp load from the lanes of the lower half, nine columns further."""
    memory = np.random.default_rng(2).normal(size=(ROWS, COLUMNS)).astype(np.float32).view(np.uint32)
    found = np.zeros((ROWS, 5), np.uint32)
    stores = " ".join(f"st.global.u32 [%rd3+{4 * i}], %r{i};" for i in range(5))
    body = f"""{FILL}
    tcgen05.ld.red.sync.aligned.16x32bx2.x4.{operation} {{%r0, %r1, %r2, %r3}}, %r4, [%lanes], 9;
    mul.wide.u32 %rd3, %t, 20; add.s64 %rd3, %rd1, %rd3; {stores}"""
    run(body, memory, found, target="sm_103a")
    thread = np.arange(ROWS)
    lane, first = thread // 32 * 32 + thread % 16, 9 * (thread % 32 // 16)
    loaded = memory[lane[:, np.newaxis], first[:, np.newaxis] + np.arange(4)]
    np.testing.assert_array_equal(found[:, :4], loaded)
    best = loaded.max(1) if "u32" in operation else loaded.view(np.float32).min(1).view(np.uint32)
    np.testing.assert_array_equal(found[:, 4], best)


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize(("shape", "num"), SHAPES)
def test_stores(shape: str, num: int, unpacked: bool) -> None:
    count, registers, split = vector(shape, num)
    values = np.random.default_rng(num).integers(0, 1 << 32, (ROWS, count), dtype=np.uint32)
    loads = " ".join(f"ld.global.u32 %r{i}, [%rd3+{4 * i}];" for i in range(count))
    unpack = ".unpack::16b" if unpacked else ""
    body = f"""
    mul.wide.u32 %rd3, %t, {4 * count}; add.s64 %rd3, %rd0, %rd3; {loads}
    tcgen05.st.sync.aligned.{shape}.x{num}{unpack}.b32 [%lanes]{split}, {registers};
    tcgen05.wait::st.sync.aligned; {DRAIN}"""
    found = np.zeros((ROWS, COLUMNS), np.uint32)
    run(body, values, found)
    want = np.zeros_like(found)
    for thread, i in itertools.product(range(ROWS), range(count)):
        row, column = cell(shape, thread % 32, i, 1 + unpacked)
        line = want[thread // 32 * 32 + row]
        if unpacked:
            line[column : column + 2] = values[thread, i] & 0xFFFF, values[thread, i] >> 16
        else:
            line[column] = values[thread, i]
    np.testing.assert_array_equal(found, want)


COPIES = {  # rows, words of each, and its lanes
    "128x256b":                    (128, 8, lambda row: [row]),
    "128x128b":                    (128, 4, lambda row: [row]),
    "4x256b":                      (4, 8, lambda row: [32 * row]),
    "64x128b.warpx2::02_13":       (64, 4, lambda row: [row, row + 64]),
    "64x128b.warpx2::01_23":       (64, 4, lambda row: [row, row + 32] if row < 32 else [row + 32, row + 64]),
    "32x128b.warpx4":              (32, 4, lambda row: [row, row + 32, row + 64, row + 96]),
    "128x128b.b8x16.b4x16_p64":    (128, 4, lambda row: [row]),
    "128x256b.b8x16.b6x16_p32":    (128, 8, lambda row: [row]),
}  # fmt: skip


@pytest.mark.parametrize("shape", COPIES)
def test_copies(shape: str) -> None:
    """K-major without swizzling: eight rows of 16 bytes stand together."""
    rows, words, lanes = COPIES[shape]
    memory = np.random.default_rng(rows).integers(0, 1 << 32, 8192, dtype=np.uint32)
    descriptor = 4096 >> 4 << 16 | 128 >> 4 << 32  # chunks 4096 bytes apart, groups of eight rows 128
    body = f"""
    mul.wide.u32 %rd2, %t, 4; add.s64 %rd2, %rd0, %rd2; shl.b32 %at, %t, 2; mov.u32 %i, 0;
COPY:
    ld.global.u32 %v, [%rd2]; mov.u32 %r0, sa; add.u32 %r0, %r0, %at; st.shared.u32 [%r0], %v;
    add.s64 %rd2, %rd2, 512; add.u32 %at, %at, 512; add.u32 %i, %i, 1; setp.lt.u32 %one, %i, 64; @%one bra COPY;
    bar.sync 0;
    mov.u32 %v, sa; shr.u32 %v, %v, 4; cvt.u64.u32 %desc, %v; or.b64 %desc, %desc, {descriptor};
    setp.eq.u32 %one, %t, 0; add.u32 %at, %d, 5;
    @%one tcgen05.cp.cta_group::1.{shape} [%at], %desc;
    bar.sync 0; {DRAIN}"""
    found = np.zeros((ROWS, COLUMNS), np.uint32)
    run(body, memory, found)
    want = np.zeros_like(found)
    for row in range(rows):
        chunks = [memory[(row % 8 * 16 + row // 8 * 128) // 4 + 1024 * k :][:4] for k in range(words // 4)]
        line = np.concatenate(chunks)
        if "b8x16" in shape:
            width, low = (4, 2) if "b4x16" in shape else (6, 0)
            whole = [int.from_bytes(chunk.tobytes(), "little") for chunk in chunks]
            codes = [(n >> width * i & (1 << width) - 1) << low for n in whole for i in range(16)]
            line = np.array(codes, np.uint8).view(np.uint32)
        want[lanes(row), 5 : 5 + words] = line
    np.testing.assert_array_equal(found, want)


LOAD = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v},"
ALLOC = "@%p tcgen05.alloc.cta_group::1.sync.aligned.b32 [place],"
REFUSED = {
    "another warp's lanes": (
        f"xor.b32 %at, %lanes, 0x200000; {LOAD} [%at];",
        "in lane 32 of .*: a warp accesses the 32 lanes",
    ),
    "lanes that are none": (f"add.u32 %at, %lanes, 0x800000; {LOAD} [%at];", "in lane 128 of"),
    "columns that nobody has": (f"add.u32 %at, %lanes, 64; {LOAD} [%at];", "lane 0, column 64 of .* not allocated"),
    "columns beyond the end": (f"add.u32 %at, %lanes, 600; {LOAD} [%at];", "lane 0, column 600"),
    "too many": (f"{ALLOC} 512;", "no 512 columns of tensor memory are free, 64 of 512 are in use"),
    "no power of two": (f"mov.u32 %v, 96; {ALLOC} %v;", "96 columns of tensor memory"),
    "freeing what was not given": (
        "@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 32;",
        "no 32 columns of tensor memory were allocated at 0x0",
    ),
    "a shift from a lane within a warp": (
        "add.u32 %at, %d, 0x100000; setp.eq.u32 %one, %t, 0; @%one tcgen05.shift.cta_group::1.down [%at];",
        "not a multiple of 32",
    ),
    "a part of a warp": (
        f"setp.lt.u32 %one, %t, 16; @%one {LOAD} [%lanes];",
        "threads wait for others|not executed by all 32 threads",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    for engine in ENGINES:
        with pytest.raises(openptx.Fault, match=message):
            run(body, np.zeros(1, np.uint32), np.zeros(1, np.uint32), engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("opcode", ["tcgen05.shift.cta_group::1.down", "tcgen05.shift.down.cta_group::1"])
def test_rows_of_a_warp_shift(opcode: str, engine: str) -> None:
    """31 rows of 32 bytes (.31x256b), in the lanes of the warp that the address names."""
    memory = np.random.default_rng(1).integers(0, 1 << 32, (ROWS, COLUMNS), dtype=np.uint32)
    found, want = np.zeros((ROWS, COLUMNS), np.uint32), memory.copy()
    want[32:63, 3:11] = memory[33:64, 3:11]
    body = f"""{FILL}
    bar.sync 0; setp.eq.u32 %one, %t, 0; add.u32 %at, %d, 0x200003; @%one {opcode} [%at]; bar.sync 0;
    {DRAIN}"""
    run(body, memory, found, engine=engine)
    np.testing.assert_array_equal(found, want)


def test_columns_are_given_again() -> None:
    """Four allocations of 128 columns fill tensor memory; freed columns are reused."""
    body = """
    @%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 128;
    mov.u32 %i, 0; setp.ge.u32 %one, %t, 32; @%one bra OUT;
AGAIN:
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 128; ld.shared.u32 %r0, [place];
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 256; ld.shared.u32 %r1, [place];
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 128; ld.shared.u32 %r2, [place];
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 128;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 256;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 128;
    add.u32 %i, %i, 1; setp.lt.u32 %one, %i, 3; @%one bra AGAIN;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 128; ld.shared.u32 %d, [place];
    st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %d};
OUT:
    """
    found = np.zeros(4, np.uint32)
    run(body, found, found, columns=128)
    assert found.tolist() == [0, 256, 128, 0]


NEWER = HEAD.format("sm_107a").replace("9.1", "9.4") + HEADER
EXCLUSIVE = NEWER.replace("tcgen05.alloc", "tcgen05.alloc.exclusive").replace(
    "tcgen05.dealloc", "tcgen05.dealloc.exclusive"
)


def test_columns_are_allocated_exclusively() -> None:
    """Any multiple of 32 columns, while no others are allocated."""
    found = np.full(1, 7, np.uint32)
    body = "st.global.u32 [%rd0], %d;"
    program(EXCLUSIVE.format(columns=96, body=body))["k"]((1,), (128,), (found, found))
    assert found[0] == 0
    for second in (f"{ALLOC} 32;", f"{ALLOC.replace('alloc', 'alloc.exclusive')} 64;"):
        text = (EXCLUSIVE if "exclusive" not in second else NEWER).format(columns=512, body=second)
        with pytest.raises(openptx.Fault, match="columns of tensor memory are free"):
            program(text)["k"]((1,), (128,), (found, found))


RESTRICTION = ".sync_restrict::shared::read::mma::a"


@pytest.mark.parametrize(
    ("modifiers", "more"),
    [
        (".shared::cluster.multicast::cluster::32b", ", %v"),
        (f"{RESTRICTION}.shared::cluster.multicast::cluster::32b", ", %v"),
        (f"{RESTRICTION}.shared::cluster.multicast::cluster", ", %mask"),
        (f"{RESTRICTION}.shared::cluster", ""),
    ],
)
def test_a_commit_arrives(modifiers: str, more: str) -> None:
    body = f"""
    .shared .align 8 .b64 bar; .reg .b64 %state; .reg .pred %done; .reg .b16 %mask;
    setp.eq.u32 %one, %t, 0;
    @%one mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    mov.u32 %v, 1; mov.b16 %mask, 1; mov.u32 %i, bar;
    @%one tcgen05.commit.cta_group::1.mbarrier::arrive::one{modifiers}.b64 [%i]{more};
    @%p tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    bar.sync 0;
    mbarrier.test_wait.parity.shared.b64 %done, [bar], 0;
    selp.u32 %v, 1, 0, %done;
    st.global.u32 [%rd0], %v;"""
    found = np.zeros(1, np.uint32)
    program(NEWER.format(columns=32, body=body))["k"]((1,), (128,), (found, found))
    assert found[0] == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("opcode", ["max", "min", "max.abs", "min.abs"])
def test_loads_keep_two_of_four(opcode: str, engine: str) -> None:
    """The words that are kept, their positions in two bits each, and the extreme of the eight."""
    values = np.random.default_rng(3).permutation(np.arange(-128 * 32, 128 * 32, dtype=np.float32)).reshape(128, 64)
    values[1, :2], values[2, 5] = (np.nan, -np.nan), np.nan
    operation, _, abs = opcode.partition(".")
    modifiers = f"{operation}.sp::2:4{'.abs' if abs else ''}"
    body = f"""{FILL}
    .reg .f32 %f;
    tcgen05.ld.red.spcompress.sync.aligned.32x32b.x8.{modifiers}.f32.b2 {{%r4}}, {{%r0, %r1, %r2, %r3}}, %f, [%lanes];
    tcgen05.ld.spcompress.sync.aligned.32x32b.x4.{modifiers}.f32.b2 {{%r5}}, {{%r6, %r7}}, [%lanes];
    mov.b32 %r8, %f;
    mul.wide.u32 %rd2, %t, 256; add.s64 %rd2, %rd1, %rd2;
    st.global.v4.u32 [%rd2], {{%r0, %r1, %r2, %r3}}; st.global.v4.u32 [%rd2+16], {{%r4, %r5, %r6, %r7}};
    st.global.u32 [%rd2+32], %r8;"""
    found = np.zeros((128, 64), np.uint32)
    program(NEWER.format(columns=64, body=body))["k"]((1,), (128,), (values, found), engine=engine)
    for row, got in zip(values[:, :8], found, strict=True):
        key = np.abs(row) if abs else row
        kept, places = list[np.float32](), 0
        for group in (0, 4):
            order = sorted(
                range(4),
                key=lambda i: (not np.isnan(key[group + i]), key[group + i] * (-1 if operation == "max" else 1)),
            )
            for n, i in enumerate(sorted(order[:2])):
                kept.append(row[group + i])
                places |= i << group + 2 * n
        np.testing.assert_array_equal(got[:4], np.array(kept).view(np.uint32))
        assert got[4] == places
        assert got[5] == places & 15
        np.testing.assert_array_equal(got[6:8], got[:2])
        extreme = np.nanmax(key) if operation == "max" else np.nanmin(key)
        assert got[8:9].view(np.float32)[0] == extreme


def test_every_cta_has_its_own() -> None:
    body = f"""
    mov.u32 %v, %ctaid.x; tcgen05.st.sync.aligned.32x32b.x1.b32 [%lanes], {{%v}}; tcgen05.wait::st.sync.aligned;
    bar.sync 0;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%i}}, [%lanes]; mad.lo.u32 %at, %v, {ROWS}, %t;
    mul.wide.u32 %rd2, %at, 4; add.s64 %rd2, %rd0, %rd2; st.global.u32 [%rd2], %i;"""
    text = HEAD.format("sm_100a") + HEADER.format(body=body, columns=32)
    found = np.zeros((5, ROWS), np.uint32)
    program(text)["k"]((5,), (ROWS,), (found, found))
    np.testing.assert_array_equal(found, np.arange(5)[:, None] + np.zeros((1, ROWS)))
