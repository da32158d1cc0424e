"""Lost and wrong declarations of registers, of targets and of tables: one finding, whose fix makes the file correct."""

from __future__ import annotations

import pytest

import openptx

TEXT = """.version 8.0
.target sm_90a
.address_size 64
.func (.param .b64 out) twice (.param .b64 in) { ret; }
.func (.param .b64 out) alias_of_it (.param .b64 in);
.alias alias_of_it, twice;
.entry k(.param .u64 k_param_0)
{
    .reg .pred %p<3>;
    .reg .b16 h0, h1, h2;
    .reg .b16 %s<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<10>;
    .reg .s32 i, n, a;
    .reg .f32 x, y;
    ld.param.u64 %rd1, [k_param_0];
    wgmma.fence.sync.aligned;
    ld.global.v2.b32 {%r1, %r2}, [%rd1];
    mov.b32 i, %r1;
    add.s32 n, i, %r2;
    mad.lo.s32 a, i, n, a;
    setp.lt.s32 %p1, i, n;
    @%p1 bra L;
    add.f16x2 %r3, %r1, %r2;
    mul.f16x2 %r4, %r3, %r2;
    cvt.rn.f16.f32 h0, y;
    add.f16 h1, h0, h0;
    mov.f32 y, x;
    cvt.u32.u16 %r5, %s1;
    add.u16 %s2, %s1, 1;
    vmad.s32.s32.s32 n, -a, i, n;
    cvt.rn.f32.s32 x, n;
    add.f32 y, x, y;
    mul.f32 x, y, x;
    sub.f32 x, x, y;
    st.global.f32 [%rd1], x;
    mov.u64 %rd2, twice;
    {
    .param .b64 p;
    .param .b64 q;
    st.param.b64 [p], %rd1;
    proto: .callprototype (.param .b64 _) _ (.param .b64 _);
    call (q), %rd2, (p), proto;
    ld.param.b64 %rd3, [q];
    }
L:
    st.shared.b32 [%r1], %r2;
    ret;
}
"""
CASES = (
    # as it should be,               as it is,                        what is marked
    ("    .reg .b16 h0, h1, h2;\n",   "",                              "h0"),
    ("    .reg .b16 %s<3>;\n",        "",                              "%s1"),
    ("    .reg .b32 %r<9>;\n",        "",                              "%r1"),
    ("    .reg .b64 %rd<10>;\n",       "",                              "%rd1"),
    ("    .reg .s32 i, n, a;\n",      "",                              "i"),
    ("    .reg .f32 x, y;\n",         "",                              "y"),
    (".reg .b16 h0",                  ".reg .u16 h0",                  ".u16"),
    (".reg .b32 %r<9>",               ".reg .u32 %r<9>",               ".u32"),
    (".reg .f32 x, y",                ".reg .f32 x, 5y",               "5y"),
    (".reg .b32 %r<9>",               ".reg .b32 <%r9>",               "<"),
    (".reg .b32 %r<9>",               ".reg .b32 <9>",                 "<"),
    (".target sm_90a",                ".target sm_9Oa",                "sm_9Oa"),
    (".target sm_90a",                ".target sm_09a",                "sm_09a"),
    (".target sm_90a",                ".target sm_80a",                "sm_80a"),
    (".version 8.0",                  "kversion 8.0",                  "k"),
    ("(.param .b64 out) twice",       "(.param .b46 out) twice",       ".b46"),
    ("it, twice;",                    "it, twic;",                     "twic"),
    ("bra L;",                        "bra L.x;",                      "L.x"),
    ("{%r1, %r2}",                    "{r%1, %r2}",                    "r%1"),
    ("{%r1, %r2}",                    "{l%r1, %r2}",                   "l"),
    (".param .b64 q;",                ".param .b64 qq;",               "qq"),
    (".reg .f32 x, y",                ".reg .f32 x, yw",               "yw"),
    (".reg .s32 i, n, a",             ".reg .f32 i, n, a",             ".f32"),
    ("twice (.param .b64 in)",        "twice (.param b.64 in)",        "b"),
    (".reg .b32 %r<9>",               ".reg b.32 %r<9>",               "b"),
    ("%rd<10>", "%rd<1k0>", "1k0"),
    ("mov.u64 %rd2, twice",           "vmov.u64 %rd2, twice",          "vmov.u64"),
    ("add.u16 %s2",                   "vadd.u16 %s2",                  ".u16"),
    ("add.s32 n, i, %r2",             "add.s32 n, ?r2, i",             "?"),
    ("[%rd1], x",                     "*%rd1], x",                     "*"),
    ("[%rd1], x",                     "{%rd1], x",                     "{"),
    ("[%rd1], x",                     "%rd1[0], x",                    "%rd1[0]"),
    ("[%rd1], x",                     "[%r%rd1], x",                   "%r"),
)  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "marked"), CASES, ids=lambda each: each.strip() or "lost")
def test_one_finding_whose_fix_makes_the_file_correct(right: str, wrong: str, marked: str) -> None:
    assert TEXT.count(right) == 1
    text = TEXT.replace(right, wrong)
    (found,) = (each for each in openptx.check(text) if each.severity == "error")
    assert text[slice(*found.span)] == marked
    assert found.fix is not None
    (start, end), meant = found.fix.span, found.fix.replacement
    assert not [each for each in openptx.check(text[:start] + meant + text[end:]) if each.severity == "error"]


def test_names_that_one_line_declares_are_declared_together() -> None:
    (found,) = (
        each for each in openptx.check(TEXT.replace("    .reg .s32 i, n, a;\n", "")) if each.severity == "error"
    )
    assert found.message == "`i`, `n` and `a` are not declared"
    assert found.help == "declare them: `.reg .b32 i, n, a;`"


def test_a_call_whose_prototype_is_lost_names_it() -> None:
    text = TEXT.replace("    proto: .callprototype (.param .b64 _) _ (.param .b64 _);\n", "")
    (found,) = (each for each in openptx.check(text) if each.severity == "error")
    assert found.message == "there is no prototype `proto`"


def test_the_space_of_a_proxy_fence_may_precede_its_proxy() -> None:
    text = TEXT.replace("wgmma.fence.sync.aligned;", "fence.proxy.shared::cta.async;")
    assert not [each for each in openptx.check(text) if each.severity == "error"]
    assert [each.name for each in openptx.check(text, profile="isa") if each.severity == "error"] == [
        "modifier-forbidden"
    ]


def test_a_brace_that_is_lost_before_a_declaration_and_an_alias_is_one_error() -> None:
    text = TEXT.replace("twice (.param .b64 in) { ret; }", "twice (.param .b64 in) {\nret;")
    (found,) = (each for each in openptx.check(text) if each.severity == "error")
    assert found.fix is not None
    start, end = found.fix.span
    assert (text[:start] + found.fix.replacement + text[end:]).split() == TEXT.split()


def test_an_unknown_type_of_two_misused_registers_is_one_error() -> None:
    uses = "cvt.f64.f32 a, x; mov.f64 b, a; fma.rn.f64 b, a, b, a;".replace("; ", ";\n")
    text = f".version 8.0\n.target sm_80\n.entry k() {{ .reg .f8 a, b; .reg .f32 x;\n{uses}\nret; }}\n"
    (found,) = (each for each in openptx.check(text) if each.severity == "error")
    assert found.message == "there is no type `.f8`"
