"""A fix states whether a tool may apply it without asking."""

from __future__ import annotations

import pytest

import openptx
from openptx.diagnostics import SAFE, SUGGESTION, Fix

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
FRAME = HEAD + ".visible .entry k() {{ .reg .b32 %r<4>; .reg .f32 %f<4>;\n{}\nret; }}\n"


@pytest.mark.parametrize(
    ("statement", "applicability"),
    [
        ("add.s32 %r1, 1, 2", SAFE),
        ("add.s32 %r1 1, 2;", SAFE),
        ("fma.rn.rn.f32 %f1, %f1, %f1, %f1;", SAFE),
        ("mov.f32 %f1, 1;", SAFE),
        ("add.s32 %r1, %rx1, 2;", SUGGESTION),
        ("fma.f32 %f1, %f1, %f1, %f1;", SUGGESTION),
    ],
)
def test_one_meaning_is_safe_a_choice_is_a_suggestion(statement: str, applicability: str) -> None:
    fixes = [d.fix for d in openptx.check(FRAME.format(statement)) if d.fix]
    assert [fix.applicability for fix in fixes] == [applicability]


def test_a_fix_must_claim_to_be_safe() -> None:
    assert Fix((0, 0), "", "").applicability == SUGGESTION
