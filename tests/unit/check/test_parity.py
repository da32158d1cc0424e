"""Verdicts like the assembler's: a sample of the recorded ones in every run, all of them in a sweep."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from openptx.check.repairs import second_check

RUNNER = Path(__file__).parents[2] / "oracles" / "ptxas_corpus.py"


def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ptxas_corpus", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ptxas_corpus"] = module
    spec.loader.exec_module(module)
    return module


oracle = runner()

KNOWN = {
    "f9d5d902b7ac",  # call fe, (pa); sm_100a
    "97b9f0a23665",  # call fe, (pf); sm_100a
    "b08a4ae032d4",  # call fe, (s32_x); sm_100a
    "f4ac05a27cdd",  # call fe, (u32_x); sm_100a
    "6f302f762043",  # mov.s64 s64_d, fe; sm_100a
    "4be2ca9373b1",  # mov.u32 u32_d, fe; sm_100a
    "a1648e3a3527",  # ld.global.v8.s16 {f16x2_a, f16x2_b, f16x2_c, f16x2_d, f16x2_e, f16x2_f sm_100a
    "ac8faae885cd",  # vote.sync.all.pred f16x2_a, pred_b, u32_c; sm_80
    "ae2e479298ae",  # vote.sync.any.pred f16x2_p, pred_b, 0xffffffff; sm_75
    "f17a431daf75",  # vote.sync.any.pred f16x2_p, pred_b, 0xffffffff; sm_80
}
"""What docs/differences-from-ptxas.md lists, with the reasons."""


def disagreements(every: int, profile: str = "ptxas", groups: tuple[str, ...] = ("",)) -> tuple[int, list[str]]:
    asked, wrong = 0, list[str]()
    for record in oracle.records(every=every):
        if not record["group"].startswith(groups):
            continue
        asked += 1
        word, why = oracle.verdict(record, profile)
        if not oracle.agrees(record, word, profile) and record["id"] not in KNOWN:
            wrong.append(
                f"{record['id']} {record['group']}: {record['stmt']} ptxas {record['ptxas']}, ours {word} {why}"
            )
    return asked, wrong


@pytest.fixture
def only_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second check with fixes, which takes half of the time; the sweep has it."""
    monkeypatch.setattr(second_check, "ROOM", 0)


@pytest.mark.usefixtures("only_verdicts")
def test_a_sample_of_the_verdicts_agrees() -> None:
    asked, wrong = disagreements(every=80)
    assert asked > 750
    assert wrong == []


@pytest.mark.sweep
def test_all_verdicts_agree() -> None:
    asked, wrong = disagreements(every=1)
    assert asked == 66_826
    assert wrong == []


@pytest.mark.usefixtures("only_verdicts")
@pytest.mark.parametrize("groups", [("T26.",), ("T27.st", "T28.ld"), ("T27.cvt", "T28.cvt")], ids=lambda g: g[0])
def test_the_document_is_answered_literally(groups: tuple[str, ...]) -> None:
    asked, wrong = disagreements(every=40, profile="isa", groups=groups)
    assert asked > 50
    assert len(wrong) <= asked * 0.04, "\n".join(wrong)  # the instruction's own page forbids what the tables allow
