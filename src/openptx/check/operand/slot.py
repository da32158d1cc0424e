"""Places of operands in a form, and what they allow besides registers and constants."""

from __future__ import annotations

from functools import lru_cache

from openptx.check.operand import kinds
from openptx.check.operand.types import Rule, rule, takes_constant
from openptx.isa.notation.operand_rules import operand_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.check.operand.kinds import Kind
    from openptx.isa.notation import Instruction
    from openptx.isa.notation.forms import Form, Modifiers
    from openptx.isa.notation.operand_rules import OperandRule
    from openptx.isa.notation.slots import Template
    from openptx.isa.types import Type


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
    found.shorter = rule.says("one of several")
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


class Place:
    """One operand's place in a form, under certain modifiers."""

    __slots__ = ("allows", "context", "count", "form", "m", "operand_rule", "packs", "rule", "template", "type")

    def __init__(self, form: Form, m: Modifiers, template: Template, type: Type | None, context: Context) -> None:
        instruction = form.instruction
        self.form, self.m, self.template, self.type, self.context = form, m, template, type, context
        self.operand_rule: OperandRule = operand_rule(instruction, template.name)
        self.packs = template.vector and self.operand_rule.says("packed")
        self.count = form.count(template, m) if template.vector and not self.packs else 0
        self.rule: Rule | None = rule(form, m, template, type, context.follows_ptxas) if type is not None else None
        self.allows: Allowance = allowance(instruction, template)

    @property
    def name(self) -> str:
        """The operand as the manual calls it."""
        return self.template.name

    @property
    def opcode(self) -> str:
        """The opcode as it is written."""
        return repr(self.m)

    def takes_constant(self, kind: Kind) -> bool:
        """Whether a constant suits the type; what takes integers alone takes no floats."""
        assert self.type is not None
        if self.rule is None or not self.context.follows_ptxas:
            return takes_constant(self.type, kind)
        if self.rule.strict and self.type.kind != "f" and kind.sort == kinds.FLOAT:
            return False
        return takes_constant(self.rule.type, kind)

    @property
    def takes_one(self) -> bool:
        """Whether the assembler takes one value here where the document has a list."""
        return self.count > 0 and self.context.follows_ptxas and self.operand_rule.says("one value")

    @property
    def takes_functions(self) -> bool:
        """Whether the assembler takes the name of a function here: not where the type is the operand's own."""
        return self.allows.function and not self.count and (self.rule is None or not self.rule.strict)

    @property
    def space(self) -> str | None:
        """The space of an address: what the opcode says of it, or where the instruction wants it."""
        said = self.form.space_of(self.name, self.m)
        return self.allows.space or said if said in (None, "generic") else said

    @property
    def writes(self) -> bool:
        """Whether this is a destination."""
        return self.template.role == "write"

    def agrees(self, declared: Type) -> bool:
        """Whether a register of this type fits here."""
        return self.rule.takes(declared) if self.rule is not None else declared.kind in "bsu"

    def expected(self) -> str:
        """The register types that fit, in words."""
        if self.rule is None:
            return "an integer register"
        return words([f"`.{name}`" for name in self.rule.registers()])


def words(items: list[str]) -> str:
    """`a`, `b` or `c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}" if items else "nothing"
