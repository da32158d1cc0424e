"""What ptxas makes of each form of the instructions that only compute gives, on edge operands, our results.

Each generation has other machine instructions: what one has, another expands. The machine code is translated back to
PTX (tools/lifting) and executed here, without a GPU.
"""

from __future__ import annotations

import random
import re

import pytest
from lifted_kernels import kernels
from lifted_statements import compared, opcodes, statements
from machine_code import MISSING, available

pytestmark = pytest.mark.skipif(not available(), reason=MISSING)

TARGETS = ("sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a")
INTENDED = re.compile(
    r"v(add|sub|absdiff|min|max|shl|shr|mad|set)\.|bf[ei]\.[bsu]64|fns|cvt\.\w+(\.relu)?\.satfinite\.f16\.f32"
)
"""docs/hardware.md, "Intended differences"."""

UNREADABLE = re.compile(r"cvt\.rs\S*x4\.f32|cvt\.rz(\.relu)?\.f16\.f32")
"""Two machine instructions, the second of which takes random bits from the first; a sum of f32 and f16 of sm_75."""


def wrong(target: str, most: int, forms: list[tuple[int, int]] | None = None) -> list[object]:
    found = [s for s in statements(target, most, forms) if not INTENDED.match(s.text)]
    assert found
    return [
        each
        for each in compared(found, target)
        if each.verdict != "equal" and not (each.verdict == "unreadable" and UNREADABLE.match(each.text))
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_some(target: str) -> None:
    assert wrong(target, 1, random.Random(target).sample(opcodes.forms(), 10)) == []


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
def test_all(target: str) -> None:
    assert wrong(target, 24) == []


def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of ones that is translated as a reversal."""
    monkeypatch.setitem(kernels.STEPS, "POPC", kernels.integers.unary("brev.b32"))
    forms = [numbers for numbers in opcodes.forms() if opcodes.INSTRUCTIONS[numbers[0]].name == "popc"]
    assert "different" in [each.verdict for each in compared(statements("sm_80", 1, forms), "sm_80")]
