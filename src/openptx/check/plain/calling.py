"""Calls on the fast way: one that differs from an earlier one in its names alone is as right as that was."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.kinds import Kind
    from openptx.check.plain.remembered import Remembered
    from openptx.check.plain.texts import Kinds

    Call = tuple[str, str, str, list[str]]

_NAME = r"(?:[A-Za-z_][\w$]*|[%$][\w$]+)"
_CALL = rf"""(call(?:\.uni)?) \s+ (?:\(\s*({_NAME})\s*\)\s*,\s*)? ({_NAME})
    \s* (?:,\s*\(\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*\)\s*)?;"""  # compiled when there is a call
_MOST = 1 << 12


def signature(text: str, names: Kinds) -> tuple[object, ...] | None:
    """All that the verdict on a call depends on. None where the call is not of the plain form."""
    checker = names.checker
    call = _parts(text, checker.module.remembered)
    if call is None:
        return None
    opcode, result, callee, arguments = call
    shape = checker.module.remembered.shape(callee, checker.module)
    if shape is None:
        return None
    given: list[Kind] = [names[name] for name in arguments]
    if result:
        names.settle((result,))
    return checker.context.entry, opcode, names[callee], shape, names[result], *given


def _parts(text: str, remembered: Remembered) -> Call | None:
    """The opcode, result ("" for none), callee and arguments of a call. Few texts of calls stand only once in a file:
    their parameters have the same names everywhere."""
    found = remembered.parts.get(text)
    if found is None and (match := re.fullmatch(_CALL, text, re.X | re.A)) is not None:
        opcode, result, callee, arguments = match.groups()
        found = opcode, result or "", callee, [name.strip() for name in arguments.split(",")] if arguments else []
        if len(remembered.parts) < _MOST:
            remembered.parts[text] = found
    return found
