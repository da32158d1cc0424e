"""What is tried to explain wrong operands: no more than can be right."""

from __future__ import annotations

from typing import Any

import pytest

import openptx
from openptx.check.forms import mistaken_operands

_MODULE = """.version 9.0
.target sm_90
.address_size 64
.entry k() { .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .pred %p;
mad.lo.s32 %rd1, %f1, %p, %f2;
ret; }
"""


def test_orders_that_leave_a_wrong_operand_in_its_place_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def counted(*arguments: Any) -> bool:
        tried.append(arguments)
        return False

    monkeypatch.setattr(mistaken_operands, "takes", counted)
    (found,) = [each for each in openptx.check(_MODULE) if each.name == "operand-size"]
    assert found.location[0] == 5
    assert len(tried) <= 4  # all four are wrong: of 12 moves and 6 exchanges, those that move every operand


def test_misspelt_labels_of_a_large_file_are_all_answered() -> None:
    """The search for a label in other functions takes little of what suggestions may cost."""
    branches = "bra DONF;\nbra LOOQ;\n"
    text = _MODULE.replace("mad.lo.s32 %rd1, %f1, %p, %f2;", f"DONE: LOOP: {branches}") + "// a comment\n" * 900_000
    found = [each for each in openptx.check(text) if each.name == "unknown-label"]
    assert [each.help for each in found] == ["did you mean `DONE`?", "did you mean `LOOP`?"]
