"""Reads a module: its items one after another, each function as a header and the span of its body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.diagnostics import Diagnostic, Fix
from openptx.syntax.body import read_statement
from openptx.syntax.braces import body, closing
from openptx.syntax.direct import Header
from openptx.syntax.statements import BRACE, END, HEADER, INSTRUCTION, LABEL, STATEMENT
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Module, Statement, Unreadable

if TYPE_CHECKING:
    from openptx.source import File


def parse(file: File) -> Module:
    """Read a file. Never raises for a bad one: `module.diagnostics` says what is wrong with it."""
    text, items, problems = file.text, list[Statement](), list[Diagnostic]()
    offset = 1 if text.startswith("\ufeff") else 0
    while match := STATEMENT.match(text, offset):
        kind, start = match.lastindex, match.end(1)
        if kind == END:
            break
        if kind == HEADER:
            offset = _function(file, start, items, problems)
        elif kind == BRACE:
            offset = _brace(file, start, items, problems)
        elif kind in (INSTRUCTION, LABEL):
            offset = _outside(file, start, items, problems)
        else:
            offset = read_statement(Cursor(file, start, len(text)), items, problems, inside=False)
    return Module(file, items, problems)


def _function(file: File, start: int, items: list[Statement], problems: list[Diagnostic]) -> int:
    c = Cursor(file, start, len(file.text))
    header = Header()
    try:
        header.read(c, problems)
    except Mistake as mistake:
        problems.append(mistake.diagnostic)
        while c.kind != "end" and c.word not in ("{", ";"):
            c.advance()
    ends = c.last
    inside = None
    broken = False
    if c.word == ";":
        c.advance()
        ends = c.last
    elif header.linkage == "extern" and header.kind == "func" and c.kind in ("dot", "end"):
        pass  # the assembler asks for no `;` here
    elif c.word in (".visible", ".extern", ".weak", ".common", ".entry", ".func", ".section") or c.kind == "end":
        message = f"expected `{{` or `;` behind the header of `{header.name.text}`"
        fix = Fix((ends, ends), ";", "declare it without a body")
        problems.append(
            Diagnostic("missing-semicolon", message, file, (ends - 1, ends), "expected behind this", fix=fix)
        )
    else:
        opened = c.span if c.word == "{" else (ends, ends)
        if c.word != "{":
            message = f"expected `{{` behind the header of `{header.name.text}`, found {c.described}"
            fix = Fix((ends, ends), " {", "open the body")
            problems.append(Diagnostic("syntax", message, file, c.span, "expected `{` before this", fix=fix))
        found = body(file, header.name.text, opened)
        if found.problem:
            problems.append(found.problem)
        inside, ends, broken = found.span, found.end, found.problem is not None
    items.append(header.function(file, start, inside, ends, broken))
    return ends


def _brace(file: File, start: int, items: list[Statement], problems: list[Diagnostic]) -> int:
    """A brace where none can stand."""
    end = start + 1
    if file.text[start] == "}":
        problems.append(Diagnostic("unmatched-brace", "this `}` closes nothing", file, (start, end), "no `{` is open"))
    else:
        close = closing(file.text, end)
        end = len(file.text) if close is None else close + 1
        message = "a block can only stand inside the body of a function"
        problems.append(Diagnostic("misplaced-statement", message, file, (start, start + 1), "no function begins here"))
    items.append(Unreadable(file, (start, end)))
    return end


def _outside(file: File, start: int, items: list[Statement], problems: list[Diagnostic]) -> int:
    """Instructions outside of every function: one mistake, however many there are."""
    last = start
    for match in STATEMENT.finditer(file.text, start):
        if match.lastindex not in (INSTRUCTION, LABEL, BRACE):
            break
        last = match.end()
    message = "an instruction can only stand inside the body of a function"
    c = Cursor(file, start, last)
    problems.append(Diagnostic("misplaced-statement", message, file, c.span, "no function is open here"))
    items.append(Unreadable(file, (start, last)))
    return last
