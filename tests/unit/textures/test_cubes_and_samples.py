"""Cube maps, textures of several samples, comparisons with a depth (9.7.10.3, 9.7.10.4)."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest
from texture_kernels import floats, four, module, run

import openptx
from openptx import ArgumentError, Fault, Sampler, Texture

N = 4
FACES = np.arange(6 * N * N, dtype=np.float32).reshape(6, N, N)
ENGINES = pytest.mark.parametrize("engine", ["interp", "native"])
INDEPENDENT = "sm_80, texmode_independent"


def bits(*values: float) -> str:
    return ", ".join(f"0f{np.float32(v).view(np.uint32):08X}" for v in values)


def on_cube(x: float, y: float, z: float) -> tuple[int, float, float]:
    """Face, and s and t on it from 0 to 1: the CUDA guide's table row after row; z before y before x among equals."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if az >= ax and az >= ay:
        face, m, s, t = (4, z, x, -y) if z >= 0 else (5, -z, -x, -y)
    elif ay >= ax:
        face, m, s, t = (2, y, x, z) if y >= 0 else (3, -y, x, -z)
    else:
        face, m, s, t = (0, x, -z, -y) if x >= 0 else (1, -x, z, -y)
    return face, (s / m + 1) / 2, (t / m + 1) / 2


def texel(x: float, y: float, z: float) -> float:
    face, s, t = on_cube(x, y, z)
    column, row = (min(int(v * N), N - 1) for v in (s, t))
    return float(FACES[face, row, column])


DIRECTIONS = [
    (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1),
    (2, 1, 1.5), (-2, 1, 1.5), (0.5, 8, -5), (0.5, -8, -5), (-3, 1, 4), (-3, 1, -4),
    (1, 1, 1), (-1, 1, -1), (1, -1, 0), (4, 4, 1), (-0.0, 0.25, 0.125),
]  # fmt: skip


@ENGINES
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_largest_component_selects_the_face(direction: tuple[float, ...], engine: str) -> None:
    code = f"tex.cube.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{bits(*direction, 77)}}}];"
    assert floats(run(code, Texture(FACES, cube=True), engine=engine)) == [texel(*direction), 0, 0, 0]


def test_random_directions() -> None:
    """Those whose texel does not hang on the last bits of the quotient."""
    rng = np.random.default_rng(27)
    given = rng.normal(size=(2000, 3)).astype(np.float32)
    place = np.array([[on_cube(*map(float, row))[1:]] for row in given]).reshape(-1, 2) * N
    largest = np.sort(np.abs(given), axis=1)
    clear = (np.abs(place - np.round(place)).min(axis=1) > 1e-4) & (largest[:, 2] > 1.0001 * largest[:, 1])
    given = given[clear][:1024]
    table = np.ascontiguousarray(np.pad(given, ((0, 0), (0, 1))))
    code = "mul.wide.u32 u, n, 16; add.u64 t, t, u; ld.global.v4.b32 {c0,c1,c2,c3}, [t]; mov.u64 t, row;"
    m = module(
        f"{code} tex.cube.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{c0,c1,c2,c3}}]; {four()}", head=".global .texref row;"
    )
    m.bind("row", Texture(FACES, cube=True))
    out = np.zeros((1024, 4), np.float32)
    m["k"](1, 1024, (table, out))
    assert len(given) == 1024
    assert out[:, 0].tolist() == [texel(*map(float, row)) for row in given]


@ENGINES
def test_arrays_of_cubes(engine: str) -> None:
    cubes = Texture(np.concatenate([FACES, FACES + 1000, FACES + 2000]), cube=True, layered=True)
    for index, base in ((0, 0), (1, 1000), (2, 2000), (9, 2000)):
        code = "tex.acube.v4.f32.f32 {a0,a1,a2,a3}, [t, {c3,c0,c1,c2}];"
        head = f"mov.b32 c3, {index}; mov.b32 c0, {bits(0.5)}; mov.b32 c1, {bits(-8)}; mov.b32 c2, {bits(-5)};"
        assert floats(run(head + code, cubes, engine=engine))[0] == base + texel(0.5, -8, -5)
    assert run("txq.array_size.b32 a0, [t];", cubes)[0, 0] == 3
    assert run("txq.array_size.b32 a0, [t];", Texture(FACES, cube=True))[0, 0] == 0
    assert run("txq.width.b32 a0, [t];", cubes)[0, 0] == N


GRADIENTS = f", {{{bits(1, 2, 3, 4)}}}, {{{bits(4, 3, 2, 1)}}}"


@pytest.mark.parametrize(
    ("form", "rest"), [("tex", ""), ("tex.base", ""), ("tex.level", ", 0f00000000"), ("tex.grad", GRADIENTS)]
)
@pytest.mark.parametrize("sampler", ["", "s, "])
@pytest.mark.parametrize("depth", [None, 88.0, 90.0])
@pytest.mark.parametrize("layered", [False, True])
def test_every_form_of_cubes(form: str, rest: str, sampler: str, depth: float | None, layered: bool) -> None:
    """The texel of (-1, -0.25, -4) is 89: face 5, s = 5/8, t = 17/32, column and row 2."""
    assert texel(-1, -0.25, -4) == 90
    expected = 90.0 if depth is None else float(depth <= 90)
    geometry = "acube" if layered else "cube"
    place = f"{{{'c0,c1,c2,c3' if layered else 'c1,c2,c3,c0'}}}"
    compare = "" if depth is None else f", {bits(depth)}"
    code = f"mov.b32 c0, 0; mov.b32 c1, {bits(-1)}; mov.b32 c2, {bits(-0.25)}; mov.b32 c3, {bits(-4)};"
    code += f"{form}.{geometry}.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {sampler}{place}]{rest}{compare}; mov.b32 h0, a0;"
    code += f"{form}.{geometry}.v2.f16x2.f32 {{a1,a2}}, [t, {sampler}{place}]{rest}{compare}; mov.b32 a0, h0;"
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    target = INDEPENDENT if sampler else "sm_80"
    found = run(code, Texture(FACES, cube=True, layered=layered), head=head, target=target)[0]
    assert floats(found[:1]) == [expected]
    assert found[1:2].view(np.float16).tolist() == [expected, 0]


@pytest.mark.parametrize("sampler", ["", "s, "])
@pytest.mark.parametrize("geometry", ["cube", "acube"])
@pytest.mark.parametrize("depth", [None, 22.0])
def test_gathers_from_a_face(sampler: str, geometry: str, depth: float | None) -> None:
    """Around the middle of face +y: counter-clockwise from the lower left, as of a texture of two dimensions."""
    place = "{c0,c0,c1,c0}" if geometry == "acube" else "{c0,c1,c0,c0}"
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    compare = "" if depth is None else f", {bits(depth)}"
    code = f"mov.b32 c0, 0; mov.b32 c1, {bits(1)};"
    code += f"tld4.r.{geometry}.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {sampler}{place}]{compare};"
    image = Texture(FACES - 20, cube=True, layered=geometry == "acube")
    found = floats(run(code, image, head=head, target=INDEPENDENT if sampler else "sm_80"))
    middle = [float(FACES[2, row, column]) - 20 for row, column in ((2, 1), (2, 2), (1, 2), (1, 1))]
    assert middle == [21, 22, 18, 17]
    assert found == (middle if depth is None else [float(depth <= v) for v in middle])


def test_a_face_is_filtered_by_itself() -> None:
    """Linear weights inside of a face; no other face takes part at its edge."""
    image = Texture(FACES, cube=True, filter="linear")
    code = "tex.cube.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{0}}}];"
    assert floats(run(code.format(bits(0, 0, 1, 0)), image))[0] == FACES[4, 1:3, 1:3].mean()
    assert floats(run(code.format(bits(1, 1, 1, 0)), image))[0] == FACES[4, 0, 3]


# Several samples.

SAMPLES = np.arange(3 * 4 * 2, dtype=np.int32).reshape(3, 4, 2)


@ENGINES
@pytest.mark.parametrize("form", ["tex", "tex.base"])
@pytest.mark.parametrize("sampler", ["", "s, "])
def test_samples_come_first_then_layers(form: str, sampler: str, engine: str) -> None:
    """As in the machine code of ptxas 13.5; the manual names the layer first in one sentence, second in another."""
    plain = Texture(SAMPLES, multisample=True)
    layers = Texture(np.stack([SAMPLES, SAMPLES + 100]), multisample=True, layered=True)
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    options = {"head": head, "target": INDEPENDENT if sampler else "sm_80", "engine": engine}
    for sample, x, y in ((0, 0, 0), (1, 3, 2), (1, 2, 0)):
        at = f"[t, {sampler}{{{sample}, {x}, {y}, 9}}]"
        found = run(f"{form}.2dms.v4.s32.s32 {{a0,a1,a2,a3}}, {at};", plain, **options)
        assert found.tolist() == [[int(SAMPLES[y, x, sample]), 0, 0, 0]]
        at = f"[t, {sampler}{{{sample}, 1, {x}, {y}}}]"
        found = run(f"{form}.a2dms.v4.s32.s32 {{a0,a1,a2,a3}}, {at};", layers, **options)
        assert found[0, 0] == 100 + SAMPLES[y, x, sample]


@pytest.mark.parametrize("sampler", ["", "s, "])
@pytest.mark.parametrize("form", ["tex", "tex.base"])
def test_samples_as_halves_with_an_offset(sampler: str, form: str) -> None:
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    image = Texture(SAMPLES.astype(np.float32), multisample=True)
    code = f"{form}.2dms.v2.f16x2.s32 {{a0,a1}}, [t, {sampler}{{1, 1, 1, 0}}], {{2, -1}}; mov.b32 a2, 0; mov.b32 a3, 0;"
    found = run(code, image, head=head, target=INDEPENDENT if sampler else "sm_80")[0, :1].view(np.float16)
    assert found.tolist() == [float(SAMPLES[0, 3, 1]), 0]


def test_outside_of_samples() -> None:
    """Integer coordinates outside find zeros, as of other textures; a sample that is not there is a fault."""
    image = Texture(SAMPLES + 1, multisample=True)
    assert run("tex.2dms.v4.s32.s32 {a0,a1,a2,a3}, [t, {1, -1, 0, 0}];", image)[0, 0] == 0
    assert run("tex.2dms.v4.s32.s32 {a0,a1,a2,a3}, [t, {1, 0, 3, 0}];", image)[0, 0] == 0
    with pytest.raises(Fault, match="2 samples, and sample 2 is requested") as fault:
        run("tex.2dms.v4.s32.s32 {a0,a1,a2,a3}, [t, {2, 0, 0, 0}];", image)
    assert fault.value.name == "invalid-texture"
    assert run("txq.num_samples.b32 a0, [t];", image)[0, 0] == 2
    assert run("txq.width.b32 a0, [t]; txq.height.b32 a1, [t];", image)[0, :2].tolist() == [4, 3]


# Depths.

RAMP = np.array([0.25, 0.5, 0.75, 1.0], np.float32)
COMPARE: dict[str, Callable[[float, float], bool]] = {
    "never": lambda f, d: False,
    "less": operator.lt,
    "equal": operator.eq,
    "less_equal": operator.le,
    "greater": operator.gt,
    "not_equal": operator.ne,
    "greater_equal": operator.ge,
    "always": lambda f, d: True,
}


@ENGINES
@pytest.mark.parametrize("compare", COMPARE)
def test_comparisons(compare: str, engine: str) -> None:
    image = Texture(RAMP, compare=compare)
    for depth in (0.5, 0.6, float("nan")):
        code = "cvt.rn.f32.u32 f, n; mov.b32 c0, f;"
        code += f"tex.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{c0}}], {bits(depth)};"
        found = floats(run(code, image, threads=4, engine=engine))[::4]
        assert found == [float(COMPARE[compare](depth, float(texel))) for texel in RAMP]


def test_results_are_filtered_not_depths() -> None:
    """At a quarter of the way from 0.5 to 0.75, compared with 0.6: 0 and 1, a quarter of 1."""
    image = Texture(RAMP, filter="linear")
    code = f"tex.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{bits(1.75)}}}], {bits(0.6)};"
    assert floats(run(code, image)) == [0.25, 0, 0, 0]
    assert floats(run(code.replace("f32.f32", "u32.f32"), image))[0] == 0.25  # the same bits


def test_fixed_point_texels_are_compared_with_a_depth_of_0_to_1() -> None:
    image = Texture(np.array([0, 65535], np.uint16), read="normalized_float")
    for depth, expected in ((2.0, [0, 1]), (-1.0, [1, 1]), (0.5, [0, 1])):
        code = "cvt.rn.f32.u32 f, n; mov.b32 c0, f;"
        code += f"tex.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{c0}}], {bits(depth)};"
        assert floats(run(code, image, threads=2))[::4] == expected
    assert floats(run(code, Texture(np.array([4.0, 1.0], np.float32)), threads=2))[::4] == [1, 1]


def test_the_border_is_compared_as_zeros() -> None:
    image = Texture(RAMP, address="border", compare="greater")
    code = f"tex.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{bits(-2)}}}], {bits(0.1)};"
    assert floats(run(code, image))[0] == 1


@pytest.mark.parametrize(("form", "rest"), [("tex", ""), ("tex.base", ""), ("tex.level", ", 0f00000000"),
                                            ("tex.grad", f", {{{bits(1, 2)}}}, {{{bits(4, 3)}}}")])  # fmt: skip
@pytest.mark.parametrize("sampler", ["", "s, "])
@pytest.mark.parametrize("offset", ["", ", {1, 0}"])
def test_every_form_of_depths(form: str, rest: str, sampler: str, offset: str) -> None:
    plane = np.array([[3, 1, 0, 5], [7, 9, 2, 4]], np.float32)
    texel = plane[1, 2 if offset else 1]
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    options = {"head": head, "target": INDEPENDENT if sampler else "sm_80"}
    place = f"[t, {sampler}{{{bits(1.5, 1.5)}}}]{rest}{offset}"
    for depth in (2.0, 3.0):
        code = f"{form}.2d.v4.f32.f32 {{a0,a1,a2,a3}}, {place}, {bits(depth)}; mov.b32 c0, a0;"
        code += f"{form}.2d.v2.f16x2.f32 {{a1,a2}}, {place}, {bits(depth)}; mov.b32 a0, c0;"
        found = run(code, Texture(plane), **options)[0]
        assert floats(found[:1]) == [float(depth <= texel)]
        assert found[1:2].view(np.float16).tolist() == [float(depth <= texel), 0]


@ENGINES
@pytest.mark.parametrize("sampler", ["", "s, "])
@pytest.mark.parametrize("offset", ["", ", {1, 0}"])
def test_gathers_compare_each_texel(sampler: str, offset: str, engine: str) -> None:
    plane = np.array([[3, 1, 0], [7, 9, 2]], np.float32)
    head = ".global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };" if sampler else ""
    options = {"head": head, "target": INDEPENDENT if sampler else "sm_80", "engine": engine}
    code = f"tld4.r.2d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {sampler}{{{bits(1, 1)}}}]{offset}, {bits(3)};"
    around = [9, 2, 0, 1] if offset else [7, 9, 1, 3]
    assert floats(run(code, Texture(plane), **options)) == [float(v >= 3) for v in around]


def test_the_sampler_compares() -> None:
    """In independent mode the texture's own comparison is not asked."""
    code = f"tex.1d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, r, {{{bits(1)}}}], {bits(0.75)}; {four()}"
    m = module(code, head=".global .samplerref r;", target=INDEPENDENT)
    out = np.zeros(4, np.uint32)
    for compare in ("greater", "less"):
        m.bind("r", Sampler(compare=compare))
        m["k"](1, 1, (Texture(RAMP, compare="never"), out))
        assert floats(out)[0] == (compare == "greater")


# What is wrong.


@ENGINES
@pytest.mark.parametrize(
    ("code", "image", "says"),
    [
        ("tex.cube.v4.f32.f32 {a0,a1,a2,a3}, [t, {f,f,f,f}];", Texture(FACES, layered=True), "is for `.cube`"),
        ("tex.cube.v4.f32.f32 {a0,a1,a2,a3}, [t, {f,f,f,f}];", 0, "0x0 is not a texture"),
        ("tex.2d.v4.f32.f32 {a0,a1,a2,a3}, [t, {f,f}];", Texture(FACES, cube=True), "the texture is `.cube`"),
        ("tex.2dms.v4.f32.s32 {a0,a1,a2,a3}, [t, {0,0,0,0}];", Texture(FACES[0]), "the texture is `.2d`"),
        ("tex.2d.v4.f32.f32 {a0,a1,a2,a3}, [t, {f,f}], f;", Texture(np.zeros((2, 2), np.int8)), "reads as integers"),
        ("tld4.r.cube.v4.f32.f32 {a0,a1,a2,a3}, [t, {f,f,f,f}], f;", Texture(np.zeros((6, 2, 2), np.int8), cube=True),
         "reads as integers"),
    ],
)  # fmt: skip
def test_wrong_textures(code: str, image: object, says: str, engine: str) -> None:
    with pytest.raises(Fault, match=says.replace(".", r"\.")) as fault:
        run("mov.f32 f, 0f3F800000;" + code, image, engine=engine)
    assert fault.value.name == "invalid-texture"


@pytest.mark.parametrize(
    ("shape", "options", "says"),
    [
        ((5, 4, 4), {"cube": True}, "6 faces that are squares"),
        ((6, 4, 3), {"cube": True}, "squares"),
        ((12, 4, 4), {"cube": True}, "6 faces"),
        ((7, 4, 4), {"cube": True, "layered": True}, "a multiple of 6"),
        ((4, 4), {"cube": True}, "6 faces"),
        ((4, 4), {"multisample": True}, "y, x, sample"),
        ((2, 4, 4), {"multisample": True, "layered": True}, "the layer, y, x, sample"),
        ((6, 4, 4), {"multisample": True, "cube": True}, "not both"),
        ((4, 4), {"compare": "lequal"}, "not 'lequal'"),
    ],
)
def test_refused(shape: tuple[int, ...], options: dict[str, bool], says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        Texture(np.zeros(shape, np.float32), **options)


@ENGINES
@pytest.mark.parametrize("form", ["tex.2d.v4.f32.f32", "tex.acube.v4.f32.f32", "tld4.r.2d.v4.f32.f32"])
def test_one_register_is_no_place(form: str, engine: str) -> None:
    """ptxas takes it; its machine code reads whatever registers come next, or it crashes."""
    image = Texture(FACES, cube=True, layered=True) if "cube" in form else Texture(FACES[0])
    with pytest.raises(Fault, match="coordinates, and one is given") as fault:
        run(f"mov.b32 c0, 0; {form} {{a0,a1,a2,a3}}, [t, c0];", image, engine=engine)
    assert fault.value.name == "undefined-behavior"


@ENGINES
def test_untyped_bits_are_a_depth_or_nothing(engine: str) -> None:
    """With integer coordinates ptxas makes the same code without them; with floats they are compared."""
    code = "mov.b32 c0, {0}; mov.b32 c1, 0; tex.1d.v4.f32.{1} {{a0,a1,a2,a3}}, [t, {{c1}}], c0;"
    assert floats(run(code.format(bits(0.2), "s32"), Texture(RAMP), engine=engine))[0] == 0.25
    assert floats(run(code.format(bits(0.2), "f32"), Texture(RAMP), engine=engine))[0] == 1


@pytest.mark.parametrize("operands", ["[t, {c0}], f", "[t, {c0}], {c1}, f", "[t, {c0}], 0f3F800000"])
def test_depths_need_floating_point_coordinates(operands: str) -> None:
    """As ptxas 13.5: it takes the depth with `.f32` coordinates alone."""
    head = (
        ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 t; .reg .b32 a<4>, c<4>;"
    )
    text = head + ".reg .f32 f; ld.param.u64 t, [p]; mov.f32 f, 0f3F800000; mov.b32 c0, f; mov.b32 c1, f;\n"
    for ctype, errors in (("f32", 0), ("s32", 1)):
        code = f"tex.1d.v4.f32.{ctype} {{a0,a1,a2,a3}}, {operands}; ret; }}"
        found = [d for d in openptx.check(text + code) if d.severity == "error"]
        assert len(found) == errors
