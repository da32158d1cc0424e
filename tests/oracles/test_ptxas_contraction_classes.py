"""Random programs of every class of tools/compare_contraction.py: each difference from the machine code has a name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from assembler import MISSING

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
comparison: Any = import_module("contraction.comparison")
expressions: Any = import_module("contraction.expressions")
programs: Any = import_module("contraction.programs")
listing: Any = import_module("contraction.listing")

pytestmark = pytest.mark.skipif(not listing.available(), reason=f"{MISSING}, or nvdisasm")

ONE_BLOCK = [kind for kind, made in programs.CLASSES.items() if not made.parts and not made.type.endswith("x2")]
MOST = {"loops": 0.1, "counted": 0.15, "f64 counted": 0.2}
"""How many of the other classes may differ, by a name; one in twenty where nothing stands here."""


def differing(folder: Path, kind: str, seed: int, count: int, target: str = "sm_90a") -> list[Any]:
    return list(comparison.differing(folder, kind, seed, count, target))


@pytest.mark.parametrize("kind", ["f64", "f16", "predicated"])
def test_same_in_one_block(tmp_path: Path, kind: str) -> None:
    assert differing(tmp_path, kind, 1, 20) == []


@pytest.mark.parametrize(("kind", "count", "most"), [("f64", 50, 0), ("f64 branches", 20, 5)])
def test_f64_operands_are_in_the_same_order(
    tmp_path: Path, kind: str, count: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third of the first and most of the second class differ if they stay in the order of the text."""
    monkeypatch.setattr(expressions, "IN_ORDER", {"f64"})
    assert len(differing(tmp_path, kind, 1, count)) <= most


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ONE_BLOCK)
def test_same_in_one_block_of_many(tmp_path: Path, kind: str) -> None:
    assert differing(tmp_path, kind, 2, 200) == []


@pytest.mark.sweep
@pytest.mark.parametrize("kind", sorted(set(programs.CLASSES) - set(ONE_BLOCK)))
def test_each_difference_has_a_name(tmp_path: Path, kind: str) -> None:
    found = differing(tmp_path, kind, 2, 200)
    assert [each.program.text for each in found if "among" not in each.cause] == []
    assert len(found) <= 200 * MOST.get(kind, 0.05)


@pytest.mark.sweep
@pytest.mark.parametrize("target", ["sm_80", "sm_100a"])
@pytest.mark.parametrize("kind", ["f16", "sat", "selp", "predicated"])
def test_same_for_other_targets(tmp_path: Path, kind: str, target: str) -> None:
    assert differing(tmp_path, kind, 3, 100, target) == []


@pytest.mark.sweep
def test_a_difference_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without contraction, and a program of it becomes small: a product, a sum and a store."""
    load = comparison.openptx.load
    monkeypatch.setattr(comparison.openptx, "load", lambda text: load(text, contract="off"))
    found = differing(tmp_path, "f64", 1, 8)
    assert len(found) > 1
    small = comparison.reduce(tmp_path, found[0], "sm_90a")
    assert small.cause == comparison.UNNAMED
    assert len(small.program.lines) <= 3
