"""Texture and surface references: variables of a module that are bound to arrays and memory (deprecated in CUDA 12).

A reference uses an object of `objects.py`, which is recreated whenever one of its settings changes. Settings
default to zero: wrap, nearest, no flags (modelled: the manual names no defaults).
"""

from __future__ import annotations

import ctypes
import struct

from openptx.device.textures.surface import Surface
from openptx.driver.calls import LOG, Failure, in_context, invalid, put, put_int, read, text
from openptx.driver.devices.contexts import Context
from openptx.driver.getters import getter
from openptx.driver.modules.module import Function, Module
from openptx.driver.objects import Object, driver
from openptx.driver.results import Result
from openptx.driver.textures.arrays import DESCRIPTOR, SURFACE, Array, known_format
from openptx.driver.textures.mipmaps import Mipmapped
from openptx.driver.textures.objects import (
    ARRAY,
    BASE_ALIGNMENT,
    LINEAR,
    MIPMAPPED,
    ON_ARRAY,
    ON_MEMORY,
    PITCHED,
    RESOURCE,
    SETTINGS,
    settings_of,
    texels_of,
    texture,
)
from openptx.errors import ArgumentError

OVERRIDE_FORMAT = 1
"""CU_TRSA_OVERRIDE_FORMAT: the format is the array's."""
MODULE_UNIT = -1
"""CU_PARAM_TR_DEFAULT."""
BORDER = struct.Struct("<4f")
MOST = 1 << 48
"""The limit in bytes of linear memory, larger than any."""


class Reference(Object):
    """`module` and `name` identify the variable; None for a reference that the program created itself."""

    unknown, type = Result.INVALID_VALUE, ""

    def __init__(self, module: Module | None, name: str) -> None:
        super().__init__()
        self.module, self.name = module, name
        self.array: Array | None = None

    def show(self, image: object) -> None:
        """Fetches of kernels use this from now on."""
        if self.module is not None:
            self.module.loaded.bind(self.name, image)


class TextureReference(Reference):
    """`place` is the binding: a CUresourcetype, and an array's handle, or an address and an extent."""

    what, type = "texture reference", "texref"

    def __init__(self, module: Module | None, name: str) -> None:
        super().__init__(module, name)
        self.place: tuple[int, ...] = ()
        self.format, self.channels = 0x20, 1
        self.modes, self.filter, self.flags = [0, 0, 0], 0, 0
        self.anisotropy, self.levels = 0, [0.0, 0.0, 0.0]
        self.level_filter, self.border = 0, (0.0, 0.0, 0.0, 0.0)

    def bind(self, *place: int) -> None:
        """Binds memory. Fails if there is none, and for combinations that CUDA does not support."""
        kind, address, *extent = place
        if kind in (ARRAY, MIPMAPPED):
            resource = ON_ARRAY.pack(kind, address)
        else:
            resource = ON_MEMORY.pack(kind, address, self.format, self.channels, *extent)
        settings = SETTINGS.pack(
            *self.modes, self.filter, self.flags, self.anisotropy, self.level_filter, *self.levels, *self.border
        )
        resource = resource.ljust(RESOURCE, b"\0")
        try:
            self.show(texture(texels_of(resource), settings_of(settings)))
        except ArgumentError as error:
            raise invalid(str(error)) from None
        self.place = place

    def set(self, **settings: object) -> None:
        """Changes settings. Some are only valid with others, which may be set next: an invalid combination is not
        applied."""
        for name, value in settings.items():
            setattr(self, name, value)
        if self.place:
            try:
                self.bind(*self.place)
            except Failure as error:
                LOG.info("the texture reference `%s` keeps its binding: %s", self.name, error.why)


class SurfaceReference(Reference):
    what, type = "surface reference", "surfref"


def of_module(out: int, handle: int, name: int, kind: type[Reference]) -> None:
    """Writes the handle of a module's reference, the same for each call. Fails if there is none of that kind."""
    module, wanted = driver().find(handle, Module), text(name, "the name")
    put(out, 0)
    variable = module.loaded.program.variables.get(wanted)
    if variable is None or variable.type.name != kind.type:
        raise Failure(Result.NOT_FOUND, f"no {kind.what} `{wanted}` in the module", usual=True)
    found = module.references.get(wanted)
    if found is None:
        found = module.references[wanted] = driver().add(kind(module, wanted))
    put(out, found.handle)


def reference(handle: int) -> TextureReference:
    return driver().find(handle, TextureReference)


@in_context("cuModuleGetTexRef")
def get_texture_reference(context: Context, out: int, handle: int, name: int) -> None:
    of_module(out, handle, name, TextureReference)


@in_context("cuModuleGetSurfRef")
def get_surface_reference(context: Context, out: int, handle: int, name: int) -> None:
    of_module(out, handle, name, SurfaceReference)


@in_context("cuTexRefCreate")
def create(context: Context, out: int) -> None:
    put(out, 0)
    put(out, context.own(TextureReference(None, "")).handle)


@in_context("cuTexRefDestroy")
def destroy(context: Context, found: TextureReference) -> None:
    if found.module is not None:
        raise invalid(f"the texture reference `{found.name}` is its module's")
    context.disown(found)


@in_context("cuParamSetTexRef")
def set_parameter(context: Context, function: Function, unit: int, texture: int) -> None:
    """References of the function's module are available without it."""
    if unit != MODULE_UNIT or reference(texture).module is not function.module:
        raise invalid(f"texture unit {unit}, or a reference of another module")


@in_context("cuTexRefSetArray")
def set_array(context: Context, found: TextureReference, shown: Array, flags: int) -> None:
    if flags != OVERRIDE_FORMAT:
        raise invalid(f"flags {flags} of an array that a texture reference is bound to")
    found.bind(ARRAY, shown.handle)
    found.array = shown
    found.format, found.channels = shown.description.format, shown.description.channels


@in_context("cuTexRefSetMipmappedArray")
def set_mipmapped(context: Context, found: TextureReference, shown: Mipmapped, flags: int) -> None:
    if flags != OVERRIDE_FORMAT:
        raise invalid(f"flags {flags} of an array that a texture reference is bound to")
    found.bind(MIPMAPPED, shown.handle)
    level = shown.levels[0].description
    found.array, found.format, found.channels = None, level.format, level.channels


@in_context("cuTexRefSetAddress_v2")
def set_address(context: Context, offset: int, found: TextureReference, address: int, size: int) -> None:
    """Memory must be aligned; the offset is the distance from the aligned address to the given one."""
    before = address % BASE_ALIGNMENT
    if before and not offset:
        raise invalid(f"a texture at 0x{address:x}, not a multiple of {BASE_ALIGNMENT}")
    if size > MOST:
        raise invalid(f"a texture of {size} bytes")
    found.bind(LINEAR, address - before, size + before, 0, 0)
    found.array = None
    if offset:
        put(offset, before)


@in_context("cuTexRefSetAddress2D_v2", "cuTexRefSetAddress2D_v3")
def set_address_2d(context: Context, found: TextureReference, description: int, address: int, pitch: int) -> None:
    width, height, format, channels = DESCRIPTOR.unpack(read(description, DESCRIPTOR.size))
    known_format(format, channels)
    before = found.format, found.channels
    found.format, found.channels = format, channels
    try:
        found.bind(PITCHED, address, width, height, pitch)
    except Failure:
        found.format, found.channels = before
        raise
    found.array = None


@in_context("cuTexRefSetFormat")
def set_format(context: Context, found: TextureReference, format: int, channels: int) -> None:
    known_format(format, channels)
    found.set(format=format, channels=channels)


@in_context("cuTexRefSetAddressMode")
def set_address_mode(context: Context, found: TextureReference, axis: int, mode: int) -> None:
    if axis not in range(3) or mode not in range(4):
        raise invalid(f"address mode {mode} of axis {axis}")
    found.set(modes=[mode if i == axis else found.modes[i] for i in range(3)])


@in_context("cuTexRefSetFilterMode")
def set_filter_mode(context: Context, found: TextureReference, mode: int) -> None:
    if mode not in (0, 1):
        raise invalid(f"filter {mode}")
    found.set(filter=mode)


@in_context("cuTexRefSetFlags")
def set_flags(context: Context, found: TextureReference, flags: int) -> None:
    settings_of(SETTINGS.pack(0, 0, 0, 0, flags, *[0] * 9))  # fails for unsupported flags
    found.set(flags=flags)


@in_context("cuTexRefSetMaxAnisotropy")
def set_anisotropy(context: Context, found: TextureReference, most: int) -> None:
    found.set(anisotropy=most)


@in_context("cuTexRefSetMipmapFilterMode")
def set_level_filter(context: Context, found: TextureReference, mode: int) -> None:
    if mode not in (0, 1):
        raise invalid(f"filter {mode} between levels")
    found.set(level_filter=mode)


@in_context("cuTexRefSetMipmapLevelBias")
def set_level_bias(context: Context, found: TextureReference, bias: float) -> None:
    found.set(levels=[bias, *found.levels[1:]])


@in_context("cuTexRefSetMipmapLevelClamp")
def set_level_clamp(context: Context, found: TextureReference, first: float, last: float) -> None:
    found.set(levels=[found.levels[0], first, last])


@in_context("cuTexRefSetBorderColor")
def set_border(context: Context, found: TextureReference, color: int) -> None:
    found.set(border=BORDER.unpack(read(color, BORDER.size)))


@in_context("cuTexRefGetArray")
def get_array(context: Context, out: int, found: TextureReference) -> None:
    if found.array is None:
        raise invalid("the texture reference is bound to no array")
    put(out, found.array.handle)


@in_context("cuTexRefGetMipmappedArray")
def get_mipmapped(context: Context, out: int, found: TextureReference) -> None:
    if not found.place or found.place[0] != MIPMAPPED:
        raise invalid("the texture reference is bound to no mipmapped array")
    put(out, found.place[1])


@in_context("cuTexRefGetAddress_v2")
def get_address(context: Context, out: int, found: TextureReference) -> None:
    if not found.place or found.place[0] not in (LINEAR, PITCHED):
        raise invalid("the texture reference is bound to no memory")
    put(out, found.place[1])


@in_context("cuTexRefGetAddressMode")
def get_address_mode(context: Context, out: int, found: TextureReference, axis: int) -> None:
    if axis not in range(3):
        raise invalid(f"axis {axis} of a texture")
    put_int(out, found.modes[axis])


INT, FLOAT = ctypes.c_int32, ctypes.c_float
getter("cuTexRefGetFilterMode", lambda _, handle: reference(handle).filter, INT, out_first=True)
getter("cuTexRefGetFlags", lambda _, handle: reference(handle).flags, ctypes.c_uint32, out_first=True)
getter("cuTexRefGetMaxAnisotropy", lambda _, handle: reference(handle).anisotropy, INT, out_first=True)
getter("cuTexRefGetMipmapFilterMode", lambda _, handle: reference(handle).level_filter, INT, out_first=True)
getter("cuTexRefGetMipmapLevelBias", lambda _, handle: reference(handle).levels[0], FLOAT, out_first=True)


@in_context("cuTexRefGetFormat")
def get_format(context: Context, format: int, channels: int, found: TextureReference) -> None:
    put_int(format, found.format)
    put_int(channels, found.channels)


@in_context("cuTexRefGetMipmapLevelClamp")
def get_level_clamp(context: Context, first: int, last: int, found: TextureReference) -> None:
    put(first, found.levels[1], ctypes.c_float)
    put(last, found.levels[2], ctypes.c_float)


@in_context("cuTexRefGetBorderColor")
def get_border(context: Context, out: int, found: TextureReference) -> None:
    for i, value in enumerate(found.border):
        put(out + 4 * i, value, ctypes.c_float)


@in_context("cuSurfRefSetArray")
def set_surface(context: Context, reference: SurfaceReference, array: Array, flags: int) -> None:
    if flags or not array.description.flags & SURFACE:
        raise invalid("a surface is of an array with the flag CUDA_ARRAY3D_SURFACE_LDST")
    channels = array.description.channels
    several = channels if channels > 1 else None
    reference.show(Surface(array.elements(), channels=several, layered=array.layered or array.cube))
    reference.array = array


@in_context("cuSurfRefGetArray")
def get_surface(context: Context, out: int, reference: SurfaceReference) -> None:
    if reference.array is None:
        raise invalid("the surface reference is bound to no array")
    put(out, reference.array.handle)
