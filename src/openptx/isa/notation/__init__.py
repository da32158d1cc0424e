"""How instructions are declared: the manual's notation, parsed into forms (`parser`), and their registry.

`instruction` and `meaning` are what a module of `isa/instructions/` needs; docs/add-an-instruction.md walks through it.
"""

from __future__ import annotations

from openptx.isa.notation.declaration import Instruction
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.notation.registry import (
    INSTRUCTIONS,
    instruction,
    instructions_of,
    load,
    meaning,
    refusal,
    refused,
    resolve,
)
from openptx.isa.notation.slots import Slot, Template

__all__ = [
    "INSTRUCTIONS",
    "Form",
    "Instruction",
    "Modifiers",
    "Slot",
    "Template",
    "instruction",
    "instructions_of",
    "load",
    "meaning",
    "refusal",
    "refused",
    "resolve",
]
