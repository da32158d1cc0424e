"""The sweep over all 2^32 codes: a sample, its memory and executors; all of it in `make sweep`."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))

import sweep_conversions as sweeper

TWO = sweeper.FORMS[:1] + sweeper.FORMS[-1:]


def test_sample(tmp_path: Path) -> None:
    """Every form on the codes around 1, by threads."""
    with ThreadPoolExecutor(2) as executor:
        for form in sweeper.FORMS:
            row = sweeper.check(form, 0x3F7F0000, 0x3F850000)
            assert row["differences"] == 0, row
        rows = sweeper.sweep(TWO, executor, tmp_path / "state", total=1 << 16, chunk=1 << 14)
    assert len(rows) == 8
    assert "65,536 codes  0 differences" in sweeper.summary(rows)[0]


def test_finished_chunks_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "state"
    with ThreadPoolExecutor(1) as executor:
        sweeper.sweep(TWO, executor, state, total=1 << 14, chunk=1 << 13)
        with state.open("a") as log:
            log.write('{"form": "cut o')
        monkeypatch.setattr(sweeper, "check", lambda *task: pytest.fail(f"{task} was done"))
        assert len(sweeper.sweep(TWO, executor, state, total=1 << 14, chunk=1 << 13)) == 4
        monkeypatch.setattr(sweeper, "code_version", lambda: "another")
        with pytest.raises(pytest.fail.Exception, match="was done"):
            sweeper.sweep(TWO, executor, state, total=1 << 14, chunk=1 << 13)


def test_differences_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(operands: list[np.ndarray], result: np.ndarray) -> None:
        result[...] = 0

    monkeypatch.setattr(sweeper, "fast_paths", lambda text: (wrong,))
    row = sweeper.check(TWO[0], 0x3F800000, 0x3F800010)
    assert (row["differences"], row["first"]) == (16, 0x3F800000)


@pytest.mark.sweep
def test_all_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with ProcessPoolExecutor() as executor:
        rows = sweeper.sweep(sweeper.FORMS, executor, sweeper.STATE)
    with capsys.disabled():
        print("\n" + "\n".join(sweeper.summary(rows)))
    assert sum(row["stop"] - row["start"] for row in rows) == len(sweeper.FORMS) << 32
    assert not any(row["differences"] for row in rows)
