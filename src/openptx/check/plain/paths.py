"""Registers that are read before they are written in the order of the text: along which paths that is so."""

from __future__ import annotations

import re

from openptx.check.flow import traffic
from openptx.check.graph import Graph
from openptx.check.scopes import Registers, Scope
from openptx.isa.types import TYPES
from openptx.syntax import tree
from openptx.syntax.body import read_statements
from openptx.syntax.directives import BranchTargets
from openptx.syntax.operands import Name
from openptx.syntax.statements import BRACE, END, INSTRUCTION, LABEL, ODD, STATEMENT
from openptx.syntax.tokens import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import File, Span

_FLOW = ("bra", "brx", "ret", "exit", "trap")
_LABELLED = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")


def never_written(file: File, body: Span, names: set[str]) -> list[Name]:
    """The first reads of those registers that no path has written before, in a body that is right otherwise.

    Each name means one register in the whole body. Only statements that name one, or that lead somewhere else, are read
    as trees: a graph of these alone has the same paths.
    """
    graph = Graph()
    outer = Scope()
    for name in names:
        outer.declare(name, Registers(TYPES["b32"], 1, None, (0, 0)))
    for statement, scope in _statements(file, body, names, outer):
        if isinstance(statement, tree.Label):
            scope.labels[statement.name.text] = statement.name.span[0]
            graph.labels[statement.name.span[0]] = len(graph.steps)
        elif isinstance(statement, BranchTargets) and statement.label is not None:
            scope.tables[statement.label.text] = statement
        elif isinstance(statement, tree.Instruction):
            graph.steps.append(traffic(statement, scope))
    return graph.first_reads(everywhere=False)


def _statements(file: File, body: Span, names: set[str], outer: Scope) -> Iterator[tuple[tree.Statement, Scope]]:
    """The statements that matter, each with the scope of its labels."""
    text, (offset, end) = file.text, body
    scopes = [outer]
    asked = _places(text, body, names)
    place = next(asked)
    while (match := STATEMENT.match(text, offset, end)) and match.lastindex != END:
        kind, offset = match.lastindex, match.end()
        if kind == BRACE:
            if match[6] == "{":
                scopes.append(Scope(scopes[-1]))
            else:
                scopes.pop()
            continue
        if kind == LABEL and not _LABELLED.match(text, offset):
            yield tree.Label(file, (match.end(1), offset), Name(match[5], match.span(5))), scopes[-1]
        elif kind == INSTRUCTION:
            if place < offset or match[3].startswith(_FLOW):
                start = match.end(1)
                guard = match.span(2) if match[2] else (start, start)
                yield tree.Instruction(file, (start, offset), guard, match.span(3), match.span(4)), scopes[-1]
        elif kind in (LABEL, ODD):
            found: list[tree.Statement] = []
            offset = max(offset, read_statements(Cursor(file, match.end(1), end), offset, found, [], inside=True))
            for statement in found:
                yield statement, scopes[-1]
        while place < offset:
            place = next(asked)


def _places(text: str, body: Span, names: set[str]) -> Iterator[int]:
    """Where those names stand, and perhaps others that begin like them; at last, a place behind everything."""
    pattern = re.compile("|".join(map(re.escape, sorted(names))))
    yield from (match.start() for match in pattern.finditer(text, *body))
    yield len(text) + 1
