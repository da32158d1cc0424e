"""Possessive groups for Python versions whose `re` matches them wrongly, such as Debian 12's (3.11.2)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import openptx
from openptx.patterns import atomic

CASES = Path(__file__).parents[2] / "data" / "cases"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(?:ab?)*+", "(?>(?:ab?)*)"),
        ("(a|b)?+c", "(?>(a|b)?)c"),
        ("(?:a(?:b|c)++d){1,8}+", "(?>(?:a(?>(?:b|c)+)d){1,8})"),
        (r"\((?:a)++\)++", r"\((?>(?:a)+)\)++"),
        ("[()]*+(?:[])*+]|b)*+", "[()]*+(?>(?:[])*+]|b)*)"),
        ("a*+(b)+(c)*(?=d)", "a*+(b)+(c)*(?=d)"),
    ],
)
def test_possessive_groups_become_atomic_ones(text: str, expected: str) -> None:
    assert atomic(text) == expected
    assert re.compile(expected).groups == re.compile(text).groups


def test_no_file_compiles_possessive_expressions_by_itself() -> None:
    possessive, compiles = (
        re.compile(r"[)\]}][*+?]\+"),
        re.compile(r"\bre\.(?:compile|match|fullmatch|search|finditer|sub)\("),
    )
    texts = {file.name: file.read_text("utf-8") for file in Path(openptx.__file__).parent.rglob("*.py")}
    found = {name for name, text in texts.items() if possessive.search(text)}
    assert len(found) > 10
    assert [name for name in found if compiles.search(texts[name])] == ["patterns.py"]


PROGRAM = """
import sys
from openptx import patterns
patterns.WRONG_POSSESSIVE = True
import openptx
for file in sys.argv[1:]:
    text = open(file).read()
    found = openptx.check(text) + openptx.check(text.replace(";", " ;", 3).replace("ld.", "ldd.", 1))
    print(file, [(one.name, one.span) for one in found])
"""


def test_files_have_the_same_diagnostics_with_them() -> None:
    files = sorted(str(file) for file in CASES.rglob("*.ptx"))[::4]
    assert len(files) > 10

    def run(program: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", program, *files], capture_output=True, text=True, check=True
        ).stdout

    found = run(PROGRAM)
    assert "unknown-" in found
    assert found == run(PROGRAM.replace("WRONG_POSSESSIVE = True", "WRONG_POSSESSIVE = False"))
