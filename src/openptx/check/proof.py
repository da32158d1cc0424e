"""Verifies fixes: a fix is not offered if the fixed statement would have another error."""

from __future__ import annotations

from openptx.check.names.body import ResolvedInstruction
from openptx.check.problems import WARNINGS
from openptx.source import File
from openptx.syntax.instruction_parser import instruction
from openptx.syntax.tokens import Cursor, Mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from openptx.check.checked import CheckedFunction
    from openptx.check.names.scopes import Scope
    from openptx.check.problems import Path, Problem
    from openptx.diagnostics import Diagnostic, Fix
    from openptx.source import Span
    from openptx.syntax.tree import Instruction

OTHERS = frozenset(("unknown-name", "unknown-function", "unknown-special-register"))
"""Errors that a statement may have besides the fixed one: names, which are fixed at their declarations."""


def proven(
    found: Diagnostic, statement: Span, before: Collection[Problem], checked: CheckedFunction, scope: Scope
) -> Diagnostic:
    """The diagnostic, without its fix if the fixed statement would not be correct."""
    fix = found.fix
    if fix is None or not (statement[0] <= fix.span[0] and fix.span[1] <= statement[1]):
        return found
    known = {(problem.about, problem.where) for problem in before}
    if works(fix, found.file.text, statement, known, checked, scope):
        return found
    return found.advising(found.help, None)


def works(
    fix: Fix, text: str, statement: Span, known: set[tuple[str, Path]], checked: CheckedFunction, scope: Scope
) -> bool:
    """Whether the fixed statement can be parsed, and has no errors but those `known` and names declared elsewhere."""
    rest = "" if fix.replacement == ";" else text[fix.span[1] : statement[1]]  # another statement begins after a `;`
    fixed = text[statement[0] : fix.span[0]] + fix.replacement + rest
    cursor = Cursor(File("", fixed), 0, len(fixed))
    if cursor.kind == "word" and cursor.peek().word == ":":
        cursor.advance()
        cursor.advance()
    if cursor.kind in ("end", "dot"):  # it became a comment, or only a label; or a directive, which is parsed elsewhere
        return True
    read = alone(cursor)
    if read is None:
        return False
    resolved = ResolvedInstruction(read, scope, checked.module.functions, None)
    problems = checked.verdicts.problems(resolved, checked.module.suggestions)
    return all(each.about in WARNINGS | OTHERS or (each.about, each.where) in known for each in problems)


def alone(cursor: Cursor) -> Instruction | None:
    """A single instruction; None if it cannot be parsed."""
    problems = list["Diagnostic"]()
    try:
        read = instruction(cursor, problems)
    except Mistake:
        return None
    return None if problems or cursor.kind != "end" or read.problem is not None else read
