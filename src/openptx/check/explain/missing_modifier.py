"""Explains an opcode that lacks a modifier: which modifiers are possible there."""

from __future__ import annotations

from openptx.check.problems import Problem, rewrite
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import Instruction, resolve
from openptx.isa.notation.forms import Form
from openptx.isa.notation.slots import Slot

_RULE = "PTX ISA, Instruction Set (9.7)"
MOST = 14
"""The maximum number of choices shown."""


def missing_modifier(opcode: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """A required modifier is missing: the form that lacks the fewest."""
    forms = [
        (form, modifiers[len(each.parts) - 1 :])
        for each in instructions
        if list(each.parts[1:]) == modifiers[: len(each.parts) - 1]
        for form in each.forms
    ]
    lacking = [(lacks, form) for form, own in forms if (lacks := _lacks(form, own))]
    if not lacking:
        return None
    lacks, form = min(lacking, key=lambda found: len(found[0]))
    slot = lacks[0]
    choices = _choices(slot, [each[0] for each, _ in lacking if len(each) == len(lacks)])
    rounding = set(choices) <= ROUNDING.keys()
    if rounding:
        legal = [each for each in ROUNDING if resolve(f"{form.instruction.name}.{each}{_tail(opcode, form)}")]
        choices = legal or choices
    what = "a type" if slot.typed else f"`.{choices[0]}`" if len(choices) == 1 else "one of its modifiers"
    if rounding:
        what = "a rounding modifier"
    shown = " ".join(f".{choice}" for choice in choices[:MOST]) + " ..." * (len(choices) > MOST)
    fixed = _completed(opcode, form, modifiers, slot, choices)
    return Problem(
        "missing-type" if slot.typed else "rounding-required" if rounding else "missing-modifier",
        f"`{opcode}` needs {what}",
        label=f"one of {shown}" if len(choices) > 1 else f"expected {shown}",
        expected=shown,
        actual="none",
        rule=_RULE,
        help=f"write `{fixed}`{', or one of the others' * (len(choices) > 1)}"
        if fixed
        else f"its form is `{form.text}`",
        repair=rewrite(fixed, SUGGESTION if len(choices) > 1 else SAFE) if fixed else None,
    )


def _choices(slot: Slot, others: list[Slot]) -> list[str]:
    """The choices for a slot, in this form and in others that lack the same one."""
    found = dict.fromkeys(slot.choices)
    for other in others:
        if other.name == slot.name or (other.typed and slot.typed):
            found |= dict.fromkeys(other.choices)
    return list(found)


def nameless(opcode: str, mnemonic: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """The rest of a name is missing: `mbarrier.b64`, `suld.1d.b32.trap`."""
    if any(list(each.parts[1:]) == modifiers[: len(each.parts) - 1] for each in instructions):
        return None
    choices = list(dict.fromkeys(each.parts[1] for each in instructions))
    if any(choice in modifiers for choice in choices):
        return None
    fitting = [fixed for choice in choices if resolve(fixed := ".".join((mnemonic, choice, *modifiers)))]
    shown = " ".join(f".{choice}" for choice in choices)
    return Problem(
        "missing-modifier",
        f"`{opcode}` needs the rest of its name after `{mnemonic}`"
        if len(choices) > 1
        else f"`{opcode}` needs {shown}",
        label=f"one of {shown}" if len(choices) > 1 else f"expected {shown}",
        expected=shown,
        actual="none",
        rule=_RULE,
        help=f"write `{fitting[0]}`{', or one of the others' * (len(fitting) > 1)}" if fitting else None,
        repair=rewrite(fitting[0], SUGGESTION if len(fitting) > 1 else SAFE) if fitting else None,
    )


def _lacks(form: Form, modifiers: list[str]) -> list[Slot]:
    """The mandatory slots of a form that these modifiers leave empty; none if the modifiers do not fit."""
    left = list(form.slots)
    for modifier in modifiers:
        slot = next((s for s in left if modifier in s.choices), None)
        if slot is None:
            return []
        left.remove(slot)
    return [slot for slot in left if not slot.optional]


def _tail(opcode: str, form: Form) -> str:
    return opcode[len(form.instruction.name) :]


def _completed(opcode: str, form: Form, modifiers: list[str], slot: Slot, choices: list[str]) -> str | None:
    """The opcode with the missing modifier; `.lo` rather than `.hi`, because that is nearly always meant."""
    choice = "lo" if "lo" in choices else choices[0]
    own = modifiers[len(form.instruction.parts) - 1 :]
    before = [m for s in form.slots[: form.slots.index(slot)] for m in own if m in s.choices]
    after = [m for m in own if m not in before]
    fixed = ".".join((form.instruction.name, *before, choice, *after))
    return fixed if not slot.typed and resolve(fixed) else None
