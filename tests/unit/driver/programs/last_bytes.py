"""Loads at the end of an allocation whose size is not a multiple of 16."""

from __future__ import annotations

from ctypes import byref

from driver_calls import Address, Size, allocate, call, context, kernel, launch, load, words

context()
module = load("""
.visible .entry copy(.param .u64 from, .param .u64 to) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<5>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+32];
    st.global.u32 [%rd2], %r1;
    ret;
}
""")
source, target = allocate(44), allocate(4)
call("cuMemsetD32_v2", source, 7, Size(11))
launch(kernel(module, "copy"), 1, source, target)
assert words(target, 1) == [7]
base, extent = Address(), Size()
call("cuMemGetAddressRange_v2", byref(base), byref(extent), source)
assert (base.value, extent.value) == (source.value, 44)
launch(kernel(module, "copy"), 1, Address(source.value + 16), target, result=700)
