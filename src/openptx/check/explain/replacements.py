"""Explains modifiers that exist but not together: which one of them may be replaced, and by what."""

from __future__ import annotations

from openptx.check.explain.missing_modifiers import MOST
from openptx.check.explain.unknown_modifiers import sibling
from openptx.check.problems import INSTRUCTION_SET, Problem, rewrite
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import Instruction, resolve
from openptx.isa.types import TYPES

_COMPARED = {
    "lo": "lt", "ls": "le", "hi": "gt", "hs": "ge",
    "equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge",
}  # fmt: skip
"""The comparison that every type has, for the comparisons of unsigned integers and of floats."""


def replaceable(mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """The problem of an opcode that is valid with another modifier in the place of one: `atom.global.cas.u32`,
    `setp.lo.f32`, `mul.wide.u64`. None if there is no such place."""
    opcode = ".".join((mnemonic, *modifiers))
    others = valid_instead(mnemonic, modifiers, instructions)
    if not others:
        return None
    at, best = _meant(opcode, modifiers, others)
    names = list(dict.fromkeys(modifiers[i] for i in others))
    together = f"with {' and '.join(f'`.{name}`' for name in names)} together" if len(names) == 2 else None
    repairs = [f"`.{modifiers[i]}` by {_shown(found)}" for i, found in others.items()]
    fixed = replaced(mnemonic, modifiers, at, best) if best is not None else None
    return Problem(
        "no-such-form", f"`{mnemonic}` has no form {together or 'with these modifiers together'}",
        label=f"not `.{modifiers[at]}` with the others" if together is None else "not with the others",
        part=modifiers[at], actual=opcode, expected=fixed or "; ".join(repairs).replace("`", ""),
        rule=INSTRUCTION_SET,
        help=f"write `{fixed}`" if fixed else f"replace {', or '.join(repairs[:3])}",
        repair=rewrite(fixed) if fixed else None,
    )  # fmt: skip


def replaced(mnemonic: str, modifiers: list[str], at: int, other: str) -> str:
    """The opcode with another modifier at a position."""
    return ".".join((mnemonic, *modifiers[:at], other, *modifiers[at + 1 :]))


def valid_instead(mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> dict[int, list[str]]:
    """By position, the modifiers with which the opcode is valid there: types in the place of a type, and any in the
    place of one that no form has. Only forms with all modifiers but one are looked at, because every opcode that is
    tried costs time."""
    tried: dict[tuple[int, str], None] = {}
    for form in (form for each in instructions for form in each.forms):
        known = {*form.instruction.parts, *(choice for slot in form.slots for choice in slot.choices)}
        strange = [i for i, modifier in enumerate(modifiers) if modifier not in known]
        if len(strange) > 1:
            continue
        for i in strange or range(len(modifiers)):
            typed = modifiers[i] in TYPES
            slots = [slot for slot in form.slots if slot.typed == typed or (strange and not typed)]
            tried |= dict.fromkeys((i, choice) for slot in slots for choice in slot.choices)
    others: dict[int, list[str]] = {}
    for i, choice in sorted(tried, key=lambda each: each[0]):
        again = choice in modifiers and resolve(".".join((mnemonic, *modifiers[:i], *modifiers[i + 1 :])))
        if not again and resolve(replaced(mnemonic, modifiers, i, choice)):
            others.setdefault(i, []).append(choice)
    return others


def _meant(opcode: str, modifiers: list[str], others: dict[int, list[str]]) -> tuple[int, str | None]:
    """The place to replace, and the modifier that was probably meant there: the type of the same size, the comparison
    with the same meaning, or the only one possible."""
    for i, found in others.items():
        if (
            modifiers[i] in TYPES
            and modifiers.count(modifiers[i]) == 1
            and (swap := sibling(opcode, modifiers[i], found))
            and (at := swap.split(".")[i + 1]).startswith("bf") == modifiers[i].startswith("bf")  # or another format
        ):
            return i, at
    for i, found in others.items():
        if _COMPARED.get(modifiers[i]) in found:
            return i, _COMPARED[modifiers[i]]
    for i, found in others.items():
        if modifiers[i] in ROUNDING and found == ["rn"]:
            return i, "rn"
        if modifiers[i] in ("approx", "full") and "rn" in found:
            return i, "rn"
    at = next(iter(others)) if len(others) == 1 else max(others)
    return at, others[at][0] if len(others) == 1 and len(others[at]) == 1 else None


def _shown(found: list[str]) -> str:
    shown = " ".join(f"`.{each}`" for each in found[:MOST]) + " ..." * (len(found) > MOST)
    return f"one of {shown}" if len(found) > 1 else shown
