"""Random statements generated from the declarations of instructions, every other one with an error."""

from __future__ import annotations

import random

from openptx.check.operand.slot import Rule
from openptx.isa.notation import INSTRUCTIONS, Form, Modifiers, load
from openptx.isa.targets import TARGETS
from openptx.isa.types import TYPES, Type

REGISTERS = "b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f16x2 f32 f64 pred"
SINCE = {"b128": ((8, 3), 70), "f16x2": ((4, 2), 53)}
"""Types of registers that older files do not have, and those for older targets."""
OLDEST = ((1, 0), 0)
LABELLED = frozenset(("call", "bra", "brx.idx"))
"""Their operands are names of other things."""

_LAST = {1: 5, 2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: 5}
VERSIONS = [(major, minor) for major, last in _LAST.items() for minor in range(last + 1)]
_IMMEDIATES = ("0", "1", "2", "3", "4", "7", "8", "15", "16", "24", "31", "32", "64", "128", "256", "65536", "-1")
_ODD = ("1.0", "0f3F800000", "0x100000000", "0x8000000000000000U", "WARP_SZ", "%tid.x", "%clock64", "gv", "sv", "_")

Context = tuple[tuple[int, int], str]


def contexts() -> list[Context]:
    """Every version with every target that it has."""
    return [
        (version, target.name)
        for target in TARGETS.values()
        for version in VERSIONS
        if version >= target.since and not (target.renamed and version >= (9, 0))
    ]


def fitting(type: Type | None) -> list[str]:
    """The types of registers that an operand of this type may have."""
    return list(Rule(type, relaxed=False, strict=False, follows_ptxas=True).registers()) if type else []


def module(context: Context, statements: list[str]) -> str:
    """A file with one statement a line, the first of them in line 6."""
    (major, minor), target = context
    wide = ".address_size 64" if (major, minor) >= (2, 3) else ""
    number, version = TARGETS[target].number, (major, minor)
    registers = " ".join(
        f".reg .{name} {name}_<20>;"
        for name in REGISTERS.split()
        if version >= SINCE.get(name, OLDEST)[0] and number >= SINCE.get(name, OLDEST)[1]
    )
    body = "\n".join(f"{{ {statement} }}" for statement in statements)
    head = f".version {major}.{minor}\n.target {target}\n{wide}\n"
    memory = ".global .align 16 .b8 gv[64]; .shared .align 16 .b8 sv[64];"
    return f"{head}{memory}\n.entry k() {{ {registers}\n{body}\nexit; }}\n"


class Statements:
    """Statements for one random seed."""

    def __init__(self, dice: random.Random) -> None:
        load()
        self.dice = dice
        self.instructions = [each for each in INSTRUCTIONS if each.name not in LABELLED]
        self.modifiers = sorted(
            {c for each in self.instructions for form in each.forms for slot in form.slots for c in slot.choices}
        )

    def one(self) -> str:
        """A statement."""
        dice = self.dice
        while True:
            form = dice.choice(dice.choice(self.instructions).forms)
            modifiers = self._chosen(form)
            m = form.match(tuple(part for modifier in modifiers for part in modifier.split(".")))
            if m is None:
                continue
            layouts = form.layouts(m)
            if not layouts:
                continue
            operands = [self._operand(form, m, i) for i in dice.choice(layouts)]
            mistake = dice.random()
            if mistake < 0.12:
                self._misspell(modifiers)
            elif mistake < 0.18:
                self._misplace(operands)
            opcode = ".".join((form.instruction.name, *modifiers))
            guard = dice.choice(("@pred_1 ", "@!pred_2 ")) if dice.random() < 0.05 else ""
            return f"{guard}{opcode} {', '.join(operands)};".replace(" ;", ";")

    def _chosen(self, form: Form) -> list[str]:
        dice = self.dice
        groups: dict[int, bool] = {}
        chosen: list[str] = []
        for slot in form.slots:
            present = not slot.optional or dice.random() < 0.3
            if slot.group:
                present = groups.setdefault(slot.group, present)
            if present:
                chosen.append(dice.choice(list(slot.choices)))
        return chosen

    def _misspell(self, modifiers: list[str]) -> None:
        """A modifier lost, doubled, exchanged for any other, or moved."""
        dice = self.dice
        if not modifiers:
            modifiers.append(dice.choice(self.modifiers))
            return
        i = dice.randrange(len(modifiers))
        match dice.randrange(4):
            case 0:
                del modifiers[i]
            case 1:
                modifiers.insert(i, modifiers[i])
            case 2:
                modifiers[i] = dice.choice(self.modifiers)
            case _:
                modifiers.insert(dice.randrange(len(modifiers)), modifiers.pop(i))

    def _misplace(self, operands: list[str]) -> None:
        """An operand lost, doubled or moved."""
        dice = self.dice
        if not operands:
            return
        i = dice.randrange(len(operands))
        match dice.randrange(3):
            case 0:
                del operands[i]
            case 1:
                operands.insert(i, operands[i])
            case _:
                operands.insert(dice.randrange(len(operands)), operands.pop(i))

    def _register(self, type: Type | None) -> str:
        dice = self.dice
        name = dice.choice(REGISTERS.split()) if dice.random() < 0.06 else dice.choice(fitting(type) or ["b64"])
        return f"{name}_{dice.randrange(20)}"

    def _scalar(self, type: Type | None, source: bool) -> str:
        dice = self.dice
        if dice.random() < (0.15 if source else 0.01):
            return dice.choice(_IMMEDIATES) if dice.random() < 0.8 else dice.choice(_ODD)
        return self._register(type)

    def _list(self, type: Type | None, count: int, source: bool) -> str:
        dice = self.dice
        if dice.random() < 0.05:
            count = dice.choice((1, 2, 3, 4, 8))
        return f"{{{', '.join(self._scalar(type, source and dice.random() < 0.3) for _ in range(count))}}}"

    def _operand(self, form: Form, m: Modifiers, i: int) -> str:
        text = self._plain(form, m, i)
        following = form.operands[i + 1] if i + 1 < len(form.operands) else None
        if following is not None and following.pair and (not following.optional or self.dice.random() < 0.3):
            text += f"|{self._register(TYPES['pred'])}"
        return text

    def _plain(self, form: Form, m: Modifiers, i: int) -> str:
        dice, template = self.dice, form.operands[i]
        if template.role == "address":
            return self._address(form, m, i)
        if template.role == "sink":
            return "_"
        if template.role == "immediate":
            return dice.choice(_IMMEDIATES) if dice.random() < 0.9 else dice.choice(_ODD)
        source = template.role == "read"
        if template.elements:
            if "byte-id" in template.name:
                return "{0, 0}"
            return f"{{{', '.join(self._scalar(form.type_of(e, m), source) for e in template.elements)}}}"
        type = TYPES["pred"] if template.pair else form.type_of(template.name, m)
        if (count := form.count(template, m)) and (form.instruction.name != "mov" or m.vec):
            return self._list(type, count, source)
        if template.negatable and dice.random() < 0.3:
            return f"!{self._register(type)}"
        if template.minus and dice.random() < 0.3:
            return f"-{self._register(type)}"
        if template.selectors and (template.selected or dice.random() < 0.3):
            return f"{self._register(type)}.{template.selectors[0]}"
        return self._scalar(type, source)

    def _address(self, form: Form, m: Modifiers, i: int) -> str:
        dice, template = self.dice, form.operands[i]
        wide = "b32" if template.bits == 32 or dice.random() < 0.05 else "b64"
        base = dice.choice((f"{wide}_{dice.randrange(20)}", f"{wide}_1+{dice.choice((4, 16, -8, 1 << 24))}"))
        if dice.random() < 0.1:
            base = dice.choice(("gv", "sv", "sv+16", "gv+4", "64", self._register(TYPES["u32"])))
        return f"[{', '.join((base, *(self._part(form, m, part) for part in template.parts[1:])))}]"

    def _part(self, form: Form, m: Modifiers, part: str) -> str:
        """What follows the base of an address: a list, or a register where the form has one integer."""
        type, count = form.type_of(part, m), form.count_of(part, m)
        if not count and type is not None and type.kind in "bsu" and self.dice.random() < 0.9:
            return self._scalar(type, source=True)
        return self._list(type, max(count, 1), source=True)
