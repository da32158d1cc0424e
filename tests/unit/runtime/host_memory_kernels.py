"""Kernels for the tests of host memory."""

ADD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 at, .param .u32 value, .param .u32 count) {
    .reg .b64 a; .reg .b32 v, x, t, n; .reg .pred q;
    ld.param.u64 a, [at]; ld.param.u32 v, [value]; ld.param.u32 n, [count];
    mov.u32 t, %tid.x; setp.ge.u32 q, t, n; @q bra END;
    mad.wide.u32 a, t, 4, a; ld.global.u32 x, [a]; add.u32 x, x, v; st.global.u32 [a], x;
END: ret;
}
.visible .entry copy(.param .u64 to, .param .u64 from) {
    .reg .b64 a, b, v; .reg .b32 t;
    ld.param.u64 a, [to]; ld.param.u64 b, [from]; mov.u32 t, %tid.x;
    mad.wide.u32 a, t, 8, a; mad.wide.u32 b, t, 8, b; ld.u64 v, [b]; st.u64 [a], v; ret;
}
"""
