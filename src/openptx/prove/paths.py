"""Path conditions: the conditions for control to reach the current position, as a set of literals."""

from __future__ import annotations

from collections.abc import Iterator

import z3

Literal = tuple[int, bool]
"""A condition by the identity of its term, and whether it holds or its negation does."""


class Path:
    """A conjunction. Literals are compared by identity of terms, so that the common cases need no solver."""

    __slots__ = ("_all", "literals")

    def __init__(self, literals: dict[Literal, z3.BoolRef]) -> None:
        self.literals = literals
        self._all: z3.BoolRef | None = None

    def condition(self) -> z3.BoolRef:
        if self._all is None:
            self._all = conjunction(list(self.literals.values()))
        return self._all

    def extended(self, p: z3.BoolRef, positive: bool = True) -> Path | None:
        """The path on which `p` (or its negation) also holds; None if that is impossible."""
        found = dict(self.literals)
        for literal, term in parts(p, positive):
            if (literal[0], not literal[1]) in found:
                return None
            if literal == FALSE:
                return None
            if literal != TRUE:
                found[literal] = term
        return Path(found)

    def implies(self, other: Path) -> bool:
        """Whether that is obvious without the solver."""
        return other.literals.keys() <= self.literals.keys()

    def excludes(self, other: Path) -> bool:
        """Whether it is obvious that both cannot hold."""
        return any((i, not positive) in self.literals for i, positive in other.literals)

    def join(self, other: Path) -> tuple[Path, z3.BoolRef]:
        """The path on which either holds, and the condition that distinguishes this one there."""
        common = {key: term for key, term in self.literals.items() if key in other.literals}
        mine = [term for key, term in self.literals.items() if key not in common]
        theirs = [term for key, term in other.literals.items() if key not in common]
        selector = conjunction(mine)
        opposite = len(mine) == 1 and len(theirs) == 1 and self.excludes(other)
        if mine and theirs and not opposite:
            either = z3.Or(selector, conjunction(theirs))
            common[(either.get_id(), True)] = either
        return Path(common), selector


EVERYWHERE = Path({})
_TRUE = z3.BoolVal(True)
TRUE: Literal = (_TRUE.get_id(), True)
FALSE: Literal = (_TRUE.get_id(), False)


def conjunction(terms: list[z3.BoolRef]) -> z3.BoolRef:
    return _TRUE if not terms else terms[0] if len(terms) == 1 else z3.And(terms)


def parts(p: z3.BoolRef, positive: bool) -> Iterator[tuple[Literal, z3.BoolRef]]:
    """The literals of a condition, or of its negation."""
    kind = p.decl().kind()
    if kind == z3.Z3_OP_NOT:
        yield from parts(p.arg(0), not positive)
    elif kind == (z3.Z3_OP_AND if positive else z3.Z3_OP_OR):
        for part in p.children():
            yield from parts(part, positive)
    elif z3.is_false(p):
        yield (TRUE[0], not positive), _TRUE
    else:
        yield (p.get_id(), positive), p if positive else z3.Not(p)
