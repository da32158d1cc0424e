"""The program of test_exec_sanitize.py: reverses a block in shared memory and adds values from device memory."""

from __future__ import annotations

import ctypes
import sys

from driver_calls import Size, Word, allocate, call, context, kernel, launch, load, words

EXPECTED, KIND = int(sys.argv[1]), sys.argv[2]
BARRIER = "" if KIND == "racy" else "bar.sync 0;"
WRITE = "" if KIND == "undefined" else "st.shared.u32 [%a], %i;"
EQUAL = "setp.eq.u32 %p, %i, 0; @%p st.shared.u32 [s], 31; @!%p st.shared.u32 [s], 31;" if KIND == "equal" else ""

here = context()
if KIND in ("freed", "kept", "destroyed"):
    heap = load("""
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry take(.param .u64 out) {
    .reg .b64 o, p;
    ld.param.u64 o, [out];
    { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 p, [r]; }
    st.global.u64 [o], p; ret;
}
.visible .entry release(.param .u64 out) {
    .reg .b64 o, p;
    ld.param.u64 o, [out]; ld.global.u64 p, [o];
    { .param .b64 a; st.param.b64 [a], p; call free, (a); }
    ret;
}
""")
    block = allocate(8)
    launch(kernel(heap, "take"), 1, block, result=EXPECTED)
    call("cuCtxSynchronize", result=EXPECTED)
    print("taken", file=sys.stderr, flush=True)
    if KIND == "freed":
        launch(kernel(heap, "release"), 1, block, result=EXPECTED)
    if KIND == "destroyed":
        call("cuCtxDestroy_v2", here)
        print("destroyed", file=sys.stderr, flush=True)
    sys.exit()
reverse = kernel(
    load(f"""
.visible .entry reverse(.param .u64 out) {{
    .shared .align 4 .b8 s[128];
    .reg .b64 %o, %t; .reg .b32 %a, %i, %v; .reg .pred %p;
    ld.param.u64 %o, [out];
    mov.u32 %i, %tid.x;
    mov.u32 %a, s;
    mad.lo.u32 %a, %i, 4, %a;
    {WRITE}
    {BARRIER}
    {EQUAL}
    {BARRIER}
    mov.u32 %a, s;
    sub.u32 %i, 31, %i;
    mad.lo.u32 %a, %i, 4, %a;
    ld.shared.u32 %v, [%a];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %t, %i, 4;
    add.u64 %o, %o, %t;
    ld.global.u32 %i, [%o];
    add.u32 %v, %v, %i;
    st.global.u32 [%o], %v;
    ret;
}}
"""),
    "reverse",
)
out = allocate(128)
if KIND != "unset":
    call("cuMemsetD32_v2", out, Word(1), Size(32))
for _ in range(2):
    launch(reverse, 32, out, result=EXPECTED)
if EXPECTED:
    call("cuCtxSynchronize", result=EXPECTED)
    call("cuMemcpyDtoH_v2", (Word * 32)(), out, Size(128), result=EXPECTED)
    text = ctypes.c_char_p()
    call("cuGetErrorString", EXPECTED, ctypes.byref(text))
    print((text.value or b"").decode())
elif KIND in ("right", "equal"):
    last = 31 if KIND == "equal" else 0
    assert words(out, 32) == [1 + 2 * (31 - i) for i in range(31)] + [1 + 2 * last]
