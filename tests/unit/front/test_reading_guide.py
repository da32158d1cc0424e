"""docs/reading-guide.md: the files exist and define the names given; a kernel enters the files of its walk."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "src" / "openptx"
GUIDE = (ROOT / "docs" / "reading-guide.md").read_text()
PACKAGES, WALK, QUESTIONS = (part for part in re.split(r"^## .*$", GUIDE, flags=re.MULTILINE)[1:])
ROWS = re.findall(r"^\| (.+?\?) +\| (.+) \|$", QUESTIONS, re.MULTILINE)
STAGES = dict(re.findall(r"^\*\*(\w+): .*?\*\*$(.*?)(?=^\*\*|\Z)", WALK, re.MULTILINE | re.DOTALL))
FOLDERS = (PACKAGE, ROOT, PACKAGE / "check", PACKAGE / "diagnostics", PACKAGE / "engines" / "native")
"""What paths in the guide may be relative to, in the paragraphs about a part."""
_PLACE = re.compile(r"`([\w/]+\.py)`(?:\s+`([\w.]+)`)?")


@cache
def defined(path: Path) -> frozenset[str]:
    """What a module defines at its top, and `Class.method`."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return frozenset(names)


def test_what_is_named_is_there() -> None:
    places = sorted(set(_PLACE.findall(GUIDE)))
    assert len(places) > 150
    for path, name in places:
        files = [folder / path for folder in (PACKAGE, ROOT) if (folder / path).is_file()]
        assert files, path
        assert not name or name in defined(files[0]), (path, name)


def test_every_folder_named_is_there() -> None:
    folders = re.findall(r"`([\w/]+/)`", GUIDE)
    assert folders
    assert [folder for folder in folders if not any(root.joinpath(folder).is_dir() for root in FOLDERS)] == []


def test_every_package_is_listed() -> None:
    listed = re.findall(r"`(\w+)/`", "".join(re.findall(r"^\| (`.*?) \|", PACKAGES, re.MULTILINE)))
    assert sorted(listed) == sorted(folder.parent.name for folder in PACKAGE.glob("*/__init__.py"))


def test_a_reader_has_twenty_answers() -> None:
    assert len(ROWS) >= 20
    assert [question for question, where in ROWS if "`" not in where] == []


@pytest.mark.parametrize("stage", ["check", "lower", "interp", "native"])
def test_a_kernel_enters_the_files_of_the_walk(stage: str, tmp_path: Path) -> None:
    trace = subprocess.check_output(
        [sys.executable, ROOT / "tools" / "trace_files.py", "--stage", stage],
        env={**os.environ, "OPENPTX_CACHE": str(tmp_path)},  # nothing is compiled yet
    )
    entered = list(json.loads(trace))
    named = [path for path, _ in _PLACE.findall(STAGES[stage.capitalize()])]
    assert len(named) > 4
    assert [path for path in named if path not in entered] == []
