"""What is tried to explain wrong operands: no more than can be right."""

from __future__ import annotations

from typing import Any

import pytest

import openptx
from openptx.check.forms import mistaken_operands
from openptx.diagnostics.edits import applied

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


_MMA = "tcgen05.mma.cta_group::1.kind::f16"
_SCALED_MMA = "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale"
_ARRIVE = "mbarrier.arrive.release.cluster.shared::cluster.b64"
_MISCOUNTED = (  # a statement with one mistake, what its only finding says, and its fix
    (f"{_MMA} rd0, rd1, r1, {{r2,r3,r4,r5}}, p0;", "lacks operand `d-tmem`", None),
    (f"{_MMA} [r0], rd0, r1, {{r2,r3,r4,r5}}, p0;", "lacks one of the operands `a-desc` and `b-desc`", None),
    (f"{_MMA} [r0], rd0, rd0, rd1, r1, {{r2,r3,r4,r5}}, p0;", "takes no operand `rd1` here", "leave out `rd0`"),
    (f"{_MMA} [r0], rd0, rd1, r1, {{r2,r3,r4,r5}}, r9, p0;", "takes no operand `r9` here", "leave out `r9`"),
    (
        f"{_SCALED_MMA} [r0], rd0, rd1, r1, [r2], p0, [r3];",
        "which fits operand `enable-input-d`",
        "exchange the operands",
    ),
    (f"{_ARRIVE} [r3], 2;", "lacks operand `_`", "discard the result"),
    (f"{_ARRIVE} [r3];", "takes 2 or 3 operands, not 1", "discard the result"),
)


@pytest.mark.parametrize(("statement", "message", "fix"), _MISCOUNTED)
def test_an_operand_too_many_or_missing_is_one_error(statement: str, message: str, fix: str | None) -> None:
    names = ".reg .b32 r<6>; .reg .b64 rd<2>; .reg .pred p0;"
    text = f".version 9.1\n.target sm_100a\n.address_size 64\n.entry k() {{ {names}\n{statement}\nret; }}\n"
    (found,) = (each for each in openptx.check(text) if each.severity == "error")
    assert message in found.message
    assert (found.fix and found.fix.text) == fix
    if found.fix is not None:
        fixed, _ = applied(text, [found])
        assert all(each.severity != "error" for each in openptx.check(fixed))
