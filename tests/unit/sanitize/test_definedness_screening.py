"""Which uses of undefined memory machine code proves harmless, and which the interpreter decides."""

from __future__ import annotations

import numpy as np
import pytest
from test_screening import BEGIN, HEAD, screened

import openptx
from openptx.engines.common.definite_assignment import unassigned_reads
from openptx.sanitize.entry import Report, watch
from openptx.sanitize.options import Options
from openptx.sanitize.undefined_bits.arrays import undefined_bits

LOCAL = ".local .align 16 .b8 own[64]; "

CLEAN = {
    "shared memory is written, then read": "st.shared.u32 [w], t; bar.sync 0; ld.shared.u32 v, [tile+128];",
    "a row of vectors": (
        "shl.b32 j, t, 4; mov.u32 w, tile; add.u32 w, w, j; st.shared.v4.u32 [w], {t, t, t, t}; ld.shared.u8 v, [w+9];"
    ),
    "local memory": LOCAL + "st.local.u64 [own+8], p; ld.local.u32 v, [own+12];",
    "local memory by generic addresses": (
        LOCAL + "mov.u64 s, own; cvta.local.u64 s, s; st.u32 [s], t; ld.u32 v, [s]; ld.local.u32 v, [own];"
    ),
    "shared memory by generic addresses": (
        "cvt.u64.u32 s, w; cvta.shared.u64 s, s; st.u32 [s], t; ld.u32 v, [s]; ld.shared.u32 v, [w];"
    ),
    "a guarded pair": "setp.lt.u32 c, t, 9; @c st.shared.u32 [w], t; @c ld.shared.u32 v, [w];",
    "atomics on what is written": "st.shared.u32 [w], 0; red.shared.add.u32 [w], 1;",
    "a register for some lanes": "setp.lt.u32 c, t, 9; @c mov.u32 v, 1; bar.sync 0; @c st.global.u32 [q], v;",
}
LOADS = {
    "shared memory": "ld.shared.u32 v, [w];",
    "one place of it": "st.shared.u32 [tile], t; ld.shared.u32 v, [tile+4];",
    "of one lane": "setp.ne.u32 c, t, 33; @c st.shared.u32 [w], t; ld.shared.u32 v, [w];",
    "one byte of a word": "st.shared.u16 [w], t; st.shared.u8 [w+2], t; ld.shared.u32 v, [w];",
    "the last word of a vector": (
        "shl.b32 j, t, 4; mov.u32 w, tile; add.u32 w, w, j; st.shared.v2.u32 [w], {t, t}; st.shared.u32 [w+8], t;"
        "ld.shared.v4.u32 {v, v, v, j}, [w];"
    ),
    "scattered": "mul.lo.u32 j, t, 12; mov.u32 w, tile; add.u32 w, w, j; ld.shared.u32 v, [w];",
    "an atomic": "red.shared.add.u32 [w], 1;",
    "local memory": LOCAL + "ld.local.u32 v, [own];",
    "of another index": LOCAL + "cvt.u64.u32 s, j; and.b64 s, s, 12; mov.u64 q, own; add.u64 q, q, s;"
    "st.local.u32 [q], t; ld.local.u32 v, [own+16];",
    "generic addresses of local memory": LOCAL + "mov.u64 s, own; cvta.local.u64 s, s; ld.u32 v, [s];",
    "generic addresses of local memory that one lane has not written": (
        LOCAL + "ld.global.u32 v, [p]; and.b32 v, v, 4; cvt.u64.u32 q, v; mov.u64 s, own; cvta.local.u64 s, s;"
        "add.u64 s, s, q; setp.ne.u32 c, t, 33; @c st.u32 [s], t; ld.u32 v, [s];"
    ),
    "generic addresses of shared memory": "cvt.u64.u32 s, w; cvta.shared.u64 s, s; ld.u32 v, [s];",
}  # fmt: skip


def lone(body: str, block: int = 64, grid: int = 1) -> Report:
    return screened(body, grid, block, tools="init")


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_written_is_cleared(name: str) -> None:
    report = lone(CLEAN[name])
    assert (report.reason, report.findings) == ("", [])


KEPT = {
    "scattered words at addresses of 32 bits": (64, (
        "brev.b32 j, t; shr.u32 j, j, 24; mov.u32 w, tile; add.u32 w, w, j; mad.lo.u32 v, t, 3, 1;"
        "st.shared.u32 [w], v; bar.sync 0; xor.b32 w, w, 60; ld.shared.u32 v, [w]; st.global.u32 [q], v;"
    )),
    "vectors in descending order, of which the last lane has none": (31, (
        "mov.u64 p, tile; cvt.u64.u32 s, t; mad.wide.u32 p, t, 16, p; st.shared.v2.u64 [p], {s, s}; bar.sync 0;"
        "sub.u32 j, 30, t; mov.u64 p, tile; mad.wide.u32 p, j, 16, p; ld.shared.v2.u64 {p, s}, [p];"
        "cvt.u32.u64 v, s; st.global.u32 [q], v;"
    )),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_marks_of_shared_memory_leave_the_memory_alone(name: str) -> None:
    block, body = KEPT[name]
    kernel = openptx.load(HEAD + BEGIN + body + "\nret;\n}\n")["k"]
    watched, plain = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    kernel(1, block, (plain,), engine="interp")
    report = watch(kernel, 1, block, [watched], Options(frozenset(("init",)), engine="native"))
    assert (report.reason, report.findings) == ("", [])
    assert plain.any()
    assert (watched == plain).all()


@pytest.mark.parametrize("name", LOADS)
@pytest.mark.parametrize("block", [64, 40])
def test_no_load_of_what_nobody_has_written_is_cleared(name: str, block: int) -> None:
    assert lone(LOADS[name], block).reason.startswith("a load of bytes that were never written, line ")


@pytest.mark.parametrize("space", ["shared", "local"])
def test_each_block_begins_with_memory_of_its_own(space: str) -> None:
    """The first block writes, the second one reads what it has not written."""
    place = "w" if space == "shared" else "own"
    body = f"{LOCAL} mov.u32 i, %ctaid.x; setp.eq.u32 c, i, 0; @c st.{space}.u32 [{place}], t; ld.{space}.u32 v,"
    report = lone(f"{body} [{place}]; setp.eq.u32 c, v, 1; @c st.global.u32 [q], t;", grid=2)
    assert report.reason.startswith("a load of bytes")
    assert [(f.name, f.block) for f in report.findings] == [("undefined-value", (1, 0, 0))]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("st.global.u32 [q], v2;", "register `v2`, which may be read before it is written, line "),
        ("setp.lt.u32 c, t, 9; @c mov.u32 v2, 1; mov.u32 v, v2;", "register `v2`"),
        ("setp.lt.u32 c, t, 9; @c mov.u32 v2, 1; @!c mov.u32 v, v2;", "register `v2`"),
        ("setp.lt.u32 c, t, 9; @c mov.u32 v2, 1; setp.lt.u32 c, t, 10; @c mov.u32 v, v2;", "register `v2`"),
        ("@c2 mov.u32 v, t;", "register `c2`"),
        ("addc.u32 v, t, t;", "register `CC`"),
        ("setp.lt.u32 c, t, 9; @c shfl.sync.idx.b32 v, t, 20, 31, -1;", "shfl"),
    ],
)
def test_registers_that_may_be_read_unwritten_are_left_to_the_reference_engine(body: str, reason: str) -> None:
    report = lone(".reg .b32 v2; .reg .pred c2; " + body)
    if reason == "shfl":
        assert report.reason
    else:
        assert report.reason.startswith(reason)


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ("setp.lt.u32 c, t, 9; @c mov.u32 x, 1; @c mov.u32 v, x;", 0),
        ("setp.lt.u32 c, t, 9; @c bra ON; mov.u32 x, 1; ON: bar.sync 0; @c bra OFF; mov.u32 v, x; OFF:", 0),
        ("setp.lt.u32 c, t, 9; @c bra ON; mov.u32 x, 1; ON: bar.sync 0; @!c bra OFF; mov.u32 v, x; OFF:", 1),
        ("setp.lt.u32 c, t, 9; @c mov.u32 x, 1; @!c mov.u32 x, 2; mov.u32 v, x;", 0),
        ("setp.lt.u32 c, t, 9; @c mov.u32 x, 1; not.pred c, c; @c mov.u32 v, x;", 1),
        ("ON: setp.lt.u32 c, t, 9; @c mov.u32 x, 1; @!c bra ON; mov.u32 v, x;", 0),
        ("setp.lt.u32 c, t, 9; ON: @c mov.u32 v, x; mov.u32 x, 1; @c bra ON;", 1),
        ("setp.lt.u32 c, t, 9; @c ret; mov.u32 x, 1; mov.u32 v, x;", 0),
        ("setp.lt.u32 c, t, 9; @c mov.u32 x, 1; @!c ret; mov.u32 v, x;", 0),
        ("setp.lt.u32 c, t, 9; @c setp.lt.u32 d, t, 1; @d mov.u32 v, t;", 1),
        ("setp.lt.u32 d, t, 9; @d mov.u32 x, 1; @d setp.lt.u32 d, t, 4; @d mov.u32 v, x;", 1),
    ],
)
def test_definite_assignment(body: str, reads: int) -> None:
    text = HEAD + ".entry k() { .reg .b32 t, v, x; .reg .pred c, d; mov.u32 t, %tid.x; " + body + " ret; }"
    assert len(unassigned_reads(openptx.load(text)["k"].function)) == reads


def empty_array(body: str, outputs: tuple[int, ...] = (), engine: str = "native") -> tuple[Report, np.ndarray]:
    array = openptx.empty(256, np.uint32)
    kernel = openptx.load(HEAD + BEGIN + body + "\nret;\n}\n")["k"]
    report = watch(kernel, 1, 64, [array], Options(frozenset(("init",)), outputs=outputs, engine=engine))
    bits = undefined_bits(array)
    assert bits is not None
    return report, np.asarray(bits.reshape(-1, 4).any(1))


@pytest.mark.parametrize(
    ("body", "reason", "left"),
    [
        ("st.global.u32 [q], t;", "", 192),
        ("st.global.u32 [q], t; ld.global.u32 v, [q];", "", 192),
        ("st.global.v2.u32 [p+32], {t, t};", "", 254),
        ("xor.b32 t, t, 5; mad.wide.u32 q, t, 12, p; st.u32 [q], t; ld.u32 v, [q];", "", 192),
        ("setp.gt.u32 c, t, 9; @c st.global.u32 [q+16], t; @c ld.global.u32 v, [q+16];", "", 202),
        ("and.b32 v, t, 3; setp.gt.u32 c, v, 0; @c st.global.u32 [q], t; @c ld.global.u32 v, [q];", "", 208),
        ("st.global.u32 [p+12], 1; ld.global.u32 v, [p+12];", "", 255),
        ("st.global.u32 [q], t; ld.global.u32 v, [q+4];", "a load of bytes", 192),
        ("setp.lt.u32 c, t, 9; @c st.global.u32 [q], t; ld.global.u32 v, [q];", "a load of bytes", 247),
        ("setp.ne.u32 c, t, 33; @c st.global.u32 [q], t; ld.global.u32 v, [q];", "a load of bytes", 193),
        ("setp.ne.u32 c, t, 63; @c st.global.u32 [q], t; ld.global.u32 v, [q];", "a load of bytes", 193),
        ("setp.ne.u32 c, t, 0; @c st.global.u32 [q], t; ld.global.u32 v, [q];", "a load of bytes", 193),
        (
            "setp.ne.u32 c, t, 33; xor.b32 t, t, 5; mad.wide.u32 q, t, 12, p; @c st.u32 [q], t; ld.u32 v, [q];",
            "a load of bytes",
            193,
        ),
        ("mad.wide.u32 q, t, 2, p; st.global.u16 [q], t; ld.global.u8 v, [q+1];", "", 224),
        ("mad.wide.u32 q, t, 2, p; setp.ne.u32 c, t, 62; @c st.u16 [q], t; ld.u16 v, [q];", "a load of bytes", 225),
        ("red.global.add.u32 [p], 1;", "a load of bytes", 255),
    ],
)
def test_arrays_that_begin_undefined(body: str, reason: str, left: int) -> None:
    """What a kernel writes is defined from then on, on either engine."""
    report, undefined = empty_array(body)
    assert report.reason.startswith(reason)
    assert bool(report.reason) == bool(reason)
    assert undefined.sum() == left
    assert (undefined == empty_array(body, engine="interp")[1]).all()


def test_what_was_written_before_a_doubt_is_undefined_again_for_the_reference_engine() -> None:
    use = "setp.eq.u32 c, v, 7; @c st.global.u32 [q], 1;"
    report, _ = empty_array(f"ld.global.u32 v, [q]; st.global.u32 [q], t; {use}")
    assert [f.name for f in report.findings] == ["undefined-value"]


def test_outputs_that_are_undefined_in_the_end_are_found() -> None:
    report, _ = empty_array("st.global.u32 [q], t;", (0,))
    assert report.reason == "bytes of an output that are undefined in the end"
    assert [f.name for f in report.findings] == ["undefined-output"]
    every = "".join(f"st.global.u32 [q+{256 * k}], t;" for k in range(4))
    assert empty_array(every, (0,))[0] == Report([], [])


CALLS = """
.func (.param .b32 out) f(.param .align 8 .b8 in[16], .param .b32 k) {
    .reg .b32 v, w; .reg .b64 x; .reg .pred c;
    .local .align 8 .b8 own[16];
    ld.param.u32 w, [k];
    setp.ne.u32 c, w, 0;
    BODY
    ret;
}
.func (.reg .b32 d) g(.reg .b32 a, .reg .b32 b) {
    .reg .pred c;
    setp.lt.u32 c, a, 5;
    GUARD mov.b32 d, b;
    ret;
}
.visible .entry k(.param .u64 a) {
    .reg .b64 p, q; .reg .b32 t, v, w; .reg .pred c;
    ld.param.u64 p, [a];
    mov.u32 t, %tid.x;
    mad.wide.u32 q, t, 4, p;
    .param .align 8 .b8 given[16]; .param .b32 which; .param .b32 result;
    st.param.b32 [given], t;
    st.param.b64 [given+8], q;
    st.param.b32 [which], 1;
    call.uni (result), f, (given, which);
    ld.param.b32 v, [result];
    st.param.b32 [which], 0;
    call.uni (result), f, (given, which);
    ld.param.b32 v, [result];
    call.uni (w), g, (t, v);
    add.u32 v, v, w;
    st.global.u32 [q], v;
    ret;
}
"""


@pytest.mark.parametrize(
    ("body", "guard", "reason", "found"),
    [
        ("ld.param.u32 v, [in]; st.param.b32 [out], v;", "", "", False),
        ("ld.param.u64 x, [in+8]; cvt.u32.u64 v, x; st.param.b32 [out], v;", "", "", False),
        ("st.local.u32 [own], w; ld.local.u32 v, [own]; st.param.b32 [out], v;", "", "", False),
        ("ld.param.u32 v, [in+4]; add.u32 v, v, w; st.param.b32 [out], v;", "", "a load of bytes", True),
        ("@c st.local.u32 [own], w; ld.local.u32 v, [own]; st.param.b32 [out], v;", "", "a load of bytes", True),
        ("@c st.param.b32 [out], w;", "", "a load of bytes", True),
        ("st.param.b32 [out], w;", "@c", "register `d`", True),
    ],
)
def test_functions_have_parameters_and_memory_of_their_own(body: str, guard: str, reason: str, found: bool) -> None:
    """The second call finds nothing of what the first one has left in its frame."""
    text = HEAD + CALLS.replace("BODY", body).replace("GUARD", guard)
    reports = [
        watch(openptx.load(text)["k"], 1, 64, [np.zeros(64, np.uint32)], Options(frozenset(("init",)), engine=engine))
        for engine in ("native", "interp")
    ]
    assert reports[0].reason.startswith(reason)
    assert bool(reports[0].reason) == bool(reason)
    assert [bool(report.findings) for report in reports] == [found, found]


@pytest.mark.parametrize("index", ["t", "n"])
def test_a_pointer_may_lead_to_another_array_than_its_own(index: str) -> None:
    """Where the pointer's own array has no marks, the one that is accessed may have: by rows of lanes or not."""
    text = f"""{HEAD}.visible .entry k(.param .u64 a, .param .u64 b) {{
    .reg .b64 p, e, q; .reg .b32 t, n, v;
    ld.param.u64 p, [a];
    ld.param.u64 e, [b];
    mov.u32 t, %tid.x;
    mad.wide.u32 q, t, 4, p;
    ld.global.u32 n, [q];
    sub.s64 e, e, p;
    mad.wide.u32 q, {index}, 4, p;
    add.s64 q, q, e;
    ld.global.u32 v, [q];
    ret;
}}
"""
    options = Options(frozenset(("init",)), engine="native")
    for make, reason in ((openptx.empty, "a load of bytes"), (np.zeros, "")):
        report = watch(openptx.load(text)["k"], 1, 64, [np.zeros(64, np.uint32), make(64, np.uint32)], options)
        assert report.reason[: len("a load of bytes")] == reason
