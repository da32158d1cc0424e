"""The memo of small bodies: those that differ only in names of functions are checked once."""

import pytest

from openptx import check
from openptx.check.fast.rows import FastPath

_HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


_SAME = {
    "callee": """.func aa1() { ret; }
        .func bb1() { call aa1; ret; }
        .func cc1() { call bb1; ret; }\n""",
    "own name": """.func ff1(.param .b32 ff1_0) { .reg .b32 %r<2>; ld.param.b32 %r1, [ff1_0]; ret; }
        .func gg1(.param .b32 gg1_0) { .reg .b32 %r<2>; ld.param.b32 %r1, [gg1_0]; ret; }
        .func hh1(.param .b32 hh1_0) { .reg .b32 %r<2>; ld.param.b32 %r1, [hh1_0]; ret; }\n""",
    "parameter": """.func ff1(.param .b32 x1, .param .b64 y1) { .reg .b32 %r<2>; ld.param.b32 %r1, [x1]; ret; }
        .func gg1(.param .b32 y2, .param .b64 x2) { .reg .b32 %r<2>; ld.param.b32 %r1, [y2]; ret; }
        .func hh1(.param .b32 x3, .param .b64 x4) { .reg .b32 %r<2>; ld.param.b32 %r1, [x3]; ret; }\n""",
    "parameter like a range of registers": """
        .func ff1(.param .b32 r1) { .reg .b32 %r<2>; ld.param.b32 %r1, [r1]; ret; }
        .func gg1(.param .b32 r0) { .reg .b32 %r<2>; ld.param.b32 %r1, [r0]; ret; }
        .func hh1(.param .b32 r) { .reg .b32 %r<2>; ld.param.b32 %r1, [r]; ret; }\n""",
    "variable": """.global .u32 xx1; .global .u32 yy1;
        .func ff1() { .reg .b32 r; ld.global.u32 r, [xx1]; ret; }
        .func gg1() { .reg .b32 r; ld.global.u32 r, [yy1]; ret; }\n""",
    "own labels": """.func ff1() { bra $L1; $L1: ret; }
        .func gg1() { bra $L__BB2_1; $L__BB2_1: ret; }\n""",
    "own variables": """.func ff1() { .reg .b64 r; .local .b32 __local_depot1; mov.u64 r, __local_depot1; ret; }
        .func gg1() { .reg .b64 r; .local .b32 __local_depot2; mov.u64 r, __local_depot2; ret; }\n""",
    "comments": """.func ff1() { // %bb.0:
        ret; // End function }
        }
        .func gg1() { // %bb.1: {
        ret; /* { End
        function */
        }\n""",
}

_WRONG = {
    "another own label": """.func ff1() { bra $L1; $L1: $L2: ret; }
        .func gg1() { bra $L3; $L1: $L2: ret; }\n""",
    "an own label twice": """.func ff1() { bra $L1; $L1: $L2: ret; }
        .func gg1() { bra $L1; $L1: $L1: ret; }\n""",
    "an own label for two": """.func ff1() { $L1: bra $L1; $L2: bra $L2; }
        .func gg1() { $L1: bra $L1; $L3: bra $L2; }\n""",
    "own variable of a range": """.func ff1() { .reg .b32 $x<2>; mov.b32 $x1, 1; ret; }
        .func gg1() { .reg .b32 $y<2>; mov.b32 $x1, 1; ret; }\n""",
    "own label that is a function": """.func ff1() { bra _L1; _L1: ret; }
        .func _L2() { ret; }
        .func gg1() { bra _L2; ret; }\n""",
    "own variable that is a parameter": """
        .func ff1(.param .b32 _a) { .reg .b32 r; .local .b32 _b; ld.local.u32 r, [_b]; ret; }
        .func gg1(.param .b32 _b) { .reg .b32 r; .local .b32 _a; ld.local.u32 r, [_b]; ret; }\n""",
    "sink": """.func ff1() { .reg .b32 __; .reg .pred p; setp.eq.u32 p|_, 1, 2; mov.b32 __, 1; ret; }
        .func gg1() { .reg .b32 __; .reg .pred p; setp.eq.u32 p|_, 1, 2; mov.b32 _, 1; ret; }\n""",
    "comment within a word": """.func ff1() { .reg .b32 r; mov.b32 r, 1; ret; }
        .func gg1() { .reg .b32 r; mov./**/b32 r, 1; re/**/t; }\n""",
    "part of a mnemonic": """.func ad() { .reg .b32 r; mov.b32 r, 1; add.s32 r, r, 1; ret; }
        .func xd() { .reg .b32 r; mov.b32 r, 1; xdd.s32 r, r, 1; ret; }\n""",
    "mnemonic": """.func add() { .reg .b32 r; mov.b32 r, 1; add.s32 r, r, 1; ret; }
        .func sad() { .reg .b32 r; mov.b32 r, 1; sad.s32 r, r, 1; ret; }\n""",
    "mnemonic of a callee": """.func add() { ret; } .func sad() { ret; }
        .func ff1() { .reg .b32 r; mov.b32 r, 1; add.s32 r, r, 1; call add; ret; }
        .func gg1() { .reg .b32 r; mov.b32 r, 1; sad.s32 r, r, 1; call sad; ret; }\n""",
    "macro": """.func WARP() { .reg .b32 r; mov.b32 r, WARP_SZ; ret; }
        .func foo() { .reg .b32 r; mov.b32 r, foo_SZ; ret; }\n""",
    "register": """.func r1() { .reg .b32 %r<2>; mov.b32 %r1, 1; ret; }
        .func r5() { .reg .b32 %r<2>; mov.b32 %r5, 1; ret; }\n""",
    "number": """.func b32() { .reg .b32 %r<2>; mov.b32 %r1, 1; ret; }
        .func q32() { .reg .q32 %r<2>; mov.b32 %r1, 1; ret; }\n""",
    "callee with parameters": """.func aa1() { ret; } .func bb1(.param .b32 bb1_0) { ret; }
        .func ff1() { call aa1; ret; }
        .func gg1() { call bb1; ret; }\n""",
    "kernel as callee": """.func aa1() { ret; } .entry bb1() { ret; }
        .func ff1() { call aa1; ret; }
        .func gg1() { call bb1; ret; }\n""",
    "callee declared later": """.func aa1() { ret; }
        .func ff1() { call aa1; ret; }
        .func gg1() { call bb1; ret; }
        .func bb1() { ret; }\n""",
    "variable of another space": """.global .u32 xx1; .shared .u32 yy1;
        .func ff1() { .reg .b32 r; ld.global.u32 r, [xx1]; ret; }
        .func gg1() { .reg .b32 r; ld.global.u32 r, [yy1]; ret; }\n""",
    "parameter of another function": """.func ff1(.param .b32 ff1_0) { .reg .b32 r; ld.param.b32 r, [ff1_0]; ret; }
        .func gg1(.param .b32 gg1_0) { .reg .b32 r; ld.param.b32 r, [ff1_0]; ret; }\n""",
    "parameter of another type": """.func ff1(.param .b32 x, .param .b8 y) { .reg .b32 r; ld.param.b32 r, [x]; ret; }
        .func gg1(.param .b32 y, .param .b8 x) { .reg .b32 r; ld.param.b32 r, [x]; ret; }\n""",
    "parameter that a range has, too": """.func ff1(.param .b32 x1) { .reg .b32 y<2>; mov.b32 y1, 1; ret; }
        .func gg1(.param .b32 y0) { .reg .b32 y<2>; mov.b32 y1, 1; ret; }\n""",
    "parameter of a range with a sign": """.func ff1(.param .b32 x1) { .reg .b32 %y<2>; mov.b32 %y1, 1; ret; }
        .func gg1(.param .b32 %y1) { .reg .b32 %y<2>; mov.b32 %y1, 1; ret; }\n""",
    "label that was no function": """.func ff1() { .reg .b32 r; bra aa1; aa1: mov.b32 r, 1; ret; }
        .func aa1() { ret; }
        .func gg1() { .reg .b32 r; bra bb1; aa1: mov.b32 r, 1; ret; }\n""",
}


def never(_: FastPath) -> bool:
    """Accepts nothing."""
    return False


def _codes(text: str) -> list[tuple[str, int]]:
    return [(found.code, found.span[0]) for found in check(_HEADER + text)]


@pytest.mark.parametrize("text", _SAME.values(), ids=_SAME)
def test_bodies_alike_are_read_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = FastPath.accepts

    def accepts(self: FastPath) -> bool:
        read.append(self.checked.tree.name.text)
        return whole(self)

    monkeypatch.setattr(FastPath, "accepts", accepts)
    assert check(_HEADER + text) == []
    assert len(read) < text.count(".func")


@pytest.mark.parametrize("text", _WRONG.values(), ids=_WRONG)
def test_another_difference_is_seen(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _codes(text)
    assert found
    monkeypatch.setattr(FastPath, "accepts", never)
    assert found == _codes(text)
