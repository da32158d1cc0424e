"""Explains modifiers: one sentence each, and the instructions that have them."""

from __future__ import annotations

from openptx.diagnostics.terminal import title
from openptx.explanations.modifier_meanings import MODIFIERS, meaning_of
from openptx.isa.costs import cost_of
from openptx.isa.notation import INSTRUCTIONS, Instruction, load


def explain_modifier(word: str, mnemonic: str = "") -> str | None:
    """A modifier, as it is meant in an instruction if one is given, and every instruction that has it."""
    modifier = word.lstrip(".")
    users = instructions_with(modifier)
    if not users and modifier not in MODIFIERS:
        return None
    text = meaning_of(modifier, mnemonic)
    lines = [title(f".{modifier}"), *([text] if text else [])]
    if (cost := cost_of(modifier)) is not None:
        note = f": {cost.note}" if cost.note else ""
        lines.append(f"an operand there costs {cost}{note} (Table 19)")
    return "\n".join([*lines, "", f"in: {' '.join(users) if users else 'no instruction that is declared here'}"])


def instructions_with(modifier: str) -> list[str]:
    """The mnemonics that have a modifier in one of their forms."""
    load()
    return list(dict.fromkeys(each.mnemonic for each in INSTRUCTIONS if modifier in modifiers_of(each)))


def modifiers_of(each: Instruction) -> set[str]:
    """Every modifier of an instruction."""
    return {choice for form in each.forms for slot in form.slots for choice in slot.choices} | set(each.parts[1:])
