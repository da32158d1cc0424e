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
