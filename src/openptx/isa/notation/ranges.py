"""The values that constant operands may have, in words: `0 to 15`, `a multiple of 32, not 0`, `4 or 8 or 16`.

`at most cp-size` refers to the value of another operand, and `above 0, at most 1` is for floats.

An instruction lists them one a line: the first version (`PTX 8.7`), the targets (none: all), modifiers that must be
present, the operand, its values. The first line that fits applies.
"""

from __future__ import annotations

from functools import cache

from openptx.isa.notation.declaration import Instruction
from openptx.isa.notation.forms import Modifiers
from openptx.isa.notation.gates import Version
from openptx.patterns import pattern

_LINE = pattern(r"(?:PTX (\d+)\.(\d+)\s+)?((?:sm_\w+\s+)*)((?:\.[\w:]+\s+)*)([\w-]+)\s+(.+)")
_SPAN = pattern(r"(\d+) to (\d+)")
_ONE = pattern(r"(a multiple of|at least|at most|above|not) (\d+)")
_OTHER = pattern(r"at most ([a-z-]+)")


class Values:
    """The allowed values of one operand. `words` is the text of the declaration."""

    __slots__ = ("_above", "_least", "_listed", "_most", "_not", "_step", "other", "words")

    def __init__(self, words: str) -> None:
        self.words = words
        self._least, self._most, self._step = -(1 << 63), 1 << 64, 1
        self._listed: frozenset[int] = frozenset()
        self._not: int | None = None
        self._above: int | None = None
        self.other = ""  # the operand whose value this one must not exceed, unsigned
        for part in words.split(", "):
            self._read(part)

    @property
    def shown(self) -> str:
        """`words` for a sentence that continues with `not`: `4, 8 or 16`."""
        *others, last = self.words.replace(", not ", " other than ").split(" or ")
        return f"{', '.join(others)} or {last}" if others else last

    def nearest(self, value: int) -> int | None:
        """The allowed value nearest to another one; None if there is no single answer."""
        if self._listed:
            return min(sorted(self._listed), key=lambda each: abs(each - value))
        bounded = min(max(value, self._least), self._most)
        rounded = bounded - bounded % self._step
        found = rounded if rounded >= self._least else rounded + self._step
        return found if found in self else None

    def _read(self, part: str) -> None:
        if span := _SPAN.fullmatch(part):
            self._least, self._most = int(span[1]), int(span[2])
        elif part == "a power of 2":
            self._listed = frozenset(1 << i for i in range(31))
        elif other := _OTHER.fullmatch(part):
            self.other = other[1]
        elif (one := _ONE.fullmatch(part)) is None:
            self._listed = frozenset(map(int, part.split(" or ")))
        elif one[1] == "a multiple of":
            self._step = int(one[2])
        elif one[1] == "at least":
            self._least, self._most = int(one[2]), (1 << 63) - 1  # larger ones are negative numbers to the assembler
        elif one[1] == "above":
            self._above = int(one[2])
        elif one[1] == "at most":
            self._most = int(one[2])
        else:
            self._not = int(one[2])

    def __contains__(self, value: float) -> bool:
        if self._listed:
            return value in self._listed
        if self._above is not None:
            return self._above < value <= self._most
        return self._least <= value <= self._most and value % self._step == 0 and value != self._not

    def hold(self, least: int, most: int) -> bool:
        """Whether every integer of an interval is allowed."""
        if self.other or self._above is not None:
            return False
        return not self._listed and self._not is None and self._step == 1 and self._least <= least <= most <= self._most


@cache
def _parse_lines(text: str) -> tuple[tuple[Version, tuple[str, ...], tuple[str, ...], str, Values], ...]:
    found: list[tuple[Version, tuple[str, ...], tuple[str, ...], str, Values]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"not a range: {line!r}")
        major, minor, targets, modifiers, name, values = match.groups()
        conditions = tuple(word[1:] for word in modifiers.split())
        found.append(((int(major or 0), int(minor or 0)), tuple(targets.split()), conditions, name, Values(values)))
    return tuple(found)


def limits(instruction: Instruction, m: Modifiers, operand: str, target: str | None, version: Version) -> Values | None:
    """The range of an operand's values under these modifiers; None if unlimited."""
    for since, targets, conditions, name, values in _parse_lines(instruction.ranges) if instruction.ranges else ():
        if version < since or (targets and target not in targets):
            continue
        if name == operand and all(each in m.written or each in instruction.parts for each in conditions):
            return values
    return None
