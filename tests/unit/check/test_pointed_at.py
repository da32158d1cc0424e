"""The token that a message marks, and its name for the operand."""

from __future__ import annotations

import pytest

import openptx

MODULE = """.version 9.0
.target sm_100a
.address_size 64
.visible .entry k() {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .f32 %f<4>; .param .b64 pb;
"""

# fmt: off
STATEMENTS = (  # a statement, the text that is underlined, the message or label
    ("add.rn.u8 %f0, %f1, %f2;",             ".u8",      "`add` has no `.u8` form"),
    ("membar.sys.f16x2;",                    ".f16x2",   "it takes no type"),
    ("mad.lo.e2m1x2 %d0, %d1, 12, %d2;",     ".e2m1x2",  "`mad` has no `.e2m1x2` form"),
    ("mbarrier.arrive.shred.b64 %d0, [%d1];", ".shred",  "`mbarrier` has no modifier `.shred`"),
    ("add.rm.rp.f32 %f0, %f1, %f2;",         ".rp",      "only one of them"),
    ("add.rn.ftz.ftz.f32 %f0, %f1, %f2;",    ".ftz",     "once is enough"),
    ("ex2 .ftz.f32 %f0, %f1;",               "ex2 .ftz.f32", "expected .approx"),
    ("cvt.rz.f32.f16 %f0, %r0;",             ".rz",      "leave out `.rz`"),
    ("@!tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %f0}];", "tex.2d.v4.u32.f32", "found the opcode `tex.2d"),
    (".b32 %r9;",                            ".b32",     "there is no directive `.b32`"),
    (".local .b8 s[30] {1, 2};",             "{",        "expected `=` before the initial values"),
    ("abs %r0, %r1;",                        "abs",      "one of .s16 .s32 .s64 .f32 .f64 .f16 .f16x2 .bf16 .bf16x2"),
    ("mma.sync.aligned.row.col.s32.s8.s8.s32 {%r0, %r1, %r2, %r3}, {%r0, %r1}, {%r2}, {%r0, %r1, %r2, %r3};",
     "mma.sync.aligned.row.col.s32.s8.s8.s32", "one of .m8n8k16 .m16n8k16 .m16n8k32"),
    ("discard..global.L2 [%d0], 128;",       ".",        "no word follows"),
    ("mbarrier.shared.b64 %d0, [%d1];", "mbarrier.shared.b64", "needs the rest of its name after `mbarrier`"),
    ("suld.2d.b32.zero {%r0}, [%d0, {%r1, %r2}];", "suld.2d.b32.zero", "one of .b .p"),
    ("cos.approx.f32 %f0, %f1.x;",           "%f1.x",    "this is `.x` of `.f32`"),
    ("subc.cc.s64 !%d0, %d1, %d2;",          "!%d0",     "this is `!` and `.b64`"),
    ("cvta.to.local.u64 %d0+4, %d1;",        "%d0+4",    "this is a sum of `.b64` and a constant"),
    ("not.b32 %r0, [%r1];",                  "[%r1]",    "this is an address, in brackets"),
    ("not.b32 {%r0}, %r1;",                  "{%r0}",    "must be a single value, not a list"),
    ("barrier.arrive 4, 4;",                 "4",        "must be a multiple of 32 other than 0, not 4"),
    ("cvta.to.global.u64 %d0, pb;",          "pb",       "this is a variable in `.param`"),
)
# fmt: on


@pytest.mark.parametrize(("statement", "underlined", "said"), STATEMENTS)
def test_the_token_that_is_wrong_is_underlined(statement: str, underlined: str, said: str) -> None:
    text = f"{MODULE}    {statement}\n    ret;\n}}\n"
    found = [d for d in openptx.check(text) if d.severity == "error"]
    assert [text[slice(*d.span)] for d in found] == [underlined]
    assert said in f"{found[0].message} | {found[0].label}"


def test_a_minus_is_reported_once() -> None:
    text = f"{MODULE}    and.b32 %r0, -%r1, 2;\n    ret;\n}}\n"
    assert [d.name for d in openptx.check(text) if d.severity == "error"] == ["operand-kind"]


def test_a_qualifier_of_a_space_is_suggested() -> None:
    text = f"{MODULE}    tcgen05.alloc.cta_group::2.sync.aligned.shared.b32 [%d0], %r1;\n    ret;\n}}\n"
    (found,) = openptx.check(text)
    assert found.help == "did you mean `tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32`?"


@pytest.mark.parametrize("word", ["$L__BB0_1", "%next"])
def test_a_label_without_its_colon_is_the_only_error(word: str) -> None:
    text = f"{MODULE}    @%p0 bra {word};\n    mov.b32 %r0, 1;\n{word}\n    st.shared.b32 [%r0], 2;\n    ret;\n}}\n"
    found = [d for d in openptx.check(text) if d.severity == "error"]
    assert [text[slice(*d.span)] for d in found] == [word]
    assert found[0].fix is not None
    assert found[0].fix.replacement == ":"


@pytest.mark.parametrize(("wrong", "meant"), [("bar.uni LOOP;", "bra.uni"), ("bra.sync 0;", "bar.sync")])
def test_another_mnemonic_of_the_same_letters_may_be_meant(wrong: str, meant: str) -> None:
    text = f".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{\nLOOP: {wrong}\nret;\n}}\n"
    (found,) = openptx.check(text)
    assert found.help == f"did you mean `{meant}`?"
    assert found.fix is not None
