"""Register limits of the linker and of modules, bytes of local memory, and the missing profiler."""

import ctypes
from ctypes import byref

from driver_calls import HEAD, Handle, Size, call, context, kernel, load

LOCAL, REGISTERS, PTX_VERSION, BINARY_VERSION = 3, 4, 5, 6
PTX_INPUT, MAX_REGISTERS = 1, 0
NAMES = [f"%r{i}" for i in range(64)]
TEXT = (
    """
.func inner() { .local .align 4 .b8 small[100]; ret; }
.func outer() { .local .align 4 .b8 large[200]; call inner; ret; }
.visible .entry k(.param .u64 a) {
    .local .align 4 .b8 depot[1000];
    .reg .b64 %rd1;
    .reg .b32 %r<64>;
    ld.param.u64 %rd1, [a];
"""
    + "".join(f"    ld.global.u32 {name}, [%rd1+{4 * i}];\n" for i, name in enumerate(NAMES))
    + "".join(f"    st.global.u32 [%rd1+{4 * i}], {name};\n" for i, name in enumerate(reversed(NAMES)))
    + """
    call inner;
    call outer;
    ret;
}
.visible .entry limited() .maxnreg 24 { ret; }
"""
)


def attribute(module: Handle, name: str, number: int) -> int:
    found = ctypes.c_int()
    call("cuFuncGetAttribute", byref(found), number, kernel(module, name))
    return found.value


def options(most: int) -> tuple[int, ctypes.Array[ctypes.c_int], ctypes.Array[ctypes.c_void_p]]:
    return 1, (ctypes.c_int * 1)(MAX_REGISTERS), (ctypes.c_void_p * 1)(most)


context()
module = load(TEXT)
assert attribute(module, "k", REGISTERS) > 60
assert attribute(module, "k", LOCAL) == 1000 + 200 + 100
assert attribute(module, "limited", LOCAL) == 0
older = Handle()
call("cuModuleLoadData", byref(older), (HEAD.replace("sm_80", "sm_75") + TEXT).encode())
assert attribute(older, "k", PTX_VERSION) == 75
assert attribute(older, "k", BINARY_VERSION) == attribute(module, "k", BINARY_VERSION) >= 80

limited = Handle()
call("cuModuleLoadDataEx", byref(limited), (HEAD + TEXT).encode(), *options(40))
assert attribute(limited, "k", REGISTERS) == 40
assert attribute(limited, "limited", REGISTERS) <= 24

linking, image, extent, linked = Handle(), Handle(), Size(), Handle()
call("cuLinkCreate_v2", *options(32), byref(linking))
data = (HEAD + TEXT).encode()
call("cuLinkAddData_v2", linking, PTX_INPUT, data, Size(len(data)), b"a.ptx", 0, None, None)
call("cuLinkComplete", linking, byref(image), byref(extent))
call("cuModuleLoadData", byref(linked), image)
assert attribute(linked, "k", REGISTERS) == 32
call("cuLinkDestroy", linking)

call("cuProfilerStart")
call("cuProfilerStop")
call("cuProfilerInitialize", b"configuration", b"output", 0, result=801)
