"""Every module of the grammar parses without errors, prints as it is, and is the same tree after formatting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from syntax_modules import MODULE  # type: ignore[import-not-found]

from openptx.source import File
from openptx.syntax import SyntaxTree, parse
from openptx.syntax.declarations import Variable
from openptx.syntax.format import formatted
from openptx.syntax.tree import Block, Function, Instruction, Label, Statement


def read(text: str) -> SyntaxTree:
    return parse(File("generated.ptx", text))


def facts(statement: Statement) -> object:
    """What a statement says, without places and blanks."""
    match statement:
        case Instruction():
            guard = statement.guard
            operands = ["".join(operand.text.split()) for operand in statement.operands]
            return statement.opcode, guard and (guard.name.text, guard.negated), operands
        case Label():
            return statement.name.text
        case Block():
            return len(statement.statements)
        case Variable():
            names = [(n.name.text, n.count and n.count.value, len(n.dimensions)) for n in statement.names]
            return statement.space, statement.type, statement.vector, statement.align and statement.align.value, names
        case Function():
            return statement.kind, statement.name.text, [facts(p) for p in statement.parameters], statement.linkage
        case _:
            return "".join(statement.text.split())


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(max_examples=40, deadline=None)
@given(MODULE)
def test_print_and_reparse(text: str) -> None:
    module = read(text)
    assert [str(diagnostic) for diagnostic in module.diagnostics] == []
    assert str(module) == text
    laid_out = formatted(module)
    again = read(laid_out)
    assert again.diagnostics == []
    without_comments = [(type(s), facts(s)) for s in module.walk()]
    assert len(without_comments) == len(list(again.walk()))
    if "/*" not in text and "//" not in text:
        assert [(type(s), facts(s)) for s in again.walk()] == without_comments
    assert formatted(again) == laid_out
