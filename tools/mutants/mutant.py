"""Mutants of compilers' files, reproducible by seed and files."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from mutants.edit import Edit
from mutants.rules import FILE_RULES, STATEMENT_RULES
from mutants.text import Source, Statement

OF_FILES = 0.3
"""How many of the mutants change something other than an instruction."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file with one mistake."""

    source: Source
    rule: str
    edit: Edit

    @property
    def text(self) -> str:
        start, end, new = self.edit
        return self.source.text[:start] + new + self.source.text[end:]

    @property
    def line(self) -> int:
        """The line of the mistake."""
        return self.source.line(self.edit[0])

    @property
    def lines(self) -> tuple[str, str]:
        """What stood in the lines of the mistake, and what stands there."""
        start, end, new = self.edit
        text = self.source.text
        left, right = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        right = len(text) if right < 0 else right
        return text[left:right].strip(), (text[left:start] + new + text[end:right]).strip()


class Mutants:
    """Draws from all files; a rare mnemonic comes as often as a common one."""

    def __init__(self, sources: list[Source], seed: int, rules: list[str] | None = None) -> None:
        self.dice = random.Random(seed)
        self.sources = sources
        self.rules = rules
        self.places: dict[str, dict[str, list[tuple[Source, Statement]]]] = defaultdict(lambda: defaultdict(list))
        modifiers: dict[str, set[str]] = defaultdict(set)
        for source in sources:
            for statement in source.statements:
                self.places[statement.mnemonic][statement.name].append((source, statement))
                modifiers[statement.mnemonic].update(statement.name.split(".")[1:])
        self.modifiers = {name: sorted(found) for name, found in modifiers.items()}
        self.all_modifiers = sorted({each for found in modifiers.values() for each in found})

    def __iter__(self) -> Iterator[Mutant]:
        while True:
            if (mutant := self._one()) is not None and mutant.text != mutant.source.text:
                yield mutant

    def _one(self) -> Mutant | None:
        dice = self.dice
        if dice.random() < OF_FILES:
            rule = dice.choice(list(FILE_RULES))
            source = dice.choice(self.sources)
            edit = FILE_RULES[rule](dice, source) if self._wanted(rule) else None
        else:
            rule = dice.choice(list(STATEMENT_RULES))
            names = self.places[dice.choice(list(self.places))]
            source, statement = dice.choice(names[dice.choice(list(names))])
            pool = self.modifiers[statement.mnemonic]
            pool = pool if pool and dice.random() < 0.6 else self.all_modifiers
            edit = STATEMENT_RULES[rule](dice, source, statement, pool) if self._wanted(rule) else None
        return Mutant(source, rule, edit) if edit is not None else None

    def _wanted(self, rule: str) -> bool:
        return self.rules is None or rule in self.rules
