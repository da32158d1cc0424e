"""The examples of `openptx explain` are right: the wrong one has exactly its code, the corrected one is clean."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from findings import FOUND_BY_CHECK, OPT_IN, module

import openptx
from openptx.diagnostics.codes import Code, every_code

SOURCE = Path(openptx.__file__).parent


@cache
def found_somewhere() -> set[str]:
    """Every code, or name of one, that the sources write down outside of lists of them."""
    known = {key for row in every_code() for key in (row.code, row.name)}
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        if path.parent.name != "codes":
            nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
            listed = {id(element) for node in nodes if isinstance(node, (ast.Set, ast.Tuple)) for element in node.elts}
            strings = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in listed)
            found |= {node.value for node in strings if isinstance(node.value, str)} & known
    return found


FOUND_BY_RUNNING = [row for row in every_code() if row.code.startswith("PTX9")]


def names(example: str, wanted: str) -> list[str]:
    """The codes of an example. Registers of the frame are read though nothing wrote them: that is not its mistake."""
    noise = {"uninitialized-register"} - {wanted}
    extended = [wanted] if wanted in OPT_IN else []
    return [d.name for d in openptx.check(module(example), extend_select=extended) if d.name not in noise]


@pytest.mark.parametrize("row", FOUND_BY_CHECK, ids=lambda row: f"{row.code}-{row.name}")
def test_the_mistake_has_its_code(row: Code) -> None:
    assert {row.code, row.name} & found_somewhere(), "nothing finds it"
    assert names(row.example, row.name) == [row.name]


@pytest.mark.parametrize("row", FOUND_BY_CHECK, ids=lambda row: f"{row.code}-{row.name}")
def test_what_stands_instead_is_clean(row: Code) -> None:
    assert names(row.instead, row.name) == []


@pytest.mark.parametrize("row", FOUND_BY_RUNNING, ids=lambda row: f"{row.code}-{row.name}")
def test_examples_of_faults_check_clean(row: Code) -> None:
    for example in (row.example, row.instead):
        errors = [d for d in openptx.check(module(example)) if d.severity == "error"]
        assert errors == []
