"""libcudart.so.12 and .13 in one process: versions, structures, memory, a kernel of a library, errors of their own."""

import ctypes
import struct

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
INVALID_VALUE, INVALID_DEVICE_FUNCTION, INVALID_HANDLE, NOT_SUPPORTED = 1, 98, 400, 801
PRIORITY = 8
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

    assert [cuda.cudaDeviceFlushGPUDirectRDMAWrites(1, 2) for _ in range(3)] == [NOT_SUPPORTED] * 3


def check_nodes(major: int) -> None:
    """Attributes of kernel nodes are copied, in the order of each version; nodes by one structure, and batches."""
    cuda = ctypes.CDLL(f"libcudart.so.{major}")
    library, kernel, graph = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    image = ctypes.c_char_p((HEAD + TEXT).encode())
    assert cuda.cudaLibraryLoadData(ctypes.byref(library), image, None, None, 0, None, None, 0) == 0
    assert cuda.cudaLibraryGetKernel(ctypes.byref(kernel), library, b"store") == 0
    assert cuda.cudaGraphCreate(ctypes.byref(graph), 0) == 0
    arguments = (ctypes.c_void_p * 2)(*map(ctypes.addressof, (graph, kernel)))
    described = struct.pack("<Q7I4xQQ", kernel.value or 0, 3, 1, 1, 2, 1, 1, 0, ctypes.addressof(arguments), 0)
    nodes = [ctypes.c_void_p() for _ in range(2)]
    for node in nodes:
        assert cuda.cudaGraphAddKernelNode(ctypes.byref(node), graph, None, ctypes.c_size_t(0), described) == 0
    value = struct.pack("<i", 5).ljust(64, b"\0")
    assert cuda.cudaGraphKernelNodeSetAttribute(nodes[0], PRIORITY, value) == 0
    pair = nodes if major == 12 else nodes[::-1]
    assert cuda.cudaGraphKernelNodeCopyAttributes(*pair) == 0
    found = ctypes.create_string_buffer(256)
    assert cuda.cudaGraphKernelNodeGetAttribute(nodes[1], PRIORITY, found) == 0
    assert found.raw[:64] == value
    rows, seen, failed = (ctypes.c_uint32 * 4)(1, 2, 3, 4), (ctypes.c_uint32 * 4)(), ctypes.c_size_t()
    memory = [struct.pack("<i4x4Q", 1, ctypes.addressof(one), 0, 0, 0) for one in (rows, seen)]
    box = memory[0] + memory[1] + struct.pack("<3QiI", 16, 1, 1, 1, 0)
    more = (ctypes.byref(failed),) if major == 12 else ()
    assert cuda.cudaMemcpy3DBatchAsync(ctypes.c_size_t(1), box, *more, ctypes.c_uint64(0), None) == 0
    assert [*seen] == [1, 2, 3, 4]
    float4, width = struct.pack("<5i", 32, 32, 32, 32, 2), ctypes.c_size_t()
    assert cuda.cudaDeviceGetTexture1DLinearMaxWidth(ctypes.byref(width), float4, 0) == 0
    assert width.value >= 1 << 27
    assert cuda.cudaImportExternalMemory(ctypes.byref(graph), struct.pack("<i", 1).ljust(104, b"\0")) == NOT_SUPPORTED
    assert cuda.cudaDestroyExternalMemory(None) == INVALID_HANDLE
    if major == 12:
        return
    assert cuda.cudaGraphNodeGetParams(nodes[0], found) == 0
    assert struct.unpack_from("<i12xQ7I", found.raw) == (0, kernel.value, 3, 1, 1, 2, 1, 1, 0)
    managed, sizes = ctypes.c_void_p(), (ctypes.c_size_t * 1)(4096)
    assert cuda.cudaMallocManaged(ctypes.byref(managed), ctypes.c_size_t(4096), 1) == 0
    place, first = struct.pack("<ii", 1, 0), (ctypes.c_size_t * 1)(0)
    for name in "cudaMemPrefetchBatchAsync", "cudaMemDiscardAndPrefetchBatchAsync":
        call = getattr(cuda, name)
        one = ctypes.c_size_t(1)
        assert call(ctypes.byref(managed), sizes, one, place, first, one, ctypes.c_uint64(0), None) == 0
        assert call(ctypes.byref(managed), sizes, one, place, first, one, ctypes.c_uint64(1), None) == INVALID_VALUE


check(12, 12090)
check(13, 13000)
check_nodes(12)
check_nodes(13)
