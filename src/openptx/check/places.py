"""What may stand in a place beside registers and constants: sinks, special registers, addresses, function names."""

from __future__ import annotations

from functools import lru_cache

from openptx.isa.operand_rules import operand_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.forms import Template
    from openptx.isa.notation import Instruction


class Allowance:
    """What one place allows. `special` is "" (none), "fitting" (of this size, or 32 bits cut to 16) or "any", if all
    types of the opcode are integers.

    `space` is where a variable must be that is named as a generic address; "" where the instruction says nothing.
    """

    __slots__ = ("address", "constant", "function", "minus", "negated", "shorter", "sink", "space", "special", "sum")

    def __init__(self) -> None:
        self.special = self.space = ""
        self.sink = self.address = self.negated = self.minus = self.shorter = False
        self.function = self.constant = self.sum = False


@lru_cache(maxsize=1 << 10)
def _allowance(instruction: Instruction, name: str, written: bool) -> Allowance:
    rule, found = operand_rule(instruction, name), Allowance()
    found.shorter = rule.says("one of two")
    if written:
        found.sink = rule.says("sink")
        return found
    registers = rule.says("registers")
    found.address, found.space = rule.says("variable"), rule.space
    found.function = not (registers or rule.says("no function"))
    found.constant = not registers
    found.negated, found.minus = rule.says("negated"), rule.says("minus")
    found.sum = not (registers or rule.says("no sum"))
    found.special = "any" if rule.says("any special") else "fitting" if rule.says("special") else ""
    return found


def allowance(instruction: Instruction, template: Template) -> Allowance:
    """What the place of `template` allows."""
    return _allowance(instruction, template.name, template.role == "write")
