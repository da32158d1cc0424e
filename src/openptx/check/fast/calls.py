"""Memo of calls: one that differs from an accepted one in names alone is accepted."""

from __future__ import annotations

import re

from openptx.syntax.directives import CallPrototype
from openptx.syntax.lexical import IDENTIFIER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.fast.classify import OperandClassifier
    from openptx.check.fast.file_memo import FileMemo
    from openptx.check.operand.kinds import Kind

    Call = tuple[str, str, str, list[str], str]

_CALL = rf"""(call(?:\.uni)?) \s+ (?:\(\s*({IDENTIFIER})\s*\)\s*,\s*)? ({IDENTIFIER})
    \s* (?:,\s*\(\s*({IDENTIFIER}(?:\s*,\s*{IDENTIFIER})*)?\s*\)\s*)? (?:,\s*({IDENTIFIER})\s*)?;"""
"""Compiled when there is a call."""
_MOST = 1 << 12


def signature(text: str, names: OperandClassifier) -> tuple[object, ...] | None:
    """The key of a call, on which alone its verdict depends. None if the call is not of the plain form."""
    checked = names.checked
    call = _parts(text, checked.module.memo)
    if call is None:
        return None
    opcode, result, callee, arguments, table = call
    shape = _prototype(table, names) if table else checked.module.memo.shape(callee, checked.module)
    if shape is None:
        return None
    given: list[Kind] = [names[name] for name in arguments]
    if result:
        names.mark_written((result,))
    return shape, opcode, names.function(callee), names[result], *given


def _prototype(label: str, names: OperandClassifier) -> CallPrototype | None:
    """The prototype of an indirect call; equal ones are one object."""
    for block in reversed(names.blocks):
        if (table := block.tables.get(label)) is not None:
            return table if isinstance(table, CallPrototype) else None
    return None


def _parts(text: str, memo: FileMemo) -> Call | None:
    """The opcode, result ("" for none), callee, arguments and prototype ("" for none) of a call. Few texts of calls
    stand only once in a file: their parameters have the same names everywhere."""
    found = memo.parts.get(text)
    if found is None and (match := re.fullmatch(_CALL, text, re.X | re.A)) is not None:
        opcode, result, callee, arguments, table = match.groups(default="")
        found = opcode, result, callee, [name.strip() for name in arguments.split(",")] if arguments else [], table
        if len(memo.parts) < _MOST:
            memo.parts[text] = found
    return found
