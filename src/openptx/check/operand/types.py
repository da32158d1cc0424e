"""The register types that an operand takes: Tables 26 to 28 (`isa/agreement.py`) and where the assembler differs."""

from __future__ import annotations

from openptx.isa import agreement
from openptx.isa.notation.forms import FIXED
from openptx.isa.notation.operand_rules import operand_rule
from openptx.isa.types import TYPES, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.operand.kinds import Kind
    from openptx.isa.notation.forms import Form, Modifiers
    from openptx.isa.notation.slots import Template


class Rule:
    """How an operand's register is judged: by which type, `relaxed` by Tables 27 and 28, `strict`: integers alone.

    `exact`: a register of the very type. `pointer`: the address of a function, in 32 or 64 bits. `pairs`: `.f16x2`
    registers pass for integers.
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
        """Whether a register of this type fits where a constant is added to it: where it may, any width will do."""
        wanted = self.type
        if self.pointer or self.exact or self.strict:
            return self.takes(declared)
        if wanted.kind == "pred" or declared.kind == "pred" or declared.name == "f16x2":
            return self.takes(declared) or (declared.name == "f16x2" and wanted.kind in "bsu")
        if wanted.kind == "f" and (wanted.count > 1 or not wanted.fundamental):
            return declared.kind == "b"
        return agreement.basic(wanted, declared)

    def _takes_pair(self, wanted: Type) -> bool:
        """`.f16x2` registers pass for 32-bit integers and predicates, unless the operand's type is fixed."""
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
    relaxed = form.instruction.allows_wider_registers or (follows_ptxas and said.says("wider"))
    if form.instruction.converts and follows_ptxas:
        relaxed = relaxed_conversion(form, m, template)
    found = Rule(wanted, relaxed, strict, follows_ptxas, follows_ptxas and said.says("exactly"))
    found.pointer = said.says("an address")
    found.pairs = not said.says("no pairs")
    return found


def is_fixed(form: Form, template: Template) -> bool:
    """Whether the operand's type is not the opcode's to say: shift amounts, lane masks, sums of dot products."""
    declared = form.instruction.types.get(template.name) or FIXED.get(template.name)
    return template.pair if declared is None else declared in TYPES


def relaxed_conversion(form: Form, m: Modifiers, template: Template) -> bool:
    """Whether Tables 27 and 28 apply to a `cvt`: not with bf16 on either side, and with packed formats only in part."""
    d, a = m.values.get("dtype"), m.values.get("atype")
    if d is None or a is None or "bf16" in (d.name, a.name):
        return False
    if d.count == 1 and a.count == 1 and d.name != "tf32":
        return True
    return d.name == "f16x2" and a.name == "f32" and template.name in ("d", "a", "b")


def takes_constant(wanted: Type, kind: Kind) -> bool:
    """Whether a constant may stand where the instruction says `wanted`."""
    if kind.sort == "integer":
        return agreement.takes_integer(wanted)
    return agreement.takes_float(wanted, kind.bits)
