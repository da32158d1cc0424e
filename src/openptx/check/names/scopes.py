"""Which declaration a name refers to: one chain of scopes for the checker and for lowering (manual 4.4, 6.4)."""

from __future__ import annotations

from functools import lru_cache

from openptx.check.operand import kinds
from openptx.isa.special_registers import SPECIAL_REGISTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from openptx.check.operand.kinds import Kind
    from openptx.isa.types import Type
    from openptx.source import Span
    from openptx.syntax.declarations import Declarator, Variable
    from openptx.syntax.directives import Directive
    from openptx.syntax.tree import Function

    Found = tuple["Meaning", "Scope"]


class Registers:
    """One register, or as many as `%r<count>` declares: scalar, or vectors of `vector` elements."""

    __slots__ = ("count", "kind", "span", "type", "vector")

    def __init__(self, type: Type, vector: int, count: int | None, span: Span, align: int = 0) -> None:
        self.type, self.vector, self.count, self.span = type, vector, count, span
        self.kind = kinds.register(type, align) if vector == 1 else kinds.vector(type, vector, align)


class FormalRegister(Registers):
    """A register parameter or result of a function. Its declaration is parsed when its position is needed."""

    __slots__ = ("function", "number")

    def __init__(self, like: Registers, function: Function, number: int) -> None:
        self.type, self.vector, self.count, self.kind = like.type, like.vector, like.count, like.kind
        self.function, self.number = function, number

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:  # of a slot that is empty
            if name != "span":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self.span = (*self.function.returns, *self.function.parameters)[self.number].names[0].name.span
            return self.span


class Memory:
    """A variable. Lowering assigns its address."""

    __slots__ = ("declaration", "kind", "number")

    def __init__(self, kind: Kind, declaration: Variable, number: int = 0) -> None:
        self.kind, self.declaration, self.number = kind, declaration, number

    @property
    def declared(self) -> tuple[Variable, Declarator]:
        """The declaration, and the name in it."""
        return self.declaration, self.declaration.names[self.number]

    @property
    def span(self) -> Span:
        """Where the name is declared."""
        return self.declared[1].name.span


class Formal(Memory):
    """A parameter of a function. Its declaration is parsed on first use."""

    __slots__ = ("function",)

    def __init__(self, kind: Kind, function: Function, number: int) -> None:
        self.kind, self.function, self.number = kind, function, number

    @property
    def declared(self) -> tuple[Variable, Declarator]:
        """The declaration, and the name in it: each formal has its own declaration."""
        declaration = (*self.function.returns, *self.function.parameters)[self.number]
        return declaration, declaration.names[0]


Meaning = Registers | Memory
"""The possible meanings of a name."""


class Scope:
    """The names of a block, and the enclosing scope. Labels belong to the scope of the block that contains them.

    A name is visible from its declaration to the end of the block, a label in the whole block; it hides the names of
    enclosing scopes from its position on (measured).
    """

    __slots__ = ("_known", "covered", "labels", "names", "outer", "ranges", "tables")

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Meaning] = {}
        self.ranges: dict[str, Registers] = {}
        self.labels: dict[str, int] = {}
        self.tables: dict[str, Directive] = {}
        self.covered: set[str] = set()  # names of enclosing scopes that labels hide
        self._known: dict[str, Found | None] = {}  # the results of `find` since the last declaration

    def declare(self, name: str, meaning: Meaning) -> None:
        """Declares a name in this scope; that of a range `%r<4>` is its prefix `%r`."""
        self._known.clear()
        if isinstance(meaning, Registers) and meaning.count is not None:
            for hidden in [each for each in self.names if each.startswith(name) and _contains(name, meaning, each)]:
                del self.names[hidden]  # with zeros in front of its number; the range's from here on (ptxas 13.5)
            self.ranges[name] = meaning
        else:
            self.names[name] = meaning

    def cover(self, name: str, functions: Mapping[str, Kind]) -> None:
        """Hides what the name of a label means outside of this block."""
        if self.find(name) is not None or name in functions:
            self._known.clear()
            self.covered.add(name)

    def find(self, name: str) -> Found | None:
        """The meaning of a name, and the scope that declares it. Blocks hide outer declarations."""
        try:
            return self._known[name]
        except KeyError:
            found = self._known[name] = self._find(name)
            return found

    def _find(self, name: str) -> Found | None:
        scope: Scope | None = self
        while scope is not None:
            if (meaning := scope.names.get(name)) is not None:
                return meaning, scope
            if (numbered := scope.numbered(name)) is not None:
                return numbered, scope
            if name in scope.covered:
                return None
            scope = scope.outer
        return None

    def kind(self, name: str, functions: Mapping[str, Kind]) -> Kind:
        """A plain name as an operand. `functions` are the module's functions declared so far."""
        found = self.find(name)
        if found is not None:
            return found[0].kind
        if name in functions and not self._covers(name):
            return functions[name]
        if name[0] == "%" and (special := SPECIAL_REGISTERS.get(name[1:])) is not None:
            return kinds.special(special) if self.label(name) is None else kinds.NAME_KIND
        table = self.table(name)
        return kinds.TABLE_KINDS[table.name] if table is not None else kinds.NAME_KIND

    def _covers(self, name: str) -> bool:
        return any(name in scope.covered for scope in around(self))

    def numbered(self, name: str) -> Registers | None:
        """The range of this block itself that contains a name."""
        if not self.ranges or not name[-1:].isdecimal():
            return None
        prefix = split_number(name)[0]
        found = self.ranges.get(prefix)
        return found if found is not None and _contains(prefix, found, name) else None

    def among(self, prefix: str, count: int) -> Meaning | None:
        """A name of this block itself that is in the range `prefix<count>`, without zeros in front of its number."""
        if prefix[-1].isdecimal():
            return None
        for name, meaning in self.names.items():
            digits = name[len(prefix) :]
            if name.startswith(prefix) and digits.isdecimal() and name == canonical(name) and int(digits) < count:
                return meaning
        return None

    def own_label(self, name: str) -> Span | None:
        """The position of this label in this block itself; None if there is none."""
        place = self.labels.get(name)
        return (place, place + len(name)) if place is not None else None

    def label(self, name: str) -> int | None:
        """The position that a label marks, in this or an enclosing block."""
        return next((scope.labels[name] for scope in around(self) if name in scope.labels), None)

    def table(self, name: str) -> Directive | None:
        """The `.branchtargets`, `.callprototype` or `.calltargets` of this label, in this or an enclosing block."""
        return next((scope.tables[name] for scope in around(self) if name in scope.tables), None)


DIGITS = 10
"""The digits of the largest number that a register in a range can have: there are fewer than 2^32 of them."""


@lru_cache(1 << 12)
def split_number(name: str) -> tuple[str, int | None]:
    """The prefix of a range and the number in it: all digits at a name's end, as in ptxas. `x4<3>` has no names.

    Zeros in front of the number do not count: `%r01` is `%r1` (measured, ptxas 13.5).
    """
    prefix = name.rstrip("0123456789")
    digits = name[len(prefix) :]
    number = digits.lstrip("0") or digits[-1:]
    return prefix, int(number) if 0 < len(number) <= DIGITS else None


def canonical(name: str) -> str:
    """The name of a register of a range without zeros in front of its number."""
    prefix, number = split_number(name)
    return name if number is None else f"{prefix}{number}"


def _contains(prefix: str, registers: Registers, name: str) -> bool:
    """Whether a name is that of one of the registers `prefix<count>`."""
    found, number = split_number(name)
    return found == prefix and number is not None and number < (registers.count or 0)


def around(scope: Scope) -> Iterator[Scope]:
    """A scope and the enclosing ones."""
    inner: Scope | None = scope
    while inner is not None:
        yield inner
        inner = inner.outer


def labels_of(scope: Scope) -> list[str]:
    """The labels that are visible from a scope."""
    return [label for each in around(scope) for label in each.labels]
