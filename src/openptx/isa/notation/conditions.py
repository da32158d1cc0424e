"""Conditions of a declaration: gates, which are versions and targets (`PTX 8.1, sm_89 or PTX 7.8, sm_90`), and tables
whose rows list modifiers, and what applies if all of them are present."""

from __future__ import annotations

import re

from openptx.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.forms import Modifiers

Version = tuple[int, int]

_ALTERNATIVE = pattern(
    r"""
    (?: PTX \s (\d+)\.(\d+) (?: \s to \s (\d+)\.(\d+) )? )?      # PTX 6.0, or a range: PTX 3.0 to 6.3
    ,? \s*
    ( (?: sm_\d+[af]? \s* )* ) (?: \s* to \s sm_(\d+) )?         # sm_90, sm_100a sm_103a, or a range: sm_30 to sm_62
    $""",
    re.VERBOSE,
)


class Alternative:
    """One way to satisfy a gate: PTX versions from `since` to `until`, on any of `targets` (empty: on all).

    `sm_90` stands for itself and everything newer, up to `last` if there is one; `sm_100a` for exactly that target;
    `sm_100f` for the architecture-specific and family-specific targets of its family, from sm_100 on.
    """

    __slots__ = ("last", "since", "targets", "until")

    def __init__(self, since: Version, until: Version | None, targets: tuple[str, ...], last: int | None) -> None:
        self.since = since
        self.until = until
        self.targets = targets
        self.last = last


class Gate:
    """The versions and targets that an instruction form, a modifier or a special register needs."""

    __slots__ = ("alternatives", "text")

    def __init__(self, text: str, alternatives: tuple[Alternative, ...]) -> None:
        self.text = text
        self.alternatives = alternatives

    def __repr__(self) -> str:
        return f"Gate({self.text!r})"


ALWAYS = Gate("PTX 1.0", (Alternative((1, 0), None, (), None),))
_GATES: dict[str, Gate] = {"": ALWAYS}


def gate(text: str) -> Gate:
    """The gate that `text` describes; equal texts give the same object. Raises ValueError for anything else."""
    known = _GATES.get(text)
    if known is None:
        known = _GATES[text] = Gate(text, tuple(_alternative(part.strip()) for part in text.split(" or ")))
    return known


def _alternative(text: str) -> Alternative:
    match = _ALTERNATIVE.match(text)
    if match is None:
        raise ValueError(f"not a gate: {text!r}")
    major, minor, last_major, last_minor, targets, last = match.groups()
    since = (int(major), int(minor)) if major else (1, 0)
    until = (int(last_major), int(last_minor)) if last_major else None
    return Alternative(since, until, tuple(targets.split()), int(last) if last else None)


_LINE = pattern(r"(\S+(?: \S+)*?)  +(\S.*)")


class Condition:
    """Modifiers that must all be present, `.volatile space=param|const`, and the consequence, `then`.

    `.a|.b` means either, `dtype=.f16|.bf16` a slot's value (defaults included; `none` if absent), `.c` any modifier.
    """

    __slots__ = ("terms", "text", "then")

    def __init__(self, text: str, then: str) -> None:
        self.text = text
        self.then = then
        self.terms = tuple(_term(part) for part in text.split())

    def holds(self, m: Modifiers) -> bool:
        return all(any(_present(m, name, value) for name, value in term) for term in self.terms)

    def spelled_modifiers(self, m: Modifiers) -> str:
        """The condition's modifiers that occur in the opcode, as spelled there: `.L2::cache_hint`."""
        present = [value for term in self.terms for name, value in term if _present(m, name, value)]
        return "".join(f".{value}" for value in dict.fromkeys(present) if value in m.written)


def _term(text: str) -> tuple[tuple[str, str], ...]:
    name = ""
    found: list[tuple[str, str]] = []
    for part in text.split("|"):
        if "=" in part:
            name, part = part.split("=")
        found.append((name, part.removeprefix(".")))
    return tuple(found)


def _present(m: Modifiers, name: str, value: str) -> bool:
    if not name:
        return value in m.written
    found = m.values.get(name)
    return value == (getattr(found, "name", found) if found else "none")


_TABLES: dict[str, tuple[Condition, ...]] = {}


def conditions(table: str) -> tuple[Condition, ...]:
    """Parses a table: modifiers, two blanks or more, then their consequence. Raises ValueError for any other line."""
    known = _TABLES.get(table)
    if known is None:
        known = _TABLES[table] = tuple(_condition(line.strip()) for line in table.splitlines() if line.strip())
    return known


def _condition(line: str) -> Condition:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"not a line of a table of conditions: {line!r}")
    return Condition(match[1], match[2])
