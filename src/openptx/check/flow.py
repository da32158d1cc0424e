"""What a function does as a whole: how it ends, which registers it reads that nothing writes (manual 9.7.12, 6.2)."""

from __future__ import annotations

from openptx.check.scopes import Registers
from openptx.isa.notation import resolve
from openptx.syntax import operands as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.scopes import Scope
    from openptx.syntax.tree import Instruction

ENDS = frozenset(("ret", "exit", "trap", "bra", "brx", "call"))
"""Mnemonics that may be a function's last; a call may be one that never returns."""

_WRITES: dict[str, bool] = {}


def writes(opcode: str) -> bool:
    """Whether the first operand of an opcode is a destination. Remembered."""
    known = _WRITES.get(opcode)
    if known is None:
        known = _WRITES[opcode] = opcode.startswith("call") or any(
            form.operands and form.operands[0].role == "write" for form, _ in resolve(opcode)
        )
    return known


def names_in(tree: text.Operand) -> Iterator[text.Name]:
    """The names in an operand, without labels of components."""
    match tree:
        case text.Name():
            yield tree
        case text.Vector() | text.Arguments():
            for element in tree.elements:
                yield from names_in(element)
        case text.Address():
            yield from names_in(tree.base)
            for part in tree.parts:
                yield from names_in(part)
        case text.Pair():
            yield from names_in(tree.first)
            yield from names_in(tree.second)
        case text.Negated() | text.Minus():
            yield from names_in(tree.operand)
        case text.Selector() | text.Sum():
            yield tree.base
        case text.Subscript():
            yield tree.base
            yield from names_in(tree.index)
        case _:
            return


class Traffic:
    """Which registers a function reads and writes, by the place of their declaration and their name."""

    def __init__(self) -> None:
        self.read: dict[tuple[int, str], text.Name] = {}
        self.written: set[tuple[int, str]] = set()

    def note(self, instruction: Instruction, scope: Scope) -> None:
        """Take down what an instruction reads and writes."""
        operands = instruction.operands
        first = 1 if operands and writes(instruction.opcode) and self._destination(operands[0], instruction) else 0
        if first:
            for name in names_in(operands[0]):
                self._key(name, scope, self.written)
        guard = instruction.guard
        sources = [name for operand in operands[first:] for name in names_in(operand)]
        for name in sources if guard is None else [*sources, guard.name]:
            key = self._key(name, scope, None)
            if key is not None:
                self.read.setdefault(key, name)

    @staticmethod
    def _destination(operand: text.Operand, instruction: Instruction) -> bool:
        return not isinstance(operand, text.Address) and (
            instruction.mnemonic != "call" or isinstance(operand, text.Arguments)
        )

    @staticmethod
    def _key(name: text.Name, scope: Scope, into: set[tuple[int, str]] | None) -> tuple[int, str] | None:
        found = scope.find(name.text)
        if found is None or not isinstance(found[0], Registers):
            return None
        key = found[0].span[0], name.text
        if into is not None:
            into.add(key)
        return key

    def unwritten(self) -> list[text.Name]:
        """The first read of each register that nothing writes."""
        return [name for key, name in self.read.items() if key not in self.written]
