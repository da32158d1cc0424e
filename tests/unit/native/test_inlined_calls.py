"""Functions with barriers or exits are compiled as parts of their kernel: results, faults and chains of calls are those
of the reference engine, which executes the calls."""

from __future__ import annotations

import logging
from itertools import product

import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 part[4096];\n"
KERNEL = """.visible .entry k(.param .u64 o) {{
.reg .b32 %a, %t, %u, %i; .reg .b64 %d, %e; .reg .pred %p; .local .align 4 .b8 own[12];
ld.param.u64 %d, [o]; mov.u32 %t, %tid.x; mul.wide.u32 %e, %t, 4; add.u64 %d, %d, %e; mov.b32 %a, %t; mov.b32 %i, 0;
st.local.b32 [own], %t;
{body}
st.global.u32 [%d], %a; ret; }}"""
TOTAL = """.func (.param .b32 r) total(.param .b32 p) {
.reg .b32 %a, %b, %t, %n, %s; .reg .pred %q; ld.param.b32 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x;
mov.u32 %s, part; mad.lo.u32 %b, %t, 4, %s; bar.sync 0; st.shared.b32 [%b], %a; bar.sync 0; mov.u32 %a, 0;
L: ld.shared.b32 %t, [%s]; add.u32 %a, %a, %t; add.u32 %s, %s, 4; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0;
@%q bra L; st.param.b32 [r], %a; ret; }
"""
CALL = "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), total, (x); ld.param.b32 %a, [z]; }"
STRUCTURES = """
.func leaf(.param .b64 p) { .reg .b64 %p, %l; .reg .b32 %a; .reg .pred %q; .local .align 8 .b8 loc[24];
ld.param.b64 %p, [p]; ld.b32 %a, [%p]; add.u32 %a, %a, 1; st.b32 [%p], %a; setp.gt.u32 %q, %a, 40; bar.sync 1;
mov.u64 %l, loc; st.local.b32 [%l+20], %a; @%q ret; ld.local.b32 %a, [%l+20]; add.u32 %a, %a, 7; st.b32 [%p], %a; }
.func (.param .align 4 .b8 r[20]) g(.param .align 8 .b8 p[20], .param .b32 n) {
.reg .b32 %a, %b, %n; .reg .b64 %l; .local .align 8 .b8 loc[8];
ld.param.b32 %a, [p+4]; ld.param.b32 %b, [p+16]; ld.param.b32 %n, [n]; add.u32 %a, %a, %b; st.local.b32 [loc], %a;
mov.u64 %l, loc; cvta.local.u64 %l, %l; { .param .b64 x; st.param.b64 [x], %l; call leaf, (x); }
ld.local.b32 %a, [loc]; add.u32 %a, %a, %n; st.param.b32 [r+8], %a; cvt.u32.u64 %b, %l; st.param.b32 [r+16], %b; ret; }
"""
TABLE = """
.func (.param .b32 r) g(.param .b32 x) { .reg .b32 %a; barrier.sync 0; ld.param.b32 %a, [x]; add.u32 %a, %a, 100;
st.param.b32 [r], %a; ret; }
.func (.param .b32 r) h(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; mul.lo.u32 %a, %a, 3;
st.param.b32 [r], %a; ret; }
.func (.param .b32 r) w(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; { .param .b32 y; .param .b32 z;
st.param.b32 [y], %a; call (z), g, (y); ld.param.b32 %a, [z]; } st.param.b32 [r], %a; ret; }
.global .u64 table[3] = {g, h, w};
"""
ENTRY = "mov.u64 %e, table; mad.wide.u32 %e, %u, 8, %e; ld.global.u64 %e, [%e];"
BY_ADDRESS = "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), %e, (x), P; ld.param.b32 %a, [z]; }"
ANY = "P: .callprototype (.param .b32 _) _ (.param .b32 _);"
CASES = {
    "a table of functions": (
        TABLE,
        f"{ANY} mov.b32 %u, 0; Q: {ENTRY} {BY_ADDRESS} add.u32 %u, %u, 1; setp.lt.u32 %p, %u, 3; @%p bra Q;"
        f"shr.u32 %u, %t, 5; rem.u32 %u, %u, 2; {ENTRY} {BY_ADDRESS}",
    ),
    "lanes that call two functions of a table": (
        TABLE,
        f"{ANY} rem.u32 %u, %t, 2; shl.b32 %u, %u, 1; {ENTRY} {BY_ADDRESS}",
    ),
    "two calls in a loop": (
        TOTAL,
        f"M: {CALL} xor.b32 %a, %a, %t; {CALL} add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 3; @%p bra M;",
    ),
    "structures": (
        STRUCTURES,
        "{ .param .align 8 .b8 x[20]; .param .b32 n; .param .align 4 .b8 z[20]; st.param.b32 [x+4], %a;"
        "st.param.b32 [x+16], %t; st.param.b32 [n], 3; call (z), g, (x, n); ld.param.b32 %a, [z+8];"
        "ld.param.b32 %u, [z+16]; xor.b32 %a, %a, %u; setp.eq.u32 %p, %t, %t; st.param.b32 [x+4], %a;"
        "@%p call (z), g, (x, n); ld.param.b32 %u, [z+8]; add.u32 %a, %a, %u; }",
    ),
    "registers": (
        ".func (.reg .b32 %r, .reg .b64 %w) g(.reg .b32 %x, .reg .b64 %y) { .reg .pred %q; setp.lt.u32 %q, %x, 10;"
        "bar.sync 0; mov.b32 %r, 5; mov.b64 %w, 6; @%q bra E; add.u32 %r, %x, 3; mul.lo.u64 %w, %y, 5; E: ret; }\n",
        "cvt.u64.u32 %e, %a; call (%a, %e), g, (%t, %e); cvt.u32.u64 %u, %e; add.u32 %a, %a, %u;"
        "call (%u, _), g, (77, 5); add.u32 %a, %a, %u;",
    ),
    "exits": (
        ".func g(.reg .b32 %x) { .reg .pred %q; setp.lt.u32 %q, %x, 10; @%q exit; setp.eq.u32 %q, %x, 20; @%q ret;"
        "bar.sync 0; ret; }\n",
        "call g, (%t); add.u32 %a, %a, 9; st.global.u32 [%d], %a; setp.gt.u32 %p, %t, 16; @%p call g, (%t);",
    ),
    "lanes that part": (  # the reference engine continues in the middle of the functions
        ".func (.reg .b32 %r) g(.reg .b32 %x) { .reg .pred %q; .reg .b32 %s; setp.lt.u32 %q, %x, 10; @%q bra A;"
        "barrier.sync 0; mov.b32 %r, 1; bra B; A: barrier.sync 0; mov.b32 %r, 2; B: add.u32 %r, %r, %x;"
        "activemask.b32 %s; popc.b32 %s, %s; add.u32 %r, %r, %s; ret; }\n"
        ".func (.reg .b32 %r) f(.reg .b32 %x) { call (%r), g, (%x); add.u32 %r, %r, %x; }\n",
        "setp.lt.u32 %p, %t, 5; @%p bra X; call (%u), f, (%t); add.u32 %a, %a, %u; bra Y;"
        "X: call (%u), g, (%a); mad.lo.u32 %a, %u, 10, %a; Y: call (%u), f, (%a); add.u32 %a, %a, %u;",
    ),
    "lanes that part with parameters to be read": (
        ".func (.param .b32 r) g(.param .b32 x, .param .b64 y) { .reg .pred %q; .reg .b32 %s, %t; .reg .b64 %y;"
        "ld.param.b32 %s, [x]; setp.lt.u32 %q, %s, 10; @%q bra A; barrier.sync 0; mov.b32 %t, 1; bra B;"
        "A: barrier.sync 0; mov.b32 %t, 2; B: ld.param.b32 %s, [x]; ld.param.b64 %y, [y]; add.u32 %t, %t, %s;"
        "cvt.u32.u64 %s, %y; add.u32 %t, %t, %s; st.param.b32 [r], %t; ret; }\n",
        "{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %t; st.param.b64 [y], %d;"
        "call (z), g, (x, y); ld.param.b32 %u, [z]; cvt.u32.u64 %i, %d; sub.u32 %a, %u, %i; }",
    ),
    "a cluster's barrier": (
        ".func (.reg .b32 %r) g(.reg .b32 %x) { .reg .pred %q; setp.lt.u32 %q, %x, 1000; mad.lo.u32 %r, %x, 7, 1;"
        "bar.sync 0; barrier.cluster.arrive; @!%q bra B; barrier.cluster.wait; B: add.u32 %r, %r, %x; ret; }\n",
        "call (%u), g, (%t); mad.lo.u32 %a, %u, 3, %t;",
    ),
    "a cluster's barrier that is not reached": (
        ".func (.reg .b32 %r) g(.reg .b32 %x, .reg .b32 %n) { .reg .pred %q; setp.eq.u32 %q, %n, 5; @%q bra B;"
        "bar.sync 0; mov.b32 %r, %x; ret; B: barrier.cluster.arrive; barrier.cluster.wait; mov.b32 %r, 1; ret; }\n",
        "ld.global.u32 %i, [%d]; call (%u), g, (%t, %i); add.u32 %a, %u, %t;",
    ),
    "recursion": (
        ".func (.param .b32 r) f(.param .b32 x, .reg .b32 %n) { .reg .pred %q; .reg .b32 %a; bar.sync 0;"
        "ld.param.b32 %a, [x]; add.u32 %a, %a, %n; setp.eq.u32 %q, %n, 0; @%q bra B; sub.u32 %n, %n, 1;"
        "{ .param .b32 y; .param .b32 z; st.param.b32 [y], %a; call (z), f, (y, %n); ld.param.b32 %a, [z]; }"
        "B: st.param.b32 [r], %a; ret; }\n",
        "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %t; call (z), f, (x, 5); ld.param.b32 %u, [z]; }"
        "mad.lo.u32 %a, %u, 3, %t;",
    ),
    "recursion that is not reached": (
        ".func f(.reg .b32 %n) { .reg .pred %q; bar.sync 0; setp.ne.u32 %q, %n, 0; @%q call f, (%n); ret; }\n",
        "mov.b32 %i, 0; call f, (%i);",
    ),
    "votes": (
        ".func (.reg .b32 %r) g(.reg .b32 %x) { .reg .pred %q; setp.lt.u32 %q, %x, 10;"
        "barrier.cta.red.popc.u32 %r, 0, %q; ret; }\n",
        "call (%u), g, (%t); add.u32 %a, %a, %u; call (%u), g, (%a); add.u32 %a, %a, %u;",
    ),
    "a function that stays one": (  # its frame is where the reference engine has it
        ".func (.reg .b32 %r) h(.reg .b32 %x) { .local .align 8 .b8 loc[16]; .reg .b64 %m; mov.b64 %m, loc;"
        "st.local.b32 [loc+12], %x; cvt.u32.u64 %r, %m; ld.local.b32 %x, [loc+12]; add.u32 %r, %r, %x; ret; }\n"
        ".func (.reg .b32 %r) g(.reg .b32 %x) { .local .b8 more[40]; bar.sync 0; call (%r), h, (%x); ret; }\n",
        "call (%u), g, (%t); add.u32 %a, %a, %u; call (%u), h, (%t); mad.lo.u32 %a, %u, 10, %a;",
    ),
    "a carry": (
        ".func (.reg .b32 %r) g(.reg .b32 %x) { bar.sync 0; add.cc.u32 %r, %x, 0xfffffff0;"
        "addc.u32 %r, %x, 1; ret; }\n",
        "call (%u), g, (%t); add.cc.u32 %a, %a, %u; addc.u32 %a, %a, %u;",
    ),
}  # fmt: skip
CONTINUED = (
    "lanes that call two functions of a table",
    "lanes that part",
    "lanes that part with parameters to be read",
    "a cluster's barrier",
    "recursion",
)
"""Those for which the reference engine continues."""
FAULTS = {
    "a function that the call does not list": (
        TABLE,
        f"P: .calltargets g, h; rem.u32 %u, %t, 3; {ENTRY} {BY_ADDRESS}",
        "a call of `w`, which the call does not list",
    ),
    "a load in a nested call": (
        ".func (.reg .b32 %r) h(.reg .b32 %x) { .reg .b64 %l; bar.sync 0; cvt.u64.u32 %l, %x; shl.b64 %l, %l, 40;"
        "ld.global.b32 %r, [%l]; ret; }\n"
        ".func (.reg .b32 %r) g(.reg .b32 %x) { bar.sync 0; call (%r), h, (%x); ret; }\n",
        "call (%u), g, (%t);",
        "= in `h`, called from `g`\n   = in `g`, called from `k`",
    ),
    "a load beyond the callee's frame": (
        ".func (.reg .b32 %r) h(.reg .b32 %x) { .local .align 8 .b8 loc[16]; .reg .b64 %m; bar.sync 0;"
        "st.local.b32 [loc], %x; cvt.u64.u32 %m, %x; ld.local.b32 %r, [%m]; ret; }\n"
        ".func (.reg .b32 %r) g(.reg .b32 %x) { .local .b8 more[40]; shl.b32 %x, %x, 2; call (%r), h, (%x); ret; }\n",
        "call (%u), g, (%t);",
        "outside of the 80 bytes",
    ),
    "a load beyond the kernel's frame": (
        ".func g { .local .b8 more[4000]; bar.sync 0; st.local.b8 [more], 1; ret; }\n",
        "call g; shl.b32 %u, %t, 2; cvt.u64.u32 %e, %u; ld.local.b32 %u, [%e];",
        "outside of the 16 bytes",
    ),
    "a deadlock": (
        ".func g(.reg .b32 %x) { .reg .pred %q; setp.lt.u32 %q, %x, 20; @%q bra A; barrier.sync 0; ret;"
        "A: barrier.sync 1; ret; }\n",
        "call g, (%t);",
        "can never arrive",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_results_are_the_reference_engines(name: str, caplog: pytest.LogCaptureFixture) -> None:
    functions, body = CASES[name]
    kernel = openptx.load(HEAD + functions + KERNEL.format(body=body))["k"]
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        for threads, (blocks, workers) in product((1, 31, 33, 96, 1024), ((1, 1), (3, 2))):
            got = {engine: np.zeros(1024, np.uint32) for engine in ("interp", "native")}
            for engine, one in got.items():
                kernel(blocks, threads, [one], engine=engine, workers=workers)
            assert np.array_equal(got["interp"], got["native"]), (threads, blocks)
    assert any("continues" in message for message in caplog.messages) == (name in CONTINUED)
    assert not any("runs on the reference engine" in message for message in caplog.messages)


@pytest.mark.parametrize("threads", [31, 96])
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_the_reference_engines(name: str, threads: int) -> None:
    functions, body, wanted = FAULTS[name]
    kernel = openptx.load(HEAD + functions + KERNEL.format(body=body))["k"]
    texts: list[str] = []
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault) as fault:
            kernel(2, threads, [np.zeros(1024, np.uint32)], engine=engine)
        texts.append(str(fault.value))
    assert wanted in texts[0]
    assert texts[0] == texts[1]


REFUSED = {
    "a carry from another block, in a kernel whose calls would be inlined": (
        ".func f { bar.sync 0; ret; }\n",
        "add.cc.u32 %a, %a, %a; call f; addc.u32 %a, %a, 0;",
    ),
    "a parameter of 516 bytes, in a call that would be inlined": (
        ".func f(.param .b8 p[516]) { bar.sync 0; ret; }\n",
        "{ .param .b8 x[516]; call f, (x); }",
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_inlined_is_named(reason: str) -> None:
    functions, body = REFUSED[reason]
    assert openptx.load(HEAD + functions + KERNEL.format(body=body))["k"].why_interp(64) == reason


def test_calls_that_are_too_long_together_are_named() -> None:
    """Each function calls the next one twice: a copy in place of each call would be a million instructions."""
    functions = "".join(f".func f{i} {{ call f{i + 1}; call f{i + 1}; ret; }}\n" for i in range(19, -1, -1))
    text = HEAD + ".func f20 { bar.sync 0; ret; }\n" + functions + KERNEL.format(body="call f0;")
    assert openptx.load(text)["k"].why_interp(64) == "calls of functions that wait or exit, too long to be inlined"
