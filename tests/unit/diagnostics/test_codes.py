"""The registry of codes: every row is complete, unique, and in the module of its hundred."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from openptx.diagnostics.codes import PHASES, Code, code, every_code

SOURCE = Path(__file__).parents[3] / "src" / "openptx"
HUNDREDS = {
    "00": "lexing",
    "01": "grammar",
    "02": "names",
    "03": "forms",
    "04": "targets",
    "05": "flow",
    "06": "memory",
}


def phase_of(row: Code) -> str:
    if row.code.startswith("PTX1"):
        return "warnings"
    if row.code.startswith("PTX70"):
        return "linking"
    if row.code.startswith("PTX85"):
        return "sanitizing_warnings"
    if row.code.startswith("PTX8"):
        return "sanitizing_asynchronous" if row.code in ("PTX8011", "PTX8013", "PTX8014") else "sanitizing"
    if row.code.startswith("PTX9"):
        return "faults"
    return HUNDREDS[row.code[3:5]]


def lacks(row: Code) -> list[str]:
    """What is missing or wrong in a row."""
    are_right = {
        "code": re.fullmatch(r"PTX[0-9]{4}", row.code),
        "name": re.fullmatch(r"[a-z]+(-[a-z]+)*", row.name),
        "summary": row.summary.endswith("."),
        "fix": re.search(r"^Instead:$", row.doc, re.M) and row.instead,
        "example": row.example and row.example != row.instead,
        "length of lines": all(len(line) <= 120 for line in row.doc.splitlines()),
        "module": row in import_module(f"openptx.diagnostics.codes.{phase_of(row)}").CODES,
    }
    return [what for what, is_right in are_right.items() if not is_right]


def test_rows_are_complete() -> None:
    assert {row.code: found for row in every_code() if (found := lacks(row))} == {}


def test_codes_and_names_find_the_same_row() -> None:
    for row in every_code():
        assert code(row.code) is code(row.name) is row
    assert code("operand-type").code == "PTX0312"
    assert code("PTX1001").severity == "warning"
    assert code("PTX9001").severity == code("PTX0001").severity == "error"


def test_rows_of_a_module_are_in_order() -> None:
    for phase in PHASES:
        codes = [row.code for row in import_module(f"openptx.diagnostics.codes.{phase}").CODES]
        assert codes == sorted(codes)
        assert len(codes) == len(set(codes))


def test_unknown_code() -> None:
    with pytest.raises(KeyError):
        code("PTX0999")


def test_codes_that_the_sources_name_exist() -> None:
    """`Diagnostic("no-such-code", ...)` would be a KeyError at the worst moment; find it here."""
    texts = [path.read_text("utf-8") for path in SOURCE.rglob("*.py")]
    for text in (text for text in texts if "Diagnostic(" in text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Diagnostic":
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant):
                    code(str(first.value))
