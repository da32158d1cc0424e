"""The program of test_driver_calls.py: copies, a launch, bad input, a fault."""

from __future__ import annotations

import atexit
import ctypes
from ctypes import byref

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u32 n) {
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p ret;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%rd3], %r3;
    ret;
}
"""
cuda = ctypes.CDLL("libcuda.so.1")
size = ctypes.c_size_t


@atexit.register  # before the library's own, so it runs after that
def finalize() -> None:
    """As finalizers of clients do, when the library has closed."""
    released = cuda.cuMemFree_v2(memory), cuda.cuModuleUnload(module), cuda.cuCtxDestroy_v2(context)
    released = *released, cuda.cuCtxDetach(context)
    waited = cuda.cuStreamSynchronize(None), cuda.cuStreamQuery(None), cuda.cuCtxSynchronize()
    name = ctypes.create_string_buffer(32)
    pool = ctypes.c_void_p()
    trimmed = cuda.cuDeviceGetDefaultMemPool(byref(pool), 0), cuda.cuMemPoolTrimTo(pool, size(0))
    print(
        "released",
        *released,
        "waited",
        *waited,
        "trimmed",
        *trimmed,
        "named",
        cuda.cuDeviceGetName(name, len(name), 0),
        name.value.decode(),
        "others",
        cuda.cuMemAlloc_v2(byref(memory), size(4)),
    )


number, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
memory = ctypes.c_uint64()

assert cuda.cuDeviceGetCount(byref(number)) == 3  # not initialized
assert cuda.cuInit(0) == 0
assert cuda.cuDeviceComputeCapability(byref(number), byref(ctypes.c_int()), 0) == 0
assert number.value == 8
assert cuda.cuMemAlloc_v2(byref(memory), size(400)) == 201  # no context
assert cuda.cuCtxCreate_v2(byref(context), 0, 0) == 0
again = ctypes.c_void_p()
assert cuda.cuCtxAttach(byref(again), 1) == 1
assert cuda.cuCtxAttach(byref(again), 0) == 0
assert again.value == context.value
assert cuda.cuCtxDetach(again) == 0
assert cuda.cuCtxDetach(ctypes.c_void_p(1)) == 201
assert cuda.cuModuleLoadData(byref(module), b"garbage") == 200
assert cuda.cuModuleLoadData(byref(module), PTX) == 0
assert cuda.cuModuleGetFunction(byref(kernel), module, b"sub") == 500
assert cuda.cuModuleGetFunction(byref(kernel), module, b"add") == 0
assert cuda.cuMemAlloc_v2(byref(memory), size(0)) == 1
assert cuda.cuMemAlloc_v2(byref(memory), size(400)) == 0
free, total, rest = size(), size(), size()
assert cuda.cuMemGetInfo_v2(byref(free), byref(total)) == 0
assert cuda.cuMemAllocManaged(None, size(1 << 20), 1) == 1
assert cuda.cuMemAllocHost_v2(None, size(1 << 20)) == 1
assert cuda.cuMemGetInfo_v2(byref(rest), byref(total)) == 0
assert rest.value == free.value  # nothing is lost to a null pointer
data = (ctypes.c_uint32 * 100)(*range(100))
assert cuda.cuMemcpyHtoD_v2(memory, data, size(400)) == 0
assert cuda.cuMemcpyHtoD_v2(memory, data, size(404)) == 1


def launch(n: int) -> int:
    count = ctypes.c_uint32(n)
    pointers = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(count))
    return cuda.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, None, pointers, None)


grid = ctypes.c_int()
assert cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(number), kernel, 128, size(0)) == 0
assert number.value == 16  # of 64 warps, on sm_80
assert cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(number), kernel, 128, size(40 << 10)) == 0
assert number.value == 4  # of 164 KiB, with 1 KiB of each block for the system
assert cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(number), kernel, 2048, size(0)) == 0
assert number.value == 0
assert cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(number), kernel, 0, size(0)) == 1
assert cuda.cuOccupancyMaxPotentialBlockSize(byref(grid), byref(number), kernel, None, size(0), 0) == 0
assert (grid.value, number.value) == (2 * 108, 1024)
assert cuda.cuOccupancyMaxPotentialBlockSize(byref(grid), byref(number), kernel, None, size(0), 96) == 0
assert (grid.value, number.value) == (32 * 108, 64)  # 21 blocks of 96 threads are fewer
left = size()
assert cuda.cuOccupancyAvailableDynamicSMemPerBlock(byref(left), kernel, 4, 128) == 0
assert left.value == 40 << 10
assert cuda.cuOccupancyAvailableDynamicSMemPerBlock(byref(left), kernel, 17, 128) == 1
none = ctypes.c_uint32(0)
nothing = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(none))
assert cuda.cuLaunchCooperativeKernel(kernel, 16 * 108, 1, 1, 128, 1, 1, 0, None, nothing) == 0
assert cuda.cuLaunchCooperativeKernel(kernel, 16 * 108 + 1, 1, 1, 128, 1, 1, 0, None, nothing) == 720
assert launch(100) == 0
assert cuda.cuMemcpyDtoH_v2(data, memory, size(400)) == 0
assert list(data) == list(range(1, 101))
assert cuda.cuMemcpyDtoH_v2(data, data, size(400)) == 1
assert cuda.cuMemsetD32_v2(memory, 7, size(100)) == 0
assert cuda.cuMemcpyDtoH_v2(data, memory, size(400)) == 0
assert set(data) == {7}
assert cuda.cuGetExportTable(byref(ctypes.c_void_p()), None) == 500
assert cuda.cuMulticastCreate(None, None) == 801
assert launch(101) == 700
assert cuda.cuCtxSynchronize() == 700
assert cuda.cuMemFree_v2(memory) == 700
words = ctypes.c_char_p()
assert cuda.cuGetErrorString(700, byref(words)) == 0
assert words.value is not None
assert b"PTX9001" in words.value
assert cuda.cuCtxDetach(context) == 0
assert cuda.cuCtxCreate_v2(byref(context), 0, 0) == 0
assert cuda.cuMemAlloc_v2(byref(memory), size(400)) == 0
assert cuda.cuMemFree_v2(memory) == 0
assert cuda.cuMemFree_v2(memory) == 1
