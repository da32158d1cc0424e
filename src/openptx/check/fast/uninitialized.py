"""Registers that are read and that no path writes before: analysed on a graph of the statements that matter."""

from __future__ import annotations

import re

from openptx.check.flow.cfg import ControlFlowGraph, Step
from openptx.check.flow.reads_writes import traffic
from openptx.check.names.scopes import Registers, Scope
from openptx.isa.control import JUMPS, LEAVES, mnemonics
from openptx.isa.types import TYPES
from openptx.syntax import tree
from openptx.syntax.body_parser import read_statements
from openptx.syntax.directives import BranchTargets
from openptx.syntax.operands import Name
from openptx.syntax.statement_lexer import BRACE, END, INSTRUCTION, LABEL, OTHER, STATEMENT
from openptx.syntax.tokens import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import File, Span

_HIDDEN = re.compile(r"//[^\n]*;|/\*|\"[^\"\n]*;")
"""A `;` that may end no statement."""
_LABELLED = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")


def never_written(file: File, body: Span, names: set[str]) -> list[Name]:
    """The first reads of those registers that no path has written before, in a body that is right otherwise.

    Each name means one register in the whole body. Only statements that name one, or that lead somewhere else, are read
    at all: a graph of these alone has the same paths.
    """
    outer = Scope()
    for name in names:
        outer.declare(name, Registers(TYPES["b32"], 1, None, (0, 0)))
    graph = _graph(file, body, names, outer, blocks=False)
    if graph is None:  # labels of several blocks have one name
        graph = _graph(file, body, names, outer, blocks=True)
    return graph.first_reads(everywhere=False) if graph is not None else []


def _graph(file: File, body: Span, names: set[str], outer: Scope, *, blocks: bool) -> ControlFlowGraph | None:
    """What the statements that matter do, in their order; None where that depends on blocks, which were not read."""
    graph = ControlFlowGraph()
    for statement, scope, named in _statements(file, body, names, outer if not blocks else Scope(outer), blocks=blocks):
        if isinstance(statement, tree.Label):
            if not blocks and statement.name.text in scope.labels:
                return None
            scope.labels[statement.name.text] = statement.name.span[0]
            graph.labels[statement.name.span[0]] = len(graph.steps)
        elif isinstance(statement, BranchTargets) and statement.label is not None:
            scope.tables[statement.label.text] = statement
        elif isinstance(statement, tree.Instruction):
            graph.steps.append(traffic(statement, scope) if named else Step(statement, scope))
    return graph


def _statements(
    file: File, body: Span, names: set[str], outer: Scope, *, blocks: bool
) -> Iterator[tuple[tree.Statement, Scope, bool]]:
    """The statements that matter, the scope of their labels (one for all, if not `blocks`), whether they name one."""
    text, (offset, end) = file.text, body
    scopes, flows = [outer], tuple(mnemonics(*JUMPS, *LEAVES))
    named = _naming(text, body, names)
    flowing = iter(_flowing(text, body))
    name, flow = next(named), next(flowing)
    leaps = not blocks and _HIDDEN.search(text, *body) is None
    while True:
        if leaps:
            while flow < offset:
                flow = next(flowing)
            # What stands between a `;` and the next one is read from the start, whatever matters in it.
            ahead = min(name, flow)
            if ahead >= end:
                return
            offset = max(offset, text.rfind(";", offset, ahead) + 1)
        match = STATEMENT.match(text, offset, end)
        if match is None or match.lastindex == END:
            return
        kind, offset = match.lastindex, match.end()
        if kind == BRACE:
            if not blocks:
                continue
            if match[6] == "{":
                scopes.append(Scope(scopes[-1]))
            else:
                scopes.pop()
        elif kind == LABEL and not _LABELLED.match(text, offset):
            yield tree.Label(file, (match.end(1), offset), Name(match[5], match.span(5))), scopes[-1], False
        elif kind == INSTRUCTION:
            if name < offset or match[3].startswith(flows):
                start = match.end(1)
                guard = match.span(2) if match[2] else (start, start)
                yield (
                    tree.Instruction(file, (start, offset), guard, match.span(3), match.span(4)),
                    scopes[-1],
                    name < offset,
                )
        elif kind in (LABEL, OTHER):
            found: list[tree.Statement] = []
            offset = max(offset, read_statements(Cursor(file, match.end(1), end), offset, found, [], inside=True))
            for statement in found:
                yield statement, scopes[-1], True
        while name < offset:
            name = next(named)


def _naming(text: str, body: Span, names: set[str]) -> Iterator[int]:
    """Where those names stand, and perhaps others that begin like them; at last, a place after everything."""
    pattern = re.compile("|".join(map(re.escape, sorted(names))))
    yield from (match.start() for match in pattern.finditer(text, *body))
    yield len(text) + 1


def _flowing(text: str, body: Span) -> list[int]:
    """Where a label may end, or a statement lead somewhere else; at last, a place after everything.

    To find each of a few words is a hundred times as fast as one expression for all of them.
    """
    found = [len(text) + 1]
    for word in (*mnemonics(*JUMPS, *LEAVES), ":"):
        at = text.find(word, *body)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + 1, body[1])
    return sorted(found)
