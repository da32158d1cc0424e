"""Every word that PTX has is explained: modifiers of the manual, directives, attributes, pragmas."""

from __future__ import annotations

from openptx.explanations.directives import MEANINGS, SYNTAX
from openptx.explanations.modifier_meanings import LIKE, MODIFIERS, OF_MNEMONIC, meaning_of
from openptx.explanations.special_registers import MEANINGS as REGISTERS
from openptx.explanations.special_registers import meaning
from openptx.isa.directives import ATTRIBUTES, DIRECTIVES, NAMES, PRAGMAS
from openptx.isa.notation import INSTRUCTIONS, load
from openptx.isa.special_registers import SPECIAL_REGISTERS

MANUAL = (9, 1)
"""The version of the manual; it does not describe what is newer."""


def test_every_modifier_of_the_manual_has_a_meaning() -> None:
    load()
    known = {
        (each.mnemonic, choice)
        for each in INSTRUCTIONS
        for form in each.forms
        if form.since[0] <= MANUAL
        for slot in form.slots
        for choice in slot.choices
    }
    assert {(mnemonic, choice) for mnemonic, choice in known if not meaning_of(choice, mnemonic)} == set()


def test_no_meaning_is_of_a_modifier_or_an_instruction_that_does_not_exist() -> None:
    declared = load()
    words = {
        choice
        for each in INSTRUCTIONS
        for choice in (
            *each.parts[1:],
            *(choice for form in each.forms for slot in form.slots for choice in slot.choices),
        )
    }
    policies = {word.partition("::")[2] for word in words}
    assert {word for word in MODIFIERS if word not in words | policies} == set()
    assert {mnemonic for mnemonic in (*LIKE, *LIKE.values()) if mnemonic not in declared} == set()
    like = {
        mnemonic: {mnemonic, *(name for name, other in LIKE.items() if other == mnemonic)}
        for mnemonic, _ in OF_MNEMONIC
    }
    users = {
        (each.mnemonic, word)
        for each in INSTRUCTIONS
        for form in each.forms
        for slot in form.slots
        for word in slot.choices
    }
    users |= {(each.mnemonic, part) for each in INSTRUCTIONS for part in each.parts[1:]}
    unused = {
        (mnemonic, word) for mnemonic, word in OF_MNEMONIC if not users & {(name, word) for name in like[mnemonic]}
    }
    assert unused == set()


def test_every_directive_has_a_page() -> None:
    names = {*DIRECTIVES, *ATTRIBUTES, *PRAGMAS, *(name.removeprefix(".") for name in NAMES)}
    assert names == set(SYNTAX) == set(MEANINGS)


def test_every_special_register_has_a_meaning() -> None:
    assert {meaning(name) for name in SPECIAL_REGISTERS} == set(REGISTERS.values())
