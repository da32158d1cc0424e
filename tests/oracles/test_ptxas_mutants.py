"""PTX of compilers with one mistake in it: `check` says of each file what ptxas says (tools/compare_mutants.py)."""

from __future__ import annotations

import random
import sys
from itertools import islice
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from compare_mutants import FOLDERS, sources, told
from mutants.known import known
from mutants.mutant import Mutants
from mutants.verdicts import compare

pytestmark = pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)


def differing(folder: Path, paths: list[Path], seed: int, count: int) -> list[str]:
    found = [compare(folder, mutant) for mutant in islice(Mutants(sources(paths), seed), count)]
    assert any(each.ours.errors and each.theirs.errors for each in found)
    told_of = [told(each) for each in found if not each.agrees and not each.before]
    return [text for text in told_of if not known(text)]


def test_some_mutants(tmp_path: Path) -> None:
    corpus = [file for file in sorted(FOLDERS[0].glob("*.ptx")) if file.stat().st_size < 30_000]
    assert len(corpus) > 15
    assert differing(tmp_path, corpus, seed=27, count=80) == []


@pytest.mark.sweep
def test_mutants_of_all_files(tmp_path: Path) -> None:
    wrong = differing(tmp_path, list(FOLDERS), seed=random.SystemRandom().randrange(1 << 32), count=1500)
    assert len(wrong) <= 5, "\n".join(wrong)  # 5,500 had 8
