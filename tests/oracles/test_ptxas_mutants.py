"""Compilers' PTX with one error: `check` and ptxas give the same verdict (tools/compare_mutants.py)."""

from __future__ import annotations

import random
import sys
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from assembler import MISSING, PTXAS

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
tool: Any = import_module("compare_mutants")

pytestmark = pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)


def differing(folder: Path, paths: list[Path], seed: int, count: int) -> list[str]:
    mutants = islice(tool.Mutants(tool.sources(paths), seed), count)
    found = [tool.compare(folder, mutant) for mutant in mutants]
    assert any(each.ours.errors and each.theirs.errors for each in found)
    return [tool.described(each) for each in found if tool.kind_of(each) == "verdict"]


def test_some_mutants(tmp_path: Path) -> None:
    corpus = [file for file in sorted(Path(tool.FOLDERS[0]).glob("*.ptx")) if file.stat().st_size < 30_000]
    assert len(corpus) > 15
    assert differing(tmp_path, corpus, seed=27, count=80) == []


@pytest.mark.sweep
def test_mutants_of_all_files(tmp_path: Path) -> None:
    wrong = differing(tmp_path, list(tool.FOLDERS), seed=random.SystemRandom().randrange(1 << 32), count=1500)
    assert len(wrong) <= 5, "\n".join(wrong)
