"""Texture and surface references, and launches by the oldest interface."""

import ctypes
import struct
from ctypes import byref

import numpy as np
from driver_calls import Address, Handle, Size, allocate, call, context, kernel, load

CLAMP, FLOAT, UINT8, UINT32 = 1, 0x20, 1, 3
AS_INTEGER, NORMALIZED, UNKNOWN_FLAG, OVERRIDE, SURFACE = 1, 2, 0x400, 1, 2
INVALID, NOT_FOUND, UNSUPPORTED = 1, 500, 801

own = context()
module = load("""
.global .texref image;
.global .texref other;
.global .surfref written;
.visible .entry plane(.param .u64 c, .param .u64 d) {
    .reg .b64 %c, %d, %o; .reg .b32 %i; .reg .f32 %x, %y, %v<4>;
    ld.param.u64 %c, [c]; ld.param.u64 %d, [d];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 8;
    add.u64 %c, %c, %o;
    mul.wide.u32 %o, %i, 4;
    add.u64 %d, %d, %o;
    ld.global.v2.f32 {%x, %y}, [%c];
    tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [image, {%x, %y}];
    st.global.f32 [%d], %v0;
    ret;
}
.visible .entry line(.param .u64 d, .param .u32 at) {
    .reg .b64 %d, %o; .reg .b32 %i, %a, %v<4>;
    ld.param.u64 %d, [d]; ld.param.u32 %a, [at];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 4;
    add.u64 %d, %d, %o;
    add.u32 %i, %i, %a;
    tex.1d.v4.u32.s32 {%v0, %v1, %v2, %v3}, [other, {%i}];
    st.global.u32 [%d], %v0;
    ret;
}
.visible .entry twice() {
    .reg .b32 %x, %v;
    mov.u32 %x, %tid.x;
    shl.b32 %x, %x, 2;
    suld.b.1d.b32.trap %v, [written, {%x}];
    add.u32 %v, %v, %v;
    sust.b.1d.b32.trap [written, {%x}], %v;
    ret;
}
""")
plane, line, twice = (kernel(module, name) for name in ("plane", "line", "twice"))
image, other, written, none = Handle(), Handle(), Handle(), Handle()
call("cuModuleGetTexRef", byref(image), module, b"image")
call("cuModuleGetTexRef", byref(other), module, b"other")
call("cuModuleGetSurfRef", byref(written), module, b"written")
call("cuModuleGetTexRef", byref(none), module, b"written", result=NOT_FOUND)
call("cuModuleGetTexRef", byref(none), module, b"plane", result=NOT_FOUND)
call("cuModuleGetTexRef", byref(none), module, b"image")
assert none.value == image.value
results = allocate(64)


def fetched(
    function: Handle, threads: int, count: int, *arguments: Address | int
) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """What a launch by the oldest interface stores."""
    offset = 0
    for one in arguments:
        if isinstance(one, int):
            call("cuParamSeti", function, offset, one)
            offset += 4
        else:
            call("cuParamSetv", function, offset, byref(one), 8)
            offset += 8
    call("cuParamSetSize", function, offset)
    call("cuFuncSetBlockShape", function, threads, 1, 1)
    call("cuLaunchGrid", function, 1, 1)
    found = np.zeros(count, np.float32)
    call("cuMemcpyDtoH_v2", ctypes.c_void_p(found.ctypes.data), results, Size(4 * count))
    return found


# Pitched memory: the mode and the filter may change between launches.
pixels = np.arange(32, dtype=np.float32).reshape(4, 8)
rows = allocate(4 * 32)
call("cuMemcpyHtoD_v2", rows, ctypes.c_void_p(pixels.ctypes.data), Size(128))
described = struct.pack("<QQII", 8, 4, FLOAT, 1)
call("cuTexRefSetAddress2D_v3", image, described, rows, Size(32))
for axis in range(2):
    call("cuTexRefSetAddressMode", image, axis, CLAMP)
call("cuParamSetTexRef", plane, -1, image)
places = np.array([(0.5, 0.5), (7.5, 3.5), (-9.0, 1.5), (2.0, 1.0)], np.float32)
at = allocate(32)
call("cuMemcpyHtoD_v2", at, ctypes.c_void_p(places.ctypes.data), Size(32))
assert [*fetched(plane, 4, 4, at, results)] == [0, 31, 8, 10]
call("cuTexRefSetFilterMode", image, 1)
assert [*fetched(plane, 4, 4, at, results)] == [0, 31, 8, 5.5]  # the mean of 1, 2, 9, 10
call("cuTexRefSetFilterMode", image, 0)
call("cuTexRefSetFlags", image, NORMALIZED)
places /= (8, 4)
call("cuMemcpyHtoD_v2", at, ctypes.c_void_p(places.ctypes.data), Size(32))
assert [*fetched(plane, 4, 4, at, results)] == [0, 31, 8, 10]
found = ctypes.c_int(), ctypes.c_int()
call("cuTexRefGetFormat", byref(found[0]), byref(found[1]), image)
assert (found[0].value, found[1].value) == (FLOAT, 1)
call("cuTexRefGetFlags", byref(found[0]), image)
call("cuTexRefGetAddressMode", byref(found[1]), image, 1)
assert (found[0].value, found[1].value) == (NORMALIZED, CLAMP)
call("cuTexRefGetAddress_v2", byref(place := Address()), image)
assert place.value == rows.value
call("cuTexRefGetArray", byref(none), image, result=INVALID)

# An array.
array, bound = Handle(), Handle()
call("cuArrayCreate_v2", byref(array), struct.pack("<QQII", 4, 2, FLOAT, 1))
copy = np.arange(100, 108, dtype=np.float32)
whole = struct.pack("<QQi4xQQQQ QQi4xQQQQ QQ", 0, 0, 1, copy.ctypes.data, 0, 0, 16,
                    0, 0, 3, 0, 0, array.value or 0, 0, 16, 2)  # fmt: skip
call("cuMemcpy2D_v2", whole)
call("cuTexRefSetArray", image, array, 0, result=INVALID)
call("cuTexRefSetArray", image, array, OVERRIDE)
call("cuTexRefGetArray", byref(bound), image)
assert bound.value == array.value
assert fetched(plane, 1, 1, at, results)[0] == 100
call("cuTexRefGetAddress_v2", byref(place), image, result=INVALID)

# Linear memory, not aligned: the offset says where the first element is. The format comes afterwards.
call("cuTexRefSetAddress_v2", byref(offset := Size()), other, Address(rows.value + 16), Size(112))
assert offset.value == 16
call("cuTexRefSetAddress_v2", None, other, Address(rows.value + 16), Size(112), result=INVALID)
call("cuTexRefSetFormat", other, UINT32, 1)
found_bits = fetched(line, 8, 8, results, 4).view(np.uint32)
assert [*found_bits] == [*pixels.reshape(-1)[4:12].view(np.uint32)]
call("cuTexRefSetFormat", other, UINT8, 1)
call("cuTexRefSetFlags", other, AS_INTEGER)
assert fetched(line, 1, 1, results, 19).view(np.uint32)[0] == pixels.view(np.uint8).reshape(-1)[19]
call("cuTexRefSetFlags", other, UNKNOWN_FLAG, result=UNSUPPORTED)
call("cuTexRefSetFormat", other, 0x99, 1, result=UNSUPPORTED)
call("cuTexRefSetAddress_v2", byref(offset), other, Address(1 << 40), Size(64), result=INVALID)
call("cuTexRefSetAddress_v2", byref(offset), other, Address(rows.value + 8), Size((1 << 64) - 1), result=INVALID)

# A surface.
cells = Handle()
call("cuArray3DCreate_v2", byref(cells), struct.pack("<QQQIII4x", 4, 0, 0, UINT32, 1, SURFACE))
numbers = np.arange(1, 5, dtype=np.uint32)
call("cuMemcpyHtoA_v2", cells, Size(0), ctypes.c_void_p(numbers.ctypes.data), Size(16))
call("cuSurfRefSetArray", written, array, 0, result=INVALID)  # made without the flag
call("cuSurfRefSetArray", written, cells, 0)
call("cuFuncSetBlockShape", twice, 4, 1, 1)
call("cuLaunch", twice)
call("cuMemcpyAtoH_v2", ctypes.c_void_p(numbers.ctypes.data), cells, Size(0), Size(16))
assert [*numbers] == [2, 4, 6, 8]
call("cuSurfRefGetArray", byref(bound), written)
assert bound.value == cells.value

# Other settings are remembered; references of the program's own; what is refused.
values = (ctypes.c_float * 2)()
call("cuTexRefSetMipmapLevelClamp", other, ctypes.c_float(0.0), ctypes.c_float(2.0))
call("cuTexRefGetMipmapLevelClamp", byref(values), byref(values, 4), other)
assert [*values] == [0, 2]
made = Handle()
call("cuTexRefCreate", byref(made))
call("cuTexRefSetFormat", made, FLOAT, 2)
call("cuParamSetTexRef", plane, -1, made, result=INVALID)
call("cuParamSetTexRef", plane, 0, image, result=INVALID)
call("cuTexRefDestroy", image, result=INVALID)
call("cuTexRefDestroy", made)
call("cuTexRefSetFlags", made, 0, result=INVALID)
call("cuParamSetSize", line, 4)
call("cuLaunch", line, result=INVALID)
call("cuParamSetv", line, 4095, byref(results), 8, result=INVALID)
call("cuParamSetSize", line, 5000, result=INVALID)
call("cuFuncSetBlockShape", line, 0, 1, 1, result=INVALID)
call("cuLaunchGrid", twice, 0, 1, result=INVALID)
call("cuModuleUnload", module)
call("cuTexRefSetFlags", image, 0, result=INVALID)
