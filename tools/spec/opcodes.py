"""Every opcode of an instruction: its forms with each choice of modifiers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from openptx.isa.notation import Instruction, resolve
from openptx.isa.notation.forms import Form, Modifiers


def opcodes(instruction: Instruction) -> Iterator[tuple[str, Form, Modifiers]]:
    """Opcodes with the form and the modifiers that they mean; each once a form."""
    for form in instruction.forms:
        seen: set[str] = set()
        choices = [[*slot.choices, None] if slot.optional else list(slot.choices) for slot in form.slots]
        for picked in product(*choices):
            opcode = ".".join((instruction.name, *(c for c in picked if c is not None)))
            if opcode in seen:
                continue
            seen.add(opcode)
            for found, m in resolve(opcode):
                if found is form:
                    yield opcode, form, m
                    break
