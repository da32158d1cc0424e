"""libcudart.so.12 and .13 in one process: versions, structures, memory, a kernel of a library, errors of their own."""

import ctypes

from driver_calls import HEAD

TEXT = """
.visible .entry store(.param .u64 a, .param .u32 n) {
    .reg .b64 %p; .reg .b32 %r;
    ld.param.u64 %p, [a]; ld.param.u32 %r, [n];
    st.global.u32 [%p], %r;
    ret;
}
"""
TO_DEVICE, TO_HOST = 1, 2
INVALID_VALUE, INVALID_DEVICE_FUNCTION, NOT_SUPPORTED = 1, 98, 801
PROPERTIES = {12: ("cudaGetDeviceProperties_v2", 388), 13: ("cudaGetDeviceProperties", 384)}
"""The name of the function, and where cudaDeviceProp has multiProcessorCount: 13 has no clockRate and deviceOverlap."""


class Dim3(ctypes.Structure):
    _fields_ = [(axis, ctypes.c_uint32) for axis in "xyz"]


def check(major: int, version: int) -> None:
    cuda = ctypes.CDLL(f"libcudart.so.{major}")
    number = ctypes.c_int()
    assert cuda.cudaRuntimeGetVersion(ctypes.byref(number)) == 0
    assert number.value == version

    name, offset = PROPERTIES[major]
    properties = ctypes.create_string_buffer(2048)
    assert getattr(cuda, name)(properties, 0) == 0
    assert properties.value.startswith(b"OpenPTX"), properties.value
    assert ctypes.c_int.from_buffer(properties, offset).value == 132
    assert ctypes.c_int.from_buffer(properties, 360).value == 9  # major

    address, value, got = ctypes.c_void_p(), ctypes.c_uint32(5 + major), ctypes.c_uint32()
    assert cuda.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(4)) == 0
    library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    image = ctypes.c_char_p((HEAD + TEXT).encode())
    assert cuda.cudaLibraryLoadData(ctypes.byref(library), image, None, None, 0, None, None, 0) == 0
    assert cuda.cudaLibraryGetKernel(ctypes.byref(kernel), library, b"store") == 0
    arguments = (ctypes.c_void_p * 2)(*map(ctypes.addressof, (address, value)))
    one = Dim3(1, 1, 1)
    assert cuda.cudaLaunchKernel(kernel, one, one, arguments, ctypes.c_size_t(0), None) == 0
    assert cuda.cudaMemcpy(ctypes.byref(got), address, ctypes.c_size_t(4), TO_HOST) == 0
    assert got.value == 5 + major

    assert (
        cuda.cudaLaunchKernel(ctypes.byref(one), one, one, arguments, ctypes.c_size_t(0), None)
        == INVALID_DEVICE_FUNCTION
    )
    assert cuda.cudaMemcpy(None, ctypes.byref(got), ctypes.c_size_t(4), TO_DEVICE) == INVALID_VALUE
    assert cuda.cudaGetLastError() == INVALID_VALUE
    assert cuda.cudaGetLastError() == 0
    assert cuda.cudaFree(address) == 0
    assert cuda.cudaFree(address) == INVALID_VALUE

    assert [cuda.cudaGraphicsUnregisterResource(None) for _ in range(3)] == [NOT_SUPPORTED] * 3


check(12, 12090)
check(13, 13000)
