"""Mistakes of whole lines of a function have one finding at their place: arguments of calls, lost parameters, registers
of another range, labels."""

from __future__ import annotations

import pytest

import openptx
from openptx.diagnostics.edits import applied

MODULE = """.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) f(.param .b32 a, .param .b64 b, .param .align 8 .b8 c[16]) {
    st.param.b32 [result], 1;
    ret;
}
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1) {
    .reg .pred %p<9>;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .b64 %rd<9>;
    .shared .align 4 .b8 tile[64];
    ld.param.u64 %rd1, [k_param_0];
    ld.param.u32 %r1, [k_param_1];
    {
        .param .b32 p0;
        .param .b64 p1;
        .param .align 8 .b8 p2[16];
        .param .b32 retval0;
        st.param.b32 [p0], %r1;
        st.param.b64 [p1], %rd1;
        st.param.b64 [p2], %rd1;
        st.param.b64 [p2+8], %rd1;
        call.uni (retval0), f, (p0, p1, p2);
        ld.param.b32 %r4, [retval0];
    }
    mul.wide.s32 %rd5, %r4, 4;
    add.s64 %rd6, %rd1, %rd5;
    mov.u32 %r5, tile;
    st.shared.u32 [%r5], %r4;
    setp.gt.s32 %p1, %r4, 0;
    @%p1 bra $L_1;
    st.global.u32 [%rd6], %r4;
$L_1:
    ret;
}
"""

# what is written, what stands there instead, what the finding marks
MISTAKES = (
    (".param .b32 p0", ".local .b32 p0", ".local"),
    (".param .b32 retval0", ".shared .b32 retval0", ".shared"),
    (".param .b64 p1", ".global .b64 p1", ".global"),
    ("(p0, p1, p2)", "(p2, p0, p1)", "p2"),
    (".param .align 8 .b8 p2[16]", ".param .align 8 .b8 p2[24]", "p2"),
    ("(.param .u64 k_param_0, .param .u32 k_param_1)", "()", "k_param_0"),
    ("[%rd6], %r4", "[%f6], %r4", "%f6"),
    ("add.s64 %rd6, %rd1", "add.s64 %r6, %rd1", "%r6"),
    ("$L_1:\n", "$L_1 ;\n", "$L_1 ;"),
)


@pytest.mark.parametrize(("right", "wrong", "marked"), MISTAKES, ids=[wrong for _, wrong, _ in MISTAKES])
def test_one_finding_at_its_place_restores_the_text(right: str, wrong: str, marked: str) -> None:
    text = MODULE.replace(right, wrong)
    errors = [found for found in openptx.check(text) if found.severity == "error"]
    assert [text[slice(*found.span)] for found in errors] == [marked]
    assert applied(text, errors)[0] == MODULE


def test_a_variable_whose_address_is_taken_is_not_advised_to_be_a_register() -> None:
    text = MODULE.replace("    .shared .align 4 .b8 tile[64];\n", "")
    (found,) = openptx.check(text)
    assert found.fix is None
    assert "`.shared .align 4 .b8 tile[...];`" in (found.help or "")


def test_a_wrong_alignment_has_no_second_finding_at_the_call() -> None:
    text = MODULE.replace(".align 8 .b8 p2", ".align 3 .b8 p2")
    errors = [found for found in openptx.check(text) if found.severity == "error"]
    assert [found.name for found in errors] == ["alignment"]


def test_a_function_that_has_lost_its_parameters_has_no_findings_at_its_calls() -> None:
    text = MODULE.replace("st.param.b32 [result], 1;", ".reg .b32 %r<9>;\n    ld.param.b32 %r1, [f_param_0];")
    text = text.replace("f(.param .b32 a, .param .b64 b, .param .align 8 .b8 c[16])", "f()")
    (found,) = openptx.check(text)
    assert text[slice(*found.span)] == "f_param_0"


def test_a_wrong_type_of_a_list_is_not_called_a_wrong_target() -> None:
    text = MODULE.replace("st.global.u32 [%rd6], %r4", "st.global.v4.u64 [%rd6], {%r1, %r4, %r5, %r4}")
    (found,) = openptx.check(text)
    assert found.fix is not None
    assert found.fix.replacement == "st.global.v4.b32"


def test_a_result_that_is_not_declared_is_declared_as_the_function_has_it() -> None:
    text = MODULE.replace("        .param .b32 retval0;\n", "")
    (found,) = openptx.check(text)
    assert found.help == "declare it before the call: `.param .b32 retval0;`"
    assert openptx.check(applied(text, [found])[0]) == []


def test_a_parenthesis_is_written_after_the_parameters_of_a_declaration() -> None:
    declared = ".func g(.param .b32 a);\n.visible .entry"
    text = MODULE.replace(".visible .entry", declared.replace(")", ""))
    (found,) = openptx.check(text)
    assert applied(text, [found])[0] == MODULE.replace(".visible .entry", declared)


def test_a_function_that_has_lost_its_result_has_one_finding() -> None:
    text = MODULE.replace(".func (.param", ".func (.param .b32 result) f(.param .b32 a, .param .b64 b, "
                          ".param .align 8 .b8 c[16]);\n.func (.param", 1)  # fmt: skip
    wrong = text.replace(");\n.func (.param .b32 result) f", ");\n.func f")
    assert openptx.check(text) == []
    (found,) = openptx.check(wrong)
    assert found.name == "declaration-mismatch"


def test_a_load_without_its_result_has_one_finding() -> None:
    text = MODULE.replace("st.global.u32 [%rd6], %r4;", "tex.1d.v4.f32.s32 [%rd6, {%r4}], %r5;")
    (found,) = openptx.check(text)
    assert "its form is `tex" in (found.help or "")


def test_calls_with_the_same_wrong_number_of_arguments_are_one_finding() -> None:
    text = MODULE.replace("call.uni (retval0), f,", "call.uni (retval0), f, (p0, p1);\n        call.uni (retval0), f,")
    text = text.replace("(p0, p1, p2)", "(p0, p1)")
    (found,) = openptx.check(text)
    assert (found.name, len(found.also)) == ("argument-count", 1)


def test_a_parameter_in_another_space_is_not_also_a_mismatch() -> None:
    declared = ".func f(.param .b32 a, .param .b64 b, .param .align 8 .b8 c[16]);\n"
    text = MODULE.replace(".func (.param", declared.replace("f(", "(.param .b32 r) f(") + ".func (.param", 1)
    wrong = ".param .b64 b, .param .align 8 .b8 c[16]) {"
    wrong = text.replace(wrong, wrong.replace(".param", ".global", 1))
    errors = openptx.check(wrong)
    assert [found.name for found in errors] == ["parameter"]
    assert applied(wrong, errors)[0] == text
