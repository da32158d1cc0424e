"""What declaration an undeclared register lacks."""

from __future__ import annotations

import re

from openptx.check.names.scopes import split_number
from openptx.check.operand import kinds
from openptx.check.spelling import Suggestions
from openptx.isa.types import TYPES
from openptx.source import Span
from openptx.syntax.lexical import LETTER
from openptx.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.problems import Suits

_PLAIN = ("pred", "b16", "b32", "b64", "b128")
"""The types that a register may be declared with, one of each size."""
_LONGEST = 100
"""Characters of a name that is looked for in its function."""


def declaration(name: str, span: Span, suits: Suits | None, function: Function, budget: Suggestions) -> str | None:
    """The declaration of a register `name` that suits the place at `span`, or the line in which it stands too late."""
    text, end = function.file.text, function.span[1]
    budget.left -= end - span[1]
    if len(name) > _LONGEST or "." in name or budget.left <= 0:
        return None
    prefix, number = split_number(name)
    named = f"{re.escape(name)}(?!{LETTER})|{re.escape(prefix)}<"
    below = re.compile(rf"\.(?:reg|local|shared|param)\b[^;{{}}]*[\s,]({named})").search(text, span[1], end)
    if below is not None:
        return (
            f"its declaration stands below, in line {1 + text.count(chr(10), 0, below.start(1))}: move it before this"
        )
    if suits is None:
        return None
    type = next((each for each in _PLAIN if suits(kinds.register(TYPES[each]))), None)
    if type is None:
        return None
    used = numbers(prefix, function) if number is not None and name[0] == "%" else []
    if len(set(used)) > 1:
        return f"declare them: `.reg .{type} {prefix}<{max(used) + 1}>;`"
    return f"declare it: `.reg .{type} {name};`"


def numbers(prefix: str, function: Function) -> list[int]:
    """The numbers that a function names with a prefix; 0 where there are none."""
    found = re.compile(rf"(?<!{LETTER})(?<!%){re.escape(prefix)}([0-9]{{1,9}})(?!{LETTER})", re.A)
    return [int(each) for each in found.findall(function.file.text, *function.span)] or [0]
