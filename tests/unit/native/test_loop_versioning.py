"""Versioned loops: a first copy without slow paths, restarted in the second where a check fails."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

TURNS, STEP = 5, 64  # elements of a warp's turn: two rows of 32
FAULT = ("code", "block", "thread", "space", "span", "notes")

TEXT = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 lanes, .param .u64 shift) {{
.reg .b64 %a, %b, %from, %to, %s; .reg .b32 %t, %n, %turn; .reg .f32 %x, %y; .reg .b64 %v; .reg .pred %p, %q;
ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; ld.param.u32 %n, [lanes]; ld.param.u64 %s, [shift];
mov.u32 %t, %tid.x;
setp.ge.u32 %p, %t, %n; @%p exit;
add.s64 %from, %from, %s; mad.wide.u32 %a, %t, 4, %from; mad.wide.u32 %b, %t, 4, %to; mov.u32 %turn, {turns};
LOOP: {body}
add.s64 %a, %a, 256; add.s64 %b, %b, 256; sub.s32 %turn, %turn, 1; setp.ne.s32 %p, %turn, 0; @%p bra LOOP;
exit; }}"""
BODIES = {
    "moved": "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%a+128]; st.global.f32 [%b], %y; st.global.f32 [%b+128], %x;",
    "added": """ld.global.f32 %x, [%b]; ld.global.f32 %y, [%a+128]; add.f32 %x, %x, %y; st.global.f32 [%b], %x;
ld.global.f32 %y, [%a]; ld.global.f32 %x, [%b+128]; add.f32 %x, %x, %y; st.global.f32 [%b+128], %x;""",
    "counted": """atom.global.add.f32 %y, [%b+128], 0f3F800000; ld.global.f32 %x, [%a+128]; st.global.f32 [%b], %x;
ld.global.f32 %x, [%a]; add.f32 %x, %x, %y; st.global.f32 [%b+128], %x;""",
    "stored, then read elsewhere": """ld.global.f32 %x, [%b]; add.f32 %x, %x, 0f3F800000; st.global.f32 [%b], %x;
ld.global.f32 %x, [%a]; ld.global.f32 %y, [%a+128]; add.f32 %x, %x, %y; st.global.f32 [%b+128], %x;""",
    "guarded": """setp.lt.u32 %q, %t, 7; ld.global.f32 %x, [%a]; @%q ld.global.f32 %y, [%a+128];
@!%q mov.f32 %y, %x; st.global.f32 [%b], %y; @%q st.global.f32 [%b+128], %x;""",
}
ENOUGH = TURNS * STEP
# What differs from plain: lanes, elements of each array, bytes added to one address, first elements of what is passed.
CASES = {
    "all lanes": {},
    "few lanes, exactly": {"lanes": 9, "a": ENOUGH - 23, "b": ENOUGH - 23},
    "few lanes, one short": {"lanes": 9, "a": ENOUGH - 24},
    "few lanes, one short to write": {"lanes": 9, "b": ENOUGH - 24},
    "one short": {"a": ENOUGH - 1},
    "one short to write": {"b": ENOUGH - 1},
    "only the second row short": {"b": ENOUGH - 32},
    "nothing": {"a": 0, "b": 0},
    "crooked": {"shift": 2},
    "before the array": {"shift": (1 << 64) - 4},
    "far away": {"shift": 1 << 40},
    "views": {"begin": 3, "a": ENOUGH + 3, "b": ENOUGH + 3},
    "short views": {"begin": 3, "a": ENOUGH + 2, "b": ENOUGH + 3},
    "views, before the array": {"begin": 3, "a": ENOUGH + 3, "b": ENOUGH + 3, "shift": (1 << 64) - 4},
}


def outcome(text: str, engine: str, case: dict[str, int], writable: bool = True) -> tuple[object, ...]:
    """What a launch leaves, and what it says that was wrong."""
    begin = case.get("begin", 0)
    x = np.arange(case.get("a", ENOUGH), dtype=np.float32)[begin:]
    y = np.arange(case.get("b", ENOUGH), dtype=np.float32)[begin:] * 100
    whole = np.concatenate([np.zeros(begin, np.float32), y])
    y = whole[begin:]
    y.flags.writeable = writable
    said: tuple[object, ...] = ()
    try:
        openptx.load(text)["k"](1, 32, (x, y, case.get("lanes", 32), case.get("shift", 0)), engine=engine)
    except openptx.Fault as fault:
        said = tuple(getattr(fault, fact) for fact in FAULT[:-1])
    return whole.tobytes(), said


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("case", CASES)
def test_what_a_loop_leaves_and_says(case: str, body: str) -> None:
    text = TEXT.format(body=BODIES[body], turns=TURNS)
    found = [outcome(text, engine, CASES[case]) for engine in ("interp", "native")]
    assert found[0] == found[1]


@pytest.mark.parametrize("body", BODIES)
def test_what_may_not_be_written(body: str) -> None:
    text = TEXT.format(body=BODIES[body], turns=TURNS)
    reference, ours = (outcome(text, engine, {}, writable=False) for engine in ("interp", "native"))
    assert reference[1]
    assert ours == reference


def test_a_table_of_constants_is_read_where_it_is_and_no_further() -> None:
    text = """.version 8.8
.target sm_90
.address_size 64
.const .align 4 .b32 table[4] = {3, 1, 4, 1};
.visible .entry k(.param .u64 to) {
.reg .b64 %b; .reg .b32 %x, %y;
ld.param.u64 %b, [to]; ld.const.u32 %x, [table+12]; ld.const.u32 %y, [table+AT]; add.u32 %x, %x, %y;
st.global.u32 [%b], %x; exit; }"""
    for at, sum in (("8", 5), ("0", 4), ("16", None), ("-4", None), ("6", None)):
        for engine in ("interp", "native"):
            result = np.zeros(1, np.uint32)
            kernel = openptx.load(text.replace("AT", at))["k"]
            if sum is None:
                with pytest.raises(openptx.Fault) as fault:
                    kernel(1, 1, (result,), engine=engine)
                assert fault.value.space == "const"
            else:
                kernel(1, 1, (result,), engine=engine)
                assert result[0] == sum


PARTING = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u64 turns, .param .u32 n) {{
.reg .b64 %a, %b, %c; .reg .b32 %t, %i, %n, %turn; .reg .f32 %x, %y, %sum; .reg .pred %p;
ld.param.u64 %a, [from]; ld.param.u64 %b, [to]; ld.param.u64 %c, [turns]; ld.param.u32 %n, [n];
mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a; mad.wide.u32 %b, %t, 4, %b; mad.wide.u32 %c, %t, 4, %c;
ld.global.u32 %turn, [%c]; mov.u32 %i, %t; mov.f32 %sum, 0f00000000; setp.ge.s32 %p, %i, %n; @%p bra DONE;
LOOP: ld.global.f32 %x, [%a]; ld.global.f32 %y, [%a+256]; add.f32 %sum, %sum, %x; st.global.f32 [%b+256], %y;
add.s64 %a, %a, 256; add.s32 %i, %i, 64; sub.s32 %turn, %turn, 1; {stays}
DONE: st.global.f32 [%b], %sum; exit; }}"""
STAYS = {
    "while below n": "setp.lt.s32 %p, %i, %n; @%p bra LOOP;",
    "until n": "setp.ge.s32 %p, %i, %n; @!%p bra LOOP;",
    "by own count": "setp.ne.s32 %p, %turn, 0; @%p bra LOOP;",
}


def parting(stays: str, engine: str, n: int, threads: int, size: int) -> tuple[object, ...]:
    x, y, turns = np.arange(1, size + 1, dtype=np.float32), np.zeros(512, np.float32), np.full(64, 3, np.uint32)
    turns[[1, 40]], turns[41] = 1, 4
    kernel, said = openptx.load(PARTING.format(stays=STAYS[stays]))["k"], tuple[object, ...]()
    try:
        kernel(1, threads, (x, y, turns, n), engine=engine)
    except openptx.Fault as fault:
        said = fault.code, fault.space, fault.span
    return said or (y.tobytes(),)  # which warp comes first to a fault, and how far others have come, differs


@pytest.mark.parametrize("stays", STAYS)
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 70, 96, 191, 192, 193])
@pytest.mark.parametrize("threads", [64, 48, 20])
def test_lanes_that_leave_a_loop_before_others(stays: str, n: int, threads: int) -> None:
    for size in (400, 160):
        reference, ours = (parting(stays, engine, n, threads, size) for engine in ("interp", "native"))
        assert ours == reference


@pytest.mark.parametrize("stays", STAYS)
def test_a_loop_that_lanes_leave_has_a_copy_for_full_warps(stays: str) -> None:
    module = openptx.load(PARTING.format(stays=STAYS[stays]))
    kernel = lower_kernel(module.program, module.program.function("k"), module.image, Options((64, 1, 1), False))
    loop = kernel.text[kernel.text.index("\nblock1:") : kernel.text.index("\nblock2:")]
    first = loop.partition(", -1\n")[2].partition(", -1\n")[0]  # from the first of these questions to the next
    assert "fadd" in first
    assert "select <32 x i1>" not in first
    assert "select <32 x i1>" in loop


APART = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 turns) {
.reg .u64 x, y, d; .reg .u32 a, i, n, t, s, w, o; .reg .pred q;
ld.param.u64 x, [p]; ld.param.u32 n, [turns]; mov.u32 t, %tid.x; mul.wide.u32 d, t, 4; add.u64 x, x, d; mov.u32 o, 0;
AGAIN: mov.u64 y, x; mov.u32 i, 0; mov.u32 s, 0; mul.lo.u32 w, o, t;
OWN: add.u32 s, s, 1; setp.eq.u32 q, w, 5; @q bra ON; setp.lt.u32 q, s, w; @q bra OWN;
ALL: ld.global.u32 a, [y]; add.u32 a, a, 1; st.global.u32 [y], a; add.u64 y, y, 128; add.u32 i, i, 1;
setp.lt.u32 q, i, n; @q bra ALL;
ON: add.u32 o, o, 1; setp.lt.u32 q, o, 4; @q bra AGAIN; ret; }"""


def test_lanes_that_skip_a_loop_which_the_whole_warp_has_run_before() -> None:
    """A warp that runs `ALL` with all lanes leaves no mask of them behind: in the second turn, thread 5 skips it."""
    found = np.zeros((4, 32), np.uint32)
    openptx.load(APART)["k"](1, 32, (found, 4), engine="native")
    assert found.tolist() == [[3 if thread == 5 else 4 for thread in range(32)]] * 4
