"""Statements that a wrong mark made other ones: a `;` for a comma, a label without its colon."""

from __future__ import annotations

import re

from openptx.check.checked import CheckedFunction
from openptx.check.names.scopes import Scope
from openptx.check.names.undeclared import LABEL_SLIP
from openptx.check.problems import Problem
from openptx.check.proof import works
from openptx.check.repairs.statement_edits import COST
from openptx.diagnostics import SAFE, Diagnostic, Fix
from openptx.patterns import pattern
from openptx.source import File, Span

_CONTINUED = pattern(r"[ \t]*(?:\r?\n[ \t]*)?(?=[%\[{0-9-])[^;\n]*;")
"""The rest of a statement, in the same line or the next."""


def ended_early(
    problem: Problem, instruction: Span, file: File, checked: CheckedFunction, scope: Scope
) -> tuple[Diagnostic, int] | None:
    """The error that a `;` stands where a comma belongs, and where the whole statement ends; `problem` is of its first
    part. None if the rest of the line does not complete the statement."""
    end = instruction[1]
    rest = _CONTINUED.match(file.text, end) if problem.about == "operand-count" else None
    if rest is None or not checked.module.suggestions.spend(COST):
        return None
    span = end - 1, end
    fix = Fix(span, ",", "write a comma", SAFE)
    if not works(fix, file.text, (instruction[0], rest.end()), set(), checked, scope):
        return None
    message = "expected `,` after the operand, found `;`"
    return Diagnostic("syntax", message, file, span, "expected `,`", fix=fix, marks=","), rest.end()


def label_slip(found: Diagnostic, function: Span) -> Diagnostic | None:
    """The error of a word alone in its line that should be a label, because the function uses it elsewhere; `found` is
    the syntax error there."""
    text = found.file.text
    line = LABEL_SLIP.match(text, text.rfind("\n", 0, found.span[0]) + 1)
    if line is None or line["written"] == line["name"]:
        return None
    branch = pattern(rf"\bbra(?:\.\w+)*\s+{re.escape(line['name'])}\s*;", re.A)
    if branch.search(text, *function) is None:
        return None
    meant, written = f"{line['name']}:", line["written"]
    return Diagnostic(
        "syntax", f"expected the label `{meant}`, found `{written}`", found.file, line.span("written"),
        "a label is a name and a colon", rule="PTX ISA, Statements (4.3)",
        fix=Fix(line.span("written"), meant, f"write `{meant}`"),
    )  # fmt: skip
