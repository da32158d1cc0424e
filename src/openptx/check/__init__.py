"""Checks PTX and lowers it: names, forms, operand types, targets, control flow, and then a Program."""

from __future__ import annotations

from openptx.check.module import ModuleChecker
from openptx.source import File
from openptx.syntax import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic
    from openptx.program import Program


def check(
    file: File, target: str | None = None, profile: str = "ptxas", selected: frozenset[str] = frozenset()
) -> list[Diagnostic]:
    """Every finding in a file, in the order of the text. Never raises for a bad program.

    `target` stands for the `.target` of the file; `profile` is "ptxas" (as the assembler answers) or "isa".
    `selected` are names of codes: those that are found only on demand need to be among them.
    """
    return _findings(ModuleChecker(parse(file), target, profile, selected))


def resolve(file: File, target: str | None = None) -> tuple[ModuleChecker, list[Diagnostic]]:
    """A module with what its names mean, for `lower`, and every finding in it."""
    module = ModuleChecker(parse(file), target, "ptxas", keep=True)
    return module, _findings(module)


def _findings(module: ModuleChecker) -> list[Diagnostic]:
    """What is found in a module; of one in another language, that alone."""
    found = module.check()
    if any(diagnostic.severity == "error" for diagnostic in found):
        from openptx.check.foreign_languages import foreign

        if other := foreign(module.file):
            return [other]
    return found


def lower(source: ModuleChecker | File) -> Program:
    """The Program of a module without errors; see `lowering.module.lower`."""
    from openptx.check.lowering.module import lower as lower_module

    return lower_module(resolve(source)[0] if isinstance(source, File) else source)
