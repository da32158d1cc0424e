# ruff: noqa: E501 - tables of text read better so
"""Operands that no compiler emits: sizes, coordinates, handles and addresses far out of range, on both engines.

Each ends in the same fault on both engines or in the same bytes, and what lies around the arrays stays as it was.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

from openptx import Surface, TensorMap, Texture
from openptx.errors import Fault
from openptx.isa.address_windows import CTA_SHIFT, LOCAL, RANK_0, SHARED, SHIFT
from openptx.runtime import load

HEAD = """.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 wild, .param .u32 number, .param .align 64 .b8 map[128]) {
.reg .b64 o, a, b, c, m; .reg .b32 n, t, r<8>; .reg .f32 f<8>; .reg .b16 h<4>; .reg .b128 z; .reg .pred p;
.shared .align 1024 .b8 sh[2048]; .shared .align 16 .b64 bar; .local .align 16 .b8 lo[64];
ld.param.u64 o, [out]; ld.param.u64 a, [wild]; ld.param.u32 n, [number]; mov.u64 m, map; cvta.param.u64 m, m;
mov.u32 t, %tid.x; mov.b32 f0, n; mov.b32 f1, n; mov.b64 b, 5; mov.b64 c, 7; mov.b128 z, {b, c}; mov.u64 b, lo;
st.local.u32 [b+4], 1; setp.ne.u32 p, t, 0; @p bra END; mbarrier.init.shared.b64 [bar], 1; END:
"""
AROUND = 4096
NUMBERS = (0, 1, 8, 15, 16, 17, 255, 2040, 2048, 2064, 1 << 24, 0x7FFFFFF0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF,
           0x7F800000, 0xFF800000, 0x7FC00000, 0x4F000000, 0x7F7FFFFF, 0xCF000001)  # fmt: skip


class Arena:
    """An array in the middle of a larger one, to detect writes outside of it."""

    def __init__(self, code: str) -> None:
        gc.collect()
        self.code, self.module = code, load(f"{HEAD}{code} ret; }}")
        self.whole = np.zeros(3 * AROUND, np.uint8)
        self.out = self.whole[AROUND : 2 * AROUND]
        self.fill = np.arange(self.whole.size) % 251

    def end(self, engine: str, *arguments: object) -> tuple[str, object]:
        self.whole[:] = self.fill
        end: tuple[str, object] = "", b""
        try:
            self.module["k"](1, 32, (self.out, *arguments), engine=engine, timeout=60)
        except Fault as fault:
            # Of a reduction's many steps the engines do different ones first.
            end = fault.name, str(fault).partition("   = address" if ".reduce" in self.code else "\0")[0]
        beside = self.whole != self.fill
        beside[AROUND : 2 * AROUND] = False
        assert not beside.any(), f"{self.code} wrote beside the array"
        return end if end[0] else ("", self.out.tobytes())

    def compare(self, wild: object = 0, number: int = 0, map: object = bytes(128)) -> str:
        """How both engines end."""
        ends = [self.end(engine, wild, number, map) for engine in ("interp", "native")]
        if ends[0] != ends[1]:
            where = f"{self.code}, a = {wild!r}, n = 0x{number:x}, map {map!r}"
            raise AssertionError("\n".join([where, *(str(end)[:600] for end in ends)]))
        return ends[0][0]


SIZES = {
    "bulk out": "cp.async.bulk.global.shared::cta.bulk_group [o], [sh], n;",
    "bulk in": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [o], n, [bar];",
    "bulk in the cta": "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [sh], [o], n, [bar];",
    "bulk in shared": "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [sh], [sh+1024], n, [bar];",
    "bulk reduction": "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [o], [sh], n;",
    "bulk reduction in": "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [sh], [sh+1024],"
                         " n, [bar];",
    "bulk prefetch": "cp.async.bulk.prefetch.L2.global [o], n;",
    "bulk masked": "mov.u16 h0, 0xffff; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [o], [sh], n, h0;",
    "bulk store": "cvt.u64.u32 b, n; mov.b64 a, sh; st.bulk.weak.shared::cta [a], b, 0;",
    "bulk store of signs": "cvt.s64.s32 b, n; mov.b64 a, sh; st.bulk.weak.shared::cta [a], b, 0;",
    "copy": "cp.async.ca.shared.global [sh], [o], 16, n;",
    "short copy": "cp.async.ca.shared.global [sh], [o], 4, n;",
    "allocation": "cvt.u64.u32 b, n; alloca.u64 b, b; st.local.u32 [b], 1;",
    "allocation of signs": "cvt.s64.s32 b, n; alloca.u64 b, b;",
    "transactions": "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], n;",
    "arrivals": "mbarrier.arrive.shared.b64 b, [bar], n;",
    "participants": "mbarrier.init.shared.b64 [bar], n;",
    "lanes": "shfl.sync.idx.b32 r0, r1, n, n, -1; st.global.u32 [o], r0;",
    "extract": "bfe.u32 r0, t, n, n; bfi.b32 r1, r0, t, n, n; st.global.v2.u32 [o], {r0, r1};",
    "shifts": "shl.b32 r0, t, n; shr.s32 r1, t, n; shf.l.wrap.b32 r2, t, t, n; st.global.v2.u32 [o], {r0, r1};",
    "barrier": "bar.sync n, 32;",
    "threads at a barrier": "bar.sync 0, n;",
    "sleep": "min.u32 n, n, 100; nanosleep.u32 n;",
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str) -> None:
    arena = Arena(SIZES[name])
    for number in NUMBERS[::2]:
        arena.compare(number=number)


ADDRESSES = {
    "mbarrier.init": "mbarrier.init.shared.b64 [a], 1;",
    "mbarrier.inval": "mbarrier.inval.shared.b64 [a];",
    "mbarrier.arrive": "mbarrier.arrive.shared::cluster.b64 _, [a];",
    "mbarrier.test_wait": "mbarrier.test_wait.shared.b64 p, [a], c;",
    "mbarrier.try_wait": "mbarrier.try_wait.shared.b64 p, [a], c, 1;",
    "mbarrier of a copy": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [o], 16, [a];",
    "cp.async.mbarrier": "cp.async.mbarrier.arrive.shared.b64 [a];",
    "ldmatrix": "cvt.u32.u64 r0, a; shl.b32 r1, t, 4; add.u32 r0, r0, r1;"
                " ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1, r2, r3, r4}, [r0]; st.global.u32 [o], r1;",
    "ldmatrix of one row": "mov.u64 b, sh; @p bra L; mov.u64 b, a; L: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [b];",
    "stmatrix": "mad.wide.u32 b, t, 16, a; stmatrix.sync.aligned.m8n8.x4.shared.b16 [b], {t, t, t, t};",
    "stmatrix.b8": "mad.wide.u32 b, t, 16, a; stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [b], {t};",
    "prefetch": "prefetch.global.L1 [a]; prefetchu.L1 [a]; prefetch.L2 [a]; prefetch.global.L2::evict_last [a];",
    "prefetch.tensormap": "prefetch.tensormap [a];",
    "bulk prefetch": "cp.async.bulk.prefetch.L2.global [a], 64;",
    "bulk from": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [a], 2048, [bar];",
    "bulk from shared": "cp.async.bulk.global.shared::cta.bulk_group [o], [a], 64;",
    "bulk to": "cp.async.bulk.global.shared::cta.bulk_group [a], [sh], 2048;",
    "bulk to shared": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [o], 64, [bar];",
    "bulk store": "st.bulk.weak.shared::cta [a], 64, 0;",
    "bulk store, generic": "st.bulk.weak [a], 64, 0;",
    "bulk reduction": "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [a], [sh], 64;",
    "cp.async": "cp.async.cg.shared.global [a], [o], 16;",
    "cp.async from": "cp.async.cg.shared.global [sh], [a], 16, 3;",
    "st.async": "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], t, [bar];",
    "st.async's barrier": "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [sh], t, [a];",
    "red.async": "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [a], t, [bar];",
    "atom of a cluster": "atom.shared::cluster.add.u32 r0, [a], 1; st.global.u32 [o], r0;",
    "atom.b128": "atom.shared::cluster.exch.b128 z, [a], z;",
    "red of a cluster": "red.shared::cluster.add.u32 [a], 1;",
    "ld of a vector": "ld.v4.u32 {r0, r1, r2, r3}, [a]; st.global.u32 [o], r3;",
    "ld of eight": "ld.global.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [a]; st.global.u32 [o], r7;",
    "st of a vector": "st.global.v4.u32 [a], {t, t, t, t};",
    "st of eight": "st.global.v8.b32 [a], {t, t, t, t, t, t, t, t};",
    "ld.shared": "ld.shared.v2.u64 {b, c}, [a]; st.global.u64 [o], c;",
    "ld.local": "ld.local.v2.u64 {b, c}, [a]; st.global.u64 [o], c;",
    "ld.param": "ld.param.b8 h0, [map+127]; mov.u64 b, map; add.u64 b, b, a; ld.param.b32 r0, [b]; st.global.u32 [o], r0;",
    "free of": "stackrestore.u64 a; alloca.u64 b, 64; st.local.u32 [b], 1; st.local.u32 [a], 1;",
    "mapa": "mapa.u64 b, a, 3; mapa.shared::cluster.u64 c, a, 70000; getctarank.u64 r0, a; st.global.u32 [o], r0;",
    "isspacep": "isspacep.shared p, a; selp.u32 r0, 1, 0, p; isspacep.local p, a; selp.u32 r1, 1, 0, p; st.global.v2.u32 [o], {r0, r1};",
    "multimem": "multimem.ld_reduce.relaxed.sys.global.add.u32 r0, [a]; st.global.u32 [o], r0;",
    "tensormap": "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [a, {t}], [sh];",
    "tensormap.replace": "tensormap.replace.tile.rank.global.b1024.b32 [a], 4;",
    "call": "{ .reg .b64 q; mov.u64 q, a; P: .callprototype _ (); call q, P; }" ,
    "texture": "tex.1d.v4.s32.s32 {r0, r1, r2, r3}, [a, {t}]; st.global.u32 [o], r0;",
    "surface": "sust.b.1d.b32.clamp [a, {t}], {t};",
    "query": "txq.width.b32 r0, [a]; suq.width.b32 r1, [a];",
}  # fmt: skip


def wild_addresses(out: int) -> list[int]:
    shared, local = SHARED << SHIFT[64], LOCAL << SHIFT[64]
    near = (-2048, -64, -16, -8, -4, -1, 0, 1, 4, 8, 16, 1984, 2040, 2048, 2056, 2064)
    places = {
        base + d
        for base in (
            0,
            shared,
            local,
            1 << CTA_SHIFT,
            RANK_0 << CTA_SHIFT,
            RANK_0 + 1 << CTA_SHIFT,
            1 << 30,
            1 << 32,
            1 << 63,
        )
        for d in near
    }
    places |= {shared + (rank << CTA_SHIFT) + d for rank in (1, 2, 64, 65, 79, 80, 255) for d in (0, 16, 2048)}
    places |= {
        local + (1 << 30),
        local + (1 << 32) - 4,
        out,
        out + AROUND - 16,
        out + AROUND - 4,
        out + AROUND - 1,
        out + AROUND,
    }
    return sorted(address % (1 << 64) for address in places)


@pytest.mark.parametrize("name", ADDRESSES)
def test_addresses(name: str) -> None:
    arena = Arena(ADDRESSES[name])
    for wild in wild_addresses(arena.module.address(arena.out))[::12]:
        arena.compare(wild)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ADDRESSES)
def test_all_addresses(name: str) -> None:
    arena = Arena(ADDRESSES[name])
    for wild in wild_addresses(arena.module.address(arena.out)):
        arena.compare(wild)


COORDINATES = {
    "tex.1d": "tex.1d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{f0}}];",
    "tex.2d": "tex.2d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{f0, f2}}];",
    "tex.2d, whole": "tex.2d.v4.{t}.s32 {{r0, r1, r2, r3}}, [a, {{t, n}}];",
    "tex.3d": "tex.3d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{f0, f1, f2, f2}}];",
    "tex.level": "tex.level.2d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{f2, f0}}], f0;",
    "tex.grad": "tex.grad.2d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{f2, f0}}], {{f0, f0}}, {{f0, f0}};",
    "tex.a1d": "tex.a1d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{n, f2}}];",
    "tex.a2d": "tex.a2d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{n, f0, f2, f2}}];",
    "tld4": "tld4.r.2d.v4.{t}.f32 {{r0, r1, r2, r3}}, [a, {{f0, f2}}];",
    "suld.trap": "suld.b.1d.b32.trap r0, [a, {{n}}];",
    "suld.clamp": "suld.b.2d.v4.b8.clamp {{h0, h1, h2, h3}}, [a, {{n, t}}]; cvt.u32.u16 r0, h3;",
    "suld.zero": "suld.b.3d.b64.zero b, [a, {{t, n, t, t}}]; cvt.u32.u64 r0, b;",
    "sust.trap": "sust.b.2d.v2.b32.trap [a, {{t, n}}], {{t, t}};",
    "sust.clamp": "sust.b.3d.b16.clamp [a, {{n, n, n, n}}], h0;",
    "sust.zero": "sust.b.1d.v4.b32.zero [a, {{n}}], {{t, t, t, t}};",
    "sust.a2d": "sust.b.a2d.b32.clamp [a, {{n, t, t, t}}], t;",
    "sured.clamp": "sured.b.add.2d.u32.clamp [a, {{n, t}}], t;",
    "sured.zero": "sured.b.min.1d.s32.zero [a, {{n}}], t;",
}  # fmt: skip
SHAPES = ((1,), (5,), (3, 7), (1, 1), (2, 3, 5), (1, 1, 1))
EXTREMES = (0, 1, 4, 12, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 0x3F000000, 0x7F800000, 0xFF800000, 0x7FC00000,
            0x4F000000, 0xCF000000, 0x5F000000, 0x7F7FFFFF, 0x00000001)  # fmt: skip


def images(name: str, shape: tuple[int, ...], data: np.ndarray) -> list[tuple[str, object]]:
    """Types of results, and images of the shape on the data."""
    count = int(np.prod(shape))
    texels = data[: 4 * count].view(np.uint32).reshape(shape)
    layers = {"layered": True} if ".a" in name and len(shape) > 1 else {}
    if name.startswith("su"):
        return [("u32", Surface(texels, **layers))]
    found: list[tuple[str, object]] = [("u32", Texture(texels, **layers))]
    reals = data[: 4 * count].view(np.float32).reshape(shape)
    for address in ("clamp", "wrap", "mirror", "border"):
        found.append(("f32", Texture(reals, filter="linear", address=address, normalized=True, **layers)))
    return found


@pytest.mark.parametrize("name", COORDINATES)
def test_coordinates(name: str) -> None:
    """A ninth of the numbers for each image, and for the next image the next ninth."""
    compare_coordinates(name, 9)


@pytest.mark.sweep
@pytest.mark.parametrize("name", COORDINATES)
def test_all_coordinates(name: str) -> None:
    compare_coordinates(name, 1)


def compare_coordinates(name: str, step: int) -> None:
    """Textures and surfaces of odd shapes, also of another number of dimensions than the instruction has."""
    arenas = {t: Arena(f"cvt.rn.f32.u32 f2, t; mov.u16 h0, 9; {COORDINATES[name].format(t=t)} st.global.u32 [o], r0;")
              for t in ("u32", "f32")}  # fmt: skip
    texels = np.arange(4096, dtype=np.uint32).view(np.uint8)
    for shape in SHAPES:
        before = texels.copy()
        for which, (t, image) in enumerate(images(name, shape, texels[1024:]), SHAPES.index(shape)):
            for number in EXTREMES[which % step :: step]:
                arenas[t].compare(image, number)
                size = 4 * int(np.prod(shape))
                changed = texels != before
                changed[1024 : 1024 + size] = False
                assert not changed.any(), f"{name} {shape} 0x{number:x} wrote beside the image"


BOX = (
    "cp.async.bulk.tensor.{d}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sh+{at}], [m, {{{c}}}], [bar];"
)
BACK = "cp.async.bulk.tensor.{d}d.global.shared::cta.tile.bulk_group [m, {{{c}}}], [sh+{at}];"
ADDED = "cp.reduce.async.bulk.tensor.{d}d.global.shared::cta.add.tile.bulk_group [m, {{{c}}}], [sh+{at}];"


@pytest.mark.parametrize(
    "dimensions",
    [
        pytest.param(1, marks=pytest.mark.sweep),
        2,
        pytest.param(3, marks=pytest.mark.sweep),
        pytest.param(5, marks=pytest.mark.sweep),
    ],
)
@pytest.mark.parametrize("copy", [BOX, BACK, ADDED], ids=["in", "out", "added"])
def test_boxes(copy: str, dimensions: int) -> None:
    """Boxes at the edges of arrays and of shared memory, far outside of both, and of another number of dimensions."""
    shape = (3, 2, 3, 5, 12)[-dimensions:]
    whole = np.arange(int(np.prod(shape)) + 2048, dtype=np.uint32)
    array = whole[1024:-1024].reshape(shape)
    map = TensorMap(array, (1, 2, 2, 3, 8)[-dimensions:])
    for asked in {dimensions, 2}:
        for at in (0, 1920, 2032):
            arena = Arena(copy.format(d=asked, at=at, c=", ".join(["n", "t", "n", "1", "n"][:asked])))
            for number in (0, 1, 4, 11, 12, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF9):
                arena.compare(0, number, map)
                assert np.array_equal(whole[:1024], np.arange(1024))
                assert np.array_equal(whole[-1024:], np.arange(1024) + whole.size - 1024)


def test_the_size_of_a_row_outside_of_shared() -> None:
    """Rows of a box are copied by lanes of their own: the fault names the size of its row, which is not the thread's."""
    map = TensorMap(np.zeros((3, 5, 12), np.uint32), (2, 3, 8))
    Arena(BACK.format(d=3, at=1920, c="n, t, n")).compare(0, 0xFFFFFFFF, map)


@pytest.mark.parametrize("count", [30, pytest.param(600, marks=pytest.mark.sweep)])
def test_tensor_maps_that_nobody_made(count: int) -> None:
    """The 128 bytes at random, or a good map with some of its bytes changed, but for its address (the first eight): that
    could be one of what other tests left."""
    array = np.arange(64 * 64, dtype=np.uint32).reshape(64, 64)
    arenas = [Arena(one.format(d=2, at=0, c="n, n")) for one in (BOX, BACK, ADDED)]
    good, r = TensorMap(array, (4, 8)).encoded(arenas[0].module.address(array)), np.random.default_rng(1)
    for i in range(count):
        data = bytearray(good if i % 3 else r.bytes(128))
        for _ in range(r.integers(1, 4)):
            data[8 + r.integers(120)] = r.integers(256)
        arenas[i % 3].compare(0, i % 5, bytes(data))


REPLACED = {
    "global_address.global.b1024.b64": "4294967280", "rank.global.b1024.b32": "4", "box_dim.global.b1024.b32": "0, 256",
    "global_dim.global.b1024.b32": "1, 0xffffffff", "global_stride.global.b1024.b64": "0, 0xfffffffffffffff0",
    "element_stride.global.b1024.b32": "0, 0xffffffff", "elemtype.global.b1024.b32": "9", "swizzle_mode.global.b1024.b32": "3",
}  # fmt: skip


@pytest.mark.parametrize("field", REPLACED)
def test_fields_of_tensor_maps(field: str) -> None:
    """`tensormap.replace` checks nothing: the copies do."""
    array = np.arange(64 * 64, dtype=np.uint32).reshape(64, 64)
    copies = "".join(
        f"ld.param.v2.b64 {{b, c}}, [map+{i}]; st.global.v2.b64 [o+{i}], {{b, c}};" for i in range(0, 128, 16)
    )
    for copy in (BOX, BACK):
        arena = Arena(
            f"{copies} tensormap.replace.tile.{field} [o], {REPLACED[field]};"
            f"{copy.format(d=2, at=0, c='n, n').replace('[m,', '[o,')}"
        )
        for number in (0, 60, 0x7FFFFFF0) if copy is BOX else (60,):
            arena.compare(0, number, TensorMap(array, (4, 8)))


RECURSION = """.version 8.6
.target sm_100a
.address_size {size}
.func f(.reg .b32 n{more}) {{ .local .b8 l[{bytes}]; .reg .b32 m; .reg .pred p; {use}
setp.eq.u32 p, n, 0; @p ret; sub.u32 m, n, 1; {call} ret; }}
.visible .entry k(.param .u{size} out, .param .u32 n) {{ .reg .b32 m; ld.param.u32 m, [n]; call f, (m); ret; }}
"""


@pytest.mark.parametrize("size", [pytest.param(32, marks=pytest.mark.sweep), 64])
@pytest.mark.parametrize("bytes", [4, 4096, 1 << 18])
def test_stacks_that_recursions_fill(bytes: int, size: int) -> None:
    fill_stacks(bytes, size, 200 if bytes == 4 else 8)


@pytest.mark.sweep
@pytest.mark.parametrize("bytes", [4096, 1 << 18])
def test_stacks_of_many_blocks_that_recursions_fill(bytes: int) -> None:
    fill_stacks(bytes, 64, 200)


def fill_stacks(bytes: int, size: int, many: int) -> None:
    use = f"st.local.u32 [l+{bytes - 4}], n;"
    module = load(RECURSION.format(size=size, more="", bytes=bytes, use=use, call="call f, (m);"))
    for depth, blocks in ((1, 1), (300000000, 1), (300000000, many)):
        found: list[str] = []
        for engine in ("interp", "native"):
            try:
                module["k"](blocks, 64, (np.zeros(4, np.uint32), depth), engine=engine, timeout=60)
                found.append("")
            except Fault as fault:
                found.append(fault.name)
        assert found == (["", ""] if depth == 1 else ["stack-overflow"] * 2)


@pytest.mark.parametrize("size", [0, 64, 1 << 20, 1 << 24, 1 << 30, (1 << 32) - 16])
def test_alloca_with_addresses_of_32_bits(size: int) -> None:
    """A generic address has 16 MiB for `.local` there."""
    text = """.version 8.6
.target sm_80
.address_size 32
.visible .entry k(.param .u32 out, .param .u32 n) { .reg .b32 a, b, m, o; .local .b8 lo[16]; ld.param.u32 m, [n];
ld.param.u32 o, [out]; alloca.u32 a, m; st.local.u32 [a], 5; ld.local.u32 b, [a]; st.global.u32 [o], b;
cvta.local.u32 a, a; st.u32 [a], 6; ld.u32 b, [a]; st.global.u32 [o+4], b; ret; }"""
    ends: list[object] = []
    for engine in ("interp", "native"):
        out = np.zeros(4, np.uint32)
        try:
            load(text)["k"](1, 32, (out, size), engine=engine, timeout=60)
            ends.append(out.tolist())
        except Fault as fault:
            ends.append((fault.name, str(fault)))
    assert ends[0] == ends[1]
    assert (ends[0] == [5, 6, 0, 0]) == (size in (64, 1 << 20))
