"""Cases of textures.cu. Address modes are those of `numpy.pad`; weights and sums are fractions, cut as on an H100."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor, frexp
from typing import Any

import numpy as np
from numpy.random import Generator

from kernels.case import Out, Surface, Texture, case

PADDING = {"clamp": "edge", "border": "constant", "wrap": "wrap", "mirror": "symmetric"}
FAR = 64  # texels around the array
KEPT = {"float32": (28, 24), "float16": (15, 11)}  # bits of a texel that count beside the largest, and of the result


def sampled(a: np.ndarray, at: np.ndarray, options: Mapping[str, Any]) -> np.ndarray:
    """What a fetch of `a` (axes z, y, x) gives at each row of `at` (x, y, z)."""
    modes = options.get("address", "clamp")
    around = a
    for axis in range(a.ndim):
        mode = modes if isinstance(modes, str) else modes[a.ndim - 1 - axis]
        widths = [(FAR, FAR) if i == axis else (0, 0) for i in range(a.ndim)]
        around = np.pad(around, widths, mode=PADDING[mode])
    return np.array([one(a.shape, around, row, options) for row in at[:, : a.ndim]], np.float32)


def one(shape: tuple[int, ...], around: np.ndarray, row: np.ndarray, options: Mapping[str, Any]) -> float:
    """One fetch, as recorded on an H100 where the guide leaves it open."""
    place = [Fraction(float(x)) for x in row]
    if options.get("normalized"):
        place = [Fraction(floor(x * 2**21), 2**21) * n for x, n in zip(place, shape[::-1], strict=True)]
    if options.get("filter", "nearest") == "nearest":
        return float(texel(shape, around, [floor(x) for x in place]))
    low = [floor(x - Fraction(1, 2)) for x in place]
    parts = [round_half_up((x - Fraction(1, 2) - i) * 256) for x, i in zip(place, low, strict=True)]
    terms = [
        (Fraction(float(texel(shape, around, [i + up for i, up in zip(low, corner, strict=True)]))), weight)
        for corner, weight in weights(parts).items()
        if weight
    ]
    if around.dtype == np.uint8:
        return float(Fraction(round_half_up(sum(v * w for v, w in terms) * 65535 / (256 * 255)), 65535))
    return averaged(terms, *KEPT[around.dtype.name])


def weights(parts: list[int]) -> dict[tuple[int, ...], int]:
    """Of the corners, in 256ths: products are rounded half up, and what shares with them gets what is left."""
    if len(parts) == 2:
        x, y = parts
        both = round_half_up(Fraction(x * y, 256))
        return {(0, 0): 256 - x - y + both, (1, 0): x - both, (0, 1): y - both, (1, 1): both}
    x, y, z = parts
    found: dict[tuple[int, ...], int] = {}
    for k, row in ((0, 256 - z), (1, z)):
        right = round_half_up(Fraction(row * x, 256))
        lower = round_half_up(Fraction((row - right) * (256 - y), 256))
        upper = round_half_up(Fraction(right * y, 256))
        if x == 256:
            upper = right - round_half_up(Fraction(right * (256 - y), 256))
        found |= {(0, 0, k): lower, (0, 1, k): row - right - lower, (1, 0, k): right - upper, (1, 1, k): upper}
    return found


def averaged(terms: list[tuple[Fraction, int]], kept: int, precision: int) -> float:
    """Texels are cut below the largest, and their sum is rounded, a tie away from zero."""
    unit = Fraction(2) ** (exponent(max(abs(v) for v, _ in terms)) - kept)
    total = sum(int(v / unit) * w for v, w in terms) * unit / 256
    step = Fraction(2) ** (exponent(abs(total)) - precision)
    return float(round_half_up(abs(total) / step) * step) * (-1 if total < 0 else 1)


def exponent(v: Fraction) -> int:
    return frexp(float(v))[1]


def round_half_up(x: Fraction) -> int:
    return floor(x + Fraction(1, 2))


def texel(shape: tuple[int, ...], around: np.ndarray, index: list[int]) -> np.generic:
    """Of the padded array, which clamped and border textures do not leave."""
    held = [min(max(i, -FAR), n + FAR - 1) + FAR for i, n in zip(reversed(index), shape, strict=True)]
    return around[tuple(held)]


def places(r: Generator, shape: tuple[int, ...], normalized: bool, n: int) -> np.ndarray:
    """Coordinates from well before to well beyond the array, some exactly on borders and centres of texels."""
    at = r.uniform(-1.2, 2.2, (n, len(shape)))
    at[: n // 4] = np.round(at[: n // 4] * 16) / 16
    return (at if normalized else at * shape[::-1]).astype(np.float32)


@case("textures.cu", "fetch_row", grid=2, block=40, builds=("sm_80", "sm_75 -G"), host=False)
def fetch_row(r: Generator):
    """Outside of whole coordinates there are zeros, whatever the address mode."""
    a = r.normal(size=70).astype(np.float32)
    return Texture(a), Out(np.pad(a, (3, 4)) + np.float32(2) * np.pad(a, (0, 7))[::-1]), np.int32(77)


PLANES = {
    "nearest": {},
    "nearest_border": {"address": "border"},
    "nearest_wrap": {"address": ["wrap", "mirror"], "normalized": True},
    "linear": {"filter": "linear"},
    "linear_border": {"filter": "linear", "address": "border"},
    "linear_wrap": {"filter": "linear", "address": "wrap", "normalized": True},
    "linear_mirror": {"filter": "linear", "address": ["mirror", "clamp"], "normalized": True},
}


def plane(name: str, options: Mapping[str, Any]) -> None:
    @case("textures.cu", "sample_plane", name=f"sample_plane_{name}", grid=3, block=50, host=False)
    def _(r: Generator):
        a = r.normal(size=(9, 13)).astype(np.float32)
        at = places(r, a.shape, options.get("normalized", False), 150)
        return Texture(a, options), at, Out(sampled(a, at, options)), np.int32(150)


for _name, _options in PLANES.items():
    plane(_name, _options)


@case("textures.cu", "sample_colours", grid=2, block=40, builds=("sm_80", "sm_90a"), host=False)
def sample_colours(r: Generator):
    """Bytes that read as 0 to 1."""
    a = r.integers(0, 256, (6, 5, 4), dtype=np.uint8)
    options = {"filter": "linear", "read": "normalized_float", "channels": 4}
    at = places(r, (6, 5), False, 80)
    colours = [sampled(a[..., i], at, options) for i in range(4)]
    return Texture(a, options), at, Out(np.stack(colours, 1)), np.int32(80)


def volume(name: str, options: Mapping[str, Any]) -> None:
    @case("textures.cu", "sample_volume", name=f"sample_volume_{name}", grid=2, block=48, host=False)
    def _(r: Generator):
        a = r.normal(size=(4, 5, 7)).astype(np.float32)
        at = np.zeros((96, 4), np.float32)
        at[:, :3] = places(r, a.shape, options.get("normalized", False), 96)
        return Texture(a, options), at, Out(sampled(a, at, options)), np.int32(96)


volume("nearest", {})
volume("linear", {"filter": "linear", "address": "mirror", "normalized": True})


@case("textures.cu", "sample_layers", grid=2, block=40, host=False)
def sample_layers(r: Generator):
    a = r.normal(size=(5, 6, 8)).astype(np.float16)
    at = places(r, (6, 8), False, 80)
    options = {"filter": "linear", "layered": True}
    expect = [sampled(a[i % 5], at[i : i + 1], options)[0] for i in range(80)]
    return Texture(a, options), at, Out(np.array(expect, np.float32)), np.int32(80)


@case("textures.cu", "sample_levels", block=64, host=False)
def sample_levels(r: Generator):
    a = r.normal(size=(6, 8)).astype(np.float32)
    at = places(r, a.shape, False, 64)
    return (
        Texture(a),
        at,
        Out(np.float32(-3) * sampled(a, at, {})),
        np.int32(64),
    )


@case("textures.cu", "gather_squares", block=64, host=False)
def gather_squares(r: Generator):
    """Counter-clockwise from the lower left, where y points down."""
    a = r.integers(0, 1 << 16, (7, 9, 2), dtype=np.uint16)
    at = r.uniform(0.5, 6.4, (64, 2)).astype(np.float32)
    i, j = np.floor(at[:, 0] - 0.5).astype(int), np.floor(at[:, 1] - 0.5).astype(int)
    up = a[..., 1].astype(np.uint32)
    expect = np.stack([up[j + 1, i], up[j + 1, i + 1], up[j, i + 1], up[j, i]], 1)
    return Texture(a, {"channels": 2}), at, Out(expect), np.int32(64)


@case("textures.cu", "choose_texture", block=64, host=False)
def choose_texture(r: Generator):
    a, b = r.integers(-128, 128, 64, dtype=np.int8), r.integers(-9999, 9999, 64, dtype=np.int32)
    i = np.arange(64)
    return Texture(a), Texture(b), Out(np.where(i % 3 > 0, a, b).astype(np.int32)), np.int32(64)


@case("textures.cu", "transpose_surface", grid=(2, 3), block=(8, 4), builds=("sm_80", "sm_75 -G"), host=False)
def transpose_surface(r: Generator):
    a = r.integers(-30000, 30000, (10, 13, 2), dtype=np.int16)
    two = {"channels": 2}
    return Surface(a, two), Surface(Out(a.swapaxes(0, 1)[..., ::-1].copy()), two), np.int32(13), np.int32(10)


@case("textures.cu", "swap_channels", grid=5, block=8, host=False)
def swap_channels(r: Generator):
    a = r.integers(0, 256, (5, 7, 4), dtype=np.uint8)
    return Surface(Out(a[..., [2, 1, 0, 3]].copy(), init=a), {"channels": 4}), np.int32(7)


@case("textures.cu", "edges", grid=6, block=7, host=False)
def edges(r: Generator):
    a = r.normal(size=(4, 5)).astype(np.float32)
    return Surface(a), Out(np.pad(a, 1, mode="edge").ravel()), Out(np.pad(a, 1).ravel()), np.int32(5)


@case("textures.cu", "fill_outside", block=20, host=False)
def fill_outside(_: Generator):
    return (Surface(Out(np.arange(104, 114, dtype=np.int32))),)


@case("textures.cu", "scale_volume", grid=(4, 3), block=8, host=False)
def scale_volume(r: Generator):
    a = r.normal(size=(3, 4, 6)).astype(np.float32)
    return Texture(a), Surface(Out(np.float32(3) * a)), np.int32(6)


OUTSIDE = {"names": ["out-of-bounds"], "thread": [5, 0, 0], "says": ["surface of 5 x 4 elements of 4 bytes"]}


@case("textures.cu", "beyond_surface", block=8, host=False, fault=OUTSIDE, checked="by reading")
def beyond_surface(_: Generator):
    return (Surface(np.zeros((4, 5), np.float32)),)
