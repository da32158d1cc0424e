"""What stands in `.attribute(...)` of variables and functions (5.4.8; measured, ptxas 13.5)."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.spelling import nearest
from openptx.diagnostics import Diagnostic
from openptx.isa.directives import ATTRIBUTES
from openptx.syntax.declarations import Attribute, Variable
from openptx.syntax.tree import Function

_VALUES = {"managed": 0, "unified": 2}
_RULE = "PTX ISA, .attribute (5.4.8)"


def attribute_problems(statement: Variable | Function, follows_ptxas: bool) -> Iterator[Diagnostic]:
    """The problems with the attributes of a variable or function, one for each wrong attribute."""
    for attribute in statement.attributes:
        found = _problem(attribute, _space(statement, follows_ptxas), follows_ptxas)
        if found is not None:
            message, label, help = found
            yield Diagnostic(
                "invalid-directive", message, statement.file, attribute.span, label, rule=_RULE, help=help
            )  # fmt: skip


def _space(statement: Variable | Function, follows_ptxas: bool) -> str | None:
    """The state space of a variable; None for a function. The assembler does not look at names such as `x<4>`."""
    if isinstance(statement, Function):
        return None
    unseen = follows_ptxas and all(declarator.count is not None for declarator in statement.names)
    return "global" if unseen else statement.space


def _problem(attribute: Attribute, space: str | None, follows_ptxas: bool) -> tuple[str, str, str | None] | None:
    """Message, label and help. `space` is a variable's; a function has none."""
    name = attribute.name
    if name not in ATTRIBUTES:
        guess = nearest(name, ATTRIBUTES)
        known = " and ".join(f"`.{each}`" for each in ATTRIBUTES)
        help = f"did you mean `.{guess}`?" if guess else f"there are {known}"
        return f"there is no attribute `.{name}`", "no such attribute", help
    if len(attribute.values) != _VALUES[name]:
        form = ".unified(uuid1, uuid2)" if _VALUES[name] else f".{name}"
        values = f"{_VALUES[name] or 'no'} values"
        return f"`.{name}` takes {values}, not {len(attribute.values)}", values, f"write `{form}`"
    if space is None and name == "managed":
        return "`.managed` is for variables", "this is a function", None
    if space not in (None, "global") and follows_ptxas:
        return f"`.{name}` is for `.global` variables", f"this one is in `.{space}`", None
    return None
