"""Kernels with one known defect each, and their correct twins: exactly the expected lines are reported.

`defects.ptx` was compiled with -lineinfo (nvcc 13.0, sm_90); `defects.json` has for each kernel the launch, the lines
of its source that a finding must name, and how often compute-sanitizer 2025.3 complained on an H100.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx import Finding

HERE = Path(__file__).parent
ROWS: list[dict[str, Any]] = json.loads((HERE / "defects.json").read_text("utf-8"))


@cache
def module() -> openptx.LoadedModule:
    return openptx.load(HERE / "defects.ptx")


def found_in(row: dict[str, Any], **options: Any) -> list[Finding]:
    """As the host program launches it: a counts, b is 0, o is as the allocator left it."""
    a, b = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32)
    o = np.zeros(1024, np.int32) if row["defined_output"] else openptx.empty(1024, np.int32)
    kernel = module()[row["name"]]
    return openptx.sanitize(
        kernel, row["grid"], row["block"], (a, b, o, 1024), cluster=row["cluster"], timeout=100, **options
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_defects_are_found_and_twins_are_clean(row: dict[str, Any]) -> None:
    found = found_in(row)
    if not row["bad"]:
        assert [str(f) for f in found] == []
        return
    assert found, row["what"]
    lines = {line for f in found for line in f.lines}
    assert lines >= set(row["lines"])


SLOW = ("race_grid_sync", "race_producer_consumer")
ORDERS = [pytest.param(r, marks=pytest.mark.sweep) if r["name"].startswith(SLOW) else r for r in ROWS]


@pytest.mark.parametrize("row", ORDERS, ids=lambda row: row["name"])
def test_other_orders_of_threads_change_no_verdict(row: dict[str, Any]) -> None:
    found = found_in(row, schedules=3, seed=7)
    assert bool(found) == row["bad"], [str(f) for f in found]


@pytest.mark.parametrize("row", [r for r in ROWS if r["bad"] and r["class"] != "sync"], ids=lambda row: row["name"])
def test_the_tool_of_its_class_alone_finds_a_defect(row: dict[str, Any]) -> None:
    found = found_in(row, tools=[row["class"]])
    assert {kind for f in found for kind in f.kinds} >= {row["class"]}
