"""Every counter that an H100 gave for a kernel equals ours, or the difference is listed with its reason.

A difference that is listed and is none any more fails too.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.device.shared_layout import shared_layout
from openptx.profile.occupancy import occupancy
from openptx.testing.case import argument, read_case

DATA = Path(__file__).parents[2] / "data"
REASONS = ("machine code", "machine code, number not derived", "reconvergence", "order", "unexplained")


@cache
def measured(name: str) -> dict[str, Any]:
    return json.loads((DATA / "profile" / name).read_text("utf-8"))


PATTERNS, CASES = measured("patterns_h100.json"), measured("cases_h100.json")


@cache
def differences() -> dict[tuple[str, str], tuple[int, int]]:
    rows = json.loads((DATA / "profile" / "differences.json").read_text("utf-8"))
    assert {row["why"] for row in rows} <= {*REASONS}
    assert all(row["reason"] for row in rows)
    return {(row["kernel"], row["counter"]): (row["profile"], row["h100"]) for row in rows}


@cache
def patterns() -> openptx.LoadedModule:
    return openptx.load(str(DATA / "profile" / "patterns.ptx"))


def compare(kernel: str, found: dict[str, int], data: dict[str, Any]) -> None:
    counters: dict[str, int] = data["kernels"][kernel]
    unlike = {
        (kernel, name): (found[name], counters.get(name, 0))
        for name in data["counters"]
        if found[name] != counters.get(name, 0)
    }
    assert unlike == {key: numbers for key, numbers in differences().items() if key[0] == kernel}


@pytest.mark.parametrize("kernel", PATTERNS["kernels"])
def test_access_patterns(kernel: str) -> None:
    a, o = (np.arange(65536) % 29).astype(np.uint32), np.zeros(65536, np.uint32)
    compare(kernel, openptx.profile(patterns()[kernel], 1, 32, (a, o)).totals, PATTERNS)


@pytest.mark.parametrize("name", CASES["kernels"])
def test_cases(name: str) -> None:
    case = read_case(str(DATA / "cases" / name))
    kernel = openptx.load(f"{case.folder}/kernel.ptx")[case.kernel]
    arguments = [argument(case, param) for param in case.params]
    found = openptx.profile(kernel, case.grid, case.block, arguments, shared_mem=case.shared, cluster=case.cluster)
    assert found.ended == "finished"
    compare(name, found.totals, CASES)


@pytest.mark.parametrize("name", CASES["kernels"])
def test_theoretical_occupancy(name: str) -> None:
    """Ours, with the limit that the driver's registers set, is the H100's."""
    case = read_case(str(DATA / "cases" / name))
    kernel = openptx.load(f"{case.folder}/kernel.ptx")[case.kernel]
    threads, static = math.prod(case.block), shared_layout(kernel.module.program, case.kernel).static
    found = occupancy("sm_90", threads, static + case.shared, {})
    by_registers, percent = CASES["occupancy"][name]
    assert found.blocks is not None
    assert 100 * min(found.blocks, by_registers) * -(-threads // 32) / 64 == pytest.approx(percent, abs=0.01)


FAMILIES = {
    "global memory": "mem_global", "local memory": "mem_local", "shared memory": "mem_shared",
    "branches": "sass_branch", "CTAs and warps": "launched",
}  # fmt: skip


def table() -> list[str]:
    """A row for each family of counters: values that are not 0 on one side, equal ones, differences by cause."""
    rows = json.loads((DATA / "profile" / "differences.json").read_text("utf-8"))
    found: list[str] = []
    for family, part in FAMILIES.items():
        unlike = {(row["kernel"], row["counter"]): row["why"] for row in rows if part in row["counter"]}
        measured = {
            (kernel, name)
            for data in (PATTERNS, CASES)
            for kernel, counters in data["kernels"].items()
            for name in counters
            if part in name
        }
        causes = [sum(why == reason for why in unlike.values()) for reason in REASONS]
        compared = len(measured | unlike.keys())
        found.append(f"| {family} | {' | '.join(map(str, (compared, compared - len(unlike), *causes)))} |")
    return found


def test_the_document_has_the_figures() -> None:
    text = (Path(__file__).parents[3] / "docs" / "profile.md").read_text("utf-8")
    assert "\n".join(table()) in text


def test_differences_in_memory_counters_are_explained() -> None:
    """Each by what the machine code does, or by how lanes meet again on the H100."""
    rows = json.loads((DATA / "profile" / "differences.json").read_text("utf-8"))
    memory = [row for row in rows if row["counter"].startswith("l1tex")]
    assert {row["kernel"] for row in memory if row["why"] == "unexplained"} == set()
    assert not [row for row in memory if "not derived" in row["why"]]
