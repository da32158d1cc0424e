"""Declarations and headers that cannot be parsed: one finding, and what to write instead."""

from __future__ import annotations

import pytest
from advice import Row, given

import openptx
from openptx.diagnostics.edits import applied

ROWS = (
    Row(".entry k() { .func f() { ret; } ret; }", ".func", "define it before or after this one"),
    Row(".global .u32 a[2] = 1, 2;", "1", ".global .u32 a[2] = {1, 2};"),
    Row(".global .u32 a[2] = 1, 2};", "1", ".global .u32 a[2] = {1, 2};"),
    Row(".entry k()\n:\n.reg .b32 %r<2>;\nret; }", ":", ".entry k()\n{\n.reg .b32 %r<2>;\nret; }"),
    Row(
        ".entry k() { .locl .b8 d[4]; .reg .b64 a; mov.u64 a, d; }",
        ".locl",
        ".entry k() { .local .b8 d[4]; .reg .b64 a; mov.u64 a, d; }",
    ),
    Row(".entry k() { .reg %r .b32<2>; mov.u32 %r1, 1; }", "%r", ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, 1; }"),
    Row(".visible .entry k() { ret;", ";", ".visible .entry k() { ret;\n}\n"),
    Row(".visible .entry k() ret; }", "ret", ".visible .entry k() { ret; }"),
    Row(".visible .entry k( { ret; }", "{", ".visible .entry k() { ret; }"),
    Row(".visible .entry k) { ret; }", ")", ".visible .entry k() { ret; }"),
    Row(
        ".visible .entry k(.param .u64 a .param .u64 b) { ret; }",
        ".param",
        ".visible .entry k(.param .u64 a, .param .u64 b) { ret; }",
    ),
    Row(
        ".visible .entry k(\n\t.param .u64 a,\n)\n\t.param .u64 b\n{ ret; }",
        ")",
        ".visible .entry k(\n\t.param .u64 a,\n\t.param .u64 b\n)\n{ ret; }",
    ),
    Row(".func f(.param .b32 a, ) .param .b32 b;", ")", ".func f(.param .b32 a, .param .b32 b ) ;"),
    Row(".func f(.param .b32 b); .func f(.param .b32 a, .param .b32 b) { ret; }", "f", "the first one lacks `a`"),
    Row(".func f(.param .b32 a, .param .b32 b); .func f(.param .b32 b) { ret; }", "f", "this lacks `a`"),
    Row(".visible .entry k(.param .u64 a, ) { ret; }", ",", ".visible .entry k(.param .u64 a ) { ret; }"),
    Row(".visible .entry k(.u64 a) { ret; }", ".u64", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".visible .entry k(u64 a) { ret; }", "u64", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".visible .entry k(.param u64 a) { ret; }", "u64", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(
        ".visible .entry k(.param a) { ret; }",
        "a",
        "a declaration has a state space, a type and names: `.reg .b32 a;`",
    ),
    Row(".visible .entry k(.param .u64 *a) { ret; }", "*", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".visible .entry k(.reg .u64 a) { ret; }", ".reg", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".visible .entry k(.param .u64 a); { ret; }", "{", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".visible .entry k(.param .u64 a) { ret; };", ";", ".visible .entry k(.param .u64 a) { ret; }"),
    Row("visible .entry k(.param .u64 a) { ret; }", "visible", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".visible .kernel k(.param .u64 a) { ret; }", ".kernel", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".entry .visible k(.param .u64 a) { ret; }", ".visible", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(".public .entry k(.param .u64 a) { ret; }", ".public", ".visible .entry k(.param .u64 a) { ret; }"),
    Row(
        ".visible .entry (.reg .u32 r) k(.param .u64 a) { ret; }",
        "(",
        ".visible .func (.reg .u32 r) k(.param .u64 a) { ret; }",
    ),
    Row(
        ".visible .entry 1k() { ret; }",
        "1k",
        "a name begins with a letter, or with `_`, `$` or `%` and one more character",
    ),
    Row(".visible .entry k-1() { ret; }", "-", ".visible .entry k_1() { ret; }"),
    Row(".visible .entry k() .maxntid 256; { ret; }", ";", ".visible .entry k() .maxntid 256 { ret; }"),
    Row(".visible .entry k() .maxntid = 256 { ret; }", "=", ".visible .entry k() .maxntid 256 { ret; }"),
    Row(".visible .entry k() .maxnreg(32) { ret; }", "(", ".visible .entry k() .maxnreg 32 { ret; }"),
    Row(
        ".visible .entry k() .launch_bounds 256 { ret; }", ".launch_bounds", ".visible .entry k() .maxntid 256 { ret; }"
    ),
    Row(".visible .entry k() .maxntid 16 16 1 { ret; }", "16", ".visible .entry k() .maxntid 16, 16, 1 { ret; }"),
    Row(".func f(.param .u32 a) .maxntid 3 { ret; }", ".maxntid", ".func f(.param .u32 a){ ret; }"),
    Row(
        ".func f(.reg .u32 a) (.reg .u32 r) { ret; }",
        "(",
        ".func (.reg .u32 r) f(.reg .u32 a) { ret; }",
    ),
    Row(
        ".func .u32 f(.reg .u32 a) { ret; }",
        ".u32",
        ".func (.reg .u32 r) f(.reg .u32 a) { ret; }",
    ),
    Row(".func (.u32 r) f(.reg .u32 a) { ret; }", ".u32", ".func (.param .u32 r) f(.reg .u32 a) { ret; }"),
    Row(
        ".entry k() { call f; ret; } .func f() { ret; }",
        "f",
        "it is defined below: declare it before, `.func f(...);`",
    ),
    Row(".global .u32 x = 5, y = 6 z = 7;", "z", ".global .u32 x = 5, y = 6, z = 7;"),
    Row(".global .u32 x = {1};", "{1}", "leave out the braces"),
    Row(".global .u32 x[2] = {1, 2, 3};", "{1, 2, 3}", "make it longer: 3 elements"),
    Row(".global .u32 x[2] = 1;", "x[2] = 1", "write `{1}`"),
    Row(".global .u32 x[2] = {1 2};", "2", ".global .u32 x[2] = {1, 2};"),
    Row(".global .u32 x[2] = [1, 2];", "[1, 2]", ".global .u32 x[2] = {1, 2};"),
    Row(".global .u32 x[2] = (1, 2);", "(1, 2)", ".global .u32 x[2] = {1, 2};"),
    Row(".global .f32 x = 1;", "1", "write `1.0`"),
    Row(".global .f32 x = 1.0f;", "1.0f", ".global .f32 x = 1.0;"),
    Row(".global .u32 x = 1.5;", "1.5", "write an integer, or declare it `.f32`"),
    Row('.global .u32 x = "abc";', '"abc"', "a string is an array of `.u8`: `{97, 98, 99, 0}`"),
    Row('.global .u8 x[] = "abc";', '"abc"', "a string is an array of `.u8`: `{97, 98, 99, 0}`"),
    Row(
        ".global .u32 x .align 4;",
        ".align",
        ".global .align 4 .u32 x;",
    ),
    Row(".global .align 4 x;", "x", "a declaration has a state space, a type and names: `.reg .b32 a;`"),
    Row(".global .align(4) .u32 x;", "(", ".global .align 4 .u32 x;"),
    Row(".global int x;", "int", "a declaration has a state space, a type and names: `.reg .b32 a;`"),
    Row(".global u32 x;", "u32", ".global .u32 x;"),
    Row(".global .u32 x\n.global .u32 y;", "x", ".global .u32 x;\n.global .u32 y;"),
    Row(
        ".global u32 x;\n.entry k() { .reg .u32 r; ld.global.u32 r, [x]; st.global.u32 [x], r; ret; }",
        "u32",
        ".global .u32 x;\n.entry k() { .reg .u32 r; ld.global.u32 r, [x]; st.global.u32 [x], r; ret; }",
    ),
    Row(".entry k() { ret; } }", "}", ".entry k() { ret; } "),
    Row(".entry k() { { ret; }", "{", ".entry k() {  ret; }"),
    Row(".pragma nounroll; .entry k() { ret; }", "nounroll", '.pragma "nounroll"; .entry k() { ret; }'),
    Row('.pragma "nounroll" .entry k() { ret; }', '"', '.pragma "nounroll"; .entry k() { ret; }'),
    Row(".entry k() { .reg .u32 %r1, %r2, %r3 ret; }", "ret", ".entry k() { .reg .u32 %r1, %r2, %r3, ret; }"),
    Row(
        ".entry k()\n{\n  .reg .u32 %r<3>\n  mov.u32 %r1, 1;\n  ret;\n}",
        ">",
        ".entry k()\n{\n  .reg .u32 %r<3>;\n  mov.u32 %r1, 1;\n  ret;\n}",
    ),
    Row(".entry k() { L: bra L }", "L", ".entry k() { L: bra L; }"),
    Row(".entry k() { .reg .pred p; @p ret }", "t", ".entry k() { .reg .pred p; @p ret; }"),
    Row(
        ".entry k() { .reg .pred p; @!!p ret; }",
        "!!",
        ".entry k() { .reg .pred p; @!p ret; }",
    ),
    Row(".entry k() { .reg .pred p; !@p ret; }", "!@", ".entry k() { .reg .pred p; @!p ret; }"),
    Row(
        ".entry k() { .reg .pred p; @-p ret; }",
        "-",
        ".entry k() { .reg .pred p; @!p ret; }",
    ),
    Row(
        ".entry k() { .reg .pred p<3>; @p1 && p2 ret; }",
        "&&",
        "a guard is one predicate: combine them first, `and.pred %p, %p1, %p2;` or `or.pred`, then `@%p`",
    ),
    Row(
        ".entry k() { .reg .pred p<3>; @p1 @p2 ret; }",
        "@",
        "a guard is one predicate: combine them first, `and.pred %p, %p1, %p2;` or `or.pred`, then `@%p`",
    ),
    Row(
        ".entry k() { .reg .pred p<3>; @p0 mov.pred p1, true; ret; }",
        "true",
        ".entry k() { .reg .pred p<3>; @p0 mov.pred p1, 1; ret; }",
    ),
    Row(
        ".entry k() { .reg .pred p<3>; setp.eq.pred p0, p1, p2; ret; }",
        ".pred",
        "predicates differ where `xor.pred` is true; `not.pred` of that is equality",
    ),
    Row(
        ".entry k() { .reg .u32 a; a = 5; ret; }",
        "a",
        "an instruction names its destination first: `mov.u32 d, a;`, `add.u32 d, a, b;`",
    ),
    Row(
        ".entry k() { int a = 5; ret; }",
        "=",
        "an instruction names its destination first: `mov.u32 d, a;`, `add.u32 d, a, b;`",
    ),
    Row(".entry k() { .reg .u32 a; mov.u32 a, 5; return a; }", "return", "write `ret;`"),
    Row(".entry k(.param .u64 a;) { ret; }", ";", ".entry k(.param .u64 a) { ret; }"),
    Row(
        ".entry k(.param .u64 a; .param .u64 b) { .reg .u64 r; ld.param.u64 r, [b]; ret; }",
        ";",
        ".entry k(.param .u64 a, .param .u64 b) { .reg .u64 r; ld.param.u64 r, [b]; ret; }",
    ),
    Row(
        ".entry k(.param u64 a) { .reg .u64 r; ld.param.u64 r, [a]; ret; }",
        "u64",
        ".entry k(.param .u64 a) { .reg .u64 r; ld.param.u64 r, [a]; ret; }",
    ),
    Row(
        ".entry k { .param .u64 a } { .reg .u64 r; ld.param.u64 r, [a]; ret; }",
        "{ .param .u64 a }",
        ".entry k (.param .u64 a) { .reg .u64 r; ld.param.u64 r, [a]; ret; }",
    ),
    Row(
        ".reg .u32 r1 r2, r3; mov.u32 r2, 1; mov.u32 r3, r2;",
        "r2",
        ".reg .u32 r1, r2, r3; mov.u32 r2, 1; mov.u32 r3, r2;",
    ),
    Row(".reg .b32 q<10; mov.u32 q1, 1; mov.u32 q2, q1;", ";", ".reg .b32 q<10>; mov.u32 q1, 1; mov.u32 q2, q1;"),
    Row(".register .b32 r1; mov.u32 r1, 1;", ".register", ".reg .b32 r1; mov.u32 r1, 1;"),
    Row("reg .b32 r1; mov.u32 r1, 1;", "reg", ".reg .b32 r1; mov.u32 r1, 1;"),
    Row(".b32 r1; mov.u32 r1, 1;", ".b32", "a declaration begins with its state space: `.reg .b32 ...`"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_one_finding_with_its_cure(row: Row) -> None:
    assert given(row) == (row.marked, row.cure)


@pytest.mark.parametrize("first", [".visible .entry k(", ".visible .func f(\n.param .b32 b,"])
def test_a_header_that_another_function_follows_is_one_error(first: str) -> None:
    """What the header that is cut off declares differs from the whole one, which is a consequence."""
    (found,) = openptx.check(f"""\
.version 8.0
.target sm_80
.address_size 64
{first}
.visible .func f(.param .b32 a)
{{ ret; }}
.visible .entry k(.param .b32 b)
{{ ret; }}
""")
    assert found.message == "a function begins here, inside the parameters of another"
    assert found.file.text[slice(*found.span)] == ".visible"


KERNEL = """\
.visible .entry k(
    .param .u64 a,
    .param .u64 b
)
{
    .reg .b32 %r<3>;
    mov.b32 %r1, %tid.x;
    ret;
}
"""
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


@pytest.mark.parametrize("other", [".version 8.0", "    mov.b32 %r1, 0;"])
@pytest.mark.parametrize("row", range(5))
def test_a_line_of_a_header_that_another_one_overwrites_is_one_error(row: int, other: str) -> None:
    lines: list[str] = [*KERNEL.splitlines()]
    lines[row] = other
    (found,) = openptx.check(HEADER + "\n".join(lines))
    assert row <= found.location[0] - 4 <= row + 1


def test_an_instruction_in_place_of_the_first_line_of_the_next_function() -> None:
    """It does not go on with the body before it."""
    second = KERNEL.replace("k(", "l(").splitlines()
    (found,) = openptx.check(HEADER + KERNEL + "\n".join(["ret;", *second[1:]]))
    assert found.message == "an instruction is only allowed inside the body of a function"


@pytest.mark.parametrize(
    ("lost", "written"),
    [
        (")\n{\n", ""),
        ("{\n", "}\n"),
        (".visible .entry k(", ".const .entry k("),
        (KERNEL[: KERNEL.index("    .reg")], "\n"),
        ("    .param .u64 b\n", "    .reg .b32 %r<3>;\n    .param .u64 b\n"),
    ],
)
def test_a_damaged_header_is_one_error(lost: str, written: str) -> None:
    assert len(openptx.check(HEADER + KERNEL.replace(lost, written))) == 1


def test_an_instruction_in_place_of_the_brace_of_a_body_is_replaced() -> None:
    text = HEADER + KERNEL
    (found,) = openptx.check(text.replace("\n{\n", "\n    mov.b32 %r2, %r1;\n"))
    assert found.fix is not None
    assert applied(found.file.text, [found])[0].replace("    {", "{") == text


def test_a_version_goes_before_what_is_left_of_the_header() -> None:
    (found,) = openptx.check(".address_size 64\n.entry k() { ret; }\n")
    assert found.location == (1, 1)


CALLER = """\
.visible .entry k()
{
    .param .b32 p;
    call f, (p, p);
    ret;
}
.visible .func f(
    .param .b32 a,
    .param .b32 b
)
{
    .reg .b32 %r;
    ld.param.b32 %r, [b];
    ret;
}
"""


@pytest.mark.parametrize("declared", ["\n    .param .b32 a\n)\n;\n", "\n    .param .b32 a,\n    ret;\n)\n;\n"])
def test_calls_of_a_function_with_a_wrong_declaration_are_consequences(declared: str) -> None:
    (found,) = openptx.check(f"{HEADER}.func f({declared}{CALLER}")
    assert "f" in found.message


def test_a_line_in_place_of_a_parameter_is_not_removed_where_calls_need_that() -> None:
    caller = CALLER[: CALLER.index(".visible .func")]
    (found,) = openptx.check(f"{HEADER}.extern .func f(\n    ret;\n    .param .b32 a\n)\n;\n{caller}")
    assert found.fix is None


def test_a_parameter_that_the_second_declaration_lacks_is_one_error() -> None:
    text = CALLER.replace(",\n    .param .b32 b\n", "\n")
    (found,) = openptx.check(f"{HEADER}.func f(.param .b32 a, .param .b32 b);\n{text}")
    assert found.help == "this lacks `b`"


WIDE = "    mov.u64 %r1, %r2;\n    add.u64 %r3, %r1, %r2;\n    mul.lo.u64 %r2, %r3, %r1;\n"
NARROW = "    add.u32 %r1, %r2, %r3;\n"


@pytest.mark.parametrize(
    ("uses", "messages"),
    [
        (WIDE, ["`%r` is declared `.b32`, but used as `.b64` 3 times"]),
        (WIDE + NARROW * 4, [f"operand `d` of `{opcode}`" for opcode in ("mov.u64", "add.u64", "mul.lo.u64")]),
    ],
)
def test_a_declaration_is_wrong_if_most_uses_are(uses: str, messages: list[str]) -> None:
    found = openptx.check(f"{HEADER}.entry k()\n{{\n    .reg .b32 %r<9>;\n{uses}    ret;\n}}\n")
    assert [each.message.partition(" must be")[0] for each in found] == messages
