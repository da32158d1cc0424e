"""The renderer for people, against expected drawings."""

from __future__ import annotations

from textwrap import dedent

import pytest

from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.render import render
from openptx.errors import CheckError, Fault, Unsupported
from openptx.source import File

SAXPY = File("saxpy.ptx", ".version 8.0\n    .reg .b64 %rd<2>;\n    fma.rn.f32 %f1, %f2, %rd1, %f3;\n")


def span(file: File, text: str, nth: int = 0) -> tuple[int, int]:
    at = -1
    for _ in range(nth + 1):
        at = file.text.index(text, at + 1)
    return at, at + len(text)


def picture(text: str) -> str:
    """A drawing without the indentation of its test."""
    return "\n".join(line[8:] for line in text.splitlines())


def drawn(
    file: File, text: str, label: str = "", *, nth: int = 0, labels: tuple[Label, ...] = (), width: int = 80
) -> str:
    """The lines between the place and the notes, without the margin."""
    diagnostic = Diagnostic("syntax", "wrong", file, span(file, text, nth), label, labels=labels)
    return "\n".join(snippet(render([diagnostic], width=width)))


def snippet(rendered: str) -> list[str]:
    """What is drawn of the source: between the line of the place and the one with the rule."""
    lines = rendered.splitlines()
    return lines[3 : next(i for i, line in enumerate(lines) if line.startswith("   = rule: ")) - 1]


def test_the_example_of_the_style_guide() -> None:
    diagnostic = Diagnostic(
        "operand-type",
        "operand `b` of `fma.rn.f32` must be a 32-bit float or bit register",
        SAXPY,
        span(SAXPY, "%rd1"),
        "this is `.b64`",
        labels=(Label(span(SAXPY, ".b64"), "declared here"),),
        rule="PTX ISA, Table 26: `.f32` agrees with `.f32` and `.b32`",
        help="convert it first: `cvt.rn.f32.s64 %f4, %rd1;`",
    )
    assert render([diagnostic]) == dedent("""\
        error[PTX0312]: operand `b` of `fma.rn.f32` must be a 32-bit float or bit register
          --> saxpy.ptx:3:26
           |
         2 |     .reg .b64 %rd<2>;
           |          ---- declared here
         3 |     fma.rn.f32 %f1, %f2, %rd1, %f3;
           |                          ^^^^ this is `.b64`
           |
           = rule: PTX ISA, Table 26: `.f32` agrees with `.f32` and `.b32`
           = help: convert it first: `cvt.rn.f32.s64 %f4, %rd1;`

        Found 1 error in 1 file.
        """)


def test_nothing_to_say_is_nothing() -> None:
    assert render([]) == ""


def test_several_labels_in_a_line_hang_below_each_other() -> None:
    file = File("k", "add.u32 %r1, %rd2, %rd3;")
    labels = (Label(span(file, "add.u32"), "in this instruction"), Label(span(file, "%rd2"), "and this"))
    assert drawn(file, "%rd3", "this one", labels=labels) == picture("""\
         1 | add.u32 %r1, %rd2, %rd3;
           | -------      ----  ^^^^ this one
           | |            |
           | |            and this
           | in this instruction""")


def test_a_label_to_the_right_of_the_primary_mark() -> None:
    file = File("k", "add.u32 %r1, %rd2;")
    assert drawn(file, "%r1", "this one", labels=(Label(span(file, "%rd2"), "unlike this"),)) == picture("""\
         1 | add.u32 %r1, %rd2;
           |         ^^^  ---- unlike this
           |         |
           |         this one""")


def test_the_primary_mark_covers_a_secondary_one() -> None:
    file = File("k", "ld.u32 %r1, [%rd2+8];")
    assert drawn(file, "%rd2", "bad", labels=(Label(span(file, "[%rd2+8]"), ""),)) == picture("""\
         1 | ld.u32 %r1, [%rd2+8];
           |             -^^^^--- bad""")


def test_rows_far_apart_are_cut_and_rows_one_apart_are_not() -> None:
    file = File("k", "\n".join(f"line{i};" for i in range(9)))
    labels = (Label(span(file, "line0"), "first"), Label(span(file, "line6"), "near"))
    assert drawn(file, "line8", "here", labels=labels) == picture("""\
         1 | line0;
           | ----- first
        ...
         7 | line6;
           | ----- near
         8 | line7;
         9 | line8;
           | ^^^^^ here""")


def test_a_mark_over_several_rows_has_a_start_and_an_end() -> None:
    file = File("k", "entry {\n    a\n    b\n    c }\n")
    diagnostic = Diagnostic("syntax", "wrong", file, (6, file.text.index("}") + 1), "this block")
    assert "\n".join(snippet(render([diagnostic]))) == picture("""\
         1 | entry {
           |       ^
        ...
         4 |     c }
           |     ^^^ this block""")


@pytest.mark.parametrize(
    ("line", "carets"),
    [
        ("\tadd @;", "        ^"),
        ("a\tadd @;", "        ^"),
        ("/* \u65e5\u672c */ @;", "           ^"),  # two columns each
        ("/* e\u0301 */ @;", "        ^"),  # a combining accent takes none
        ("/* \u202e */ @;", "        ^"),  # would turn the line round
        ("/* \x1b[2J */ @;", "           ^"),  # would clear the screen
        ("/* \udcff */ @;", "        ^"),  # a byte that is not UTF-8
    ],
)
def test_columns_of_odd_characters(line: str, carets: str) -> None:
    source, marks = drawn(File("k", line), "@").splitlines()
    assert marks == f"   | {carets}"
    assert not {"\x1b", "\u202e", "\udcff", "\t"} & set(source)


def test_the_column_in_the_place_counts_characters() -> None:
    file = File("k", "\t\u65e5 @")
    assert "k:1:4" in render([Diagnostic("syntax", "wrong", file, span(file, "@"))])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends(end: str) -> None:
    file = File("k", end.join(["one", "two @", ""]))
    text = render([Diagnostic("syntax", "wrong", file, span(file, "@"), "here")])
    assert "\r" not in text
    assert " 2 | two @\n   |     ^ here\n" in text


@pytest.mark.parametrize("where", [0, 60, 500, 996])
def test_a_long_line_is_cut_round_its_marks(where: int) -> None:
    line = "x" * 1000
    file = File("k", line[:where] + " @@ " + line[where:])
    source, marks = drawn(file, "@@", "here", width=80).splitlines()
    assert len(source) <= 80
    assert source.index("@@") == marks.index("^^")
    assert marks.endswith("^^ here")
    assert ("..." in source[:8]) == (where > 60)


def test_marks_further_apart_than_the_line_is_wide() -> None:
    file = File("k", "first " + "x" * 300 + " last")
    source, marks = drawn(
        file, "first", "here", labels=(Label(span(file, "last"), "and here"),), width=80
    ).splitlines()[:2]
    assert len(source) <= 80
    assert "^" in marks


def test_the_end_of_the_file() -> None:
    file = File("k", "add\n")
    assert render([Diagnostic("syntax", "wrong", file, (4, 4), "here")]).splitlines()[1:5] == [
        "  --> k:2:1",
        "   |",
        " 2 |",
        "   | ^ here",
    ]


def test_an_empty_file() -> None:
    assert "   | ^ here" in render([Diagnostic("syntax", "wrong", File("k", ""), (0, 0), "here")])


def test_a_fix_shows_the_lines_as_they_will_be() -> None:
    file = File("k", "one;\n  add %r1;\n")
    fix = Fix((5, 16), "  cvt %r2;\n  add %r2;", "convert it first")
    text = render([Diagnostic("syntax", "wrong", file, span(file, "%r1"), fix=fix)])
    assert "\n   = fix: convert it first\n 2 +   cvt %r2;\n 3 +   add %r2;\n" in text


def test_repeats_are_counted() -> None:
    file = File("k", "a\n" * 20)
    also = tuple((2 * i, 2 * i + 1) for i in range(1, 9))
    text = render([Diagnostic("unknown-name", "unknown `a`", file, (0, 1), also=also)])
    assert "   = also: in lines 2, 3, 4, 5, 6 and 3 others\n" in text


def test_colour_paints_and_changes_nothing_else() -> None:
    import re

    diagnostic = Diagnostic("unused", "wrong", SAXPY, span(SAXPY, "%rd1"), "here", help="write it")
    plain, colored = render([diagnostic]), render([diagnostic], color=True)
    assert "\x1b[1;33m" in colored  # a warning is yellow
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    assert "\x1b" not in plain


def test_the_summary_counts_files_and_severities() -> None:
    other = File("other.ptx", "x")
    diagnostics = [
        Diagnostic("syntax", "wrong", SAXPY, (0, 1)),
        Diagnostic("syntax", "wrong", other, (0, 1)),
        Diagnostic("unused", "never", other, (0, 1)),
    ]
    assert render(diagnostics).endswith("\nFound 2 errors and 1 warning in 2 files.\n")


def test_check_error_prints_in_full() -> None:
    diagnostics = [Diagnostic("syntax", "wrong", SAXPY, (0, 1))]
    assert str(CheckError(diagnostics)) == render(diagnostics)


def test_a_fault_names_what_it_knows() -> None:
    fault = Fault(
        "out-of-bounds",
        "a store of 4 bytes outside every allocation",
        kernel="k",
        block=(1, 0, 0),
        thread=(5, 0, 0),
        address=0x7F0000001000,
        space="global",
        nearest="argument 2, 4096 bytes, ends 0 bytes before",
        file=SAXPY,
        span=span(SAXPY, "fma.rn.f32"),
        notes=("block (0, 0, 0) was done",),
    )
    assert str(fault) == dedent("""\
        fault[PTX9001]: a store of 4 bytes outside every allocation
          --> saxpy.ptx:3:5
           |
         3 |     fma.rn.f32 %f1, %f2, %rd1, %f3;
           |     ^^^^^^^^^^
           |
           = kernel `k`, block (1, 0, 0), thread (5, 0, 0)
           = address 0x7f0000001000 in .global
           = nearest allocation: argument 2, 4096 bytes, ends 0 bytes before
           = block (0, 0, 0) was done""")


def test_a_fault_without_a_place() -> None:
    assert str(Fault("timeout", "stopped after 2 s", kernel="k")) == "fault[PTX9005]: stopped after 2 s\n  = kernel `k`"


def test_unsupported_names_the_form() -> None:
    gap = Unsupported("wgmma.mma_async", file=SAXPY, span=span(SAXPY, "fma.rn.f32"))
    assert str(gap).startswith("unsupported: OpenPTX cannot do this yet: `wgmma.mma_async`\n  --> saxpy.ptx:3:5\n")
