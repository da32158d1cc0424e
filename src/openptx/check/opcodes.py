"""Opcodes that no form fits: which modifier is wrong, missing, too many, and what was probably meant."""

from __future__ import annotations

from openptx.check.problems import Problem
from openptx.isa.notation import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.kinds import Kind


def explain(opcode: str, operands: tuple[Kind, ...]) -> Problem:
    """Why no form of any instruction has this opcode."""
    mnemonic = opcode.partition(".")[0]
    if mnemonic not in load():
        return Problem("unknown-instruction", f"there is no instruction `{mnemonic}`", label="unknown")
    return Problem("no-such-form", f"`{mnemonic}` has no form `{opcode}`", label="no such form")
