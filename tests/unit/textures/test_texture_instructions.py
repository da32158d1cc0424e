"""Rare forms of texture instructions, as described in the manual (9.7.10)."""

from __future__ import annotations

import numpy as np
import pytest
from texture_kernels import floats, four, module, run

import openptx
from openptx import Fault, Sampler, Surface, Texture

RAMP = np.arange(10, 18, dtype=np.float32)
PLANE = np.arange(12, dtype=np.float32).reshape(3, 4)


def fetch(form: str, place: str, image: Texture, rest: str = "") -> np.ndarray:
    return run(f"{form} {{a0,a1,a2,a3}}, [t, {place}]{rest};", image)


def bits(value: float) -> str:
    return f"0f{np.float32(value).view(np.uint32):08X}"


@pytest.mark.parametrize("engine", ["interp", "native", "auto"])
def test_components_that_are_not_there_are_0(engine: str) -> None:
    """The alpha as well: recorded on H100."""
    code = "tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {2}];"
    assert floats(run(code, Texture(RAMP), engine=engine)) == [12, 0, 0, 0]
    assert run(code, Texture(RAMP.astype(np.int8)), engine=engine).tolist() == [[12, 0, 0, 0]]
    two = np.array([[1, 2], [3, -4]], np.int16)
    assert run("tex.1d.v4.s32.s32 {a0,a1,a2,a3}, [t, {1}];", Texture(two, channels=2)).view(np.int32).tolist() == [
        [3, -4, 0, 0]
    ]


@pytest.mark.parametrize(
    ("dtype", "raw", "expected"),
    [
        (np.uint8, 255, 1.0),
        (np.uint8, 51, np.float32(51) / np.float32(255)),
        (np.int8, -128, -1.0),
        (np.int8, -127, -1.0),
        (np.int8, 127, 1.0),
        (np.uint16, 65535, 1.0),
        (np.int16, -32768, -1.0),
        (np.int16, 1, np.float32(1) / np.float32(32767)),
    ],
)
def test_integers_read_as_normalized_floats(dtype: type, raw: int, expected: float) -> None:
    t = Texture(np.array([raw], dtype), read="normalized_float")
    assert floats(fetch("tex.1d.v4.f32.s32", "{0}", t))[0] == np.float32(expected)


@pytest.mark.parametrize("raw", [0x7FC01234, 0xFFFFFFFF, 0x80000000, 1, 0x7F800000])
def test_floats_keep_their_bits(raw: int) -> None:
    t = Texture(np.array([raw], np.uint32).view(np.float32))
    assert fetch("tex.1d.v4.f32.f32", f"{{{bits(0.5)}}}", t)[0, 0] == raw


def test_results_as_halves() -> None:
    t = Texture(np.array([1.5, -2, 0.25, 3, 1.5, -2, 65536, np.nan], np.float32).reshape(2, 4), channels=4)
    assert run("tex.1d.v2.f16x2.f32 {a0,a1}, [t, {0f00000000}]; mov.b32 a2, 0; mov.b32 a3, 0;", t)[0, :2].view(
        np.float16
    ).tolist() == [1.5, -2, 0.25, 3]
    code = "tex.1d.v4.f16.s32 {s0,s1,s2,s3}, [t, {1}]; mov.b32 a0, {s0,s1}; mov.b32 a1, {s2,s3}; mov.b32 a2, 0;"
    found = run(f"{code} mov.b32 a3, 0;", t)[0, :2].view(np.float16)
    assert found[:3].tolist() == [1.5, -2, np.inf]
    assert np.isnan(found[3])


@pytest.mark.parametrize("address", ["clamp", "border", "wrap", "mirror"])
@pytest.mark.parametrize(("x", "expected"), [(-1, 0), (0, 10), (7, 17), (8, 0), (-(2**31), 0), (2**31 - 1, 0)])
def test_outside_of_integer_coordinates_are_zeros(x: int, expected: float, address: str) -> None:
    """Whatever the address mode, as recorded on H100."""
    assert floats(fetch("tex.1d.v4.f32.s32", f"{{{x}}}", Texture(RAMP, address=address)))[0] == expected


def test_integer_coordinates_are_never_normalized_and_never_repeat() -> None:
    t = Texture(RAMP, normalized=True, address="wrap", filter="linear")
    assert floats(fetch("tex.1d.v4.f32.s32", "{3}", t))[0] == 13
    assert floats(fetch("tex.1d.v4.f32.s32", "{9}", t))[0] == 0


@pytest.mark.parametrize(
    ("address", "x", "expected"),
    [
        ("wrap", 1.0, 10), ("wrap", -0.125, 17), ("wrap", 2.25, 12), ("wrap", 3e38, 10),
        ("mirror", 1.0, 17), ("mirror", -0.125, 10), ("mirror", -0.25, 11), ("mirror", 2.25, 12), ("mirror", 1.25, 15),
        ("clamp", 1.0, 17), ("clamp", -5.0, 10), ("clamp", float("inf"), 17), ("clamp", float("-inf"), 10),
        ("border", 1.0, 0), ("border", -1e-30, 0), ("border", 0.0, 10), ("clamp", float("nan"), 10),
    ],
)  # fmt: skip
def test_normalized_coordinates(address: str, x: float, expected: float) -> None:
    t = Texture(RAMP, normalized=True, address=address)
    assert floats(fetch("tex.1d.v4.f32.f32", f"{{{bits(x)}}}", t))[0] == expected


def test_wrap_is_clamp_where_coordinates_are_not_normalized() -> None:
    assert floats(fetch("tex.1d.v4.f32.f32", f"{{{bits(9.5)}}}", Texture(RAMP, address="wrap")))[0] == 17


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.5, 0.0),
        (1.0, 128.0),
        (0.5 + 1 / 512, 1.0),  # half of the last bit rounds up
        (0.5 + 1 / 1024, 0.0),
        (1.5 - 1 / 1024, 256.0),  # the weight 1 is there
        (-3.0, 0.0),
    ],
)
def test_weights_have_eight_bits(x: float, expected: float) -> None:
    t = Texture(np.array([0, 256], np.float32), filter="linear")
    assert floats(fetch("tex.1d.v4.f32.f32", f"{{{bits(x)}}}", t))[0] == expected


def test_offsets_count_texels() -> None:
    t = Texture(PLANE)
    assert floats(fetch("tex.2d.v4.f32.f32", "{0f00000000, 0f00000000}", t, ", {2, 1}"))[0] == 6
    assert floats(fetch("tex.2d.v4.f32.s32", "{3, 2}", t, ", {-2, -1}"))[0] == 5
    assert floats(fetch("tex.2d.v4.f32.s32", "{3, 2}", t, ", {-8, -1}"))[0] == 0
    assert floats(fetch("tex.level.2d.v4.f32.f32", "{0f00000000, 0f00000000}", t, ", 0f00000000, {1, 1}"))[0] == 5
    assert floats(fetch("tex.base.1d.v4.f32.s32", "{0}", Texture(RAMP), ", {7}"))[0] == 17
    with pytest.raises(Fault, match="-8 to 7") as fault:
        run("mov.b32 c0, 8; tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1}], {c0};", Texture(RAMP))
    assert fault.value.name == "undefined-behavior"


@pytest.mark.parametrize("lod", ["0f00000000", "0fBF800000", "0f7FFFFFFF", "0f3F800000", "0f7F800000"])
def test_every_level_is_the_only_one(lod: str) -> None:
    assert floats(fetch("tex.level.1d.v4.f32.f32", "{0f00000000}", Texture(RAMP), f", {lod}"))[0] == 10


def test_a_gradient_stays_at_the_only_level() -> None:
    gradients = ", {0f42000000}, {0f42000000}"
    assert floats(fetch("tex.grad.1d.v4.f32.f32", f"{{{bits(4.5)}}}", Texture(RAMP), gradients))[0] == 14


def test_layers() -> None:
    rows = Texture(PLANE, layered=True)
    assert floats(fetch("tex.a1d.v4.f32.f32", f"{{2, {bits(1.5)}}}", rows))[0] == 9
    assert floats(fetch("tex.a1d.v4.f32.s32", "{7, 0}", rows))[0] == 8  # the last layer
    planes = Texture(np.arange(24, dtype=np.float32).reshape(2, 3, 4), layered=True)
    assert floats(fetch("tex.a2d.v4.f32.s32", "{1, 2, 1, 99}", planes))[0] == 18


def test_further_coordinates_are_ignored() -> None:
    t = Texture(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    assert floats(fetch("tex.3d.v4.f32.s32", "{3, 2, 1, 77}", t))[0] == 23


def test_resident_predicate() -> None:
    code = "tex.1d.v4.f32.s32 {a0,a1,a2,a3}|p, [t, {2}]; selp.b32 a1, 5, 6, p;"
    assert run(code, Texture(RAMP))[0, 1] == 5


def test_gathers_go_counter_clockwise_from_the_lower_left() -> None:
    two = np.stack([PLANE, PLANE + 100], axis=2)
    place = f"{{{bits(1.0)}, {bits(1.0)}}}"
    assert floats(fetch("tld4.r.2d.v4.f32.f32", place, Texture(PLANE))) == [4, 5, 1, 0]
    assert floats(fetch("tld4.g.2d.v4.f32.f32", place, Texture(two, channels=2))) == [104, 105, 101, 100]
    assert floats(fetch("tld4.b.2d.v4.f32.f32", place, Texture(two, channels=2))) == [0, 0, 0, 0]
    assert floats(fetch("tld4.r.2d.v4.f32.f32", place, Texture(PLANE), ", {1, 1}")) == [9, 10, 6, 5]
    corner = "{0f00000000, 0f00000000}"
    assert floats(fetch("tld4.r.2d.v4.f32.f32", corner, Texture(PLANE + 1, address="border"))) == [0, 1, 0, 0]
    layers = Texture(np.stack([PLANE, PLANE + 50]), layered=True)
    assert floats(fetch("tld4.r.a2d.v4.f32.f32", f"{{1, {bits(1.0)}, {bits(1.0)}, {bits(0.0)}}}", layers)) == [
        54,
        55,
        51,
        50,
    ]


@pytest.mark.parametrize(
    ("query", "image", "expected"),
    [
        ("width", Texture(PLANE), 4),
        ("height", Texture(PLANE), 3),
        ("depth", Texture(PLANE), 0),
        ("depth", Texture(np.zeros((5, 3, 4), np.int8)), 5),
        ("array_size", Texture(np.zeros((5, 3, 4), np.int8), layered=True), 5),
        ("array_size", Texture(PLANE), 0),
        ("width", Texture(np.zeros((3, 4), np.int8), channels=4), 3),
        ("channel_data_type", Texture(PLANE), 0x10DE),
        ("channel_data_type", Texture(np.zeros(3, np.uint8)), 0x10DA),
        ("channel_data_type", Texture(np.zeros(3, np.uint8), read="normalized_float"), 0x10D2),
        ("channel_order", Texture(PLANE), 0x10B0),
        ("channel_order", Texture(np.zeros((3, 4), np.int8), channels=4), 0x10B5),
        ("normalized_coords", Texture(PLANE), 0),
        ("normalized_coords", Texture(PLANE, normalized=True), 1),
        ("num_mipmap_levels", Texture(PLANE), 0),
        ("num_samples", Texture(PLANE), 0),
        ("filter_mode", Texture(PLANE), 0),
        ("filter_mode", Texture(PLANE, filter="linear"), 1),
        ("addr_mode_0", Texture(PLANE, address=["mirror", "border"]), 1),
        ("addr_mode_1", Texture(PLANE, address=["mirror", "border"]), 4),
        ("addr_mode_2", Texture(PLANE), 3),
        ("force_unnormalized_coords", Texture(PLANE), 0),
    ],
)
def test_queries(query: str, image: Texture, expected: int) -> None:
    assert run(f"txq.{query}.b32 a0, [t];", image)[0, 0] == expected


def test_what_a_register_points_to() -> None:
    ask = "".join(f"istypep.{kind} p, t; selp.b32 a{i}, 1, 0, p; " for i, kind in enumerate(KINDS))
    assert run(ask, Texture(PLANE)).tolist() == [[1, 0, 0, 0]]
    assert run(ask, Sampler()).tolist() == [[0, 1, 0, 0]]
    assert run(ask, Surface(PLANE)).tolist() == [[0, 0, 1, 0]]
    assert run(ask, 12345).tolist() == [[0, 0, 0, 0]]


KINDS = ("texref", "samplerref", "surfref")


# Names of the module, samplers, parameters.


def test_names_are_bound() -> None:
    code = f"tex.1d.v4.f32.s32 {{a0,a1,a2,a3}}, [row, {{1}}]; mov.u64 u, row; txq.width.b32 a1, [u]; {four()}"
    m = module(code, head=".global .texref row;")
    out = np.zeros(4, np.uint32)
    with pytest.raises(Fault, match="nothing is bound to `row`"):
        m["k"](1, 1, (0, out))
    for scale in (1, 2):
        m.bind("row", Texture(RAMP * scale))
        m["k"](1, 1, (0, out))
        assert (floats(out)[0], out[1]) == (11 * scale, 8)
    with pytest.raises(openptx.ArgumentError, match=r"`row` is a `.texref`"):
        m.bind("row", Surface(PLANE))
    with pytest.raises(openptx.ArgumentError, match="no texture, sampler or surface `column`"):
        m.bind("column", Texture(RAMP))


@pytest.mark.parametrize("type", ["u32", "u64"])
@pytest.mark.parametrize("engine", ["interp", "auto"])
def test_textures_of_old_files_are_bound(type: str, engine: str) -> None:
    m = openptx.load(
        f".version 1.4\n.target sm_13\n.tex .{type} row;\n.entry k(.param .u64 out) {{ .reg .f32 %f<6>; .reg .u64 %o;"
        "mov.f32 %f1, 0f3F800000; tex.1d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [row,{%f1,%f1,%f1,%f1}];"
        "ld.param.u64 %o, [out]; st.global.f32 [%o], %f2; exit; }"
    )
    m.bind("row", Texture(RAMP))
    out = np.zeros(1, np.float32)
    m["k"](1, 1, (out,), engine=engine)
    assert out[0] == RAMP[1]


INDEPENDENT = "sm_80, texmode_independent"


def test_samplers_are_apart_in_independent_mode() -> None:
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = linear };\n.global .samplerref r;"
    code = "tex.1d.v4.f32.f32 {a0,a1,a2,a3}, [t, s, {0f3F800000}]; mov.b32 c0, a0;"
    code += "tex.1d.v4.f32.f32 {a0,a1,a2,a3}, [t, r, {0f3F800000}]; mov.b32 a1, c0;"
    code += "txq.addr_mode_0.b32 a2, [s]; txq.filter_mode.b32 a3, [s];"
    m = module(f"{code} {four()}", head=head, target=INDEPENDENT)
    out = np.zeros(4, np.uint32)
    m.bind("r", Sampler("nearest", force_unnormalized=True))
    m["k"](1, 1, (Texture(RAMP, normalized=True), out))
    assert floats(out[:2]) == [11, 8.5]  # between the last texel and the border; texel 1
    assert out[2:].tolist() == [4, 1]


@pytest.mark.parametrize("engine", ["interp", "auto"])
@pytest.mark.parametrize("sampler", ["", "s, "])
@pytest.mark.parametrize(
    ("form", "rest"),
    [("tex", ""), ("tex.base", ""), ("tex.level", ", 0f00000000"), ("tex.grad", ", {0f00000000}, {0f3F800000}")],
)
def test_every_way_to_the_only_level(form: str, rest: str, sampler: str, engine: str) -> None:
    """With a sampler and without, as floats and as halves: texel 5 is 15, of which no half loses a bit."""
    place = f"[t, {sampler}{{{bits(5.5)}}}]{rest}"
    code = f"{form}.1d.v4.f32.f32 {{a0,a1,a2,a3}}, {place}; mov.b32 c0, a0;"
    code += f"{form}.1d.v2.f16x2.f32 {{a1,a2}}, {place}; mov.b32 a0, c0; mov.b32 a3, 0;"
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    found = run(code, Texture(RAMP), head=head, target=INDEPENDENT if sampler else "sm_80", engine=engine)[0]
    assert floats(found[:1]) == [15]
    assert found[1:3].view(np.float16).tolist() == [15, 0, 0, 0]


@pytest.mark.parametrize("engine", ["interp", "auto"])
def test_gathers_with_a_sampler(engine: str) -> None:
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };"
    code = f"tld4.r.2d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, s, {{{bits(2.0)}, {bits(1.0)}}}];"
    found = floats(run(code, Texture(PLANE), head=head, target=INDEPENDENT, engine=engine))
    assert found == [5, 6, 2, 1]  # counter-clockwise from the lower left of (1.5, 0.5): rows 1 and 0, columns 1 and 2


def test_textures_are_parameters() -> None:
    parameters = ".param .texref t2, .param .u64 t1"
    m = module(f"tex.1d.v4.f32.s32 {{a0,a1,a2,a3}}, [t2, {{1}}]; {four()}", parameters=parameters)
    out = np.zeros(4, np.uint32)
    m["k"](1, 1, (Texture(RAMP), 0, out))
    assert floats(out)[0] == 11
    with pytest.raises(openptx.ArgumentError, match="takes no <surface"):
        m["k"](1, 1, (Surface(RAMP), 0, out))


def test_handles_are_numbers() -> None:
    """In structures and arrays: for as long as the texture lives."""
    t = Texture(RAMP)
    code = "tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1}];"
    assert floats(run(code, t.handle))[0] == 11
    number = t.handle
    del t
    with pytest.raises(Fault, match="is not a texture"):
        run(code, number)


def test_every_lane_names_its_own() -> None:
    textures = [Texture(RAMP + 100 * i) for i in range(3)]
    table = np.array([t.handle for t in textures], np.uint64)
    code = "rem.u32 c0, n, 3; mul.wide.u32 u, c0, 8; add.u64 t, t, u; ld.global.u64 t, [t];"
    found = floats(run(f"{code} tex.1d.v4.f32.s32 {{a0,a1,a2,a3}}, [t, {{n}}];", table, threads=8))[::4]
    assert found == [10 + i + 100 * (i % 3) for i in range(8)]


def test_only_lanes_that_execute_are_looked_at() -> None:
    code = "setp.eq.u32 p, n, 3; mov.b32 a0, 7; @!p bra DONE; tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {n}]; DONE:"
    assert run(code, Texture(RAMP), threads=5)[:, 0].tolist() == [7, 7, 7, np.float32(13).view(np.uint32), 7]


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_plane_of_one_row_is_a_line(engine: str) -> None:
    """So Dr.Jit's textures of one dimension, arrays of height 1, are fetched from."""
    row = Texture(RAMP[None], filter="linear", normalized=True, levels=[RAMP[None, ::2]])
    code = f"tex.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{bits(3 / 8)}}}];"
    assert floats(run(code, row, engine=engine))[0] == 12.5
    code = f"tex.level.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{bits(0.5)}}}], {bits(1.0)};"
    assert floats(run(code, row, engine=engine))[0] == 13


@pytest.mark.parametrize(
    ("code", "image", "says"),
    [
        ("tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1}];", Texture(PLANE), "`.2d`, the instruction is for `.1d`"),
        ("tex.2d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1, 1}];", Texture(RAMP), "`.1d`, the instruction is for `.2d`"),
        ("tex.a1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1, 1}];", Texture(PLANE), "`.2d`, the instruction is for `.a1d`"),
        ("tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1}];", Surface(RAMP), "not a texture: it is a surface"),
        ("tex.1d.v4.f32.s32 {a0,a1,a2,a3}, [t, {1}];", 0, "0x0 is not a texture"),
        ("txq.width.b32 a0, [t];", Surface(RAMP), "not a texture"),
        ("txq.width.b32 a0, [t];", Sampler(), "a sampler has no `.width`"),
    ],
)
def test_wrong_handles(code: str, image: object, says: str) -> None:
    with pytest.raises(Fault, match=says.replace(".", r"\.")) as fault:
        run(code, image)
    assert (fault.value.name, fault.value.thread) == ("invalid-texture", (0, 0, 0))


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    ("offset", "expected"), [("{1, 1}", 5), ("{1, 1, 7, 7}", 5), ("{2, 0}", 2), ("1", 0), ("i9", 0)]
)
def test_offsets(engine: str, offset: str, expected: float) -> None:
    """Longer lists have elements to spare; ptxas makes the same code whatever a single integer's value is."""
    code = f".reg .s32 i9; mov.u32 i9, 2; tex.2d.v4.f32.s32 {{a0,a1,a2,a3}}, [t, {{0, 0}}], {offset};"
    assert floats(run(code, Texture(PLANE), engine=engine))[0] == expected
