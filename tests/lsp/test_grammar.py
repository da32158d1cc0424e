"""The highlighting grammar in editors/vscode knows the registers and types of the tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.types import TYPES

GRAMMAR = Path(__file__).parents[2] / "editors" / "vscode" / "syntaxes" / "ptx.tmLanguage.json"
PATTERNS = {
    pattern["name"]: re.compile(pattern["match"])
    for pattern in json.loads(GRAMMAR.read_text("utf-8"))["patterns"]
    if "name" in pattern and "match" in pattern
}


@pytest.mark.parametrize("name", SPECIAL_REGISTERS)
def test_special_registers_are_known(name: str) -> None:
    match = PATTERNS["variable.language.ptx"].match(f"%{name}")
    assert match is not None
    assert match.end() == len(name) + 1


@pytest.mark.parametrize("name", [type.name for type in TYPES.values() if type.fundamental])
def test_types_of_registers_are_known(name: str) -> None:
    match = PATTERNS["storage.type.ptx"].match(f".{name}")
    assert match is not None
    assert match.end() == len(name) + 1
