"""Every instruction that libcu++ wraps: `check` and ptxas give the same verdict, for several targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from assembler import MISSING, PTXAS, refused_lines
from cuda_headers import DECLARATIONS, FOLDER, statements

import openptx

FIRST = 5
"""The line of the first statement."""

pytestmark = pytest.mark.skipif(not (PTXAS.exists() and FOLDER.exists()), reason=MISSING)


def differing(folder: Path, version: str, target: str, every: int) -> list[str]:
    chosen = statements()[::every]
    assert len(chosen) > 2700 // every
    body = "\n".join(f"{{ {statement} }}" for statement in chosen)
    text = f".version {version}\n.target sm_{target}\n.address_size 64\n.entry k() {{ {DECLARATIONS}\n{body}\nret; }}\n"
    theirs = refused_lines(folder, text, target)
    found = [each for each in openptx.check(text) if each.severity == "error"]
    ours = {each.file.location(start)[0] for each in found for start, _ in (each.span, *each.also)}
    return [
        f"{chosen[line - FIRST]} {'refused here' if line in ours else 'accepted here'}"
        for line in sorted(theirs ^ ours)
    ]


@pytest.mark.parametrize(("version", "target"), [("9.5", "107a"), ("9.4", "100a"), ("9.2", "90a")])
def test_some_statements_of_libcudacxx(version: str, target: str, tmp_path: Path) -> None:
    assert differing(tmp_path, version, target, every=11) == []


@pytest.mark.sweep
@pytest.mark.parametrize("version", ["8.8", "9.2", "9.3", "9.4", "9.5"])
@pytest.mark.parametrize("target", ["80", "90", "90a", "100", "100a", "103f", "110f", "120a"])
def test_all_statements_of_libcudacxx(version: str, target: str, tmp_path: Path) -> None:
    if (version, target) == ("8.8", "110f"):
        pytest.skip("sm_110 is newer")
    assert differing(tmp_path, version, target, every=1) == []
