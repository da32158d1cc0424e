"""Constant guards: an instruction whose guard is false is removed, one whose guard is true loses it."""

from __future__ import annotations

from dataclasses import replace

from openptx.rewrite.constants import single_constants
from openptx.rewrite.edit import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Function


def settle_guards(function: Function) -> Function:
    """The function without constant guards; the same object where it has none."""
    known = single_constants(function)
    edit, changed = Edit(function), False
    for position, op in enumerate(function.code):
        if op.guard is not None and op.guard.index in known:
            holds = bool(known[op.guard.index]) != op.guard.negated
            edit.code[position] = replace(op, guard=None) if holds else None
            changed = True
    return edit.finish() if changed else function
