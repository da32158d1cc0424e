"""Explains that an opcode lacks a modifier: which ones are possible, and which is probably meant."""

from __future__ import annotations

from openptx.check.problems import INSTRUCTION_SET, Problem, rewrite
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import Instruction, resolve
from openptx.isa.notation.forms import Form
from openptx.isa.notation.slots import Slot

ITS_FORM = "its form is "
"""How help begins that only quotes the notation of a form."""
MOST = 14
"""The maximum number of choices shown."""


def missing_modifier(opcode: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """A required modifier is missing: the form that lacks the fewest."""
    lacking = [
        (lacks, form) for each in instructions for form in each.forms if (lacks := lacking_slots(form, modifiers))
    ]
    if not lacking:
        return None
    lacks, form = min(lacking, key=lambda found: len(found[0]))
    first = [each[0] for each, _ in lacking if len(each) == len(lacks)]
    slot, choices = lacks[0], _choices(lacks[0], first)
    fixed = _usual(form, modifiers, slot, choices)
    every = {choice for each in first for choice in each.choices}
    if every & ROUNDING.keys() and every <= _ROUNDED:
        return _missing_rounding(opcode, form, choices, fixed)
    what = "a type" if slot.typed else _KINDS.get(slot.name) or _listed(choices)
    return _missing("missing-type" if slot.typed else "missing-modifier", opcode, form, what, choices, fixed)


def half_of_order(opcode: str, modifiers: list[str], instructions: list[Instruction]) -> Problem | None:
    """An order without its scope, or a scope without its order, where a form takes both or none."""
    for form in (form for each in instructions for form in each.forms):
        for slot in form.slots:
            if slot.name not in ("sem", "scope") or not slot.optional or not slot.choices.keys().isdisjoint(modifiers):
                continue
            valid = {
                choice: fixed for choice in slot.choices if resolve(fixed := completed(form, modifiers, slot, choice))
            }
            if valid:
                what = _KINDS.get(slot.name) or _listed(list(valid))
                return _missing("missing-modifier", opcode, form, what, list(valid), next(iter(valid.values())))
    return None


_KINDS = {"space": "a state space", "scope": "a scope", "shape": "a shape", "op": "an operation"}
"""What slots of these names are for."""


def _listed(choices: list[str]) -> str:
    """The modifiers of which one is missing, if they are few."""
    *others, last = (f"`.{choice}`" for choice in choices)
    if len(others) > 3:
        return "one of its modifiers"
    return f"{', '.join(others)} or {last}" if others else last


def _missing_rounding(opcode: str, form: Form, choices: list[str], fixed: str | None) -> Problem:
    inserted = {way: f"{form.instruction.name}.{way}{opcode[len(form.instruction.name) :]}" for way in _ROUNDED}
    choices = [way for way in _ROUNDED if resolve(inserted[way])] or choices
    fixed = inserted[choices[0]] if resolve(inserted[choices[0]]) else fixed
    return _missing("rounding-required", opcode, form, "a rounding modifier", choices, fixed)


def _missing(name: str, opcode: str, form: Form, what: str, choices: list[str], fixed: str | None) -> Problem:
    """The problem that one of `choices` is missing; `fixed`: the opcode with the first of them."""
    shown = " ".join(f".{choice}" for choice in choices[:MOST]) + " ..." * (len(choices) > MOST)
    several = len(choices) > 1
    certain = fixed and (not several or _USUAL & {*fixed.split(".")}.difference(opcode.split(".")))
    return Problem(
        name, f"`{opcode}` needs {what}", label=f"one of {shown}" if several else f"expected {shown}",
        expected=shown, actual="none", rule=INSTRUCTION_SET,
        help=f"write `{fixed}`{', or one of the others' * several}" if fixed else f"{ITS_FORM}`{form.text}`",
        repair=rewrite(fixed, SUGGESTION if several else SAFE) if fixed and certain else None,
    )  # fmt: skip


_USUAL = {"lo", "global", "rn", "rzi"}
"""What is nearly always meant where one of several modifiers is missing; no other choice is made for the user."""


_ROUNDED = dict.fromkeys((*ROUNDING, "approx", "full")).keys()


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
        rule=INSTRUCTION_SET,
        help=f"write `{fitting[0]}`{', or one of the others' * (len(fitting) > 1)}" if fitting else None,
        repair=rewrite(fitting[0], SUGGESTION if len(fitting) > 1 else SAFE) if fitting else None,
    )


def lacking_slots(form: Form, modifiers: list[str]) -> list[Slot]:
    """The mandatory slots of a form that these modifiers leave empty; none if the modifiers do not fit."""
    name = form.instruction.parts[1:]
    if list(name) != modifiers[: len(name)]:
        return []
    left = list(form.slots)
    for modifier in modifiers[len(name) :]:
        slot = next((s for s in left if modifier in s.choices), None)
        if slot is None:
            return []
        left.remove(slot)
    return [slot for slot in left if not slot.optional]


def completed(form: Form, modifiers: list[str], slot: Slot, choice: str) -> str:
    """The opcode with one modifier more, in the place of its slot."""
    own = modifiers[len(form.instruction.parts) - 1 :]
    if choice == "sync" and "aligned" not in own and any("aligned" in each.choices for each in form.slots):
        choice = "sync.aligned"  # as the document has it, though the assembler takes `.sync` alone
    before = [m for s in form.slots[: form.slots.index(slot)] for m in own if m in s.choices]
    after = [m for m in own if m not in before]
    return ".".join((form.instruction.name, *before, choice, *after))


def _usual(form: Form, modifiers: list[str], slot: Slot, choices: list[str]) -> str | None:
    """The opcode with the missing modifier: `.lo` or `.global` if it is possible, because that is nearly always
    meant."""
    choice = next((each for each in ("lo", "global") if each in choices), choices[0])
    fixed = completed(form, modifiers, slot, choice)
    return fixed if not slot.typed and resolve(fixed) else None
