"""The front end: checks PTX (names, forms, operand types, targets, control flow) and lowers it to a Program."""

from __future__ import annotations

from openptx.check.module import ModuleChecker
from openptx.late import late
from openptx.source import File
from openptx.syntax import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.foreign_languages import foreign
    from openptx.check.lowering.module import lower as lower_module
    from openptx.diagnostics import Diagnostic
    from openptx.program import Program
else:
    foreign = late("openptx.check.foreign_languages", "foreign")
    lower_module = late("openptx.check.lowering.module", "lower")


def check(
    file: File, target: str | None = None, profile: str = "ptxas", selected: frozenset[str] = frozenset()
) -> list[Diagnostic]:
    """Every finding in a file, in the order of the text. Never raises for a bad program.

    `target` overrides the `.target` of the file; `profile` is "ptxas" (as the assembler answers) or "isa". `selected`
    names codes that are checked only on demand.
    """
    return _findings(ModuleChecker(parse(file), target, profile, selected))


def resolve(file: File, target: str | None = None, profile: str = "ptxas") -> tuple[ModuleChecker, list[Diagnostic]]:
    """The resolved module, which `lower` takes, and every finding in it."""
    module = ModuleChecker(parse(file), target, profile, keep=True)
    return module, _findings(module)


def _findings(module: ModuleChecker) -> list[Diagnostic]:
    """The findings of a module. A file in another language has one finding, which names the language."""
    found = module.check()
    other = foreign(module.file) if any(diagnostic.severity == "error" for diagnostic in found) else None
    return found if other is None else [other]


def lower(source: ModuleChecker | File) -> Program:
    """The Program of a module without errors; see `lowering.module.lower`."""
    return lower_module(resolve(source)[0] if isinstance(source, File) else source)
