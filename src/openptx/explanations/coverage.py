"""Coverage of the instruction set, computed from the registries: which forms are declared, have a meaning, have a
test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product

from openptx.isa.notation import INSTRUCTIONS, Instruction, load
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.tested import witnesses

KINDS = ("exact", "engine", "bounded", "modelled", "unsupported")
"""Fidelities of forms, the best first; `engine` is control flow, which every engine implements itself."""
SAMPLES = 64


@dataclass(slots=True)
class Row:
    """One module of `isa/instructions`: a section of 9.7, or a part of one."""

    section: str
    module: str
    mnemonics: set[str] = field(default_factory=set[str])
    forms: Counter[str] = field(default_factory=Counter[str])
    tested: int = 0


def coverage() -> list[Row]:
    """A row for each module, in the manual's order."""
    load()
    rows: dict[str, Row] = {}
    for instruction in INSTRUCTIONS:
        row = rows.setdefault(instruction.module, Row(instruction.section, instruction.module))
        row.mnemonics.add(instruction.mnemonic)
        found = kinds(instruction)
        row.forms.update(found)
        tested = zip(instruction.forms, found, strict=True)
        row.tested += sum(kind != "unsupported" and form in witnesses() for form, kind in tested)
    return list(rows.values())


def kinds(instruction: Instruction) -> list[str]:
    """The fidelity of each form."""
    return [kind(instruction, form) for form in instruction.forms]


def kind(instruction: Instruction, form: Form) -> str:
    """The fidelity of a form; if it depends on modifiers, the worst. Forms of the manual that the assembler refuses run
    in profile isa."""
    if instruction.meaning is None:
        return "engine" if instruction.control else "unsupported"
    return max((instruction.fidelity(m).kind for m in samples(form)), key=KINDS.index)


def samples(form: Form) -> Iterator[Modifiers]:
    """Opcodes of a form: the combinations of its required modifiers, up to a limit."""
    choices = (slot.choices for slot in form.slots if not slot.optional)
    for combination in islice(product(*choices), SAMPLES):
        m = form.match(tuple(modifier for choice in combination for modifier in choice.split(".")))
        if m is not None:
            yield m


def table(rows: list[Row]) -> list[list[str]]:
    """The rows as text, with a header and a line of sums: `run` can be executed, and `tested` of these are executed by
    a test."""
    head = ["section", "module", "instructions", "forms", "run", "tested", *KINDS]
    body = [[row.section, row.module, str(len(row.mnemonics)), *counts(row.forms, row.tested)] for row in rows]
    everything = sum((row.forms for row in rows), Counter[str]())
    mnemonics = set[str]().union(*(row.mnemonics for row in rows))
    tested = sum(row.tested for row in rows)
    return [head, *body, ["", "all", str(len(mnemonics)), *counts(everything, tested)]]


def counts(forms: Counter[str], tested: int) -> list[str]:
    """The number of forms, of those that run, of those that a test executes, and of those of each fidelity."""
    run = forms.total() - forms["unsupported"]
    return [str(forms.total()), str(run), str(tested), *(str(forms[kind]) for kind in KINDS)]


def aligned(rows: list[list[str]]) -> str:
    """Rows as columns: the first two left-aligned, numbers right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def line(row: list[str]) -> str:
        cells = zip(row, widths, strict=True)
        return "  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(cells)).rstrip()

    return "\n".join(map(line, rows))


def markdown(rows: list[list[str]]) -> str:
    """Rows as a Markdown table."""
    head, *body = rows
    rule = ["---", "---", *["--:"] * (len(head) - 2)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])
