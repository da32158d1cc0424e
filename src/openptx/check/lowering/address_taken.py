"""Which functions of a module have their address taken: the candidates of calls by address."""

from __future__ import annotations

from openptx.isa.control import calls
from openptx.patterns import pattern
from openptx.syntax.lexical import WORD
from openptx.syntax.tree import Instruction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.lowering.module_names import ModuleNames
    from openptx.syntax.tree import Function

_WORDS = pattern(WORD)


def address_taken(module: ModuleNames) -> frozenset[str]:
    """The functions that an initial value or an instruction other than a call names, in any body of the module: another
    kernel may have stored the address that a call uses.

    Bodies without the name of a function are not parsed. Names in comments count, which is conservative.
    """
    names = {*module.headers, *module.aliases}
    taken = {relocation.symbol for found in module.variables.values() for relocation in found.relocations}
    for header in module.headers.values():
        if header.body is not None and not names.isdisjoint(_WORDS.findall(header.file.text, *header.body)):
            taken.update(_named(header))
    return frozenset(module.function_name(name) for name in taken & names)


def _named(header: Function) -> Iterator[str]:
    """Every word among the operands of a body's instructions. A call may name a function only as its target."""
    for statement in header.walk():
        if isinstance(statement, Instruction) and not calls(statement.opcode):
            yield from _WORDS.findall(header.file.text, *statement.operands_span)
