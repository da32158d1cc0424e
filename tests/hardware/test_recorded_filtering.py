"""Filtered mipmapped and three-dimensional textures equal recorded results of an H200."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx import Texture
from openptx.device.textures import sampling

RECORDED = Path(__file__).parent / "sm_90-13.0-2026-11-26" / "filtering.npz"


def recorded(name: str) -> tuple[list[Any], list[Any], Any]:
    """The texels of each level (z, y, x, component), coordinates, and results as bits."""
    with np.load(RECORDED) as file:
        count = sum(key.startswith(f"{name}_texels") for key in file.files)
        levels = [file[f"{name}_texels{i}"] for i in range(count)]
        return levels, list(file[f"{name}_coordinates"].view(np.float32)), file[f"{name}_results"]


def fetched(t: Texture, coordinates: list[Any]) -> Any:
    return sampling.fetch(t, t.sampler, sampling.Place(None, coordinates, ()))[:, : t.channels]


@pytest.mark.parametrize("name", [
    "float32-clamp", "float32-border", "float32-wrap", "float32-mirror", "float16-border", "float16-wrap",
])  # fmt: skip
def test_sums_that_cancel(name: str) -> None:
    """What the two z of a volume add up to loses what lies below the larger one's unit; 8 of these places show it."""
    (texels,), coordinates, expected = recorded(f"volume-{name}")
    mode = name.rpartition("-")[2]
    t = Texture(texels, filter="linear", address=mode, normalized=mode in ("wrap", "mirror"), channels=texels.shape[-1])
    np.testing.assert_array_equal(fetched(t, coordinates), expected)


def test_codes_of_srgb_are_filtered() -> None:
    (texels,), coordinates, expected = recorded("srgb-linear")
    t = Texture(texels, filter="linear", channels=4, read="normalized_float", srgb=True)
    np.testing.assert_array_equal(fetched(t, coordinates), expected)


@pytest.mark.parametrize(("address", "filter"), [("wrap", "linear"), ("border", "nearest")])
def test_odd_coordinates(address: str, filter: str) -> None:
    """Every pair of 19: infinite ones, NaN, those without a fraction, subnormal ones."""
    (texels,), coordinates, expected = recorded(f"odd-{address}")
    t = Texture(texels, filter=filter, address=address, normalized=True, channels=1)
    np.testing.assert_array_equal(fetched(t, coordinates), expected)


@pytest.mark.parametrize("dtype", ["uint32", "int32"])
def test_borders_of_integers_are_the_bits_of_floats(dtype: str) -> None:
    (texels,), coordinates, expected = recorded(f"border-{dtype}")
    t = Texture(texels, address="border", border=(3, 5, 7, 9), channels=texels.shape[-1])
    np.testing.assert_array_equal(fetched(t, coordinates), expected)


KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 texture, .param .u64 out, .param .u64 coordinates) {{
    .reg .b64 t, d, c; .reg .b32 n, x<9>, r<4>;
    ld.param.u64 t, [texture]; ld.param.u64 d, [out]; ld.param.u64 c, [coordinates]; mov.u32 n, %ctaid.x;
    mad.wide.u32 d, n, 16, d; mad.wide.u32 c, n, {row}, c;
    {loads}
    {statement};
    st.v4.b32 [d], {{r0, r1, r2, r3}}; ret; }}"""
TO = "v4.f32.f32 {r0, r1, r2, r3}, [t"
PLANE = f"tex.level.2d.{TO}, {{x0, x1}}], x2"
GRADIENT = f"tex.grad.2d.{TO}, {{x0, x1}}], {{x2, x3}}, {{x4, x5}}"
STATEMENTS = {
    "level-1d": f"tex.level.1d.{TO}, {{x0}}], x1",
    "level-3d": f"tex.level.3d.{TO}, {{x0, x1, x2, x2}}], x3",
    "level-cube": f"tex.level.cube.{TO}, {{x0, x1, x2, x2}}], x3",
    "cube-seamless-float32": f"tex.cube.{TO}, {{x0, x1, x2, x2}}]",
    "cube-seamless-uint8": f"tex.cube.{TO}, {{x0, x1, x2, x2}}]",
    "level-odd-extents": PLANE,
    "level-integers": "tex.level.2d.v4.f32.s32 {r0, r1, r2, r3}, [t, {x0, x1}], x2",
    "level-bias": f"tex.2d.{TO}, {{x0, x1}}]",
    "level-least": f"tex.2d.{TO}, {{x0, x1}}]",
    "level-none": f"tex.2d.{TO}, {{x0, x1}}]",
    "level-base": f"tex.base.2d.{TO}, {{x0, x1}}]",
    "grad-1d": f"tex.grad.1d.{TO}, {{x0}}], {{x1}}, {{x2}}",
    "grad-2d": GRADIENT,
    "grad-nearest": GRADIENT,
    "grad-random": GRADIENT,
    "grad-3d": f"tex.grad.3d.{TO}, {{x0, x1, x2, x2}}], {{x3, x4, x5, x5}}, {{x6, x7, x8, x8}}",
}
"""What was recorded with a linear filter in a level and between levels, but for what OPTIONS say."""
FILTERED = {"filter": "linear", "level_filter": "linear", "normalized": True}
OPTIONS: dict[str, dict[str, Any]] = {
    "level-integers": {"filter": "nearest", "level_filter": "nearest", "normalized": False},
    "level-bias": {"level_bias": 1.3},
    "level-least": {"level_clamp": (1.6, 5)},
    "grad-nearest": {"level_filter": "nearest"},
    "level-cube": {"cube": True},
    "cube-seamless-float32": {"cube": True, "seamless": True},
    "cube-seamless-uint8": {"cube": True, "seamless": True, "read": "normalized_float"},
}


def check(name: str, statement: str, recording: tuple[list[Any], list[Any], Any], **options: Any) -> None:
    """The statement gives what was recorded."""
    texels, coordinates, expected = recording
    flat = [one.reshape(-1) if name == "grad-1d" or name == "level-1d" else one[..., 0] for one in texels]
    given = np.ascontiguousarray(np.stack(coordinates, axis=1))
    found = np.zeros((len(given), 4), np.uint32)
    loads = " ".join(f"ld.b32 x{i}, [c+{4 * i}];" for i in range(len(coordinates)))
    kernel = openptx.load(KERNEL.format(row=4 * len(coordinates), loads=loads, statement=statement))["k"]
    kernel(len(given), 1, (Texture(flat[0], levels=flat[1:], **options), found, given))
    np.testing.assert_array_equal(found[:, :1], expected)


@pytest.mark.parametrize("name", [*STATEMENTS])
def test_levels(name: str) -> None:
    check(name, STATEMENTS[name], recorded(name), **(FILTERED | OPTIONS.get(name, {})))


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
@pytest.mark.parametrize("between", ["nearest", "linear"])
@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_filters_of_levels(dtype: str, between: str, filter: str) -> None:
    options = FILTERED | {"filter": filter, "level_filter": between}
    if dtype == "uint8":
        options["read"] = "normalized_float"
    check("", PLANE, recorded(f"level-{dtype}-{between}-{filter}"), **options)


def of_numbered_levels(name: str) -> tuple[list[Any], list[Any], Any]:
    """Levels of 32 x 32 texels and less, all texels of one are the same."""
    with np.load(RECORDED.parent / "textures.npz") as file:
        texels = [np.full((32 >> i, 32 >> i, 1), file[f"{name}_texels{i}"][0], np.float32) for i in range(6)]
        return texels, list(file[f"{name}_coordinates"].view(np.float32)), file[f"{name}_results"]


@pytest.mark.parametrize(("name", "options"), [
    ("level-linear", {}), ("level-nearest", {"level_filter": "nearest"}), ("level-odd", {}),
    ("level-clamps", {"level_bias": 0.3, "level_clamp": (1.25, 3.7)}),
    ("grad-one-axis", {}), ("grad-two-axes", {}), ("grad-an1", {}),
])  # fmt: skip
def test_which_level(name: str, options: dict[str, Any]) -> None:
    """Bias, clamps, levels that are no numbers; levels of gradients."""
    statement = GRADIENT if name.startswith("grad") else PLANE
    check("", statement, of_numbered_levels(name), **(FILTERED | options))
