"""What ptxas makes of each form of the instructions of a warp gives our results.

Matrices and their fragments, register by register; atomics and reductions of every type, exchanges.
"""

from __future__ import annotations

import random
import re

import pytest
from machine_code import MISSING, available
from warp_statements import compared, forms, of_form

pytestmark = pytest.mark.skipif(not available(), reason=MISSING)

TARGETS = ("sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")
UNREADABLE = re.compile(r"MOVM\.U4TO8|[QO]MMA\.SF|HMMA\.884|S2UR \w+, SR_SWINHI")
"""What is not translated: products of bits and of scaled matrices on Blackwell, `m8n8k4` of f16 on sm_75, generic
addresses of shared memory."""


def wrong(target: str, most: int, count: int | None = None) -> list[object]:
    some = forms()
    if count is not None:
        some = random.Random(target).sample(some, count)
    found = [compared(s, text, target) for i, form in some for s, text in of_form(i, form, target, most)]
    return [
        each
        for each in found
        if each.verdict != "equal" and not (each.verdict == "unreadable" and UNREADABLE.match(each.why))
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_some(target: str) -> None:
    assert wrong(target, 1, 6) == []


@pytest.mark.sweep
@pytest.mark.parametrize("target", TARGETS)
def test_all(target: str) -> None:
    assert wrong(target, 8) == []


@pytest.mark.sweep
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_100a", "sm_120a"])
def test_every_fragment(target: str) -> None:
    """What each register has of a matrix: all shapes, types and layouts."""
    found = [
        compared(s, text, target)
        for i, form in forms()
        if i.name.startswith(("wmma.load", "wmma.store"))
        for s, text in of_form(i, form, target, 400)
        if ".global." in s.text and s.text.endswith((", 32;", ", 128;"))
    ]
    assert len(found) > 80
    assert [each for each in found if each.verdict != "equal"] == []
