"""Operand places of a form: the register types that they accept, by Tables 26 to 28 (`isa/agreement.py`) and the
assembler's deviations, and what they accept besides registers and constants."""

from __future__ import annotations

from functools import lru_cache

from openptx.check.context import Context
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.problems import Problem
from openptx.isa import agreement
from openptx.isa.notation import Instruction
from openptx.isa.notation.forms import FIXED, Form, Modifiers
from openptx.isa.notation.operand_rules import OperandRule, operand_rule
from openptx.isa.notation.slots import Template
from openptx.isa.types import TYPES, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.problems import Path, Repair


class Rule:
    """How an operand's register is checked: the type, `relaxed` by Tables 27 and 28, `strict`: integers only.

    `exact`: a register of exactly this type. `pointer`: the address of a function, in 32 or 64 bits. `pairs`: `.f16x2`
    registers count as integers.
    """

    __slots__ = ("exact", "follows_ptxas", "pairs", "pointer", "relaxed", "strict", "type")

    def __init__(self, type: Type, relaxed: bool, strict: bool, follows_ptxas: bool, exact: bool = False) -> None:
        self.type, self.relaxed, self.strict, self.follows_ptxas = type, relaxed, strict, follows_ptxas
        self.exact = exact
        self.pointer = False
        self.pairs = True

    def takes(self, declared: Type) -> bool:
        """Whether a register of this type fits."""
        wanted = self.type
        if self.pointer:
            return declared.kind in "bsu" and declared.width in (32, 64)
        if self.exact:
            return declared is wanted
        if not self.follows_ptxas:
            return agreement.agrees(wanted, declared, relaxed=self.relaxed)
        if self.strict and wanted.kind in "bsu" and declared.kind not in "bsu":
            return False
        if declared.name == "f16x2":
            return self._takes_pair(wanted)
        if wanted.name == "e2m1x4":  # sixteen bits, where Table 9 says 32
            return declared.name == "b16"
        return agreement.agrees(wanted, declared, relaxed=self.relaxed)

    def takes_sum(self, declared: Type) -> bool:
        """Whether a register of this type fits where a constant is added to it: if allowed, any width is accepted."""
        wanted = self.type
        if self.pointer or self.exact or self.strict:
            return self.takes(declared)
        if wanted.kind == "pred" or declared.kind == "pred" or declared.name == "f16x2":
            return self.takes(declared) or (declared.name == "f16x2" and wanted.kind in "bsu")
        if wanted.kind == "f" and (wanted.count > 1 or not wanted.fundamental):
            return declared.kind == "b"
        return agreement.basic(wanted, declared)

    def _takes_pair(self, wanted: Type) -> bool:
        """`.f16x2` registers count as 32-bit integers and predicates, unless the operand's type is fixed."""
        if self.strict:
            return wanted.name == "f16x2"
        if wanted.name in ("u16x2", "s16x2", "u8x4", "s8x4"):
            return True
        if wanted.count == 1 and wanted.kind in "bsu":
            fits = wanted.width == 32 or (self.relaxed and wanted.width < 32)
            return fits and (self.pairs or wanted.kind == "b")
        return wanted.kind == "pred" or wanted.name == "f16x2"

    def registers(self) -> list[str]:
        """The register types that fit, the plainest first."""
        names = agreement.registers_for(self.type, relaxed=self.relaxed)
        if self.follows_ptxas and self.type.name == "e2m1x4":
            return ["b16"]
        return [name for name in names if self.takes(TYPES[name])]


def rule(form: Form, m: Modifiers, template: Template, type: Type, follows_ptxas: bool) -> Rule:
    """The rule for the registers of one operand."""
    said = operand_rule(form.instruction, template.name)
    same = TYPES.get(said.type)
    wanted = same if same is not None and same.width == type.width and follows_ptxas else type
    strict = said.says("strictly") or (not said.type and is_fixed(form, template))
    typed = not (follows_ptxas and is_fixed(form, template))
    relaxed = (form.instruction.allows_wider_registers and typed) or (follows_ptxas and said.says("wider"))
    if form.instruction.converts and follows_ptxas:
        relaxed = relaxed_conversion(m, template)
    found = Rule(wanted, relaxed, strict, follows_ptxas, follows_ptxas and said.says("exactly"))
    found.pointer = said.says("an address")
    found.pairs = not said.says("no pairs")
    return found


def is_fixed(form: Form, template: Template) -> bool:
    """Whether the opcode does not determine the operand's type: shift amounts, lane masks, sums of dot products."""
    declared = form.instruction.types.get(template.name) or FIXED.get(template.name)
    return template.pair if declared is None else declared in TYPES


def relaxed_conversion(m: Modifiers, template: Template) -> bool:
    """Whether Tables 27 and 28 apply to a `cvt`: not with bf16 on either side, and with packed formats only in part."""
    d, a = m.values.get("dtype"), m.values.get("atype")
    if d is None or a is None or "bf16" in (d.name, a.name):
        return False
    if d.count == 1 and a.count == 1 and d.name != "tf32":
        return True
    return d.name == "f16x2" and a.name == "f32" and template.name in ("d", "a", "b")


def takes_constant(wanted: Type, kind: Kind) -> bool:
    """Whether a constant is allowed where the instruction wants `wanted`."""
    if kind.sort == "integer":
        return agreement.takes_integer(wanted)
    return agreement.takes_float(wanted, kind.bits)


class Allowance:
    """What one place accepts. `special` is "" (none), "fitting" (of this size, or 32 bits cut to 16) or "any", if all
    types of the opcode are integers.

    `space` is where a variable that is named as a generic address must be; "" if unrestricted.
    """

    __slots__ = ("address", "constant", "function", "minus", "negated", "shorter", "sink", "space", "special", "sum")

    def __init__(self) -> None:
        self.special = self.space = ""
        self.sink = self.address = self.negated = self.minus = self.shorter = False
        self.function = self.constant = self.sum = False


@lru_cache(maxsize=1 << 10)
def _allowance(instruction: Instruction, name: str, written: bool) -> Allowance:
    said, found = operand_rule(instruction, name), Allowance()
    found.shorter = said.says("one of several")
    if written:
        found.sink = said.says("sink") or bool(said.sink_gate)
        return found
    registers = said.says("registers")
    found.address, found.space = said.says("variable"), said.space
    found.function = not (registers or said.says("no function"))
    found.constant = not (registers or said.says("no constant"))
    found.negated, found.minus = said.says("negated"), said.says("minus")
    found.sum = not (registers or said.says("no sum"))
    found.special = "any" if said.says("any special") else "fitting" if said.says("special") else ""
    return found


class Place:
    """One operand's place in a form, under given modifiers."""

    __slots__ = ("allows", "context", "count", "form", "m", "operand_rule", "packs", "rule", "template", "type")

    def __init__(self, form: Form, m: Modifiers, template: Template, type: Type | None, context: Context) -> None:
        instruction = form.instruction
        self.form, self.m, self.template, self.type, self.context = form, m, template, type, context
        self.operand_rule: OperandRule = operand_rule(instruction, template.name)
        self.packs = template.vector and self.operand_rule.says("packed")
        self.count = form.count(template, m) if template.vector and not self.packs else 0
        self.rule: Rule | None = rule(form, m, template, type, context.follows_ptxas) if type is not None else None
        self.allows: Allowance = _allowance(instruction, template.name, template.role == "write")

    @property
    def name(self) -> str:
        """The operand as the manual calls it."""
        return self.template.name

    @property
    def opcode(self) -> str:
        """The opcode as written."""
        return repr(self.m)

    def problem(
        self, about: str, message: str, where: Path, label: str = "", *, expected: str | None = None,
        actual: str | None = None, rule: str | None = None, help: str | None = None, repair: Repair | None = None,
    ) -> Problem:  # fmt: skip
        """A finding about an operand in this place."""
        return Problem(about, message, where, label, operand=self.name, expected=expected, actual=actual,
                       rule=rule, help=help, repair=repair)  # fmt: skip

    def takes_constant(self, kind: Kind) -> bool:
        """Whether a constant suits the type; places for integers accept no floats."""
        assert self.type is not None
        if self.rule is None or not self.context.follows_ptxas:
            return takes_constant(self.type, kind)
        if self.rule.strict and self.type.kind != "f" and kind.sort == kinds.FLOAT:
            return False
        if self.operand_rule.needs_short_floats(self.m.written) and kind.sort == kinds.FLOAT and kind.bits == 64:
            return False
        return takes_constant(self.rule.type, kind)

    @property
    def takes_one(self) -> bool:
        """Whether the assembler accepts one value here where the document requires a list."""
        return self.count > 0 and self.context.follows_ptxas and self.operand_rule.says("one value")

    @property
    def takes_functions(self) -> bool:
        """Whether the assembler accepts the name of a function here: not if the operand has a type of its own."""
        return self.allows.function and not self.count and (self.rule is None or not self.rule.strict)

    @property
    def space(self) -> str | None:
        """The space of an address: named by the opcode, or required by the instruction."""
        said = self.form.space_of(self.name, self.m)
        return self.allows.space or said if said in (None, "generic") else said

    @property
    def writes(self) -> bool:
        """Whether this is a destination."""
        return self.template.role == "write"

    @property
    def updates(self) -> bool:
        """Whether this is a destination that is read too."""
        return self.name in self.form.instruction.updates

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
