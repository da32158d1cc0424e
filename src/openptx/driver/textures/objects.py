"""Texture and surface objects, on arrays, pitched and linear memory, implemented by `openptx.Texture` and
`openptx.Surface`."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from openptx.device.textures.surface import Surface
from openptx.device.textures.texture import Texture
from openptx.driver.calls import in_context, invalid, put, read, unsupported
from openptx.driver.devices.contexts import AT_END, Context
from openptx.driver.getters import getter
from openptx.driver.objects import driver
from openptx.driver.textures.arrays import Array, known_format
from openptx.driver.textures.mipmaps import Mipmapped
from openptx.driver.textures.texels import VIEW, Texels, viewed
from openptx.errors import ArgumentError
from openptx.memory.transfers import span_of

RESOURCE, TEXTURE = 144, 104
"""Bytes of CUDA_RESOURCE_DESC and CUDA_TEXTURE_DESC."""
ARRAY, MIPMAPPED, LINEAR, PITCHED = range(4)
"""CUresourcetype."""
ON_ARRAY, ON_MEMORY = struct.Struct("<i4xQ"), struct.Struct("<i4xQIIQQQ")
ADDRESSES = ("wrap", "clamp", "mirror", "border")
FILTERS = ("nearest", "linear")
AS_INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS = 1, 2, 0x10, 0x20, 0x40
"""CU_TRSF_*. The one before the last is about speed."""
SETTINGS = struct.Struct("<4iIIifff4f48x")
BASE_ALIGNMENT, PITCH_ALIGNMENT = 256, 32
"""Bytes. Allocations are aligned to the first; the second is an attribute of the device."""


class Settings(NamedTuple):
    """CUDA_TEXTURE_DESC."""

    addresses: tuple[str, ...]
    filter: str
    as_integer: bool
    normalized: bool
    srgb: bool
    seamless: bool
    border: tuple[float, ...]
    level_filter: str
    level_bias: float
    level_clamp: tuple[float, float]


class Known(NamedTuple):
    """An object with its descriptions, as passed by the program."""

    image: Texture | Surface
    context: Context
    resource: bytes
    settings: bytes = b""
    view: bytes = bytes(VIEW.size)


OBJECTS: dict[int, Known] = {}
"""By handle, which is also the one that kernels get."""


def end_all(context: Context) -> None:
    for handle, known in [*OBJECTS.items()]:
        if known.context is context:
            del OBJECTS[handle]


AT_END.append(end_all)


def settings_of(data: bytes) -> Settings:
    """Fails for unknown modes and flags, and for anisotropic filtering."""
    x, y, z, filter, flags, anisotropy, between, bias, least, most, *border = SETTINGS.unpack(data)
    modes: tuple[int, int, int] = (x, y, z)
    if not {*modes} <= {*range(len(ADDRESSES))} or not {filter, between} <= {0, 1}:
        filters = f"filters {filter} and {between}"
        raise invalid(f"address modes {modes} and {filters} of a texture")
    if flags & ~(AS_INTEGER | NORMALIZED | SRGB | NO_TRILINEAR | SEAMLESS):
        raise unsupported(f"a texture with flags 0x{flags:x}")
    if anisotropy > 1:
        raise unsupported(f"anisotropic filtering of a texture ({anisotropy})")
    addresses = tuple(ADDRESSES[mode] for mode in modes)
    seen = tuple(border) if "border" in addresses else ()
    as_integer, normalized, srgb, seamless = (flags & flag != 0 for flag in (AS_INTEGER, NORMALIZED, SRGB, SEAMLESS))
    clamp: tuple[float, float] = least, most
    return Settings(
        addresses, FILTERS[filter], as_integer, normalized, srgb, seamless, seen, FILTERS[between], bias, clamp
    )


def texels_of(resource: bytes) -> Texels:
    """The data that a CUDA_RESOURCE_DESC describes. Fails for a resource that does not exist."""
    kind, place = ON_ARRAY.unpack_from(resource)
    if kind in (ARRAY, MIPMAPPED):
        found, *rest = [driver().find(place, Array)] if kind == ARRAY else driver().find(place, Mipmapped).levels
        levels = tuple(level.elements() for level in rest)
        return Texels(found.elements(), found.description.channels, found.format, found.layered, found.cube, levels)
    if kind not in (LINEAR, PITCHED):
        raise invalid(f"resource type {kind} of a texture")
    _, address, number, channels, width, height, pitch = ON_MEMORY.unpack_from(resource)
    format = known_format(number, channels)
    element = np.dtype(format.dtype).itemsize * channels
    if kind == LINEAR:  # the size in bytes is where pitched memory has the width in elements
        width, height, pitch = width // element, 1, width
    elif pitch % PITCH_ALIGNMENT or pitch < width * element:
        raise invalid(f"a texture of {width} elements a row, and rows {pitch} bytes apart")
    array = pitched_rows(address, element, (height, width), pitch).view(format.dtype)
    texels = array.reshape(height, width, channels) if channels > 1 else array
    return Texels(texels[0] if kind == LINEAR else texels, channels, format)


def pitched_rows(address: int, element: int, shape: tuple[int, int], pitch: int) -> NDArray[np.uint8]:
    """Rows of elements in device memory, as bytes; they keep the memory alive."""
    height, width = shape
    extent = pitch * (height - 1) + width * element
    found = span_of(address)
    if not width or not height:
        raise invalid(f"a texture of {height} rows of {width} elements")
    if address % BASE_ALIGNMENT:
        raise invalid(f"a texture at 0x{address:x}, not a multiple of {BASE_ALIGNMENT}")
    if found is None or address + extent > found.base + found.data.size:
        raise invalid(f"a texture of {extent} bytes at 0x{address:x}, outside of device memory")
    data = found.data[address - found.base :][:extent]
    return as_strided(data, (height, width * element), (pitch, 1))


def texture(texels: Texels, settings: Settings) -> Texture:
    """The texture. Raises ArgumentError for combinations that CUDA does not allow. Integers that are read as integers
    are not filtered (modelled)."""
    integers = np.dtype(texels.format.dtype).kind in "iu"
    narrow = integers and np.dtype(texels.format.dtype).itemsize <= 2
    real = narrow and (texels.format.normalized or not settings.as_integer)
    border = settings.border
    if narrow and not real and any(border):
        # An H200 gave zeros for floats whose last bits are zeros. Which bits of others count is not known.
        if any(int(bits) & 0xFFFF for bits in np.array(border, np.float32).view(np.uint32)):
            raise unsupported(f"a texture of integers with the border {border}")
        border = ()
    if settings.srgb and (not real or np.dtype(texels.format.dtype) != np.uint8):
        raise unsupported(f"sRGB in a texture of {texels.format.dtype}")
    return Texture(
        texels.array,
        filter=settings.filter if real or not integers else "nearest",
        address=settings.addresses,
        normalized=settings.normalized,
        read="normalized_float" if real else "element",
        channels=texels.channels if texels.channels > 1 else None,
        layered=texels.layered,
        cube=texels.cube,
        seamless=settings.seamless and texels.cube,
        border=border,
        srgb=settings.srgb,
        levels=texels.levels,
        level_filter=settings.level_filter if real or not integers else "nearest",
        level_bias=settings.level_bias,
        level_clamp=(min(settings.level_clamp), settings.level_clamp[1]),
    )


def keep(context: Context, out: int, image: Texture | Surface, *descriptions: bytes) -> None:
    OBJECTS[image.handle] = Known(image, context, *descriptions)
    put(out, image.handle)


@in_context("cuTexObjectCreate")
def create_texture(context: Context, out: int, resource: int, settings: int, view: int) -> None:
    put(out, 0)
    resource_bytes, settings_bytes = read(resource, RESOURCE), read(settings, TEXTURE)
    texels, view_bytes = texels_of(resource_bytes), bytes(VIEW.size)
    if view:
        if ON_ARRAY.unpack_from(resource_bytes)[0] not in (ARRAY, MIPMAPPED):
            raise invalid("a view of memory that is no array")
        view_bytes = read(view, VIEW.size)
        texels = viewed(texels, view_bytes)
    try:
        made = texture(texels, settings_of(settings_bytes))
    except ArgumentError as error:
        raise invalid(str(error)) from None
    keep(context, out, made, resource_bytes, settings_bytes, view_bytes)


@in_context("cuSurfObjectCreate")
def create_surface(context: Context, out: int, resource: int) -> None:
    """The flag CUDA_ARRAY3D_SURFACE_LDST is for surface references: Slang's runtime makes its arrays without it."""
    put(out, 0)
    resource_bytes = read(resource, RESOURCE)
    if ON_ARRAY.unpack_from(resource_bytes)[0] != ARRAY:
        raise invalid("a surface is of an array")
    found = texels_of(resource_bytes)
    several = found.channels if found.channels > 1 else None
    keep(context, out, Surface(found.array, channels=several, layered=found.layered or found.cube), resource_bytes)


def find_object(handle: int, kind: type[Texture | Surface]) -> Known:
    found = OBJECTS.get(handle)
    if found is None or not isinstance(found.image, kind):
        raise invalid(f"0x{handle:x} is not a {kind.__name__.lower()} object")
    return found


@in_context("cuTexObjectDestroy")
def destroy_texture(context: Context, handle: int) -> None:
    find_object(handle, Texture)
    del OBJECTS[handle]


@in_context("cuSurfObjectDestroy")
def destroy_surface(context: Context, handle: int) -> None:
    find_object(handle, Surface)
    del OBJECTS[handle]


getter("cuTexObjectGetResourceDesc", lambda _, handle: find_object(handle, Texture).resource, out_first=True)
getter("cuSurfObjectGetResourceDesc", lambda _, handle: find_object(handle, Surface).resource, out_first=True)
getter("cuTexObjectGetTextureDesc", lambda _, handle: find_object(handle, Texture).settings, out_first=True)
getter("cuTexObjectGetResourceViewDesc", lambda _, handle: find_object(handle, Texture).view, out_first=True)
