"""PTX for an older target is compiled for the device: sums of its tensor cores are those of sm_90, not of sm_80."""

import ctypes

import numpy as np
from driver_calls import Size, allocate, call, context, kernel, launch, load

PTX = """
.visible .entry sums(.param .u64 out) {
    .reg .b32 %a, %b, %t, %d<4>; .reg .b64 %o; .reg .pred %first, %second;
    ld.param.u64 %o, [out];
    mov.u32 %t, %laneid; and.b32 %t, %t, 3;
    setp.eq.u32 %first, %t, 0; setp.eq.u32 %second, %t, 1;
    mov.b32 %a, 0; mov.b32 %b, 0;
    @%first mov.b32 %a, 0xBC003C00; @%first mov.b32 %b, 0x3C003C00;
    @%second mov.b32 %a, 0x00000C00; @%second mov.b32 %b, 0x00000800;
    mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
        {%d0, %d1, %d2, %d3}, {%a, %d0, %d0, %d0}, {%b, %d0}, {%d0, %d1, %d2, %d3};
    st.global.b32 [%o], %d0;
    ret;
}
"""

context()
out = allocate(4)
launch(kernel(load(PTX), "sums"), 32, out)
found = np.zeros(1, np.float32)
call("cuMemcpyDtoH_v2", found.ctypes.data_as(ctypes.c_void_p), out, Size(4))
assert found[0] == 2.0**-25  # 1 - 1 + 2^-25; sm_80 cuts the last term off
