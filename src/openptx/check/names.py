"""What names mean while a function is checked: declarations of the module, of the function, of its blocks."""

from __future__ import annotations

from openptx.check import kinds
from openptx.check.scopes import Meaning, Registers, Scope
from openptx.isa.special_registers import SPECIAL_REGISTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.check.kinds import Kind
    from openptx.source import Span
    from openptx.syntax.declarations import Variable


class Memory(Meaning):
    """A declared variable: its kind as an operand, and where it is declared."""

    __slots__ = ("kind", "type_span")

    def __init__(self, kind: Kind, span: Span, type_span: Span) -> None:
        self.kind, self.span, self.type_span = kind, span, type_span


class Told(Memory):
    """A variable whose places are looked up in its declaration, once somebody asks for them."""

    __slots__ = ("_declaration",)

    def __init__(self, kind: Kind, declaration: Callable[[], Variable]) -> None:
        self.kind, self._declaration = kind, declaration

    if not TYPE_CHECKING:

        @property
        def span(self) -> Span:
            """Where its name stands."""
            return self._declaration().names[0].name.span

        @property
        def type_span(self) -> Span:
            """Where its type stands."""
            return self._declaration().type_span


class Names:
    """The kinds of names, for one file. `functions` are known from where they are first declared."""

    __slots__ = ("functions",)

    def __init__(self) -> None:
        self.functions: dict[str, Kind] = {}

    def kind(self, name: str, scope: Scope) -> Kind:
        """What a plain name is as an operand."""
        found = scope.find(name)
        if found is not None:
            meaning = found[0]
            return meaning.kind if isinstance(meaning, Memory) else kind_of(meaning)
        if name in self.functions:
            return self.functions[name]
        if name[0] == "%" and (special := SPECIAL_REGISTERS.get(name[1:])) is not None:
            return kinds.special(special.type, 4 if special.vector else 0)
        table = scope.table(name)
        return kinds.TABLE_KINDS[table.name] if table is not None else kinds.NAME_KIND


def kind_of(registers: Meaning) -> Kind:
    """The kind of a register, or of one of a range."""
    assert isinstance(registers, Registers)
    return kinds.register(registers.type) if registers.vector == 1 else kinds.vector(registers.type, registers.vector)
