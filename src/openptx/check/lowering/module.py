"""A checked module becomes a Program: module-level memory immediately, functions on demand."""

from __future__ import annotations

from openptx.check.forms.verdicts import verdicts
from openptx.check.lowering.function import FunctionLowering
from openptx.check.lowering.module_names import ModuleNames
from openptx.isa.control import calls
from openptx.patterns import pattern
from openptx.program import Program
from openptx.syntax.lexical import WORD
from openptx.syntax.tree import Instruction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.checked import CheckedModule
    from openptx.program import Function
    from openptx.syntax import tree

_WORDS = pattern(WORD)


def lower(resolved: CheckedModule) -> Program:
    """The Program of a module that was checked and has no errors. Functions are lowered on first access.

    An undeclared instruction makes only its function fail, with `Unsupported`, when the function is lowered.
    """
    names = ModuleNames(resolved)

    def lower_function(name: str) -> Function:
        function = names.headers[name]
        context = resolved.context.inside(function.kind == "entry")
        return FunctionLowering(names, function, resolved.body(function), verdicts(context)).lower()

    defined = [header for header in names.headers.values() if header.body is not None]
    return Program(
        file=resolved.file,
        version=names.version,
        target=str(resolved.header.target or names.target),
        debug=names.debug,
        profile=resolved.profile,
        address_size=names.address_size,
        variables=names.variables,
        reserved_shared=names.reserved_shared,
        kernels=tuple(header.name.text for header in defined if header.kind == "entry"),
        functions=tuple(header.name.text for header in defined if header.kind == "func"),
        external=frozenset(name for name, header in names.headers.items() if header.body is None),
        reads_workspace="%envreg1" in resolved.tree.file.text,
        lower=lower_function,
        find_address_taken=lambda: _address_taken(names),
        definitions={header.name.text: header.span for header in defined},
    )


def _address_taken(module: ModuleNames) -> frozenset[str]:
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


def _named(header: tree.Function) -> Iterator[str]:
    """Every word among the operands of a body's instructions. A call may name a function only as its target."""
    for statement in header.walk():
        if isinstance(statement, Instruction) and not calls(statement.opcode):
            yield from _WORDS.findall(header.file.text, *statement.operands_span)
