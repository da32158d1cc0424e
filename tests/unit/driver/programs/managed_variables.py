"""`__managed__` variables: the host reads and writes them at their address, between launches."""

import ctypes
from ctypes import byref

from driver_calls import Address, Handle, Size, Word, call, context, kernel, launch, load, variable

context()
module = load("""
.visible .global .attribute(.managed) .align 4 .u32 managed[2] = { 5, 6 };
.visible .global .align 4 .u32 ordinary = 7;
.visible .entry next() {
    .reg .u32 v;
    ld.global.u32 v, [managed+4];
    add.u32 v, v, 1;
    st.global.u32 [managed+4], v;
    ret;
}
""")
where, extent = variable(module, "managed")
assert extent == 8
there = (ctypes.c_uint32 * 2).from_address(where)
assert list(there) == [5, 6]
there[1] = 41
launch(kernel(module, "next"), 1)
assert list(there) == [5, 42]

IS_MANAGED, RANGE_START, MEMORY_TYPE, HOST_POINTER, CONTEXT = 8, 11, 2, 4, 1
flag, found, extent_found = Word(9), Address(), Size()
call("cuPointerGetAttribute", byref(flag), IS_MANAGED, Address(where))
assert flag.value == 1
call("cuPointerGetAttribute", byref(found), HOST_POINTER, Address(where + 4))
assert found.value == where + 4
call("cuMemGetAddressRange_v2", byref(found), byref(extent_found), Address(where + 4))
assert (found.value, extent_found.value) == (where, 8)
call("cuMemPrefetchAsync", Address(where), Size(8), 0, None)
call("cuMemPrefetchAsync", Address(where), Size(9), 0, None, result=1)

plain, _ = variable(module, "ordinary")
call("cuPointerGetAttribute", byref(flag), IS_MANAGED, Address(plain))
assert flag.value == 0
call("cuPointerGetAttribute", byref(flag), MEMORY_TYPE, Address(plain))
assert flag.value == 2
call("cuPointerGetAttribute", byref(found), HOST_POINTER, Address(plain), result=1)
current = Handle()
call("cuCtxGetCurrent", byref(current))
call("cuPointerGetAttribute", byref(found), CONTEXT, Address(plain))
assert found.value == current.value
call("cuMemPrefetchAsync", Address(plain), Size(4), 0, None, result=1)

call("cuModuleUnload", module)
call("cuPointerGetAttribute", byref(flag), IS_MANAGED, Address(where), result=1)
