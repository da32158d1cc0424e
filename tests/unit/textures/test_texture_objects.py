"""Texture, Surface and Sampler objects: accepted arrays, refused ones, and the messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import openptx
from openptx import ArgumentError, Sampler, Surface, Texture

PAIR = np.dtype([("x", np.float32), ("y", np.float32)])


@pytest.mark.parametrize(
    ("image", "shape", "channels", "geometry"),
    [
        (Texture(np.zeros(7, np.int8)), (7,), 1, "1d"),
        (Texture(np.zeros((3, 7), np.int8)), (7, 3), 1, "2d"),
        (Texture(np.zeros((2, 3, 7), np.int8)), (7, 3, 2), 1, "3d"),
        (Texture(np.zeros((3, 7, 4), np.int8), channels=4), (7, 3), 4, "2d"),
        (Texture(np.zeros((3, 7, 4), np.int8), layered=True), (4, 7), 1, "a2d"),
        (Texture(np.zeros((3, 7), PAIR)), (7, 3), 2, "2d"),
        (Surface(np.zeros((3, 7, 2), np.int8), channels=2), (7, 3), 2, "2d"),
        (Surface(np.zeros((3, 7), PAIR), layered=True), (7,), 2, "a1d"),
    ],
)
def test_axes(image: Texture | Surface, shape: tuple[int, ...], channels: int, geometry: str) -> None:
    assert (image.shape, image.channels, image.geometry) == (shape, channels, geometry)


@pytest.mark.parametrize("array", [np.zeros((4, 6), PAIR), np.zeros((4, 12), np.int16)])
def test_nothing_is_copied(array: np.ndarray) -> None:
    assert np.shares_memory(Texture(array).texels, array)
    assert np.shares_memory(Texture(array[:, ::2]).texels, array)
    assert np.shares_memory(Surface(array).bytes, array)


@pytest.mark.parametrize(
    ("array", "options", "says"),
    [
        ([1, 2], {}, "made of an array, not of list"),
        (np.zeros(3), {}, "float32.*, not float64"),
        (np.zeros(3, ">f4"), {}, "elements of"),
        (np.zeros(3, bool), {}, "elements of"),
        (np.zeros((), np.float32), {}, "one to three axes"),
        (np.zeros((2, 2, 2, 2), np.float32), {}, "one to three axes"),
        (np.zeros(2, np.float32), {"layered": True}, "two or three axes"),
        (np.zeros((0, 2), np.float32), {}, r"not the shape \(0, 2\)"),
        (np.zeros((2, 3), np.float32), {"channels": 3}, "1, 2 or 4 channels, not 3"),
        (np.zeros((2, 3), np.float32), {"channels": 4}, "last axis holds the 4 channels"),
        (np.zeros(2, [("x", "f4"), ("y", "i4")]), {}, "like components"),
        (np.zeros(2, PAIR), {"channels": 4}, "2 fields, not 4"),
    ],
)
@pytest.mark.parametrize("kind", [Texture, Surface])
def test_refused_arrays(kind: type, array: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        kind(array, **options)


@pytest.mark.parametrize(
    ("dtype", "options", "says"),
    [
        ("f4", {"filter": "cubic"}, "`nearest` or `linear`, not 'cubic'"),
        ("f4", {"address": "repeat"}, "not 'repeat'"),
        ("f4", {"address": ["wrap", "none"]}, "not 'none'"),
        ("f4", {"read": "float"}, "not 'float'"),
        ("f4", {"read": "normalized_float"}, "8 and 16 bits"),
        ("i4", {"read": "normalized_float"}, "8 and 16 bits"),
        ("i2", {"filter": "linear"}, "linear filtering needs floats"),
    ],
)
def test_refused_options(dtype: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        Texture(np.zeros(4, dtype), **options)


def test_a_surface_is_contiguous() -> None:
    with pytest.raises(ArgumentError, match="contiguous"):
        Surface(np.zeros((4, 4), np.float32)[:, ::2])


def test_handles_are_different_and_stay() -> None:
    t, s = Texture(np.zeros(2, np.int8)), Surface(np.zeros(2, np.int8))
    assert len({t.handle, s.handle, Sampler().handle}) == 3
    assert int(t) == t.handle


def test_they_say_what_they_are() -> None:
    assert repr(Texture(np.zeros((3, 4), np.int8), channels=4)) == "<texture 1d of 4 int8>"
    assert repr(Surface(np.zeros((3, 4), np.int8))) == "<surface 2d of 1 int8>"
    assert repr(Sampler("linear", ["wrap", "border"])) == "<sampler linear, wrap/border/clamp>"


@pytest.mark.parametrize("parameter", [".param .f32 p", ".param .u32 p", ".param .b8 p[8]"])
def test_parameters_that_hold_none(parameter: str) -> None:
    m = openptx.load(f".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k({parameter}) {{ ret; }}")
    with pytest.raises(ArgumentError):
        m["k"](1, 1, (Texture(np.zeros(2, np.int8)),))
