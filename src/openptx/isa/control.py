"""What instructions do to the flow of control, as their declarations say (`control`)."""

from __future__ import annotations

from functools import cache

from openptx.isa.mnemonics import CONTROL
from openptx.isa.notation import resolve

JUMPS = "branch", "branch-table"
"""Goes on at a label."""
LEAVES = "return", "exit", "trap"
"""Nothing after it is executed."""


@cache
def mnemonics(*controls: str) -> frozenset[str]:
    """The mnemonics of the instructions that do one of these."""
    return frozenset(name for name, found in CONTROL.items() if not set(controls).isdisjoint(found.split()))


@cache
def calls(opcode: str) -> bool:
    """Whether this is a call, of whatever kind."""
    return opcode.partition(".")[0] in mnemonics("call")


@cache
def joins(opcode: str) -> bool:
    """Whether all threads of a warp must come to this barrier together, and wait at it."""
    return any(form.instruction.control == "barrier" and m.mode == "sync" and m.aligned for form, m in resolve(opcode))
