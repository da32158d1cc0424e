"""Generates statements from declarations: every form, every choice of modifiers, operands of the right types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.check.operand.slot import Rule
from openptx.isa.notation import INSTRUCTIONS, Form, Modifiers, load, refusal
from openptx.isa.types import TYPES, Type

if TYPE_CHECKING:
    from collections.abc import Iterator

_REGISTERS = "b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f16x2 f32 f64 pred"
DECLARATIONS = " ".join(f".reg .{name} {name}_<300>;" for name in _REGISTERS.split())

# What an immediate must be where 1 will not do.
_IMMEDIATES = {
    "cp-size": "16",
    "size": "128",
    "initval": "0",
    "f": "0",
    "sp-sel": "0",
    "imm-reg-count": "24",
    "membermask": "-1",
}

# Operands that are names of other things.
_LEFT_OUT = ("call", "bra", "brx.idx")


class _Registers:
    """Hands out registers, a new one each time."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, type: Type | None) -> str:
        self.count += 1
        name = "b64" if type is None else Rule(type, relaxed=False, strict=False, follows_ptxas=True).registers()[0]
        return f"{name}_{self.count}"


def statements() -> Iterator[tuple[Form, Modifiers, str]]:
    """Forms that the assembler has, one slot varied at a time, with every operand list that they allow."""
    load()
    for instruction in INSTRUCTIONS:
        if instruction.name in _LEFT_OUT:
            continue
        for form in instruction.forms:
            if "ptxas" not in form.profiles:
                continue
            for modifiers in _varied(form):
                m = form.match(tuple(part for modifier in modifiers for part in modifier.split(".")))
                if m is None or refusal(form, m) is not None:
                    continue
                opcode = ".".join((instruction.name, *modifiers))
                for layout in form.layouts(m):
                    yield form, m, f"{opcode} {', '.join(_operands(form, m, layout))};"


def _varied(form: Form) -> Iterator[list[str]]:
    """The required modifiers, then one choice of one slot after the other beside them."""
    least = [None if slot.optional else next(iter(slot.choices)) for slot in form.slots]
    seen: set[tuple[str | None, ...]] = set()
    for i, slot in [(-1, None), *enumerate(form.slots)]:
        for choice in slot.choices if slot else [None]:
            taken = list(least)
            if slot is not None:
                taken[i] = choice
                for j, other in enumerate(form.slots):
                    if slot.group and other.group == slot.group and j != i:
                        taken[j] = next(iter(other.choices))
            if tuple(taken) not in seen:
                seen.add(tuple(taken))
                yield [modifier for modifier in taken if modifier is not None]


def _operands(form: Form, m: Modifiers, layout: tuple[int, ...]) -> Iterator[str]:
    register = _Registers()
    for i in layout:
        text = _operand(form, m, i, register)
        if i + 1 < len(form.operands) and form.operands[i + 1].pair and not form.operands[i + 1].optional:
            text += f"|{register(TYPES['pred'])}"
        yield text


def _operand(form: Form, m: Modifiers, i: int, register: _Registers) -> str:
    template = form.operands[i]
    if template.role == "address":
        base = "b32_1" if template.bits == 32 else "b64_1"
        parts = [_part(form, m, part, register) for part in template.parts[1:]]
        return f"[{', '.join((base, *parts))}]"
    if template.role == "sink":
        return "_"
    if template.role == "immediate":
        return _IMMEDIATES.get(template.name, "1")
    if template.elements:
        if "byte-id" in template.name:
            return "{0, 0}"
        return f"{{{', '.join(register(form.type_of(each, m)) for each in template.elements)}}}"
    count = form.count(template, m)
    type = TYPES["pred"] if template.pair else form.type_of(template.name, m)
    if count and (form.instruction.name != "mov" or m.vec):
        return f"{{{', '.join(register(type) for _ in range(count))}}}"
    return register(type) + (f".{template.selectors[0]}" if template.selected else "")


def _part(form: Form, m: Modifiers, part: str, register: _Registers) -> str:
    """A part of an address after its base: a list, or a register where the form has one integer."""
    count, type = form.count_of(part, m), form.type_of(part, m)
    if not count and type is not None and type.kind in "bsu":
        return register(type)
    return f"{{{', '.join(register(type) for _ in range(max(count, 1)))}}}"
