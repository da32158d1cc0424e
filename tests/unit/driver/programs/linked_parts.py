"""Parts that nvcc leaves to be linked: NVIDIA's device runtime, which is built in, and the program's own."""

import ctypes
import struct
from ctypes import byref

from driver_calls import Handle, Size, call, context

FATBINARY, LIBRARY, INVALID_IMAGE, NO_BINARY = 2, 4, 200, 209
LAUNCH = ".weak .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b) { ret; }\n"
UNKNOWN = """
.extern .func (.param .b32 r) cnpSetLastError(.param .b32 a);
.weak .func cudaX() { .param .b32 a, r; st.param.b32 [a], 0; call (r), cnpSetLastError, (a); ret; }
"""
CHILD = """
.extern .func (.param .b64 r) cudaGetParameterBufferV2(
    .param .b64 f, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 stream);
.global .u32 x = 1;
.visible .entry child() { st.global.u32 [x], 7; ret; }
.visible .entry parent() {
    .reg .b64 f; .param .b64 a, p, s; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 b, r;
    mov.u64 f, child;
    st.param.b64 [a], f;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [b], 0;
    call (p), cudaGetParameterBufferV2, (a, grid, block, b);
    st.param.b64 [s], 0;
    call (r), cudaLaunchDeviceV2, (p, s);
    ret;
}
"""
QUERIES = """
.extern .func (.param .b32 r) __cudaCDP2DeviceGetAttribute(.param .b64 value, .param .b32 number, .param .b32 device);
.extern .func (.param .b32 r) __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor(
    .param .b64 blocks, .param .b64 f, .param .b32 threads, .param .b64 shared);
.global .b32 x[6];
.visible .entry k(.param .b32 number, .param .b32 threads, .param .b64 shared) {
    .reg .b64 p; .reg .b32 n; .param .b64 a, f, s; .param .b32 b, d, r;
    mov.u64 p, x;
    cvta.global.u64 p, p;
    st.param.b64 [a], p;
    ld.param.b32 n, [number]; st.param.b32 [b], n;
    st.param.b32 [d], 0;
    call (r), __cudaCDP2DeviceGetAttribute, (a, b, d);
    ld.param.b32 n, [r]; st.b32 [p+4], n;
    st.param.b32 [d], 1;
    call (r), __cudaCDP2DeviceGetAttribute, (a, b, d);
    ld.param.b32 n, [r]; st.b32 [p+8], n;
    add.u64 p, p, 12;
    st.param.b64 [a], p;
    mov.u64 p, k;
    st.param.b64 [f], p;
    ld.param.b32 n, [threads]; st.param.b32 [b], n;
    ld.param.b64 p, [shared]; st.param.b64 [s], p;
    call (r), __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor, (a, f, b, s);
    ld.param.b32 n, [r]; st.global.b32 [x+16], n;
    ret;
}
"""
KERNEL = ".visible .entry k() { ret; }\n"


def part(body: str, target: int) -> bytes:
    """A fat binary with PTX for sm_`target`."""
    text = f".version 8.8\n.target sm_{target}\n.address_size 64\n{body}".encode()
    entry = struct.pack("<HHIQ12xI32x", 1, 0x101, 64, len(text), target) + text
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry


def add(body: str, target: int, result: int = 0, kind: int = FATBINARY) -> None:
    data = part(body, target)
    call("cuLinkAddData_v2", linking, kind, data, Size(len(data)), b"cudadevrt", 0, None, None, result=result)


context()
linking, image, size, module = Handle(), Handle(), Size(), Handle()
function, address = Handle(), ctypes.c_uint64()
call("cuLinkCreate_v2", 0, None, None, byref(linking))
add(LAUNCH, 121)  # for another device
add(LAUNCH, 80)
add(LAUNCH + UNKNOWN, 80, kind=LIBRARY)  # LuisaCompute adds it like that, by this name
call("cuLinkComplete", linking, byref(image), byref(size), result=INVALID_IMAGE)  # neither was added
add(KERNEL, 121, NO_BINARY)
add(LAUNCH + KERNEL, 121, NO_BINARY)
add(KERNEL, 80)
call("cuLinkComplete", linking, byref(image), byref(size))
call("cuModuleLoadData", byref(module), image)
call("cuModuleGetFunction", byref(Handle()), module, b"k")
call("cuLinkDestroy", linking)

# Of a single part, too, functions of the device runtime are resolved when it is linked.
call("cuLinkCreate_v2", 0, None, None, byref(linking))
add(CHILD, 80)
add(LAUNCH, 80, kind=LIBRARY)
call("cuLinkComplete", linking, byref(image), byref(size))
call("cuModuleLoadData", byref(module), image)
call("cuModuleGetFunction", byref(function), module, b"parent")
call("cuLaunchKernel", function, *(1,) * 6, 0, None, None, None)
call("cuModuleGetGlobal_v2", byref(address), byref(size), module, b"x")
value = ctypes.c_int()
call("cuMemcpyDtoH_v2", byref(value), address, Size(4))
assert value.value == 7
call("cuLinkDestroy", linking)

# Kernels get the same facts of the device as the host.
call("cuLinkCreate_v2", 0, None, None, byref(linking))
add(QUERIES, 80)
call("cuLinkComplete", linking, byref(image), byref(size))
call("cuModuleLoadData", byref(module), image)
call("cuModuleGetFunction", byref(function), module, b"k")
call("cuModuleGetGlobal_v2", byref(address), byref(size), module, b"x")
answers = (ctypes.c_int * 6)()
for number, threads, shared in ((16, 96, 0), (39, 1024, 0), (97, 32, 40000), (75, 1025, 0), (10, 1, 1 << 20)):
    values = ctypes.c_int(number), ctypes.c_int(threads), Size(shared)
    parameters = (ctypes.c_void_p * 3)(*map(ctypes.addressof, values))
    call("cuLaunchKernel", function, *(1,) * 6, 0, None, parameters, None)
    call("cuMemcpyDtoH_v2", answers, address, Size(24))
    fact, fitting = ctypes.c_int(), ctypes.c_int()
    call("cuDeviceGetAttribute", byref(fact), number, 0)
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(fitting), function, threads, Size(shared))
    assert list(answers) == [fact.value, 0, 101, fitting.value, 0, 0], (number, threads, shared, list(answers))
call("cuLinkDestroy", linking)
