"""Surface instructions, as described in the manual (9.7.11)."""

from __future__ import annotations

import numpy as np
import pytest
from texture_kernels import four, module, run

import openptx
from openptx import Fault, Surface, Texture


def plane() -> np.ndarray:
    return np.arange(15, dtype=np.uint8).reshape(3, 5)


def test_loads_are_of_bytes() -> None:
    """Rows of five bytes: what would be misaligned in memory is not in a surface."""
    a = plane()
    assert run("suld.b.2d.b32.trap a0, [t, {0, 1}];", Surface(a))[0, 0] == 0x08070605
    assert run("suld.b.2d.v2.b16.trap {s0,s1}, [t, {0, 2}]; mov.b32 a0, {s0,s1};", Surface(a))[0, 0] == 0x0D0C0B0A
    assert run("suld.b.2d.b8.trap s0, [t, {4, 2}]; mov.b32 a0, {s0, s0};", Surface(a))[0, 0] == 0x000E000E
    wide = np.arange(4, dtype=np.int32)
    code = "suld.b.1d.cg.v2.b64.trap {o, u}, [t, {0}]; ld.param.u64 o, [out]; mov.b64 {a0, a1}, u;"
    assert run(code, Surface(wide))[0, :2].tolist() == [2, 3]


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_of_a_list_where_one_value_is_taken_it_is_the_first(engine: str) -> None:
    """As the assembler reads it; to load into such a list was a TypeError."""
    text = """.version 8.0
.target sm_80
.address_size 64
.global .surfref s;
.entry k(.param .u64 o) {
    .reg .b32 r<9>; .reg .b64 p; ld.param.u64 p, [o];
    mov.u32 r1, 11; mov.u32 r2, 22; mov.u32 r3, 33; mov.u32 r4, 44;
    suld.b.1d.b32.trap {r1, r2, r3, r4}, [s, {0}];
    st.global.v4.u32 [p], {r1, r2, r3, r4};
    sust.p.1d.b32.trap [s, {1}], {r3, r4};
    ld.global.u32 {r5}, [p+4];
    st.global.u32 [p], {r5};
    ret;
}
"""
    kernel, image, x = openptx.load(text), np.array([7, 8, 9], np.uint32), np.zeros(4, np.uint32)
    kernel.bind("s", Surface(image))
    kernel["k"](1, 1, (x,), engine=engine)
    assert x.tolist() == [22, 22, 33, 44]
    assert image.tolist() == [7, 33, 9]


@pytest.mark.parametrize(
    ("x", "y", "clamped"),
    [(-1, 0, 0), (5, 0, 4), (-(2**31), -1, 0), (2**31 - 1, 2**31 - 1, 14), (2, 3, 12), (2, -1, 2), (2, 1, 7)],
)
def test_outside(x: int, y: int, clamped: int) -> None:
    inside = 0 <= x < 5 and 0 <= y < 3
    load = "suld.b.2d.b8.{} s0, [t, {{{}, {}}}]; cvt.u32.u16 a0, s0;"
    assert run(load.format("clamp", x, y), Surface(plane()))[0, 0] == clamped
    assert run(load.format("zero", x, y), Surface(plane()))[0, 0] == (clamped if inside else 0)
    for mode in ("clamp", "zero"):
        a = plane()
        run(f"mov.b16 s0, 99; sust.b.2d.b8.{mode} [t, {{{x}, {y}}}], s0;", Surface(a))
        expect = plane()
        if inside or mode == "clamp":
            expect.flat[clamped] = 99
        np.testing.assert_array_equal(a, expect)
    if not inside:
        a = plane()
        for code in (load.format("trap", x, y), f"sust.b.2d.b8.trap [t, {{{x}, {y}}}], s0;"):
            with pytest.raises(Fault, match="outside of a surface of 5 x 3 elements of 1 bytes") as fault:
                run(code, Surface(a))
            assert fault.value.name == "out-of-bounds"
        np.testing.assert_array_equal(a, plane())


def test_clamp_goes_to_the_last_whole_access() -> None:
    assert run("suld.b.2d.b16.clamp s0, [t, {8, 0}]; cvt.u32.u16 a0, s0;", Surface(plane()))[0, 0] == 0x0302
    narrow = Surface(np.zeros(3, np.uint8))
    assert run("suld.b.1d.b32.zero a0, [t, {0}];", narrow)[0, 0] == 0
    with pytest.raises(Fault, match="outside of a surface of 3 elements"):
        run("suld.b.1d.b32.clamp a0, [t, {0}];", narrow)


def test_x_is_aligned() -> None:
    with pytest.raises(Fault, match="not a multiple of 4") as fault:
        run("suld.b.1d.b32.trap a0, [t, {2}];", Surface(np.zeros(8, np.uint8)))
    assert fault.value.name == "misaligned-access"


def test_layers_and_volumes() -> None:
    a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    assert run("suld.b.3d.b32.trap a0, [t, {12, 2, 1, 9}];", Surface(a))[0, 0] == 23
    assert run("suld.b.a2d.b32.trap a0, [t, {1, 8, 1, 9}];", Surface(a, layered=True))[0, 0] == 18
    assert run("suld.b.a1d.b32.trap a0, [t, {2, 4}];", Surface(a[0], layered=True))[0, 0] == 9
    assert run("suld.b.a1d.b32.zero a0, [t, {-1, 4}];", Surface(a[0], layered=True))[0, 0] == 0


def test_the_highest_lane_wins() -> None:
    a = np.zeros(2, np.int32)
    run("shr.u32 c0, n, 2; shl.b32 c0, c0, 2; sust.b.1d.b32.trap [t, {c0}], n;", Surface(a), threads=8)
    assert a.tolist() == [3, 7]


def test_read_only() -> None:
    a = plane()
    a.flags.writeable = False
    assert run("suld.b.2d.b8.trap s0, [t, {1, 1}]; cvt.u32.u16 a0, s0;", Surface(a))[0, 0] == 6
    for code in ("sust.b.2d.b8.trap [t, {0, 0}], s0;", "sured.b.add.2d.u32.trap [t, {0, 0}], c0;"):
        with pytest.raises(Fault) as fault:
            run(code, Surface(a))
        assert fault.value.name == "read-only"


def test_formatted_stores_convert() -> None:
    bytes4 = np.full((2, 4), 9, np.uint8)
    run("mov.b32 c0, 257; mov.b32 c1, 3; sust.p.1d.v2.b32.trap [t, {1}], {c0, c1};", Surface(bytes4, channels=4))
    assert bytes4[0].tolist() == [9, 9, 9, 9]
    assert bytes4[1, :2].tolist() == [1, 3]  # the others are open
    halves = np.zeros(3, np.float16)
    run("mov.b32 c0, 0f3F8CCCCD; sust.p.1d.v4.b32.trap [t, {2}], {c0, c1, c2, c3};", Surface(halves))
    assert halves.tolist() == [0, 0, np.float16(1.1)]
    signed = np.zeros((2, 2), np.int16)
    run("mov.b32 c0, -5; sust.p.2d.b32.clamp [t, {9, 9}], c0;", Surface(signed))
    assert signed.tolist() == [[0, 0], [0, -5]]
    run("mov.b32 c0, 7; sust.p.cg.2d.b32.clamp [t, {0, 0}], c0;", Surface(signed))
    assert signed.tolist() == [[7, 0], [0, -5]]


def test_formatted_loads() -> None:
    """Which the assembler has up to sm_62."""
    halves = Surface(np.array([[1.5, -2], [3, 4]], np.float16), channels=2)
    code = "suld.p.1d.v4.f32.{} {{a0,a1,a2,a3}}, [t, {{{}}}];"
    old = {"target": "sm_60"}
    assert run(code.format("trap", 1), halves, **old).view(np.float32).tolist() == [[3, 4, 0, 0]]
    assert run(code.format("zero", 2), halves, **old).tolist() == [[0, 0, 0, 0]]
    bytes1 = Surface(np.array([[1, -2], [3, 4]], np.int8))
    assert run("suld.p.2d.s32.clamp a0, [t, {9, -9}];", bytes1, **old).view(np.int32)[0, 0] == -2


@pytest.mark.parametrize(
    ("op", "type", "old", "new"),
    [
        ("add", "u32", 2**32 - 1, 27),
        ("add", "s32", -30, -2),
        ("min", "s32", -1, -1),
        ("min", "u32", 2**32 - 1, 0), ("max", "s32", -1, 7), ("max", "u32", 2**32 - 1, 2**32 - 1),
        ("or", "b32", 8, 15), ("and", "b32", 15, 0),
        ("add", "u64", 2**64 - 1, 27), ("min", "s64", -1, -1), ("max", "u64", 5, 7),
    ],
)  # fmt: skip
def test_reductions(op: str, type: str, old: int, new: int) -> None:
    """0 to 7, which eight lanes bring to one place; the sum is 28."""
    word = {"b32": "u32"}.get(type, type).replace("u", "uint").replace("s", "int")
    a = np.array([77, old], word)
    operand = "n" if "32" in type else "u"
    code = f"cvt.u64.u32 u, n; sured.b.{op}.1d.{type}.trap [t, {{{a.itemsize}}}], {operand};"
    run(code, Surface(a), threads=8)
    assert a.tolist() == [77, new]


@pytest.mark.parametrize(("dtype", "least"), [(np.int32, -3), (np.uint32, 1)])
def test_formatted_reductions_follow_the_surface(dtype: type, least: int) -> None:
    a = np.array([9, 9], np.int32).view(dtype)
    run("sub.u32 c0, n, 3; max.s32 c1, n, 1; sured.p.min.1d.b32.trap [t, {1}], c0;", Surface(a), threads=8)
    assert a.tolist() == [9, least if dtype is np.int32 else 0]
    a = np.array([9, -9], np.int64)
    run("mov.b64 u, -20; sured.p.min.1d.b64.trap [t, {1}], u;", Surface(a))
    assert a.tolist() == [9, -20]


def test_reductions_outside() -> None:
    a = np.arange(4, dtype=np.uint32)
    run("sured.b.add.1d.u32.zero [t, {16}], 100;", Surface(a))
    assert a.tolist() == [0, 1, 2, 3]
    run("sured.b.add.1d.u32.clamp [t, {16}], 100;", Surface(a))
    assert a.tolist() == [0, 1, 2, 103]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("width", 5),
        ("height", 3),
        ("depth", 0),
        ("channel_data_type", 0x10DA),
        ("channel_order", 0x10B0),
        ("array_size", 0),
        ("memory_layout", 1),
    ],
)
def test_queries(query: str, expected: int) -> None:
    assert run(f"suq.{query}.b32 a0, [t];", Surface(plane()))[0, 0] == expected


def test_names_are_bound() -> None:
    m = module(f"suld.b.1d.b32.trap a0, [row, {{4}}]; {four()}", head=".global .surfref row;")
    out = np.zeros(4, np.uint32)
    m.bind("row", Surface(np.array([3, 4], np.int32)))
    m["k"](1, 1, (0, out))
    assert out[0] == 4


def test_textures_see_what_surfaces_write() -> None:
    a = np.zeros(8, np.float32)
    t, s = Texture(a), Surface(a)
    run("mov.b32 c0, 0f40400000; shl.b32 c1, n, 2; sust.b.1d.b32.trap [t, {c1}], c0;", s, threads=8)
    assert run("tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {n}];", t, threads=8).view(np.float32)[:, 0].tolist() == [3.0] * 8
