"""Textures: arrays that kernels fetch from through `tex`.

Nothing is copied: the next fetch sees any changes to the array by a kernel or the host.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from openptx.array_types import Array
from openptx.device.textures.sampler import ALL_LEVELS, Sampler
from openptx.device.textures.texel_array import TexelArray
from openptx.errors import ArgumentError, is_choice, require_flags

FACES = 6
"""Of a cube."""


class Texture(TexelArray):
    """An array that kernels fetch from by coordinates.

        openptx.Texture(image, filter="linear", address="wrap", normalized=True)

    The array's last axis is x, the one before y, then z. Elements are integers of 8 to 32 bits, or floats of 16 or 32;
    with `channels` 1, 2 or 4 the last axis is an element's components; a structured dtype of 1, 2 or 4 equal fields is
    an element with that many components. With `layered` the first axis is the layer.

    filter      "nearest", or "linear" if elements are read as floats
    address     the mode outside of the array: "clamp", "border", "wrap" or "mirror", for all dimensions or a sequence
                of them. As in CUDA, wrap and mirror require normalized coordinates and act as clamp without
    normalized  coordinates range from 0 to 1 instead of to the extent; those of a cube always do
    cube        the first axis is the square face: +x, -x, +y, -y, +z, -z; with `layered` six faces for each cube
    seamless    filter a cube across the edges of its faces
    multisample the last axis before the components is the sample, and the two before it are y and x
    compare     the comparison of a depth with a texel, for instructions that compare: "less_equal", or as for a Sampler
    read        "element", or "normalized_float": integers of 8 and 16 bits are read as 0 to 1, or -1 to 1
    border      the color outside in address mode "border": one float for each component, missing ones are 0. For
                integers read as floats it is rounded to the nearest; 32-bit integers get the float's bits (H200)
    srgb        uint8 components except the fourth are sRGB codes; requires read="normalized_float"
    levels      the arrays of mipmap levels 1, 2 and so on, each with half the extents of the previous one, rounded
                down, at least 1. Floating-point coordinates are normalized
    level_filter "nearest", or "linear": interpolate between two levels
    level_bias  a number added to the level that an instruction names or its gradients select
    level_clamp the smallest and the largest level, also fractional

    Pass it to a kernel as an argument (`cudaTextureObject_t`), by `module.bind(name, texture)`, or as the integer
    `texture.handle`, valid as long as the object lives. Raises ArgumentError for a texture that CUDA does not have.
    """

    kind = "texref"

    def __init__(
        self, array: object, *, filter: str = "nearest", address: str | Sequence[str] = "clamp",
        normalized: bool = False, read: str = "element", channels: int | None = None, layered: bool = False,
        cube: bool = False, seamless: bool = False, multisample: bool = False, compare: str = "less_equal",
        border: Sequence[float] = (), srgb: bool = False, levels: Sequence[object] = (), level_filter: str = "nearest",
        level_bias: float = 0.0, level_clamp: tuple[float, float] = ALL_LEVELS,
    ) -> None:  # fmt: skip
        require_flags(normalized=normalized, cube=cube, seamless=seamless, multisample=multisample, srgb=srgb)
        self.cube, self.seamless, self.multisample = bool(cube), bool(seamless), bool(multisample)
        if seamless and not cube:
            raise ArgumentError("only a cube is seamless")
        super().__init__(array, channels, layered)
        self.sampler = Sampler(
            filter, address, compare=compare, level_filter=level_filter, level_bias=level_bias, level_clamp=level_clamp
        )
        self.normalized = normalized
        if not is_choice(read, ("element", "normalized_float")):
            raise ArgumentError(f"a texture reads `element` or `normalized_float`, not {read!r}")
        if read == "normalized_float" and (self.floating or self.texels.itemsize > 2):
            raise ArgumentError(f"integers of 8 and 16 bits read as normalized floats, not {self.texels.dtype}")
        self.read = read
        if "linear" in (filter, level_filter) and not self.real:
            raise ArgumentError('linear filtering needs floats: add read="normalized_float", or pass a float array')
        self.border = self.outside(border)
        if srgb and (self.floating or not self.real or self.texels.dtype != np.uint8):
            raise ArgumentError('sRGB is for uint8 with read="normalized_float"')
        self.srgb = srgb
        if not hasattr(levels, "__len__"):
            raise ArgumentError(f"the levels are a list of arrays, not {type(levels).__name__}")
        self.smaller = tuple(
            Texture(
                one, filter=filter, address=address, normalized=normalized, read=read, channels=channels,
                layered=layered, cube=cube, seamless=seamless, multisample=multisample, border=border,
                srgb=srgb,
            )
            for one in levels
        )  # fmt: skip
        for number, one in enumerate(self.smaller, 1):
            self.require_level(number, one)

    def require_level(self, number: int, one: Texture) -> None:
        """Raises ArgumentError if the texture cannot be this level of this one."""
        shape = tuple(max(extent >> number, 1) for extent in self.shape)
        if self.multisample or number >= max(self.shape).bit_length():
            raise ArgumentError(f"{self.described} has no level {number}")
        if (one.shape, one.layers) != (shape, self.layers):
            expected = " x ".join(map(str, shape))
            raise ArgumentError(f"level {number} of {self.described} has {expected} texels, and is {one.described}")
        if (one.texels.dtype, one.channels) != (self.texels.dtype, self.channels):
            raise ArgumentError(f"level {number} is of {one.channels} {one.texels.dtype}, not as level 0")

    def as_line(self) -> Texture | None:
        line = super().as_line()
        if line is not None:
            line.smaller = tuple(found for one in self.smaller if (found := one.as_line()) is not None)
        return line

    def level(self, number: int) -> Texture:
        """One of `level_count` levels."""
        return self.smaller[number - 1] if number else self

    @property
    def level_count(self) -> int:
        """How many levels there are, at least 1."""
        return 1 + len(self.smaller)

    def outside(self, border: Sequence[float]) -> Array:
        """The border's components as texels are stored. ArgumentError if these texels cannot represent them."""
        try:
            border = [float(component) for component in border]
            color = np.array([*border, 0, 0, 0, 0], np.float64)[: self.channels]
        except (TypeError, ValueError):
            raise ArgumentError(f"a border is a number for each component, not {border!r}") from None
        if len(border) > 4:
            raise ArgumentError(f"a border has at most four components, not {len(border)}")
        if self.floating or not color.any():
            return color.astype(self.texels.dtype)
        if not self.real and self.texels.itemsize == 4:
            return color.astype(np.float32).view(self.texels.dtype)
        if not self.real:
            raise ArgumentError("texels of 8 and 16 bits that read as integers have a border of zeros")
        limits = np.iinfo(self.texels.dtype)
        color = np.clip(np.nan_to_num(color, nan=0.0), -1.0 if limits.min else 0.0, 1.0)
        return np.floor(color * limits.max + 0.5).astype(self.texels.dtype)

    @property
    def real(self) -> bool:
        return self.floating or self.read == "normalized_float"

    @property
    def geometry(self) -> str:
        if self.cube:
            return "acube" if self.cubes is not None else "cube"
        return super().geometry + ("ms" if self.multisample else "")

    @property
    def cubes(self) -> int | None:
        """The number of cubes of a cube array; None for a single one."""
        return self._cubes

    def arrange(self, axes: list[int], layered: bool) -> None:
        if self.cube and self.multisample:
            raise ArgumentError("a texture is a cube or has several samples, not both")
        if self.multisample:
            if len(axes) != 3 + layered:
                first = "the layer, " if layered else ""
                raise ArgumentError(f"a texture of several samples has the axes {first}y, x, sample, not {tuple(axes)}")
            self.samples = axes.pop()
        elif self.cube and (
            len(axes) != 3 or axes[1] != axes[2] or axes[0] % FACES or not (layered or axes[0] == FACES)
        ):
            faces = "a multiple of 6" if layered else "6"
            raise ArgumentError(f"a cube has {faces} faces that are squares, not the shape {tuple(axes)}")
        self._cubes = axes[0] // FACES if self.cube and layered else None
        super().arrange(axes, layered or self.cube)
