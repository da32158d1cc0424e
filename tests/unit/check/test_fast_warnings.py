"""Bodies with warnings or a few wrong instructions: the fast path finds what the full checker does."""

from __future__ import annotations

import pytest
from fast_and_full import AROUND, HEAD, MORE, both, kernel

from openptx.check import check
from openptx.check.function_checker import FunctionChecker
from openptx.check.names.body import ResolvedInstruction
from openptx.check.names.scopes import Scope
from openptx.check.repairs import second_check
from openptx.source import File

WARNED = {
    "a constant that is too large": "mov.b32 %r2, 4294967299;",
    "two, and a register that nothing wrote": "mov.b32 %r2, 4294967299; shl.b32 %r2, %r3, 4294967299;",
    "one in a block, and one after it": "{ .reg .b64 %r2; mov.b64 %r2, 1; mov.b32 %r1, 4294967299; }"
    "mov.b32 %r2, 4294967299;",
    "one after a guard": "@%p1 mov.b32 %r2, 4294967299;",
    "one in a statement that is no row": "mov.b32 /* ; */ %r2, 4294967299;",
    "one in a statement over two lines": "mov.b32 %r2, // ;\n 4294967299;",
    "registers of two blocks that nothing wrote": "{ .reg .b32 t; add.s32 %r2, t, 1; }"
    "{ .reg .b32 t; add.s32 t, t, 1; }",
    "registers whose names begin alike": "add.s32 %r2, %r3, 1; add.s16 %rs1, %rs2, 1;",
    "a destination twice": "mov.b64 {%r2, %r2}, %a1; @%p1 mov.b64 {%r2 , %r2}, %a1;",
    "an address that is misaligned": ".shared .align 4 .b8 s[8]; ld.shared.b32 %r2, [s+2];",
    "registers that nothing wrote, in all places": f"{MORE}@%q1 mov.u32 %r2, 1;\nld.global.u32 %r2, [%d2+4];\n"
    "add.u32 %r2, %s3, 1;\nadd.u32 %r2, %r1, %s3;\nmov.b64 %d1, {%s4, %s5};\nmov.b64 %d1, %d6;\n"
    "st.global.b32 [%d5], %s8;\nadd.u32 %r2, %r1, %s9;\n",
    "registers that nothing wrote, in special places": f"{MORE}st.global.v2.b32 [%d3], {{%s6, %s7}};\n"
    "shfl.sync.idx.b32 %r2|%q2, %s9, %s10, 31, -1;\n"
    "{ .param .b64 x; st.param.b8 [x], %s11; st.param.b64 [x], %d4; call g, (x); }\n",
    "one, and an error": f"{MORE}add.u32 %r2, %s3, 1;\nmov.b32 %r2, 4294967299;\nadd.u32 %r2, %a1, 1;",
    "a wrong type": "add.u32 %r2, %a1, 1;",
    "a wrong type and a register that nothing wrote": "add.u32 %r2, %a1, 1; add.u32 %r2, %r3, 1;",
    "no such instruction": "sub.q32 %r2, %r1, 1; { foo %r1; }",
    "no such register": "add.u32 %r2, %r9, 1; mov.b32 %r2, %rr;",
    "no such label": "@%p1 bra NOWHERE;",
    "no such guard": "@%p9 mov.b32 %r2, 1;",
    "a guard that is none": "@%r1 add.u32 %r2, %r1, 1;",
}


@pytest.mark.parametrize("body", WARNED.values(), ids=WARNED.keys())
def test_of_a_body_that_is_right_but_for_a_few_instructions_those_are_read_closely(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = AROUND
    fast, full = both(kernel(around + body), monkeypatch)
    assert fast == full
    assert fast
    looked: list[str] = []
    closely = FunctionChecker.instruction

    def instruction(self: FunctionChecker, resolved: ResolvedInstruction, scope: Scope) -> None:
        looked.append(resolved.instruction.text)
        closely(self, resolved, scope)

    monkeypatch.setattr(FunctionChecker, "instruction", instruction)
    monkeypatch.setattr(second_check, "ROOM", 0)  # each fix that is tried reads the wrong ones again
    check(File("k.ptx", kernel(around + body)))
    assert len(looked) < 10


@pytest.mark.parametrize(
    "name",
    ["a constant that is too large", "one after a guard", "a destination twice",
     "one in a statement over two lines", "registers that nothing wrote, in all places"],
)  # fmt: skip
def test_what_only_warns_needs_no_closer_look(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_closely(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(FunctionChecker, "check", check_closely)
    assert check(File("k.ptx", kernel(AROUND + WARNED[name])))


ENDS = {
    "nothing": "",
    "an addition": "add.u32 %r1, %r1, 1;",
    "a return after a guard": "@%p1 ret;",
    "a label": "ret; L:",
    "a block": "{ ret; } { mov.u32 %r2, 1; }",
    "a warning": "mov.b32 %r2, 4294967299;",
    "a return with a warning before": "mov.b32 %r2, 4294967299; ret;",
    "what is wrong": "add.f32 %r1, %r1, 1;",
    "a branch to nowhere": "bra NOWHERE;",
    "what nothing wrote": "add.u32 %r2, %r3, 1;",
}


@pytest.mark.parametrize("head", [".entry k()", ".weak .func k()", ".func k()"])
@pytest.mark.parametrize("body", ENDS.values(), ids=ENDS.keys())
def test_bodies_that_may_not_end(head: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}{head}\n{{\n{AROUND}{body}\n}}\n"
    fast, full = both(text, monkeypatch)
    assert fast == full
    if "ret" not in body and "bra" not in body and "f32" not in body and "weak" not in head:
        assert any("fall-through" in found or "without `ret`" in found for found in fast)


def test_a_large_body_without_an_end_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FunctionChecker, "check", None)
    assert [d.name for d in check(File("k.ptx", f"{HEAD}.entry k()\n{{\n{AROUND}}}\n"))] == ["fall-through"]
    assert check(File("k.ptx", f"{HEAD}.weak .func k()\n{{\n{AROUND}}}\n")) == []


SPLIT = "mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 7;\n@%p1 bra L;\nbar.sync 0;\nL:\nbar.sync 0;\n"


@pytest.mark.parametrize(
    ("before", "divergent"),
    [
        ("", True),
        ("setp.lt.s32 %p1, %r2, 7;\n", False),
        ("mov.u32 %r1, %tid.x;\n", False),
        ("// setp.lt.s32 %p1, %r2, 7;\n", True),
        ("/* mov.u32 %r1, %tid.x; */\n", True),
        ("setp.lt.s32 %p0, %r2, 7;\n", True),
        ("@%p0 setp.lt.s32 %p1, %r2, 7;\n", False),
    ],
)
def test_a_guard_that_several_statements_write_splits_nothing_for_certain(
    before: str, divergent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    registers = ".reg .b32 %r<3>;\n.reg .pred %p<2>;\nmov.u32 %r2, 1;\nsetp.eq.u32 %p0, %r2, 1;\n"
    for fill in ("", "add.u32 %r2, %r2, 1;\n" * 300):
        before_twice = before * (2 if before.startswith("setp.lt.s32 %p0") else 1)
        fast, full = both(f"{HEAD}.entry k()\n{{\n{registers}{fill}{before_twice}{SPLIT}ret;\n}}\n", monkeypatch)
        assert fast == full
        assert any("divergent" in found or "only some threads" in found for found in fast) == divergent


def test_a_warning_in_a_small_body_is_not_forgotten_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "{\n.reg .b32 r<3>;\nmov.b32 r0, 4294967299;\nadd.u32 r1, r2, 1;\nret;\n}\n"
    text = HEAD + "".join(f".visible .entry k{number}()\n{body}" for number in range(3))
    fast, full = both(text, monkeypatch)
    assert fast == full
    assert len(fast) == 6
