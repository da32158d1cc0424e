"""Tables of conditions in a declaration: rows that list modifiers, and what applies if all of them are present."""

from __future__ import annotations

from openptx.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.forms import Modifiers

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
