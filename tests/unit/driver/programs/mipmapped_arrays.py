"""Mipmapped arrays: their levels are arrays, and textures show them. Advice on managed memory is remembered."""

import ctypes
import struct
from ctypes import byref

from driver_calls import Address, Handle, Size, call, context, kernel, launch, load

FLOAT, MIPMAPPED, HOST, IN_ARRAY, CUBE = 0x20, 1, 1, 3, 4
FETCH = """
.visible .entry fetch(.param .u64 object, .param .u64 out) {
    .reg .b64 t, o; .reg .b32 i; .reg .f32 a, b, c, d;
    ld.param.u64 t, [object]; ld.param.u64 o, [out]; mov.u32 i, %tid.x; mad.wide.u32 o, i, 4, o;
    tex.2d.v4.f32.s32 {a, b, c, d}, [t, {i, i}];
    st.global.f32 [o], a;
    ret;
}
.visible .entry level(.param .u64 object, .param .u64 out) {
    .reg .b64 t, o; .reg .b32 i; .reg .f32 a, b, c, d, l, x;
    ld.param.u64 t, [object]; ld.param.u64 o, [out]; mov.u32 i, %tid.x; mad.wide.u32 o, i, 4, o;
    cvt.rn.f32.u32 l, i; mul.f32 l, l, 0.5; mov.f32 x, 0.0;
    tex.level.2d.v4.f32.f32 {a, b, c, d}, [t, {x, x}], l;
    st.global.f32 [o], a;
    ret;
}
"""


def level(made: Handle, number: int, result: int = 0) -> Handle:
    found = Handle()
    call("cuMipmappedArrayGetLevel", byref(found), made, number, result=result)
    return found


def copy(array: Handle, data: ctypes.Array[ctypes.c_float], width: int, height: int, *, back: bool = False) -> None:
    host = (0, 0, HOST, ctypes.addressof(data), 0, 0, 4 * width)
    there = (0, 0, IN_ARRAY, 0, 0, array.value or 0, 0)
    source, target = (there, host) if back else (host, there)
    call("cuMemcpy2D_v2", struct.pack("<16Q", *source, *target, 4 * width, height))


context()
made, described = Handle(), ctypes.create_string_buffer(24)
call("cuMipmappedArrayCreate", byref(made), struct.pack("<QQQIII4x", 8, 4, 0, FLOAT, 1, 0), 9)
for number, extents in enumerate([(8, 4), (4, 2), (2, 1), (1, 1)]):
    call("cuArrayGetDescriptor_v2", described, level(made, number))
    assert struct.unpack("<QQII", described.raw) == (*extents, FLOAT, 1)
level(made, 4, result=1)
for number, count in (0, 32), (1, 8):
    copy(
        level(made, number),
        (ctypes.c_float * count)(*range(100 * number, 100 * number + count)),
        8 >> number,
        4 >> number,
    )
small = (ctypes.c_float * 8)()
copy(level(made, 1), small, 4, 2, back=True)
assert list(small) == list(range(100, 108))

shown, out = ctypes.c_uint64(), Address()
resource = struct.pack("<i4xQ", MIPMAPPED, made.value or 0).ljust(144, b"\0")
textures: list[ctypes.c_uint64] = []
for between, bias, last in (0, 0.0, 0.0), (0, 0.0, 9.0), (1, 0.5, 9.0):
    settings = struct.pack("<4iIIifff", 1, 1, 1, 0, 2 * (last > 0), 0, between, bias, 0.0, last).ljust(104, b"\0")
    call("cuTexObjectCreate", byref(shown), resource, settings, None)
    textures.append(ctypes.c_uint64(shown.value))
settings = struct.pack("<4iIIifff", 1, 1, 1, 0, 0, 0, 2, 0.0, 0.0, 0.0).ljust(104, b"\0")
call("cuTexObjectCreate", byref(shown), resource, settings, None, result=1)
call("cuMemAllocManaged", byref(out), Size(64), 1)
launch(kernel(load(FETCH), "fetch"), 4, textures[0], out)
assert list((ctypes.c_float * 4).from_address(out.value)) == [0, 9, 18, 27]
for texture, expected in zip(textures[1:], ([0, 100, 100, 0], [50, 100, 50, 0]), strict=True):
    launch(kernel(load(FETCH), "level"), 4, texture, out)
    assert list((ctypes.c_float * 4).from_address(out.value)) == expected
settings = struct.pack("<4iIIifff", 1, 1, 1, 0, 0, 0, 0, 0.0, 0.0, 0.0).ljust(104, b"\0")
for last, result in (1, 0), (9, 1):  # a view whose first level is the array's second
    view = struct.pack("<I4xQQQIIII64x", 0, 8, 4, 0, 1, last, 0, 0)
    call("cuTexObjectCreate", byref(shown), resource, settings, view, result=result)
    if not result:
        launch(kernel(load(FETCH), "fetch"), 4, shown, out)
assert list((ctypes.c_float * 4).from_address(out.value)) == [100, 105, 0, 0]
call("cuMipmappedArrayDestroy", made)
level(made, 0, result=400)
call("cuMipmappedArrayCreate", byref(made), struct.pack("<QQQIII4x", 8, 4, 0, FLOAT, 1, 0), 0, result=1)
call("cuMipmappedArrayCreate", byref(made), struct.pack("<QQQIII4x", 8, 8, 6, FLOAT, 1, CUBE), 9)
whole = ctypes.create_string_buffer(40)
for number, extent in enumerate([8, 4, 2, 1]):
    call("cuArray3DGetDescriptor_v2", whole, level(made, number))
    assert struct.unpack("<QQQIII4x", whole.raw) == (extent, extent, 6, FLOAT, 1, CUBE)
level(made, 4, result=1)

CPU, NOWHERE = -1, -2
value, devices = ctypes.c_int(), (ctypes.c_int * 2)()


def known(attribute: int) -> int:
    call("cuMemRangeGetAttribute", byref(value), Size(4), attribute, out, Size(64))
    return value.value


assert [known(i) for i in (1, 2, 4)] == [0, NOWHERE, NOWHERE]
for advice, device in (1, 0), (3, CPU), (5, 0), (5, CPU), (6, 0):
    call("cuMemAdvise", out, Size(64), advice, device)
call("cuMemPrefetchAsync", out, Size(64), 0, None)
call("cuMemRangeGetAttribute", devices, Size(8), 3, out, Size(64))
assert ([known(i) for i in (1, 2, 4, 5, 7)], list(devices)) == ([1, CPU, 0, 2, 1], [CPU, NOWHERE])
addresses, sizes, firsts = (ctypes.c_uint64 * 1)(out.value), (ctypes.c_size_t * 1)(64), (ctypes.c_size_t * 1)(0)
flags = ctypes.c_uint64(0)
call("cuMemPrefetchBatchAsync", addresses, sizes, Size(1), struct.pack("<2i", 2, 0), firsts, Size(1), flags, None)
assert known(4) == CPU
call("cuMemDiscardBatchAsync", addresses, sizes, Size(1), flags, None)
call("cuMemAdvise", out, Size(64), 4, 0)
assert known(2) == NOWHERE
call("cuMemPrefetchAsync", out, Size(64), 7, None, result=101)
call("cuMemAllocAsync", byref(out), Size(0), None)
assert out.value == 0
