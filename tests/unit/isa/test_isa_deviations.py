"""The example of every deviation: both profiles give the verdicts of the entry."""

from __future__ import annotations

import pytest

import openptx
from openptx.isa.deviations import ACCEPTS, DEVIATIONS, REJECTS, Deviation

# Where sm_100a doesn't have what the example shows.
TARGETS = {
    "packed-bytes": "sm_120a",
    "sparse-fp8-depth": "sm_120a",
    "five-bit-scales": "sm_107a",
    "unaligned-warpgroup": "sm_90a",
}


def verdict(deviation: Deviation, profile: str) -> str:
    target = TARGETS.get(deviation.name, "sm_100a")
    text = (
        f".version 9.5\n.target {target}\n.address_size 64\n.func f() {{ ret; }}\n"
        f".visible .entry k()\n{{\n{deviation.declares}\n{deviation.example}\nret;\n}}\n"
    )
    found = openptx.check(text, profile=profile)
    return REJECTS if any(diagnostic.severity == "error" for diagnostic in found) else ACCEPTS


@pytest.mark.parametrize("name", DEVIATIONS)
def test_the_profiles_answer_as_the_entry_says(name: str) -> None:
    deviation = DEVIATIONS[name]
    assert {deviation.manual, deviation.ptxas} == {ACCEPTS, REJECTS}
    assert verdict(deviation, "ptxas") == deviation.ptxas
    assert verdict(deviation, "isa") == deviation.manual


def test_entries_are_told_apart() -> None:
    rules = {deviation.rule for deviation in DEVIATIONS.values()}
    assert len(rules) == len(DEVIATIONS) > 25
