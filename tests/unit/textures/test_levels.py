"""Mipmapped textures: their arrays, what is refused, and fetches by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from texture_kernels import floats, four, module, run

from openptx import ArgumentError, Fault, Sampler, Texture

LEVELS = [np.full((8 >> i, 4 >> i or 1), 10 * i, np.float32) for i in range(4)]
CENTER = "0f3F000000"


def texture(**options: Any) -> Texture:
    return Texture(LEVELS[0], levels=LEVELS[1:], normalized=True, **options)


def at_level(level: str, image: Texture) -> float:
    return floats(run(f"tex.level.2d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, {{{CENTER}, {CENTER}}}], {level};", image))[0]


def test_levels_and_what_lies_between() -> None:
    assert [at_level(level, texture()) for level in ("0f00000000", "0f3F800000", "0f3FC00000", "0f41200000")] == [
        0, 10, 20, 30,
    ]  # fmt: skip
    assert at_level("0f3FC00000", texture(level_filter="linear")) == 15


def test_what_the_host_changes_is_seen() -> None:
    levels = [one.copy() for one in LEVELS]
    image = Texture(levels[0], levels=levels[1:], normalized=True)
    levels[2][:] = 7
    assert at_level("0f40000000", image) == 7


def test_a_sampler_has_its_own_level_options() -> None:
    code = f"tex.level.2d.v4.f32.f32 {{a0,a1,a2,a3}}, [t, s, {{{CENTER}, {CENTER}}}], 0f3F800000; {four()}"
    kernel = module(
        f".reg .b64 s; ld.param.u64 s, [t2]; {code}",
        parameters=".param .u64 t1, .param .u64 t2",
        head="",
        target="sm_80, texmode_independent",
    )
    out = np.zeros(4, np.float32)
    kernel["k"](1, 1, (texture(), Sampler("linear", level_filter="linear", level_bias=0.5), out))
    assert out[0] == 15


def test_queries() -> None:
    code = "txq.num_mipmap_levels.b32 a0, [t]; txq.level.width.b32 a1, [t], 1; txq.level.height.b32 a2, [t], 2;"
    assert run(code, texture())[0, :3].tolist() == [4, 2, 2]
    with pytest.raises(Fault, match="has no level 4") as fault:
        run("txq.level.width.b32 a0, [t], 4;", texture())
    assert fault.value.name == "invalid-texture"


def test_cubes_gradients() -> None:
    """A direction that changes by d moves the place on a face of 8 texels by 4 d: 2 texels are level 1."""
    faces = [np.full((6, 8 >> i, 8 >> i), i, np.float32) for i in range(4)]
    image = Texture(faces[0], levels=faces[1:], cube=True, level_filter="linear")
    for change, level in ("0f3F000000", 1), ("0f3F800000", 2), ("0f3E800000", 0), ("0f3F400000", 1 + 150 / 256):
        code = (
            "mov.f32 f, 0f3F800000; tex.grad.cube.v4.f32.f32 {a0,a1,a2,a3}, [t, {0f00000000, 0f00000000, f, f}],"
            f"{{{change}, 0f00000000, 0f00000000, 0f00000000}}, {{0f00000000, 0f00000000, {change}, 0f00000000}};"
        )
        assert floats(run(code, image))[0] == level


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"levels": LEVELS[2:]}, "level 1 of a texture of 4 x 8 elements of 4 bytes has 2 x 4 texels"),
        ({"levels": [*LEVELS[1:], LEVELS[3]]}, "has no level 4"),
        ({"levels": [LEVELS[1].astype(np.float16)]}, "level 1 is of 1 float16"),
        ({"level_filter": "cubic"}, "the filter is `nearest` or `linear`, not 'cubic'"),
        ({"level_bias": float("nan")}, "a bias of levels is a number"),
        ({"level_clamp": (0.0,)}, "a bias of levels is a number, their clamp two"),
        ({"level_clamp": 2}, "a bias of levels is a number, their clamp two"),
        ({"level_clamp": ("low", "high")}, "a bias of levels is a number, their clamp two"),
        ({"level_clamp": (3, 1)}, r"the clamp of levels is the lowest and the highest, not \(3, 1\)"),
    ],
)
def test_what_is_no_texture(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        Texture(LEVELS[0], **options)


def test_integers_are_not_averaged() -> None:
    with pytest.raises(ArgumentError, match="linear filtering needs floats"):
        Texture(np.zeros((2, 2), np.int32), levels=[np.zeros((1, 1), np.int32)], level_filter="linear")


def test_coordinates_are_normalized() -> None:
    with pytest.raises(Fault, match="several levels has normalized coordinates"):
        at_level("0f00000000", Texture(LEVELS[0], levels=LEVELS[1:]))


def test_only_cubes_are_seamless() -> None:
    with pytest.raises(ArgumentError, match="only a cube is seamless"):
        Texture(LEVELS[0], seamless=True)
