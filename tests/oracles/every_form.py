"""A valid statement for every form of every instruction with each of its modifiers, alone or in pairs."""

from __future__ import annotations

import re
from itertools import combinations

from any_statements import VERSIONS, Statements, fitting

from openptx.isa.notation import Form, Instruction, Modifiers, refusal
from openptx.isa.targets import TARGETS
from openptx.isa.types import Type

_TRIES = 12
_VERSION = re.compile(r"PTX (\d+)\.(\d+)")
_ALWAYS = ((7, 0), (8, 0), (9, 0))
Version = tuple[int, int]
Wanted = dict[int, str]
"""Slots of a form, by position, and the modifier that each must have."""


class ValidStatements(Statements):
    """Statements with an operand of the right kind in each place."""

    def all(self, pairs: bool = False) -> list[tuple[Instruction, str]]:
        """One for each opcode that differs from a shortest one in a modifier, or in two.

        Where no valid opcode was found with them, the statement is one that should be refused.
        """
        found: dict[tuple[str, int], tuple[Instruction, str]] = {}
        for instruction in self.instructions:
            for i, form in enumerate(instruction.forms):
                if "ptxas" in form.profiles:
                    for wanted in wishes(form, pairs):
                        if statement := self._with(form, wanted):
                            found.setdefault((statement.split(" ")[0], i), (instruction, statement))
        return list(found.values())

    def _with(self, form: Form, wanted: Wanted) -> str | None:
        invalid: str | None = None
        for i in range(_TRIES):
            modifiers = self._filled(form, wanted, shortest=not i)
            m = form.match(tuple(part for modifier in modifiers for part in modifier.split(".")))
            layouts = form.layouts(m) if m else ()
            if m and layouts:
                statement = self._written(form, m, modifiers, layouts[0])
                if not refusal(form, m):
                    return statement
                invalid = invalid or statement
        return invalid

    def _written(self, form: Form, m: Modifiers, modifiers: list[str], layout: tuple[int, ...]) -> str:
        operands = ", ".join(self._operand(form, m, i) for i in layout)
        return f"{'.'.join((form.instruction.name, *modifiers))} {operands};".replace(" ;", ";")

    def _filled(self, form: Form, wanted: Wanted, shortest: bool) -> list[str]:
        groups = {form.slots[i].group for i in wanted} - {0}
        chosen: list[str] = []
        for i, slot in enumerate(form.slots):
            rarely = not shortest and not slot.group and self.dice.random() < 0.25
            aligned = "aligned" in slot.choices  # optional before PTX 6.3
            if i in wanted:
                chosen.append(wanted[i])
            elif not slot.optional or slot.group in groups or aligned or rarely:
                choices = list(slot.choices)
                chosen.append(choices[0] if shortest else self.dice.choice(choices))
        return chosen

    def _scalar(self, type: Type | None, source: bool) -> str:
        return f"{self.dice.choice(fitting(type) or ['b64'])}_{self.dice.randrange(20)}"

    def _list(self, type: Type | None, count: int, source: bool) -> str:
        return f"{{{', '.join(self._scalar(type, source) for _ in range(count))}}}"

    def _plain(self, form: Form, m: Modifiers, i: int) -> str:
        template = form.operands[i]
        if template.role == "immediate":
            return "0" if "sel" in template.name else "1"
        if template.role != "address" and template.name.endswith("desc") and not form.count(template, m):
            return f"u64_{self.dice.randrange(20)}"
        return super()._plain(form, m, i)

    def _address(self, form: Form, m: Modifiers, i: int) -> str:
        template = form.operands[i]
        parts = [
            self._list(form.type_of(part, m), max(form.count_of(part, m), 1), source=True)
            for part in template.parts[1:]
        ]
        base = f"{'b32' if template.bits == 32 else 'b64'}_{self.dice.randrange(20)}"
        return f"[{', '.join((base, *parts))}]"


def wishes(form: Form, pairs: bool) -> list[Wanted]:
    """Nothing, each modifier of each slot, and each two modifiers of two slots."""
    choices = [(i, choice) for i, slot in enumerate(form.slots) for choice in slot.choices]
    found: list[Wanted] = [{}, *({i: choice} for i, choice in choices)]
    if pairs:
        found += [{i: a, j: b} for (i, a), (j, b) in combinations(choices, 2) if i != j]
    return found


def versions(instruction: Instruction, target: str) -> list[Version]:
    """Three versions, those in which something of the instruction is new, and those just before, that a target has."""
    text = " ".join((instruction.syntax, instruction.gates, *instruction.operand_gates.values()))
    new = {(int(major), int(minor)) for major, minor in _VERSION.findall(text)}.intersection(VERSIONS)
    before = {VERSIONS[VERSIONS.index(each) - 1] for each in new if each != VERSIONS[0]}
    return sorted(each for each in new | before | {*_ALWAYS} if each >= TARGETS[target].since)
