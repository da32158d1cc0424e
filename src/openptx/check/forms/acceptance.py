"""Asks whether operands fit a form or an opcode: what advice is tried with before it is given."""

from __future__ import annotations

from functools import lru_cache

from openptx.check.context import Context
from openptx.check.forms.rules import refine
from openptx.check.forms.select_form import examine
from openptx.check.operand.kinds import Kind
from openptx.isa.notation import resolve
from openptx.isa.notation.forms import Form, Modifiers


def takes(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> bool:
    """Whether a form takes these operands."""
    return refine(examine(form, m, operands, context), operands, context).accepted


@lru_cache(1 << 12)  # many wrong opcodes have the same correct ones beside them
def accepted(opcode: str, operands: tuple[Kind, ...], context: Context) -> bool:
    """Whether a form of this opcode takes these operands."""
    profile = "ptxas" if context.follows_ptxas else "isa"
    return any(takes(form, m, operands, context) for form, m in resolve(opcode, profile))
