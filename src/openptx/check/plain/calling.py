"""Calls on the fast way: one that differs from an earlier one in its names alone is as right as that was."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.plain.texts import Kinds

_NAME = r"(?:[A-Za-z_][\w$]*|[%$][\w$]+)"
_CALL = rf"""(call(?:\.uni)?) \s+ (?:\(\s*({_NAME})\s*\)\s*,\s*)? ({_NAME})
    \s* (?:,\s*\(\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*\)\s*)?;"""  # compiled when there is a call


def signature(text: str, names: Kinds) -> tuple[object, ...] | None:
    """All that the verdict on a call depends on. None where the call is not of the plain form."""
    match = re.fullmatch(_CALL, text, re.X | re.A)
    if match is None:
        return None
    opcode, result, callee, arguments = match.groups()
    checker = names.checker
    shape = checker.module.remembered.shape(callee, checker.module)
    if shape is None:
        return None
    given = [names[name.strip()] for name in arguments.split(",")] if arguments else ()
    if result is not None:
        names.settle((result,))
    return checker.context.entry, opcode, names[callee], shape, names[result or ""], *given
