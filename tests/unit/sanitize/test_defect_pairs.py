"""Pairs of a defect and its corrected twin (pairs/*.cu), beyond the known defects."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import openptx

PAIRS = Path(__file__).parent / "pairs"
FILES = ("basics", "orderings", "textbook", "scopes", "structures", "copies", "reviews", "every_kind", "tensor_memory")


class Row(NamedTuple):
    file: str
    name: str
    kind: str
    launch: dict[str, int]
    lines: set[int]


def rows() -> list[Row]:
    """The kernels of all files with what their comments say."""
    found: list[Row] = []
    kind, launch = "", dict[str, int]()
    for file in FILES:
        for number, line in enumerate((PAIRS / f"{file}.cu").read_text("utf-8").splitlines(), 1):
            if match := re.match(r"//! (\w+)(.*)", line):
                kind, launch = match[1], {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", match[2])}
            elif match := re.match(r"K\((\w+)\)", line):
                found.append(Row(file, match[1], kind, launch, set()))
            if re.search(r"//@\w", line):
                found[-1].lines.add(number)
    return found


@cache
def module(file: str) -> openptx.LoadedModule:
    return openptx.load(PAIRS / f"{file}.ptx")


SLOW = (
    "s_deadlock_bad",
    "bulk_parity_bad",
    "mbar_empty_bad",
    "s_mb_under_bad",
    "s_tx_less_bad",
    "s_tx_bad",
    "s_mb_parity_bad",
    "s_mb_loop_over_bad",
    "u_grid_sync_part_bad",
    "u_bar_expect_bad",
    "u_producer_leaves_bad",
    "u_tx_two_bad",
    "v_parity_two_bad",
    "y_bk_tx_more_bad",
    "y_mb_ring_bad",
    "y_mb_many_bad",
    "w_recursion_bad",
    "u_stage_phase_bad",
    "t_ring_bad",
    "t_overlap_bad",
    "t_overlap_ok",
)
TWO_CAUSES = ("m_neighbour_shared_bad",)
"""Defects with a consequence that nothing connects with them: memory that a wrong store has not written."""


def swept() -> set[str]:
    """What `make sweep` runs: slow kernels, and three of four pairs of what a file has many of, which are alike."""
    found, pairs = {*SLOW}, dict[tuple[str, str], list[str]]()
    every = rows()
    kinds = {re.sub("_bad$", "", row.name): row.kind for row in every if row.name.endswith("_bad")}
    for row in every:
        pair = re.sub("_(bad|ok)$", "", row.name)
        alike = pairs.setdefault((row.file, kinds.get(pair, "")), [])
        if pair not in alike:
            alike.append(pair)
        if (at := alike.index(pair)) >= 4 and at % 4:
            found.add(row.name)
    return found


_SWEPT = swept()
ROWS = [pytest.param(row, marks=pytest.mark.sweep) if row.name in _SWEPT else row for row in rows()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_pairs(row: Row) -> None:
    a, b, o = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32), openptx.empty(1024, np.int32)
    launch = row.launch
    if launch.get("oinit"):
        o = np.zeros(1024, np.int32)
    found = openptx.sanitize(
        module(row.file)[row.name], launch.get("grid", 1), launch.get("block", 64), (a, b, o, 1024),
        shared_mem=launch.get("dyn", 0), cluster=launch.get("cluster"), timeout=100,
    )  # fmt: skip
    if row.name.endswith("_ok"):
        assert [str(f) for f in found] == []
        return
    assert {line for f in found for line in f.lines} >= row.lines
    assert len(found) == (2 if row.name in TWO_CAUSES else 1), [f.one_line for f in found]
    assert row.kind in {kind for f in found for kind in f.kinds}
