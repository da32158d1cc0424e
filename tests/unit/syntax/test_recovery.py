# ruff: noqa: E501 - the tables keep one mistake a line
"""One error is one diagnostic, at its place, with a fix; the rest of the file is parsed normally."""

from __future__ import annotations

import random

import pytest
from sample import SAMPLE  # type: ignore[import-not-found]

import openptx
from openptx.diagnostics import Diagnostic
from openptx.source import File
from openptx.syntax import brace_matcher, parse
from openptx.syntax.declarations import Variable
from openptx.syntax.tree import Instruction, Label

BEFORE = ".version 8.0\n.target sm_80\n.visible .entry first(.param .u64 a)\n{\n.reg .b32 %r<9>;\n"
AFTER = "\nadd.s32 %r1, %r2, %r3;\nL: ret;\n}\n.visible .entry second()\n{\nret;\n}\n"


def check(source: str) -> list[Diagnostic]:
    module = parse(File("file.ptx", source))
    assert str(module) == source
    return module.diagnostics


def fixed(source: str, diagnostic: Diagnostic) -> str:
    assert diagnostic.fix
    start, end = diagnostic.fix.span
    return source[:start] + diagnostic.fix.replacement + source[end:]


# fmt: off
@pytest.mark.parametrize(("text", "column", "code", "message"), [
    ("add.s32 %r1, %r2 %r3;",        18, "PTX0101", "expected `,` or `;` after the operand, found `%r3`"),
    ("add.s32 %r1, %r2, ;",          19, "PTX0107", "expected an operand, found `;`"),
    ("add.s32 %r1, %r2, %r3",        21, "PTX0102", "this statement has no `;`"),
    ("ret",                           3, "PTX0102", "this statement has no `;`"),
    ("mov.u32 %r1, 42u;",            14, "PTX0004", "`42u` is not a number"),
    ("mov.f32 %f1, 0f3F80;",         14, "PTX0005", "`0f3F80` is not a number"),
    ("mov.u32 %r1, 7/0;",            16, "PTX0110", "the divisor of this constant expression is zero"),
    ("ld.u32 %r1, [%r2-8];",         17, "PTX0108", "nothing can be subtracted from `%r2` here"),
    ("ld.u32 %r1, [%r2-%r3];",       17, "PTX0108", "nothing can be subtracted from `%r2` here"),
    ("ld.u32 %r1, [%r2;",            16, "PTX0105", "expected `]`, found `;`"),
    ("ld.u32 %r1, %r2];",            16, "PTX0101", "this `]` closes nothing"),
    ("ld.v2.u32 {%r1, %r2, [%r3];",  19, "PTX0105", "expected `}`, found `[`"),
    ("ld.v2.u32 {%r1, %r2, ;",       22, "PTX0107", "expected a register or a constant, found `;`"),
    ("st.v2.u32 [%r3], {%r1, %r2;",  26, "PTX0105", "expected `}`, found `;`"),
    ("st.v2.u32 [%r3], %r1, %r2};",  26, "PTX0101", "this `}` closes nothing"),
    ("mov.u32 %r1, $;",              14, "PTX0006", "`$` alone is not a name"),
    ("mov.u32 %r1, #3;",             14, "PTX0001", "PTX has no use for `#` here"),
    ("mov.u32 %r1, é;",              14, "PTX0001", "PTX has no use for `é` here"),
    ("mov.u32 %r1, \0;",             14, "PTX0001", "PTX has no use for U+0000 here"),
    ("add . s32 %r1, %r2, %r3;",      5, "PTX0115", "no word directly follows this `.`"),
    ("@1 add.s32 %r1, %r2, %r3;",     2, "PTX0114", "expected a predicate register after `@`, found `1`"),
    ("@p L2: ret;",                   4, "PTX0101", "a label stands before the guard, not after it"),
    ("bra$L;",                        1, "PTX0101", "expected a statement, found `bra$L`"),
    ("@% ret;",                       2, "PTX0006", "`%` alone is not a name"),
    (";",                             1, "PTX0101", "this `;` ends no statement"),
    (".reg %r20;",                    6, "PTX0109", "expected a type such as `.b32`, found `%r20`"),
    (".reg .b32 %q<5;",              15, "PTX0109", "expected `>` after the number of names, found `;`"),
    (".reg .b32 %q, ;",              15, "PTX0109", "expected a name in this declaration, found `;`"),
    (".reg .b32 .align 4 q;",        11, "PTX0109", "expected a name after `.b32`, found `.align`"),
    (".shared .b8 q[2+2];",          16, "PTX0109", "expected `]` after the size of the array, found `+`"),
    (".shared .b8 q[4] = {1, 2;",    25, "PTX0109", "expected `}` to close the initial values, found `;`"),
    (".global .b8 q[4] = {1, 2 3};", 26, "PTX0109", "expected `,` or `}` after an initial value, found `3`"),
    (".global .u64 q = a-4;",        19, "PTX0108", "nothing can be subtracted from `a` here"),
    (".ret .b32 %q;",                 1, "PTX0106", "there is no directive `.ret`"),
    (".address_size 64",              1, "PTX0112", "`.address_size` is not allowed inside the body of a function"),
    (".branchtargets L;",             1, "PTX0112", "`.branchtargets` needs a label before it: `targets: .branchtargets ...`"),
    (".loc 1 2",                      8, "PTX0111", "expected a column, found `add`"),
    ('.pragma "nounroll;',            9, "PTX0003", "this string has no closing quote"),
    ("p: .callprototype ();",        21, "PTX0111", "expected `_` in place of the function's name, found `;`"),
])  # fmt: skip
def test_one_mistake_in_a_body(text: str, column: int, code: str, message: str) -> None:
    source = BEFORE + text + AFTER
    found = check(source)
    assert [(d.code, d.message) for d in found] == [(code, message)]
    if code != "PTX0111" or "column" not in message:
        assert found[0].location == (6, column)
    module = parse(File("file.ptx", source))
    assert [function.name.text for function in module.functions] == ["first", "second"]
    assert [s.name.text for s in module.walk() if isinstance(s, Label)] == ["L"]
    assert "add.s32 %r1, %r2, %r3" in [s.text.rstrip(";") for s in module.walk() if isinstance(s, Instruction)]


# fmt: off
@pytest.mark.parametrize(("old", "new", "code", "message"), [
    ("first(.param .u64 a)\n{", "first(.param .u64 a)\n",  "PTX0101", "expected `{` after the header of `first`, found `.reg`"),
    ("first(.param .u64 a)",   "first(.param .u64 a",      "PTX0109", "expected `,` or `)` after the parameter, found `{`"),
    ("first(.param .u64 a)",   "first .param .u64 a)",     "PTX0111", "expected `(` before the parameters, found `.param`"),
    ("first(.param .u64 a)",   "first(.param .u64 a .param .u64 b)", "PTX0109", "expected `,` between parameters, found `.param`"),
    ("first(.param .u64 a)",   "first(.param .u64)",       "PTX0109", "expected a name in this declaration, found `)`"),
    ("first(.param .u64 a)",   "(.param .u64 a)",          "PTX0111", "expected the name of the kernel after `.entry`, found `(`"),
    (".entry first",           ".kernel first",            "PTX0106", "there is no directive `.kernel`"),
    (".entry first",           "entry first",              "PTX0109", "expected a state space such as `.reg` or `.global`, found `entry`"),
    ("L: ret;\n}",             "L: ret;\n",                "PTX0103", "the body of `first` is never closed"),
    ("L: ret;\n}",             "L: ret;\n}}",              "PTX0104", "this `}` closes nothing"),
    ("add.s32",                "}\nadd.s32",               "PTX0104", "this `}` ends the body of `first`, but statements follow"),
    ("add.s32",                "    {\nadd.s32",           "PTX0103", "a block in the body of `first` is never closed"),
    ("add.s32",                "{ /* never closed",        "PTX0002", "this comment has no `*/`"),
    ("L: ret;\n}",             "L: ret;\n} /*/",          "PTX0002", "this comment has no `*/`"),
    (".target sm_80",          ".target sm_80, ",          "PTX0111", "expected a target after the comma, found `.visible`"),
    (".target sm_80",          ".target sm_80;",           "PTX0101", "this `;` ends no statement"),
    (".target sm_80",          ".target sm_80\nret;\n",    "PTX0113", "an instruction is only allowed inside the body of a function"),
    (".target sm_80",          ".target sm_80\nmov.u32 a, /* odd */ b;", "PTX0113", "an instruction is only allowed inside the body of a function"),
    (".target sm_80",          ".target sm_80\n.maxntid 1\n", "PTX0112", "`.maxntid` is only allowed in the header of a function"),
    (".target sm_80",          ".target sm_80\n.section .a { .b8 1 2 }", "PTX0111", "expected a line of data such as `.b8 1, 2`, found `2`"),
    (".target sm_80",          ".target sm_80\n.section .a { .b8 .b8 1 }", "PTX0111", "no value that `.b8` can have follows it"),
    (".target sm_80",          ".target sm_80\n.section .a { .b88 1 }", "PTX0111", "there is no data of the size `.b88`"),
    (".target sm_80",          ".target sm_80\n.section .a { .b8 1", "PTX0103", "this section is not closed before `.visible`"),
    (".version 8.0",           ".version eight",           "PTX0111", "expected a version such as `8.5` after `.version`, found `eight`"),
    (".version 8.0",           "\ufeff.version 8.0",       "PTX0001", "a byte order mark stands before the text"),
])  # fmt: skip
def test_one_mistake_in_a_module(old: str, new: str, code: str, message: str) -> None:
    source = (BEFORE + AFTER).replace(old, new, 1)
    assert [(d.code, d.message) for d in check(source)] == [(code, message)]


LONG = "n" * 250
"""A name such as numba's, which contain the types of all arguments."""


# fmt: off
@pytest.mark.parametrize(("wrong", "right"), [
    ("ld.u32 %r1, [%r2-8];", "ld.u32 %r1, [%r2+-8];"),
    ("ld.u32 %r1, [%r2;",    "ld.u32 %r1, [%r2];"),
    ("add.s32 %r1, %r2 %r3;", "add.s32 %r1, %r2, %r3;"),
    ("add.s32 %r1, %r2, %r3", "add.s32 %r1, %r2, %r3;"),
    ("mov.b64 %rd1, {%r1, %r2;", "mov.b64 %rd1, {%r1, %r2};"),
    (f".shared .b32 {LONG}; ld.u32 %r1, {LONG}];", f".shared .b32 {LONG}; ld.u32 %r1, [{LONG}];"),
])  # fmt: skip
def test_the_fix_repairs_it(wrong: str, right: str) -> None:
    source = BEFORE + wrong + AFTER
    repaired = fixed(source, check(source)[0])
    assert check(repaired) == []
    assert repaired.replace(" ", "") == (BEFORE + right + AFTER).replace(" ", "")


def test_names_declared_before_a_mistake_stay_known() -> None:
    module = parse(File("file.ptx", BEFORE + ".reg .b32 good, worse<4, never;" + AFTER))
    assert len(module.diagnostics) == 1
    names = [d.name.text for s in module.walk() if isinstance(s, Variable) for d in s.names]
    assert "good" in names


def test_every_mistake_of_a_file_is_found() -> None:
    wrong = "mov.u32 %r1, 42u;\nld.u32 %r1, [%r2-8];\nadd.s32 %r1 %r2, %r3;\nmov.u32 %r1, 08\n.reg .b32;"
    assert [d.code for d in check(BEFORE + wrong + AFTER)] == ["PTX0004", "PTX0108", "PTX0101", "PTX0004"]


@pytest.mark.parametrize("character", ";,[]{}():\"@<>.%")
def test_a_lost_character_costs_one_diagnostic(character: str) -> None:
    """Counts as in the prototype's measurement: at most two anywhere, one nearly everywhere."""
    places = [i for i, c in enumerate(SAMPLE) if c == character and not SAMPLE[: i + 1].rpartition("\n")[2].count("//")]
    counts = [len(check(SAMPLE[:i] + SAMPLE[i + 1 :])) for i in places]
    assert max(counts) <= 2
    assert sum(count > 1 for count in counts) <= max(1, len(counts) // 8)


def test_truncated_files() -> None:
    for end in range(0, len(SAMPLE), 7):
        assert len(check(SAMPLE[:end])) <= 2, SAMPLE[:end][-40:]


def test_binary_files() -> None:
    chance = random.Random(1)
    for text in ("\x7fELF\x02\x01\x01", "\0" * 100, bytes(chance.randrange(256) for _ in range(5000)).decode("latin1")):
        found = check(text)
        assert len(found) == 1
        assert found[0].code == "PTX0007"


def test_empty_files() -> None:
    for text in ("", " ", "\n", "// only a comment", "/* c */"):
        assert check(text) == []


@pytest.mark.parametrize("end", ["", ".visible .entry next()\n{\nret;\n}\n"], ids=["end", "kernel"])
@pytest.mark.parametrize("header", ["k(", "k(.param .u32 n", "k(.param .u32 n,", "k(.param .u32", "k() .maxntid"])
def test_no_body_is_no_fix_of_a_header_that_is_cut(header: str, end: str) -> None:
    assert [d.fix for d in check(f".version 8.0\n.target sm_80\n.visible .entry {header}\n{end}") if d.fix] == []


@pytest.mark.parametrize("header", ["k", "k()", "k(.param .u32 n)"])
def test_no_body_is_a_fix_of_a_whole_header(header: str) -> None:
    source = f".version 8.0\n.target sm_80\n.visible .entry {header}\n"
    assert check(fixed(source, check(source)[0])) == []


def test_a_comma_after_an_opcode_may_end_the_file() -> None:
    head = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k()\n{\n"
    assert [found.name for found in openptx.check(f"{head}    add.s32,")] == ["unclosed-brace"]
    assert [found.name for found in openptx.check(f'{head}    add.s32 "x, y;\n    ret;\n}}\n')] == ["unterminated-string"]


@pytest.mark.parametrize(
    "marked",
    [
        "\n ret;\n<}",
        "\n{\n ret;\n}\n{ ret; }\n mov.b64 {a, b}, c;\n<}",
        "\n ret;\n<}\n.global .b8 a[2] = {\n1,\n2\n};\n",
        "\n ret;\n<}\n}\n",
        "\n{\n ret; // }\n}\n}",
        "\n{\n ret; /* x */\n}\n}",
        "\n{\n ret;\n}",
    ],
)
def test_bodies_in_the_style_of_compilers_are_not_read_brace_by_brace(marked: str) -> None:
    """Blocks may end at the start of a line as the body does. `<` marks the end that is found."""
    text = marked.replace("<", "")
    found = brace_matcher._closing_plainly(text, 0, len(text))  # pyright: ignore[reportPrivateUsage]
    assert found == (marked.index("<") if "<" in marked else None)


@pytest.mark.parametrize("label", ["%0:", "%a:", "%a$1 :", "$0:", "L:"])
def test_a_label_after_a_block_is_not_an_operand(label: str) -> None:
    """A random module of hypothesis: the first `}` was taken for one of operands, because `%` comes after it."""
    head = ".version 8.7\n.target sm_90a\n.address_size 64\n.entry k()\n"
    assert openptx.check(f"{head}{{\n{{ {{ ret; }} {label} }}\n}}\n") == []
