"""Turns problems into diagnostics: paths become spans in the file, `declared here` labels are added."""

from __future__ import annotations

import re

from openptx.check.explain.suggestions import as_float, bits_of
from openptx.check.operand import kinds
from openptx.check.problems import OPCODE
from openptx.diagnostics import Diagnostic, Label
from openptx.diagnostics.kinds import DECLARED, VARIABLE
from openptx.syntax import operands as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.names.scopes import Scope
    from openptx.check.problems import Path, Problem
    from openptx.diagnostics import Fix
    from openptx.source import File, Span
    from openptx.syntax.tree import Instruction

GUARD: Path = (-1,)
"""The path of the guard predicate."""


def diagnostic(problem: Problem, instruction: Instruction, scope: Scope) -> Diagnostic:
    """The problem as a finding in the file."""
    tree = node(instruction, problem.where)
    span = place(instruction, problem.where, problem.part) if tree is None else tree.span
    fix = problem.repair(instruction) if problem.repair is not None else None
    return stated(problem, instruction.file, span, declared_here(tree, scope) if tree is not None else (), fix)


def stated(
    problem: Problem, file: File, span: Span, labels: tuple[Label, ...] = (), fix: Fix | None = None
) -> Diagnostic:
    """The problem as a finding at a position in the file."""
    shown = file.text[span[0] : span[1]]
    return Diagnostic(
        problem.about, _filled(problem.message, shown), file, span, _filled(problem.label, shown),
        labels=labels, operand=problem.operand, expected=problem.expected, actual=problem.actual, rule=problem.rule,
        help=_filled(problem.help, shown) if problem.help else None, fix=fix,
    )  # fmt: skip


def _filled(sentence: str, shown: str) -> str:
    """`{}` is the text of the operand; `{f32}` and `{f64}` are its integer as a float, `{b32}` its float as bits."""
    if "{" not in sentence:
        return sentence
    for width in (32, 64):
        if f"{{f{width}}}" in sentence:
            sentence = sentence.replace(f"{{f{width}}}", as_float(shown, width))
        if f"{{b{width}}}" in sentence:
            sentence = sentence.replace(f"{{b{width}}}", bits_of(shown, width))
    return sentence.replace("{}", shown)


def place(instruction: Instruction, where: Path, part: str | None = None) -> Span:
    """The span of the guard, of the opcode, or of one modifier of it with its dot."""
    if where == GUARD:
        return instruction.guard_span
    start, end = instruction.opcode_span
    if part is not None:
        written = instruction.file.text[start:end]
        found = list(re.finditer(rf"\.\s*{re.escape(part)}(?![\w:])", written))
        if found:
            return start + found[-1].start(), start + found[-1].end()
    return start, end


def node(instruction: Instruction, where: Path) -> text.Operand | None:
    """The operand, or the part of one, at a path."""
    if where in (OPCODE, GUARD):
        return None
    found: text.Operand = instruction.operands[where[0]]
    for step in where[1:]:
        inner = parts(found)
        if step >= len(inner):
            break
        found = inner[step]
    return found


def parts(tree: text.Operand) -> tuple[text.Operand, ...]:
    """The components of an operand, in the order of its kind's parts."""
    match tree:
        case text.Vector() | text.Arguments():
            return tree.elements
        case text.Address():
            return (tree.base, *tree.parts)
        case text.Pair():
            return tree.first, tree.second
        case text.Negated() | text.Minus():
            return (tree.operand,)
        case _:
            return ()


def declared_here(tree: text.Operand, scope: Scope) -> tuple[Label, ...]:
    """Where the name in an operand is declared."""
    while not isinstance(tree, text.Name):
        if isinstance(tree, (text.Address, text.Subscript, text.Selector, text.Sum)):
            tree = tree.base
        elif isinstance(tree, (text.Negated, text.Minus)):
            tree = tree.operand
        else:
            return ()
    found = scope.find(tree.text)
    if found is None:
        return ()
    entry, _ = found
    return (Label(entry.span, "declared here", VARIABLE if entry.kind.sort == kinds.VARIABLE else DECLARED),)
