"""Slips in headers and guards: one error, and a fix or the help that leads to correct text."""

from __future__ import annotations

import pytest

import openptx
from openptx.diagnostics.edits import applied

TEXT = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x)
{
    .reg .pred pq<4>; .reg .b32 r<4>;
    @pq1 bra L;
    and.pred pq3, pq1, pq2;
    @!pq2 mov.b32 r1, 7;
L:  ret;
}
"""


def error(text: str) -> openptx.Diagnostic:
    (found,) = (each for each in openptx.check(text) if each.severity == "error")
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sm_90a", "sm_90 a"),
        ("sm_90a", "sm-90a"),
        ("8.0", "8.O"),
        ("8.0", "8.o"),
        ("pq<4>", "pp<4>"),
        ("r1, 7", "r1, 7r"),
    ],
)
def test_one_error_has_the_fix(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    fixed, _ = applied(text, [error(text)])
    assert fixed == TEXT


@pytest.mark.parametrize(
    ("old", "new", "help"),
    [
        (".visible .entry k(.param .u64 x)\n", "", "a function begins with its header"),
        ("@pq1 bra L;", "@pq1;", "an instruction follows its guard"),
        ("r1, 7", "r1, 7z9", "a name begins with a letter"),
    ],
)
def test_one_error_has_help(old: str, new: str, help: str) -> None:
    assert (error(TEXT.replace(old, new)).help or "").startswith(help)


@pytest.mark.parametrize("written", ["sm-80", "sm_8O", "SM_80"])
def test_a_target_that_does_not_exist_is_corrected_to_one_that_the_file_can_have(written: str) -> None:
    text = TEXT.replace("sm_90a", written)
    assert (found := error(text.replace("@!pq2", "wgmma.fence.sync.aligned; @!pq2"))).fix is not None
    assert (found.fix.replacement, found.help) == ("sm_90a", "did you mean `sm_80`? the file needs `sm_90a`")
    assert (found := error(text)).fix is not None
    assert found.fix.replacement == "sm_80"


@pytest.mark.parametrize("damaged", ["L__BB0_2_", "L__BB0_2.x:", "$_L_BB0_2", "kL__BB0_2"])
def test_a_damaged_label_and_its_branch_are_one_error(damaged: str) -> None:
    correct = TEXT.replace("L:  ret", "$L__BB0_2:\n    ret").replace("bra L", "bra $L__BB0_2")
    text = correct.replace("$L__BB0_2:", f"${damaged}" if damaged[0] == "L" else damaged)
    fixed, _ = applied(text, [error(text)])
    assert fixed == correct


def test_registers_of_a_list_that_are_one_word_lack_their_comma() -> None:
    correct = TEXT.replace("mov.b32 r1, 7", "ld.local.v4.b32 {r0,r1, r2,r3}, [0]")
    for joined in ("r1r2", "r1$r2"):
        text = correct.replace("r1, r2", joined)
        assert error(text).help == "expected `,` between two elements"
        fixed, _ = applied(text, [error(text)])
        assert fixed == correct


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" pq<4>; .reg .b32 r<4>;", " pq<4> .reg\n; .b32 r<4>;"),
        ("x)\n{", "x{\n)"),
        ("pq1, pq2;", "pq1, ;pq2"),
    ],
)
def test_exchanged_neighbours_are_one_error_over_the_end_of_a_line_too(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    fixed, _ = applied(text, [error(text)])
    assert "".join(fixed.split()) == "".join(TEXT.split())


def test_a_label_that_a_table_names_twice_is_one_error() -> None:
    table = "t: .branchtargets DONX, DONX; brx.idx r1, t;"
    text = TEXT.replace("@pq1 bra L;", table).replace("L:", "DONE:")
    found = error(text)
    assert (found.name, len(found.also)) == ("unknown-label", 1)
    fixed, _ = applied(text, [found])
    assert "branchtargets DONE, DONE;" in fixed
