"""The fast operand parser makes the same tree as the full one, and `pieces` the same statements as the tree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
from sample import SAMPLE  # type: ignore[import-not-found]

from openptx.diagnostics import Diagnostic
from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.body_parser import pieces
from openptx.syntax.instruction_parser import operands
from openptx.syntax.operand_fast_parser import fast_operands
from openptx.syntax.operands import Node
from openptx.syntax.statement_lexer import BRACE, INSTRUCTION, STATEMENT, plain
from openptx.syntax.tokens import Cursor

CASES = Path(__file__).parents[2] / "data" / "cases"


def facts(value: object) -> object:
    """All that a node says, as plain values."""
    if isinstance(value, tuple):
        return [facts(each) for each in cast("tuple[object, ...]", value)]
    if not isinstance(value, Node):
        return value
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return type(value).__name__, {name: facts(getattr(value, name)) for name in names}


def compare(text: str, start: int, end: int) -> None:
    full = operands(Cursor(File("x", text), start, end), "mov")
    assert facts(fast_operands(text, start, end)) == facts(full), text[start:end]


@pytest.mark.parametrize("text", [
    "%r1, %r2", "v.x, %tid.y, a.b", "_, WARP_SZ", "-5, 0, 17", "0x1F, 0f3F800000, 0dBFF0000000000000", "[a], [%rd1+8]",
    "[a+-8], [a+0]", "{%r1, v.x, -1, _}, [%rd1]", "{a}", "%4, $5, a$b", "0xffffffffffffffff, 0xFFFFFFFFFFFFFFF",
])  # fmt: skip
def test_the_same_operands(text: str) -> None:
    if plain(text):
        compare(text, 0, len(text))


def test_the_same_operands_in_kernels_of_the_compiler() -> None:
    paths = sorted({path.read_bytes(): path for path in CASES.glob("*/kernel.ptx")}.values())
    assert len(paths) == 16  # 52 cases, of which many share a file
    for path in paths:
        text, seen = path.read_text(), set[str]()
        for match in STATEMENT.finditer(text):
            if match.lastindex == INSTRUCTION and match[3].split(".")[0] != "call" and match[4] not in seen:
                seen.add(match[4])
                if plain(match[4]):
                    compare(text, *match.span(4))


def test_pieces_are_the_statements_of_the_tree() -> None:
    file = File("sample.ptx", SAMPLE)
    function = parse(file).functions[-1]
    problems: list[Diagnostic] = []
    assert function.body
    spans = [
        (piece.end(1), piece.end()) if isinstance(piece, re.Match) else piece.span
        for piece in pieces(file, function.body, problems)
        if not (isinstance(piece, re.Match) and piece.lastindex == BRACE)
    ]
    assert problems == []
    assert spans == [statement.span for statement in function.walk() if type(statement).__name__ != "Block"]
