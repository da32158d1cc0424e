"""All opcodes that compilers emit resolve to forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openptx.isa.notation import resolve

_INSTRUCTION = re.compile(
    r"(?:^|[;{}])[ \t]*(?:@!?%?[\w$]+[ \t]+)?([a-z]\w*(?:\.[\w:]+)*)(?=[ \t;])(?![ \t]*:)", re.MULTILINE
)
TESTS = Path(__file__).resolve().parents[2]


def opcodes(path: Path) -> set[str]:
    text = re.sub(r"//.*|/\*.*?\*/", "", path.read_text(errors="replace"))
    text = re.sub(r"^\s*\..*$|^\s*\)?\s*$|^.*\bcall.*?;", "", text, flags=re.MULTILINE)
    return {
        opcode
        for opcode in _INSTRUCTION.findall(text)
        if not re.match(r"(param|prototype|retval|callprototype)", opcode)
    }


@pytest.mark.parametrize("source", ["data/cases", "corpus"])
def test_every_opcode_of_real_files_resolves(source: str) -> None:
    files = sorted((TESTS / source).rglob("*.ptx"))
    found = {opcode for path in files for opcode in opcodes(path)}
    print(f"{len(found)} opcodes in {len(files)} files of {source}")
    assert {opcode for opcode in found if not resolve(opcode)} == set()
    assert len(found) > 50
