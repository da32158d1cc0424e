# ruff: noqa: E501 - PTX in one line reads better here
"""Upcalls: compiled code calls the reference engine's `printf`, heap and clocks, with the same results and messages."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx

HEAD = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.global .align 1 .b8 text[13] = {108, 97, 110, 101, 32, 37, 100, 32, 37, 115, 10, 0, 0};
.global .align 1 .b8 word[4] = {121, 101, 115, 0};
"""
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f64 %d<4>;"
START = "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [x]; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;"
ALLOCATE = (
    "{ .param .b64 n; .param .b64 p; st.param.b64 [n], %rd4; call.uni (p), malloc, (n); ld.param.b64 %rd5, [p]; }"
)
FREE = "{ .param .b64 p; st.param.b64 [p], %rd5; call.uni free, (p); }"


def kernel(body: str, before: str = "") -> openptx.Kernel:
    text = (
        f"{HEAD}{before}\n.visible .entry k(.param .u64 x) {{\n{REGISTERS} .local .align 8 .b8 depot[16];\n{body}\n}}"
    )
    return openptx.load(text)["k"]


PRINT = (
    f"{START} and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE; st.local.u32 [depot], %r1;"
    "mov.u64 %rd4, word; cvta.global.u64 %rd4, %rd4; st.local.u64 [depot+8], %rd4;"
    "mov.u64 %rd5, text; cvta.global.u64 %rd5, %rd5; mov.u64 %rd6, depot; cvta.local.u64 %rd6, %rd6;"
    "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd5; st.param.b64 [a], %rd6;"
    "call.uni (r), vprintf, (f, a); ld.param.b32 %r3, [r]; }"
    "cvt.s64.s32 %rd7, %r3; st.global.u64 [%rd3], %rd7; DONE: ret;"
)


@pytest.mark.parametrize("workers", [1, 2])
def test_lanes_print(workers: int, capsys: pytest.CaptureFixture[str]) -> None:
    k = kernel(PRINT)
    assert k.why_interp(45) is None
    x = np.zeros(45, np.uint64)
    k(2, 45, (x,), engine="native", workers=workers)
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(
        f"lane {i} yes" for i in range(1, 45, 2) for _ in "ab"
    )
    assert x.tolist() == [2 * (i % 2) for i in range(45)]  # arguments printed


HEAP = (
    f"{START} add.s32 %r2, %r1, 1; mul.wide.u32 %rd4, %r2, 8; {ALLOCATE} mov.u32 %r3, 0; mov.f64 %d2, 0d0000000000000000;"
    "UP: mul.wide.u32 %rd6, %r3, 8; add.s64 %rd6, %rd5, %rd6; cvt.rn.f64.u32 %d1, %r3; st.f64 [%rd6], %d1;"
    "ld.f64 %d3, [%rd6]; add.f64 %d2, %d2, %d3; add.s32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra UP;"
    f"st.global.f64 [%rd3], %d2; {FREE}"
)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_the_heap_gives_every_lane_its_own(engine: str) -> None:
    k = kernel(HEAP + "ret;")
    assert k.why_interp(50) is None
    x = np.zeros(50)
    k(3, 50, (x,), engine=engine)
    assert x.tolist() == [i * (i + 1) / 2 for i in range(50)]


WRONG = {
    "used after free": HEAP + "setp.eq.u32 %p1, %r1, 9; @%p1 ld.f64 %d1, [%rd5]; ret;",
    "freed twice": HEAP + "setp.eq.u32 %p1, %r1, 7; @!%p1 bra DONE;" + FREE + "DONE: ret;",
    "beyond the block": HEAP.replace(FREE, "add.s64 %rd5, %rd5, 1048576; setp.eq.u32 %p1, %r1, 3; @%p1 st.b64 [%rd5], %rd1; ret;"),
    "an atomic in the free heap": HEAP + "setp.eq.u32 %p1, %r1, 9; @%p1 atom.add.u64 %rd6, [%rd5], 1; st.global.b64 [%rd3], %rd6; ret;",
    "an assertion in a function": "call.uni f; ret;",
    "a text that is nowhere": PRINT.replace("mov.u64 %rd5, text; cvta.global.u64 %rd5, %rd5;", "mov.u64 %rd5, 12;"),
    "a local text beyond the frame": PRINT.replace("cvta.local.u64 %rd6, %rd6;", "add.s64 %rd6, %rd6, 4096; cvta.local.u64 %rd6, %rd6;"),
}  # fmt: skip
ASSERTS = (
    ".func f { .reg .b64 %a; .param .b64 m; .param .b64 l; .param .b32 n; .param .b64 o; .param .b64 c; mov.u64 %a, word; cvta.global.u64 %a, %a;"
    "st.param.b64 [m], %a; st.param.b64 [l], %a; st.param.b32 [n], 12; st.param.b64 [o], %a; st.param.b64 [c], 1;"
    "call.uni __assertfail, (m, l, n, o, c); ret; }"
)  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_faults_are_those_of_the_reference_engine(name: str) -> None:
    found: list[openptx.Fault] = []
    for engine in ("interp", "native"):
        k = kernel(WRONG[name], ASSERTS)
        assert k.why_interp(45) is None
        with pytest.raises(openptx.Fault) as fault:
            k(1, 45, (np.zeros(45),), engine=engine)
        found.append(fault.value)
    reference, ours = found
    for fact in ("code", "kernel", "block", "thread", "space", "span", "notes"):
        assert getattr(ours, fact) == getattr(reference, fact), fact
    somewhere = re.compile("0x[0-9a-f]{9,}")  # warps allocate in another order
    assert somewhere.sub("@", ours.message) == somewhere.sub("@", reference.message)


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("register", ["clock64", "globaltimer"])
def test_clocks_only_increase(register: str, engine: str) -> None:
    k = kernel(
        f"{START} mov.u64 %rd4, %{register}; nanosleep.u32 10; mov.u64 %rd5, %{register}; sub.s64 %rd6, %rd5, %rd4;"
        "st.global.u64 [%rd3], %rd6; ret;"
    )
    assert k.why_interp(40) is None
    x = np.zeros(40, np.int64)
    k(2, 40, (x,), engine=engine)
    assert (x > 0).all()


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_without_clusters_each_block_is_one(engine: str) -> None:
    names = (
        "clusterid.x",
        "nclusterid.x",
        "cluster_ctaid.x",
        "cluster_nctaid.x",
        "cluster_ctarank",
        "cluster_nctarank",
    )
    reads = "".join(f"mov.u32 %r2, %{name}; st.global.u32 [%rd3+{4 * i}], %r2;" for i, name in enumerate(names))
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {\n"
        f"{REGISTERS} mov.u32 %r1, %ctaid.x; ld.param.u64 %rd1, [x]; mul.wide.u32 %rd2, %r1, 24; add.s64 %rd3, %rd1, %rd2;\n{reads} ret; }}"
    )  # fmt: skip
    k = openptx.load(text)["k"]
    assert k.why_interp(1) is None
    x = np.zeros((3, 6), np.uint32)
    k(3, 1, (x,), engine=engine)
    assert x.tolist() == [[i, 3, 0, 1, 0, 1] for i in range(3)]


@pytest.mark.parametrize("name", ["time", "instruction"])
def test_a_function_that_nobody_defines_is_no_upcall(name: str) -> None:
    """Upcalls that are no functions of the system have names of their own."""
    k = kernel(
        f"{{ .param .b64 p; call (p), {name}, (); ld.param.b64 %rd5, [p]; }} ret;",
        f".extern .func (.param .b64 r) {name} ();",
    )
    with pytest.raises(openptx.Unsupported, match=f"`{name}`, which the module does not define"):
        k(1, 1, (np.zeros(1, np.uint64),), engine="native")
