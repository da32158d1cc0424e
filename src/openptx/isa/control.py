"""The effects of instructions on control flow, as their declarations state them (`control`)."""

from __future__ import annotations

from functools import cache, lru_cache

from openptx.isa.mnemonics import CONTROL
from openptx.isa.notation import resolve

JUMPS = "branch", "branch-table"
"""Continues at a label."""
LEAVES = "return", "exit", "trap"
"""No instruction after it is executed."""


@cache
def mnemonics(*controls: str) -> frozenset[str]:
    """The mnemonics of instructions that have one of these effects."""
    return frozenset(name for name, found in CONTROL.items() if not set(controls).isdisjoint(found.split()))


@lru_cache(1 << 12)
def calls(opcode: str) -> bool:
    """Whether this is a call of any kind."""
    return opcode.partition(".")[0] in mnemonics("call")


@lru_cache(1 << 12)
def joins(opcode: str) -> bool:
    """Whether all threads of a warp must arrive at this barrier together and wait there."""
    return any(form.instruction.control == "barrier" and m.mode == "sync" and m.aligned for form, m in resolve(opcode))
