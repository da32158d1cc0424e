"""Errors that come of another one are not reported, and its fix makes the whole file correct."""

from __future__ import annotations

import pytest
from findings import HEAD

import openptx
from openptx.check import settled
from openptx.check.checked import CheckedModule
from openptx.check.module import ModuleChecker
from openptx.check.repairs import header_edits, second_check
from openptx.diagnostics.edits import applied
from openptx.source import File
from openptx.syntax import parse

_SQUARE = (
    "(.reg .f32 r) square(.reg .f32 x) { mul.f32 r, x, x; ret; }\n.entry k() {\n.reg .f32 %f<3>;\n"
    "mov.f32 %f1, 0f3F800000;\ncall (%f2), square, (%f1);\nret; }\n"
)
_TABLE = "counter = 1;\n.global .u64 address = counter;\n"
_CALL = (
    ".func f(.reg .b32 x, .reg .b64 y) { ret; }\n.entry k() {\n.reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred p<3>;\n"
    "mov.u32 %r1, 1;\nmov.u64 %rd1, 2;\nsetp.eq.u32 p2, %r1, 0;\n@p2 call f, (%r1, %rd1);\n@!p2 ret;\nret; }\n"
)
_INDIRECT = (
    ".func f(.reg .b32 x) { ret; }\n.entry k() {\n.reg .b64 %rd<2>;\np: .callprototype _ (.reg .b32 _);\n"
    "mov.u64 %rd1, f;\ncall %rd1, (1), p;\nret; }\n"
)
VERSION, TARGET, SIZE = HEAD.splitlines(keepends=True)
_LOADS = (
    ".entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
    ".shared .b32 tile;\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r1, %tid.x;\n"
    "st.shared.u32 [tile], %r1;\nbra $L_1;\nld.shared.u32 %r2, [tile];\nbra $L_1;\n$L_1:\nret;\n}\n"
)
_TARGETS = ".entry k() {\n.reg .b32 %r1;\nts: .branchtargets $L_1;\nmov.u32 %r1, 0;\nbrx.idx %r1, ts;\n$L_1: ret; }\n"
_VOTES = (
    ".entry votes() {\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\nmov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 0;\n"
    "vote.sync.any.pred %p1, %p1, -1;\nredux.sync.add.u32 %r2, %r1, -1;\nbar.warp.sync -1;\n@%p1 ret;\nret;\n}\n"
)
_HEAD_70 = HEAD.replace("9.0", "7.0").replace("sm_100a", "sm_80")
_BLOCKS = (
    ".entry blocks() {\n.reg .b32 %r<3>;\nmov.u32 %r1, 1;\n"
    "{ // first\n.reg .b32 %t;\nmov.u32 %t, 2;\nadd.u32 %r1, %r1, %t;\n} // first\nmov.u32 %r2, 3;\n"
    "{ // second\n.reg .b32 %t;\nmov.u32 %t, %r2;\n} // second\nbra done;\ndone:\nret;\n} // end\n"
    ".entry other() { ret; }\n"
)
_JUMPS = ".entry jumps() {\nbra $L_1;\n$L_1:\nbra $L_2;\n$L_2:\nret;\n}\n"
_WIDE = ".entry wide() {\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nmov.u32 %r1, 1;\nmul.wide.u32 %rd1, %r1, 4;\nret;\n}\n"
_COORDINATES = (
    ".global .texref picture;\n.entry k() {\n.reg .f32 %f<7>;\nmov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\n"
    "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [picture, {%f1, %f2}];\nret;\n}\n"
)
_MANY = ".entry many() {\n.reg .b32 %r<3>;\nmov.u32 %r1, 1;\n" + "add.u32 %r1, %r1, 1;\n" * 5000 + "ret;\n}\n"
_LIST = "\n.entry k() { ret; }\n"
DEFECTS = {
    # the wrong file                                        the correct one
    f"{HEAD}func {_SQUARE}":                                f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.static .u32 {_TABLE}{_SQUARE.replace('(', '.func (', 1)}":
        f"{HEAD}.global .u32 {_TABLE}{_SQUARE.replace('(', '.func (', 1)}",
    f"{HEAD}.fun {_SQUARE}":                                f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.entry {_SQUARE}":                              f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.func {_SQUARE.replace(' r)', ' r', 1)}":       f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.func {_SQUARE.replace('(.reg .f32 x)', '(.reg f32 x)')}": f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.global u32 {_TABLE}":                          f"{HEAD}.global .u32 {_TABLE}",
    f"{HEAD}.globl .u32 {_TABLE}":                          f"{HEAD}.global .u32 {_TABLE}",
    f"{HEAD}.global .u32 .align 4 {_TABLE}":                f"{HEAD}.global .align 4 .u32 {_TABLE}",
    f"{HEAD}.global .align4 .u32 {_TABLE}":                 f"{HEAD}.global .align 4 .u32 {_TABLE}",
    f"{HEAD}.global .u32 a[3] = {{1; 2; 3}};{_LIST}":       f"{HEAD}.global .u32 a[3] = {{1, 2, 3}};{_LIST}",
    f"{HEAD}.global .f32 a[2] = {{1.0f, 2.0f}};{_LIST}":    f"{HEAD}.global .f32 a[2] = {{1.0, 2.0}};{_LIST}",
    f"{HEAD}.global .b8[8] a;\n.global .u64 b = a;{_LIST}":  f"{HEAD}.global .b8 a[8];\n.global .u64 b = a;{_LIST}",
    f"{HEAD}{_CALL.replace('(%r1, %rd1)', '(%rd1, %r1)')}":  f"{HEAD}{_CALL}",
    f"{HEAD}{_CALL.replace('.reg .pred p<3>;', '.reg .pred p<2>;')}": f"{HEAD}{_CALL}",
    HEAD + _INDIRECT.replace("(1), p", "p, (1)"):           HEAD + _INDIRECT,
    HEAD + _LOADS.replace("k(", "k{"):                      HEAD + _LOADS,
    HEAD + _LOADS.replace("k(", "void k("):                 HEAD + _LOADS,
    # names of declarations that are misspelt, taken twice, or missing
    HEAD + _LOADS.replace("k_param_0,", "k_pbram_0,"):      HEAD + _LOADS,
    HEAD + _LOADS.replace("k_param_0,", "K_PARAM_0,"):      HEAD + _LOADS,
    HEAD + _LOADS.replace("k_param_0,", "k_param_1,"):      HEAD + _LOADS,
    HEAD + _LOADS.replace(".param .u64 k_param_0, ", ""):    HEAD + _LOADS,
    HEAD + _LOADS.replace(" %rd<", " rd<"):                 HEAD + _LOADS,
    HEAD + _LOADS.replace(" %rd<", " %r<"):                 HEAD + _LOADS,
    HEAD + _LOADS.replace(" %rd<", " %<"):                  HEAD + _LOADS,
    HEAD + _VOTES.replace(" %p<", " p<"):                   HEAD + _VOTES,
    HEAD + _LOADS.replace("$L_1:", "$L_l:"):                HEAD + _LOADS,
    HEAD + _LOADS.replace("$L_1:", ":"):                    HEAD + _LOADS,
    HEAD + _LOADS.replace("_0, .param .u64 k_param_1)", "_0,\n)"): HEAD + _LOADS.replace("_1)", "_1\n)"),
    HEAD + _LOADS.replace(".reg .b64", ".reg .B64"):        HEAD + _LOADS,
    HEAD + _LOADS.replace("$L_1:", "/* $L_1\n$L_1:"):       HEAD + _LOADS.replace("$L_1:", "/* $L_1 */\n$L_1:"),
    HEAD + _LOADS.replace("$L_1:", ".L_1:"):                HEAD + _LOADS,
    HEAD + _LOADS.replace("[tile]", "[[tile]", 1):          HEAD + _LOADS,
    HEAD + _LOADS.replace("[k_param_1]", "[k_param_2]", 1): HEAD + _LOADS,
    f"{HEAD}.global .u32 {_TABLE.replace('= counter', '= conuter')}": f"{HEAD}.global .u32 {_TABLE}",
    HEAD + _TARGETS.replace("$L_1;", "$L_2;", 1):           HEAD + _TARGETS,
    HEAD + _TARGETS.replace("%r1, ts", "%r1, tx"):          HEAD + _TARGETS,
    HEAD + _LOADS.replace("tile;", "tlie;"):                HEAD + _LOADS,
    HEAD + _LOADS.replace("%tid", "%TID"):                  HEAD + _LOADS,
    HEAD.replace("9.0", "9,0") + _LIST:                     HEAD + _LIST,
    HEAD.replace("sm_100a", '"sm_100a"') + _LIST:           HEAD + _LIST,
    HEAD.replace("64", "= 64") + _LIST:                     HEAD + _LIST,
    HEAD.replace("64", "-1") + _LIST:                       HEAD + _LIST,
    HEAD.replace(".address_size ", "") + _LIST:             HEAD + _LIST,
    HEAD.replace(".version ", "") + _LIST:                  HEAD + _LIST,
    HEAD.replace("sm_100a", "sm_100a sm_100a") + _LIST:     HEAD + _LIST,
    HEAD.replace(".target ", "") + _LIST:                   HEAD + _LIST,
    HEAD.replace(".target sm_100a", "sm_100a .target") + _LIST: HEAD + _LIST,
    HEAD.replace("sm_100a", "sm_101x") + _LIST:             HEAD.replace("sm_100a", "sm_101") + _LIST,
    HEAD.replace("9.0", "8.9") + _LIST:                     HEAD.replace("9.0", "8.8") + _LIST,
    HEAD.replace(" 64", " 46") + _LIST:                     HEAD + _LIST,
    HEAD.replace(" 64", "") + _LIST:                        HEAD + _LIST,
    HEAD.replace(".version 9.0\n", "") + _LIST:             HEAD.replace("9.0", "8.6") + _LIST,
    f"{VERSION}{HEAD}{_LIST}":                              HEAD + _LIST,
    f"{HEAD}{SIZE}{_LIST}":                                 HEAD + _LIST,
    f"{TARGET}{VERSION}{SIZE}{_LIST}":                      HEAD + _LIST,
    f"{VERSION}{SIZE}{TARGET}{_LIST}":                      HEAD + _LIST,
    f"{SIZE}{VERSION}{TARGET}{_LIST}":                      HEAD + _LIST,
    # the header is too old for several statements
    _HEAD_70.replace("sm_80", "sm_61") + _VOTES:            _HEAD_70 + _VOTES,
    _HEAD_70.replace("7.0", "6.0").replace("sm_80", "sm_70") + _VOTES: _HEAD_70 + _VOTES,
    _HEAD_70.replace(".target sm_80\n", "") + _VOTES:       _HEAD_70 + _VOTES,
    _HEAD_70.replace(".version 7.0\n", "") + _VOTES:        _HEAD_70 + _VOTES,
    # braces
    HEAD + _BLOCKS.replace("\n} // first", ""):             HEAD + _BLOCKS.replace("} // first", "}"),
    HEAD + _BLOCKS.replace("\n} // second", ""):            HEAD + _BLOCKS.replace("} // second", "}"),
    HEAD + _BLOCKS.replace("{ // second\n", ""):            HEAD + _BLOCKS.replace("{ // second", "{"),
    HEAD + _BLOCKS.replace("{ // first", "{\n{"):           HEAD + _BLOCKS.replace("{ // first", "{"),
    HEAD + _BLOCKS.replace("\ndone:", "\n}}\ndone:"): HEAD + _BLOCKS,
    HEAD + _BLOCKS.replace("} // first", "}\n}"):           HEAD + _BLOCKS.replace("} // first", "}"),
    HEAD + _BLOCKS.replace("} // end", ""):                 HEAD + _BLOCKS.replace("} // end", "}"),
    HEAD + _BLOCKS.replace("%r1, %t;", "%r1, %t}"):         HEAD + _BLOCKS,
    # marks
    HEAD + _LOADS.replace("mov.u32", "mo;v.u32"):           HEAD + _LOADS,
    HEAD + _LOADS.replace("%r1, %tid", "%r1{ %tid"):        HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32", "mo>v.u32"):           HEAD + _LOADS,
    HEAD + _LOADS.replace("bra $L_1;", "bra.$L_1;", 1):     HEAD + _LOADS,
    HEAD + _LOADS.replace(".b64 %rd<", ".b64 .rd<"):        HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32", "@@ -1,3 +1,4 @@\nmov.u32"): HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32", "======= \nmov.u32"):  HEAD + _LOADS,
    f"// sm_100a\n{HEAD}" + _LOADS.replace("%tid.x;", "%tid.x{"): f"// sm_100a\n{HEAD}{_LOADS}",
    HEAD + _LOADS.replace("$L_1:", "$L_1{"):                HEAD + _LOADS,
    HEAD + _LOADS.replace("%tid", "\uff05tid"):                 HEAD + _LOADS,
    HEAD + _LOADS.replace("%tid.x;", "%tid.x; ;0 ,x.dit%"): HEAD + _LOADS.replace("%tid.x;", "%tid.x; // 0 ,x.dit%"),
    # one mark or blank of an instruction
    HEAD + _LOADS.replace("[tile], %r1", "[tile;, %r1"):    HEAD + _LOADS,
    HEAD + _LOADS.replace("[tile], %r1", ";tile], %r1"):    HEAD + _LOADS,
    HEAD + _LOADS.replace("[tile], %r1", "(tile], %r1"):    HEAD + _LOADS,
    HEAD + _LOADS.replace("[tile], %r1", "(tile), %r1"):    HEAD + _LOADS,
    HEAD + _LOADS.replace("%r2, [tile]", "%r2 [tile]"):     HEAD + _LOADS.replace("%r2, [tile]", "%r2, [tile]"),
    HEAD + _LOADS.replace("mov.u32", "mov:u32"):            HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32", "mov::u32"):           HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32", "mov.u 32"):           HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32 %r1,", "mov.u32 %r[1],"): HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32 %r1, %", "mov.u32 %r1, %r1, %"): HEAD + _LOADS,
    HEAD + _LOADS.replace("%r1, %tid", "%r1;\n%tid"):       HEAD + _LOADS.replace("%r1, %tid", "%r1,\n%tid"),
    HEAD + _CALL.replace("call f, (", "call f;\n("):        HEAD + _CALL.replace("call f, (", "call f,\n("),
    HEAD + _CALL.replace("@!p2", "@~p2"):                   HEAD + _CALL,
    HEAD + _VOTES.replace("vote.sync.any.pred %p1, %p1", "shfl.sync.up.b32 %r1, %p1, %r2, 1, 0"):
        HEAD + _VOTES.replace("vote.sync.any.pred %p1, %p1", "shfl.sync.up.b32 %r1|%p1, %r2, 1, 0"),
    # labels, bodies and declarations
    HEAD + _JUMPS.replace("$L_2:", "$L_1:"):                HEAD + _JUMPS,
    HEAD + _JUMPS.replace("$L_1:", "$L_2:"):                HEAD + _JUMPS,
    HEAD + _LOADS.replace(")\n{", ")\n;"):                  HEAD + _LOADS,
    HEAD + _LOADS.replace(".reg .b64", "@reg .b64"):        HEAD + _LOADS,
    (VERSION + TARGET + SIZE).replace(".target", "@target") + _LOADS: HEAD + _LOADS,
    HEAD + _LOADS.replace(".reg .b64 %rd", ".reg %rd"):     HEAD + _LOADS,
    HEAD + _LOADS.replace(".reg .b32 %r<3>;", ".reg .b32 %r<3>; .reg .b32 %r<3>;"): HEAD + _LOADS,
    HEAD + _LOADS.replace(".reg .b32 %r<3>", ".reg .b32 %r"):  HEAD + _LOADS,
    HEAD + _LOADS.replace(".reg .b32 %r<3>", ".reg .b32 %r[3]"): HEAD + _LOADS,
    HEAD + _LOADS.replace(".reg .b32 %r<3>", ".reg .b32 %r 3>"): HEAD + _LOADS,
    HEAD + _LOADS.replace("tid", "tid\u00e9"):               HEAD + _LOADS,
    HEAD + _LOADS.replace("tid.x", "tid[0]"):               HEAD + _LOADS,
    HEAD + _LOADS.replace("%tid.x", "SR_TID.X"):            HEAD + _LOADS,
    HEAD + _LOADS.replace("mov.u32 %r1, %", "mov.u32 %r1, /* %"): HEAD + _LOADS.replace("%r1, %", "%r1,  %"),
    HEAD + _LOADS.replace("ld.param", "ld_param", 1):       HEAD + _LOADS,
    HEAD + _LOADS.replace("tile], %r1", "tile], 1i"):       HEAD + _LOADS.replace("tile], %r1", "tile], 1"),
    HEAD + _LOADS.replace("}", "}}"):                       HEAD + _LOADS,
    HEAD + _CALL.replace("(%r1, %rd1)", "(%r1; %rd1)"):     HEAD + _CALL,
    HEAD + _CALL.replace("(%r1, %rd1)", "(%r1\n%rd1)"):     HEAD + _CALL.replace("(%r1, %rd1)", "(%r1,\n%rd1)"),
    f"{HEAD}.func {_SQUARE}".replace("(%f2)", "%f2"):       f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.func {_SQUARE}".replace("(%f2)", "[%f2]"):     f"{HEAD}.func {_SQUARE}",
    f"{HEAD}.visible .visible k() {{ ret; }}\n":            f"{HEAD}.visible .entry k() {{ ret; }}\n",
    f"{HEAD}.visible __global__ k() {{ ret; }}\n":          f"{HEAD}.visible .entry k() {{ ret; }}\n",
    HEAD + _WIDE.replace("mul.wide", "mul"):                HEAD + _WIDE,
    HEAD + _WIDE.replace("wide.", "wide_"):                 HEAD + _WIDE,
    HEAD + _LOADS.replace("mov.u32 %r1", "mov.u32 %r<1>"):  HEAD + _LOADS,
    HEAD + _INDIRECT.replace("(.reg .b32 _)", ".reg .b32 _)"): HEAD + _INDIRECT,
    HEAD + _VOTES.replace("-1;\n@", "-1;\nret\n@"):         HEAD + _VOTES.replace("-1;\n@", "-1;\nret;\n@"),
    HEAD + _COORDINATES.replace("{%f1, %f2}", "%f1, %f2}"): HEAD + _COORDINATES,
    HEAD.replace("sm_100a", "sm_8") + _LOADS:               HEAD.replace("sm_100a", "sm_80") + _LOADS,
    # the end of a header, and of a block
    HEAD + _LOADS.replace(")\n{", ")\n.reqntid 64 __launch_bounds__(64)\n{"):
        HEAD + _LOADS.replace(")\n{", ")\n.reqntid 64\n{"),
    HEAD + _LOADS.replace(")\n{", ")\n__launch_bounds__(64)\n{"): HEAD + _LOADS.replace(")\n{", ")\n.maxntid 64\n{"),
    HEAD + _LOADS.replace("\n}\n", "\n)\n"):                 HEAD + _LOADS,
    # in a large file
    f"{HEAD}{_MANY}.globl .u32 {_TABLE}":                  f"{HEAD}{_MANY}.global .u32 {_TABLE}",
    f"{HEAD}{_MANY}func {_SQUARE}":                        f"{HEAD}{_MANY}.func {_SQUARE}",
    f"{HEAD}.visible k() {{ ret; }}\n":                     f"{HEAD}.visible .entry k() {{ ret; }}\n",
}  # fmt: skip


@pytest.mark.parametrize("wrong", DEFECTS)
def test_one_defect_has_one_finding_and_its_fix(wrong: str) -> None:
    found = openptx.check(wrong)
    assert len(found) == 1, [str(each) for each in found]
    assert applied(wrong, found)[0].split() == DEFECTS[wrong].split()


def test_independent_errors_are_all_reported() -> None:
    text = f"{HEAD}.globl .u32 {_TABLE}.entry k() {{\n.reg .b32 %r<3>;\nadd.f32 %r1, %r2;\nret; }}\n"
    assert [each.name for each in openptx.check(text)] == ["unknown-directive", "operand-count"]


@pytest.mark.parametrize(
    ("wrong", "marked"),
    [
        (_CALL.replace("call f, (%r1, %rd1)", "call (%r1, %rd1), f"), "(%r1, %rd1)"),
        (f".shared .u32 {_TABLE}", "counter = 1"),
        (f".surface .u32 {_TABLE}", ".surface"),
        (_SQUARE.replace("(.reg .f32 r)", ".func (.reg .f32)", 1), ")"),
        (_LOADS.replace("$L_1:\nret;", "{\n$L_1:\nret;\n}"), "$L_1"),
        (_LOADS.replace("bra", "out[0] += x;\nbra", 1), "out"),
        (_LOADS.partition("bra $L_1")[0] + "mov.u3", "3"),
        (_LOADS.partition("ld.shared")[0] + "mov.b64 {%r1, %r2}", "}"),
        (_LOADS.replace("bra", "i++;\nbra", 1), "i"),
        (_LOADS.replace("bra", "call (%r2) f (%r1);\nbra", 1), "(%r2) f (%r1)"),
        (_LOADS.replace("bra", "while (p) {\nbra", 1), "while"),
        (_LOADS.replace("bra", ".section .text\nbra", 1), ".section"),
        (_LOADS.replace(" %tid.x;", "\n$L_2:\n"), ","),
        (_LOADS.replace(", %tid.x;", ""), "mov.u32"),
        (_LOADS.replace("%tid.x", "\u041e"), "\u041e"),
        (_LOADS.replace("mov.u32 %r1, %tid.x;", "xor eax, eax"), "xor"),
        (_LOADS.replace("bra", "for (int i = 0; i < 4; i++)\nbra", 1), "for"),
    ],
)
def test_a_defect_without_a_fix_has_one_finding(wrong: str, marked: str) -> None:
    found = openptx.check(HEAD + wrong)
    assert [(HEAD + wrong)[slice(*each.span)] for each in found] == [marked]
    assert found[0].fix is None


@pytest.mark.parametrize("left", [
    ".func f(.reg .b32 a, .reg", ".func f(.reg .b32 a,", ".func f(.re", ".func (.reg .b32", ".func", ".fun",
    ".entry k() .maxntid 1,", ".global .align 4 .b8 x[4] = {1, 2,", ".global .b8 x[", ".alias",
    ".section .debug_info {\n.b8 1, 2\n.b8", ".section .debug_info {\n.b8 1,", ".section .debug_info {\n.b8 1\n.",
])  # fmt: skip
def test_a_file_that_is_cut_off_has_one_finding(left: str) -> None:
    text = f"{VERSION}{TARGET.rstrip()}, debug\n{SIZE}.func f(.reg .b32 a, .reg .b32 b);\n{left}\n"
    found = openptx.check(text.replace(", debug", ", debug" if "section" in left else ""))
    assert [each.location[0] for each in found] == [text.count("\n")]
    assert "it may have been cut off" in (found[0].help or "")
    assert found[0].fix is None


def test_a_version_that_lacks_the_target_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_edits, "_NEEDS", 0)
    assert [each.name for each in openptx.check(_HEAD_70.replace("7.0", "1.5") + _VOTES)] == ["needs-version"]
    assert len(openptx.check(_HEAD_70.replace("7.0", "5.0").replace("sm_80", "sm_50") + _VOTES)) > 1


def test_large_files_are_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}.globl .u32 {_TABLE}"
    monkeypatch.setattr(second_check, "ROOM", 0)
    assert [(each.name, each.fix) for each in openptx.check(text)] == [("unknown-directive", None)]


@pytest.mark.parametrize(("room", "proven"), [(None, True), (0, False)])
def test_the_room_for_second_checks_is_an_argument(room: int | None, proven: bool) -> None:
    module = CheckedModule(parse(File("k.ptx", f"{HEAD}.globl .u32 {_TABLE}")), None, "ptxas")
    found = settled(module, ModuleChecker(module).check(), room=room)
    assert [(each.name, each.fix is not None) for each in found] == [("unknown-directive", proven)]


def test_a_completed_fix_shows_whole_words() -> None:
    text = f"{HEAD}.entry k() {{ .reg .f32 %f<4>; mov.f32 %f2, 0f3F800000; mad.f32 %f1, %f2, %f2; ret; }}"
    (error,) = openptx.check(text)
    assert error.fix is not None
    assert (error.help, error.fix.text) == (None, "write `mul.rn.f32`")


_RANGED = ".entry k() {{\n.reg .b32 {};\nmov.u32 %r3, 1;\nadd.u32 %r2, %r3, %r8;\nret; }}\n"


@pytest.mark.parametrize("registers", ["%r1-%r8", "%r1:8", "%r<1-8>", "%r<1..8>"])
def test_registers_from_one_to_another_are_declared_by_their_count(registers: str) -> None:
    (found,) = openptx.check(HEAD + _RANGED.format(registers))
    assert found.fix is not None
    assert applied(found.file.text, [found])[0] == HEAD + _RANGED.format("%r<9>")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (".reg .align 16 .b8 table[256];\n", "state-space-place"),
        (".entry k() { .tex .pred p; ret; }\n", "removed"),
        (
            ".entry k() {\n.reg .pred p;\nsetp.eq.u32 p, 1, 1;\n@p bra L;\nret;\n.version 8.0\nret; }\n",
            "misplaced-directive",
        ),
    ],
)
def test_a_wrong_space_and_a_directive_in_place_of_a_label_are_one_error(text: str, name: str) -> None:
    assert [found.name for found in openptx.check(HEAD + text) if found.severity == "error"] == [name]


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        (".reg .v2 .b32 a<4>;", ".reg .b32 a<4>;"),
        (".reg .v4 .b64 a<4>;", ".reg .b64 a<4>;"),
        (".reg .v4 .pred a<4>;", ".reg .pred a<4>;"),
        (".shared .pred a;", ".reg .pred a;"),
    ],
)
def test_vectors_that_are_used_as_single_registers_are_one_error(declared: str, meant: str) -> None:
    uses = {"b32": "mov.b32 a1, 0;\n", "b64": "mov.b64 a1, 0;\n", "pred": "setp.eq.u32 a1, 0, 1;\n"}
    used = uses[declared.split(".")[-1].split()[0]] * 3
    used = used.replace("a1", "a") if declared.endswith(" a;") else used
    text = f"{HEAD}.entry k() {{{{\n{{}}\n{used}ret; }}}}\n"
    (found,) = (each for each in openptx.check(text.format(declared)) if each.severity == "error")
    assert applied(found.file.text, [found])[0].replace("  ", " ") == text.format(meant)
