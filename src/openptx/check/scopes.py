"""Which declaration a name means inside a function: blocks hide what is outside of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.types import Type
    from openptx.program import Variable
    from openptx.source import Span
    from openptx.syntax.directives import Directive


class Meaning:
    """What a name may mean: registers, or memory as the one who asks keeps it."""

    __slots__ = ("span",)

    span: Span


class Registers(Meaning):
    """One register, or as many as `%r<count>` says: scalar, or vectors of `vector` elements."""

    __slots__ = ("count", "type", "vector")

    def __init__(self, type: Type, vector: int, count: int | None, span: Span) -> None:
        self.type, self.vector, self.count, self.span = type, vector, count, span


class Held(Meaning):
    """A variable that has its place in memory."""

    __slots__ = ("variable",)

    def __init__(self, variable: Variable) -> None:
        self.variable, self.span = variable, variable.span


class Scope:
    """The names of a block, and the way to those around it. Labels live in the scope of the block that holds them."""

    __slots__ = ("labels", "names", "outer", "ranges", "tables")

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Meaning] = {}
        self.ranges: dict[str, Registers] = {}
        self.labels: dict[str, int] = {}
        self.tables: dict[str, Directive] = {}

    def declare(self, name: str, meaning: Meaning) -> None:
        """Make a name known here; that of a range `%r<4>` is its prefix `%r`."""
        if isinstance(meaning, Registers) and meaning.count is not None:
            self.ranges[name] = meaning
        else:
            self.names[name] = meaning

    def find(self, name: str) -> tuple[Meaning, Scope] | None:
        """What a name means, and the scope that says so."""
        numbered = splits(name)
        scope: Scope | None = self
        while scope is not None:
            if (meaning := scope.names.get(name)) is not None:
                return meaning, scope
            for prefix, number in numbered:
                found = scope.ranges.get(prefix)
                if found is not None and number < (found.count or 0):
                    return found, scope
            scope = scope.outer
        return None

    def numbered(self, name: str) -> Registers | None:
        """The range of this very block that a name is one of."""
        if not self.ranges or not name[-1:].isdecimal():
            return None
        ranges = ((self.ranges.get(prefix), number) for prefix, number in splits(name))
        return next((found for found, number in ranges if found is not None and number < (found.count or 0)), None)

    def among(self, prefix: str, count: int) -> Meaning | None:
        """A name of this very block that is one of `prefix<count>`."""
        for name, meaning in self.names.items():
            digits = name[len(prefix) :]
            if name.startswith(prefix) and digits.isdecimal() and int(digits) < count and str(int(digits)) == digits:
                return meaning
        return None

    def own_label(self, name: str) -> Span | None:
        """Where this very block has a label of this name."""
        place = self.labels.get(name)
        return (place, place + len(name)) if place is not None else None

    def label(self, name: str) -> int | None:
        """The position that a label marks, here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.outer
        return None

    def table(self, name: str) -> Directive | None:
        """The `.branchtargets`, `.calltargets` or `.callprototype` of this label, here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.tables:
                return scope.tables[name]
            scope = scope.outer
        return None


def splits(name: str) -> list[tuple[str, int]]:
    """The ways to read a name as a prefix and a number: `%r10` is `%r` 10 or `%r1` 0."""
    digits = len(name) - len(name.rstrip("0123456789"))
    return [
        (name[:i], int(name[i:])) for i in range(len(name) - digits, len(name)) if name[i] != "0" or i == len(name) - 1
    ]
