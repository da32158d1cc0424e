"""Textures, samplers and surfaces: arrays that kernels access through `tex` and `suld`, and their handles.

Nothing is copied: the next fetch sees any changes to the array by a kernel or the host.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from openptx.device.arrays import described
from openptx.errors import ArgumentError, Unsupported, is_choice, require_flags
from openptx.isa.sampler_state import MEMBERS

Array = NDArray[Any]
Bytes = NDArray[np.uint8]

FORMATS = ("uint8", "uint16", "uint32", "int8", "int16", "int32", "float16", "float32")
"""Types of components, as in CUDA."""

WIDE = ("uint64", "int64")
"""Types of surfaces only, which `sured` instructions use."""

FILTERS = ("nearest", "linear")
ADDRESSES = {"wrap": 0, "mirror": 1, "clamp": 3, "border": 4}
"""In PTX's numbering (9.7.10.5). 2 is `clamp_ogl`, which is not documented."""

COMPARISONS = ("never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always")
"""How a depth is compared with a texel."""

FACES = 6
"""Of a cube."""

ALL_LEVELS = (0.0, 1000.0)
"""The smallest and the largest level without clamping by a sampler."""

HANDLES = 1 << 56
"""The first handle, above all memory addresses."""

_numbers = itertools.count(HANDLES)
_known: weakref.WeakValueDictionary[int, Opaque] = weakref.WeakValueDictionary()


class Opaque:
    """An object with a handle: 64 bits that stay the same for its life."""

    kind = ""  # the PTX type of a variable that holds it

    def __init__(self) -> None:
        self.handle = next(_numbers)
        _known[self.handle] = self

    def __int__(self) -> int:
        return self.handle

    __index__ = __int__


def find(handle: int) -> Opaque | None:
    """The object of a handle, while it lives."""
    return _known.get(handle)


class Sampler(Opaque):
    """How coordinates select texels: the content of a `.samplerref` in independent mode, and a part of every texture.

    `filter` is "nearest" or "linear". `address` is "clamp", "border", "wrap" or "mirror", for all dimensions or as a
    sequence for each. `force_unnormalized` overrides `normalized` of the texture. `compare` is the comparison of a
    depth with a texel: "less_equal", OpenGL's default, or "never", "less", "equal", "greater", "not_equal",
    "greater_equal", "always". `level_filter`, `level_bias` and `level_clamp` choose among a texture's levels, as for a
    Texture. Raises ArgumentError for another filter, mode or comparison.
    """

    kind = "samplerref"

    def __init__(
        self,
        filter: str = "nearest",
        address: str | Sequence[str] = "clamp",
        *,
        force_unnormalized: bool = False,
        compare: str = "less_equal",
        level_filter: str = "nearest",
        level_bias: float = 0.0,
        level_clamp: tuple[float, float] = ALL_LEVELS,
    ) -> None:
        super().__init__()
        require_flags(force_unnormalized=force_unnormalized)
        modes = modes_of(address)
        for name in filter, level_filter:
            if not is_choice(name, FILTERS):
                raise ArgumentError(f"the filter is `nearest` or `linear`, not {name!r}")
        if not is_choice(compare, COMPARISONS):
            raise ArgumentError(f"depths are compared by {', '.join(COMPARISONS)}, not {compare!r}")
        self.filter, self.address, self.force_unnormalized = filter, modes, force_unnormalized
        check_levels(level_bias, level_clamp)
        self.compare = compare
        self.level_filter, self.level_bias, self.level_clamp = level_filter, level_bias, level_clamp

    @classmethod
    def of(cls, data: bytes) -> Sampler:
        """The sampler that an initialiser describes (`isa.sampler_state`)."""
        filter, *address, force = data[: len(MEMBERS)]
        names = {number: name for name, number in ADDRESSES.items()}
        if not names.keys() >= {*address}:
            raise Unsupported("a `.samplerref` whose address mode is `clamp_ogl`")
        modes = [names[number] for number in address]
        return cls(FILTERS[filter != 0], modes, force_unnormalized=force != 0)

    def __repr__(self) -> str:
        return f"<sampler {self.filter}, {'/'.join(dict.fromkeys(self.address))}>"


def modes_of(address: Any) -> tuple[str, ...]:
    """The address mode of each dimension. Raises ArgumentError for another mode."""
    each = cast("Sequence[str]", address) if isinstance(address, list | tuple) else (address,) * 3
    modes = (*each, "clamp", "clamp")[:3]
    for mode in modes:
        if not is_choice(mode, ADDRESSES):
            raise ArgumentError(f"the address mode is `clamp`, `wrap`, `mirror` or `border`, not {mode!r}")
    return modes


def check_levels(bias: float, clamp: tuple[float, float]) -> None:
    """Raises ArgumentError unless the bias is a number and the clamp the lowest and the highest level."""
    try:
        (low, high), numbers = clamp, (float(bias), *map(float, clamp))
    except (TypeError, ValueError):
        low, high, numbers = 0.0, 0.0, (np.nan,)
    if np.isnan(numbers).any():
        raise ArgumentError(f"a bias of levels is a number, their clamp two, not {bias!r} and {clamp!r}")
    if low > high:
        raise ArgumentError(f"the clamp of levels is the lowest and the highest, not {clamp!r}")


class Image(Opaque):
    """An array as texels. `texels` has the axes (layer,) (z,) (y,) x, (sample,) component.

    `shape` is the extent in x, y, z, as far as these axes exist; `layers` is None if it is not layered. The layers of a
    cube are its faces. `samples` is 0 where a texel has no samples.
    """

    formats = FORMATS
    cube = False
    seamless = False
    samples = 0
    srgb = False

    def __init__(self, array: object, channels: int | None, layered: bool) -> None:
        super().__init__()
        require_flags(layered=layered)
        self.array = checked(array)
        self.texels = components(self.array, channels)
        if self.texels.dtype.name not in self.formats or not self.texels.dtype.isnative:
            raise ArgumentError(f"elements of {self.name} are {', '.join(self.formats)}, not {self.texels.dtype}")
        *outer, self.channels = self.texels.shape
        if self.texels.size == 0:
            raise ArgumentError(f"{self.name} has texels, not the shape {self.array.shape}")
        self.arrange(outer, bool(layered))

    def arrange(self, axes: list[int], layered: bool) -> None:
        """Interprets the axes before the components; raises ArgumentError if there are too many or too few."""
        if not 1 + layered <= len(axes) <= 3:
            most = "two or three axes (the first is the layer)" if layered else "one to three axes"
            raise ArgumentError(f"{self.name} has {most} of texels, not the shape {tuple(axes)}")
        self.layers = axes.pop(0) if layered else None
        self.shape = tuple(reversed(axes))

    @property
    def name(self) -> str:
        """The name of this kind of image in messages."""
        return f"a {type(self).__name__.lower()}"

    @property
    def geometry(self) -> str:
        """The geometry as instructions name it."""
        return f"{'a' if self.layers is not None else ''}{len(self.shape)}d"

    @property
    def described(self) -> str:
        """Its kind and size, for messages."""
        shape = " x ".join(map(str, (*self.shape, *([] if self.layers is None else [self.layers]))))
        return f"{self.name} of {shape} elements of {self.channels * self.texels.itemsize} bytes"

    @property
    def floating(self) -> bool:
        return self.texels.dtype.kind == "f"

    @property
    def real(self) -> bool:
        """Whether components read as floats."""
        return self.floating

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.geometry} of {self.channels} {self.texels.dtype}>"


class Texture(Image):
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
        self,
        array: object,
        *,
        filter: str = "nearest",
        address: str | Sequence[str] = "clamp",
        normalized: bool = False,
        read: str = "element",
        channels: int | None = None,
        layered: bool = False,
        cube: bool = False,
        seamless: bool = False,
        multisample: bool = False,
        compare: str = "less_equal",
        border: Sequence[float] = (),
        srgb: bool = False,
        levels: Sequence[object] = (),
        level_filter: str = "nearest",
        level_bias: float = 0.0,
        level_clamp: tuple[float, float] = ALL_LEVELS,
    ) -> None:
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


class Surface(Image):
    """An array that kernels read and write by coordinates, in place.

        openptx.Surface(image)

    Axes, elements, `channels` and `layered` are as for a Texture; the array must be contiguous. Pass it to a kernel
    like a texture: as an argument (`cudaSurfaceObject_t`), by `module.bind(name, surface)`, or as `surface.handle`.
    Raises ArgumentError for any other array.
    """

    kind = "surfref"
    formats = (*FORMATS, *WIDE)

    def __init__(self, array: object, *, channels: int | None = None, layered: bool = False) -> None:
        super().__init__(array, channels, layered)
        if not self.array.flags.c_contiguous:
            raise ArgumentError("a surface is written in place and needs a contiguous array")
        self.bytes: Bytes = self.texels.reshape(-1).view(np.uint8)

    @property
    def element(self) -> int:
        """The bytes of an element."""
        return self.channels * self.texels.itemsize


def checked(array: Any) -> Array:
    """The argument as an array; raises ArgumentError if it is not one."""
    if not hasattr(array, "__array_interface__"):
        raise ArgumentError(f"a texture or surface is made of an array, not of {type(array).__name__}")
    return described("a texture or surface", array)


def components(array: Array, channels: int | None) -> Array:
    """The array with an axis of components at its end."""
    if channels is not None and (not hasattr(channels, "__index__") or np.ndim(channels)):
        raise ArgumentError(f"`channels` is 1, 2 or 4, not {channels!r}")
    fields = array.dtype.fields
    if fields:
        parts = [dtype for dtype, *_ in fields.values()]
        if len({*parts}) != 1 or parts[0].itemsize * len(parts) != array.dtype.itemsize:
            raise ArgumentError(f"an element has like components side by side, not {array.dtype}")
        if channels not in (None, len(parts)):
            raise ArgumentError(f"the elements have {len(parts)} fields, not {channels}")
        first: Array = array[next(iter(fields))]
        apart = as_strided(first, (*array.shape, len(parts)), (*array.strides, first.itemsize))
    elif channels is None:
        apart = array[..., np.newaxis]
    elif array.ndim and array.shape[-1] == channels:
        apart = array
    else:
        raise ArgumentError(f"the last axis holds the {channels} channels, and has another length: {array.shape}")
    if apart.shape[-1] not in (1, 2, 4):
        raise ArgumentError(f"an element has 1, 2 or 4 channels, not {apart.shape[-1]}")
    return apart
