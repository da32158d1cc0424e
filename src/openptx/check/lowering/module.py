"""A checked module becomes a Program: module-level memory immediately, functions on demand."""

from __future__ import annotations

from openptx.check.forms.verdicts import verdicts
from openptx.check.lowering.address_taken import address_taken
from openptx.check.lowering.function import FunctionLowering
from openptx.check.lowering.module_names import ModuleNames
from openptx.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.checked import CheckedModule
    from openptx.program import Function


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
        find_address_taken=lambda: address_taken(names),
        definitions={header.name.text: header.span for header in defined},
    )
