"""Texture and surface objects on arrays, linear and pitched memory, compared with NumPy."""

import ctypes
import struct
from ctypes import byref
from typing import Any

import numpy as np
from driver_calls import Address, Handle, Size, allocate, call, context, kernel, launch, load
from numpy.typing import NDArray

ARRAY, MIPMAPPED, LINEAR, PITCHED = range(4)
WRAP, CLAMP, MIRROR, BORDER = range(4)
UINT8, UINT32, FLOAT, UNORM8X4 = 1, 3, 0x20, 0xC2
AS_INTEGER, NORMALIZED, SRGB = 1, 2, 0x10
LAYERED, SURFACE, CUBE = 1, 2, 4
HOST, DEVICE, IN_ARRAY = 1, 2, 3
WORDS, FLOATS, COMPRESSED = 0x0D, 0x16, 0x19


def fetch(name: str, geometry: str, kind: str, coordinate: str, vector: str) -> str:
    """A kernel whose thread i fetches at the four coordinates from c + 16 * i on, to d + 16 * i."""
    c = "%f" if coordinate == "f32" else "%r"
    return f"""
.visible .entry {name}(.param .u64 t, .param .u64 c, .param .u64 d) {{
    .reg .b64 %t, %c, %d, %o; .reg .b32 %i, %r<4>, %v<4>; .reg .f32 %f<4>;
    ld.param.u64 %t, [t]; ld.param.u64 %c, [c]; ld.param.u64 %d, [d];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 16;
    add.u64 %c, %c, %o;
    add.u64 %d, %d, %o;
    ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%c];
    mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;
    tex.{geometry}.v4.{kind}.{coordinate} {{%v0, %v1, %v2, %v3}}, [%t, {vector.replace("$", c)}];
    st.global.v4.b32 [%d], {{%v0, %v1, %v2, %v3}};
    ret;
}}
"""


context()
module = load(
    fetch("line", "1d", "u32", "s32", "{$0}")
    + fetch("plane", "2d", "f32", "f32", "{$0, $1}")
    + fetch("volume", "3d", "f32", "f32", "{$0, $1, $2, $3}")
    + fetch("layers", "a2d", "f32", "f32", "{%r3, $0, $1, $2}")
    + fetch("cube", "cube", "f32", "f32", "{$0, $1, $2, $3}")
    + """
.visible .entry twice(.param .u64 s) {
    .reg .b64 %s; .reg .b32 %x, %y, %v;
    ld.param.u64 %s, [s];
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    shl.b32 %x, %x, 2;
    suld.b.2d.b32.trap %v, [%s, {%x, %y}];
    add.u32 %v, %v, %v;
    sust.b.2d.b32.trap [%s, {%x, %y}], %v;
    ret;
}
"""
)


def array_of(data: NDArray[Any], form: int, channels: int = 1, flags: int = 0) -> Handle:
    """An array that holds the same as one of NumPy's, whose last axis is x or the channels."""
    extents = data.shape[:-1] if channels > 1 else data.shape
    width, height, depth = (*reversed(extents), 0, 0)[:3]
    made = Handle()
    call("cuArray3DCreate_v2", byref(made), struct.pack("<QQQIII4x", width, height, depth, form, channels, flags))
    row = width * channels * data.itemsize
    sides = [0, 0, 0, 0, HOST, data.ctypes.data, 0, 0, 0, row, max(height, 1)]
    sides += [0, 0, 0, 0, IN_ARRAY, 0, 0, made.value or 0, 0, 0, 0]
    call("cuMemcpy3D_v2", struct.pack("<25Q", *sides, row, max(height, 1), max(depth, 1)))
    return made


def resource(kind: int, place: int, *more: int) -> bytes:
    form = "<i4xQIIQQQ"[: 5 if len(more) == 0 else 10]
    return struct.pack(form if more else "<i4xQ", kind, place, *more).ljust(144, b"\0")


def on_memory(kind: int, place: int, form: int, channels: int, width: int, height: int = 0, pitch: int = 0) -> bytes:
    return resource(kind, place, form, channels, width, height, pitch)


def settings(mode: int, flags: int = 0, *, linear: bool = False, anisotropy: int = 0, border: float = 0) -> bytes:
    return struct.pack("<4iIIifff4f48x", *3 * (mode,), int(linear), flags, anisotropy, 0, 0, 0, 0, *4 * (border,))


def texture(described: bytes, wanted: bytes, result: int = 0, view: bytes | None = None) -> ctypes.c_uint64:
    made = ctypes.c_uint64()
    call("cuTexObjectCreate", byref(made), described, wanted, view, result=result)
    return made


def view(form: int, width: int, height: int = 0, depth: int = 0, *, level: int = 0, layer: int = 0) -> bytes:
    """One level and one layer in a format; 0 is the array's own."""
    return struct.pack("<I4xQQQIIII64x", form, width, height, depth, level, level, layer, layer)


def fetched(name: str, object: ctypes.c_uint64, places: list[tuple[float, ...]], kind: str = "f4") -> NDArray[Any]:
    """Four words for each place."""
    given = np.zeros((len(places), 4), kind)
    for row, place in zip(given, places, strict=True):
        row[: len(place)] = place
    if name == "layers":
        given.view(np.int32)[:, 3] = given[:, 2].astype(np.int32)
    source, target = allocate(given.nbytes), allocate(given.nbytes)
    call("cuMemcpyHtoD_v2", source, given.ctypes.data_as(Handle), Size(given.nbytes))
    launch(kernel(module, name), len(places), object, source, target)
    found = np.zeros(given.shape, np.uint32)
    call("cuMemcpyDtoH_v2", found.ctypes.data_as(Handle), target, Size(given.nbytes))
    return found


image = np.arange(20, dtype=np.float32).reshape(4, 5)
plane = array_of(image, FLOAT)
nearest = texture(resource(ARRAY, plane.value or 0), settings(CLAMP))
found = fetched("plane", nearest, [(0.5, 0.5), (4.9, 3.2), (-7, 1), (100, 100)])
assert found.view(np.float32)[:, 0].tolist() == [0, 19, 5, 19]
smooth = texture(resource(ARRAY, plane.value or 0), settings(WRAP, NORMALIZED, linear=True))
found = fetched("plane", smooth, [(0.2, 0.25), (1.2, -0.75), (0.3, 0.375)])
assert found.view(np.float32)[:, 0].tolist() == [3.0, 3.0, 6.0]
bordered = texture(resource(ARRAY, plane.value or 0), settings(BORDER))
assert fetched("plane", bordered, [(-1, 0), (1, 1)]).view(np.float32)[:, 0].tolist() == [0, 6]

colors = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4) * 10
painted = array_of(colors, UINT8, 4)
found = fetched("plane", texture(resource(ARRAY, painted.value or 0), settings(CLAMP)), [(1, 1)]).view(np.float32)
assert (found[0] == colors[1, 1].astype(np.float32) / np.float32(255)).all()
found = fetched("plane", texture(resource(ARRAY, painted.value or 0), settings(CLAMP, AS_INTEGER)), [(2, 0)])
assert found[0].tolist() == colors[0, 2].tolist()
unorm = array_of(colors, UNORM8X4, 4)
found = fetched("plane", texture(resource(ARRAY, unorm.value or 0), settings(CLAMP, AS_INTEGER)), [(1, 1)])
assert (found.view(np.float32)[0] == colors[1, 1].astype(np.float32) / np.float32(255)).all()

solid = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
thick = texture(resource(ARRAY, array_of(solid, FLOAT).value or 0), settings(CLAMP))
assert fetched("volume", thick, [(3, 2, 1), (0, 1, 0)]).view(np.float32)[:, 0].tolist() == [23, 4]
layered = texture(resource(ARRAY, array_of(solid, FLOAT, flags=LAYERED).value or 0), settings(CLAMP))
assert fetched("layers", layered, [(3, 2, 1), (0, 1, 0), (0, 1, 9)]).view(np.float32)[:, 0].tolist() == [23, 4, 16]
faces = np.arange(6, dtype=np.float32).repeat(4).reshape(6, 2, 2)
cube = texture(resource(ARRAY, array_of(faces, FLOAT, flags=CUBE).value or 0), settings(CLAMP))
assert fetched("cube", cube, [(1, 0, 0), (-1, 0, 0), (0, 0, -1)]).view(np.float32)[:, 0].tolist() == [0, 1, 5]

numbers = np.arange(1000, 1100, dtype=np.uint32)
linear = allocate(numbers.nbytes)
call("cuMemcpyHtoD_v2", linear, numbers.ctypes.data_as(Handle), Size(numbers.nbytes))
row = texture(on_memory(LINEAR, linear.value, UINT32, 1, numbers.nbytes), settings(CLAMP, AS_INTEGER))
assert fetched("line", row, [(0,), (99,), (100,), (-1,)], "i4")[:, 0].tolist() == [1000, 1099, 0, 0]
numbers += 1
call("cuMemcpyHtoD_v2", linear, numbers.ctypes.data_as(Handle), Size(numbers.nbytes))
assert fetched("line", row, [(0,)], "i4")[0, 0] == 1001  # the memory itself, not a copy
pairs = texture(on_memory(LINEAR, linear.value, UINT32, 2, numbers.nbytes), settings(CLAMP, AS_INTEGER))
assert fetched("line", pairs, [(2,)], "i4")[0].tolist() == [1005, 1006, 0, 0]

pitch, pitched = Size(), Address()
call("cuMemAllocPitch_v2", byref(pitched), byref(pitch), Size(20), Size(4), 4)
sides = [0, 0, HOST, image.ctypes.data, 0, 0, 20, 0, 0, DEVICE, 0, pitched.value, 0, pitch.value]
call("cuMemcpy2D_v2", struct.pack("<16Q", *sides, 20, 4))
rows = texture(on_memory(PITCHED, pitched.value, FLOAT, 1, 5, 4, pitch.value), settings(CLAMP))
assert fetched("plane", rows, [(4, 3), (2, 1)]).view(np.float32)[:, 0].tolist() == [19, 7]

surface, drawn = ctypes.c_uint64(), array_of(np.arange(12, dtype=np.uint32).reshape(3, 4), UINT32, flags=SURFACE)
call("cuSurfObjectCreate", byref(surface), resource(ARRAY, drawn.value or 0))
given = (Handle * 1)(ctypes.addressof(surface))
call("cuLaunchKernel", kernel(module, "twice"), 1, 1, 1, 4, 3, 1, 0, None, given, None)
seen = np.zeros((3, 4), np.uint32)
sides = [0, 0, IN_ARRAY, 0, 0, drawn.value or 0, 0, 0, 0, HOST, seen.ctypes.data, 0, 0, 16]
call("cuMemcpy2D_v2", struct.pack("<16Q", *sides, 16, 3))
assert (seen == 2 * np.arange(12).reshape(3, 4)).all()

# A border with a color, and sRGB.
colored = texture(resource(ARRAY, plane.value or 0), settings(BORDER, border=2.5))
assert fetched("plane", colored, [(-1, 0), (1, 1)]).view(np.float32)[:, 0].tolist() == [2.5, 6]

# Views of arrays: the same elements, other formats of them, one of several layers.
plain, shown = resource(ARRAY, plane.value or 0), view(FLOATS, 5, 4)
same = texture(plain, settings(CLAMP), view=shown)
assert fetched("plane", same, [(4, 3), (2, 1)]).view(np.float32)[:, 0].tolist() == [19, 7]
words = texture(resource(ARRAY, painted.value or 0), settings(CLAMP, AS_INTEGER), view=view(WORDS, 3, 2))
assert fetched("plane", words, [(2, 0), (0, 1)])[:, 0].tolist() == colors.view(np.uint32)[[0, 1], [2, 0], 0].tolist()
stack = resource(ARRAY, array_of(solid, FLOAT, flags=LAYERED).value or 0)
upper = texture(stack, settings(CLAMP), view=view(0, 4, 3, 2, layer=1))
assert fetched("layers", upper, [(3, 2, 0), (0, 1, 7)]).view(np.float32)[:, 0].tolist() == [23, 16]
texture(plain, settings(CLAMP), result=1, view=view(FLOATS, 4, 4))
texture(plain, settings(CLAMP), result=1, view=view(FLOATS + 1, 5, 4))
texture(plain, settings(CLAMP), result=1, view=view(0x23, 5, 4))
texture(plain, settings(CLAMP), result=801, view=view(COMPRESSED, 20, 16))
texture(plain, settings(CLAMP), result=801, view=view(COMPRESSED, 5, 4))
texture(plain, settings(CLAMP), result=1, view=view(FLOATS, 5, 4, level=1))
texture(plain, settings(CLAMP), result=1, view=view(FLOATS, 5, 4, layer=1))
texture(stack, settings(CLAMP), result=1, view=view(FLOATS, 4, 3, 2, layer=2))
texture(on_memory(LINEAR, linear.value, UINT32, 1, 16), settings(CLAMP), result=1, view=view(WORDS, 4))

call("cuSurfObjectCreate", byref(ctypes.c_uint64()), plain)  # the array was made without the flag for references

# What a GPU refuses, and what only this one does.
call("cuSurfObjectCreate", byref(ctypes.c_uint64()), on_memory(LINEAR, linear.value, UINT32, 1, 16), result=1)
texture(resource(ARRAY, 12345), settings(CLAMP), result=400)
texture(resource(7, 0), settings(CLAMP), result=1)
texture(resource(MIPMAPPED, 0), settings(CLAMP), result=400)
texture(resource(ARRAY, painted.value or 0), settings(CLAMP, AS_INTEGER, linear=True))
texture(plain, settings(CLAMP, SRGB), result=801)
texture(plain, settings(CLAMP, anisotropy=16), result=801)
texture(resource(ARRAY, painted.value or 0), settings(BORDER, AS_INTEGER, border=1))
texture(resource(ARRAY, painted.value or 0), settings(BORDER, AS_INTEGER, border=0.1), result=801)
texture(resource(ARRAY, painted.value or 0), settings(CLAMP, SRGB, linear=True))
texture(plain, settings(5), result=1)
texture(on_memory(LINEAR, linear.value, UINT32, 1, numbers.nbytes + 4), settings(CLAMP), result=1)
texture(on_memory(LINEAR, linear.value + 4, UINT32, 1, 16), settings(CLAMP), result=1)
texture(on_memory(LINEAR, 0x123400, UINT32, 1, 16), settings(CLAMP), result=1)
texture(on_memory(PITCHED, pitched.value, FLOAT, 1, 5, 4, 24), settings(CLAMP), result=1)

description = ctypes.create_string_buffer(144)
call("cuTexObjectGetResourceDesc", description, nearest)
assert description.raw == plain
call("cuTexObjectGetTextureDesc", description, nearest)
assert description.raw[:104] == settings(CLAMP)
call("cuTexObjectGetResourceViewDesc", description, same)
assert description.raw[:112] == shown
call("cuTexObjectDestroy", nearest)
call("cuTexObjectDestroy", nearest, result=1)
call("cuTexObjectDestroy", surface, result=1)
call("cuSurfObjectDestroy", surface)
launch(kernel(module, "plane"), 1, nearest, allocate(16), allocate(16), result=719)
