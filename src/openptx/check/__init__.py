"""The front end: checks PTX (names, forms, operand types, targets, control flow) and lowers it to a Program."""

from __future__ import annotations

from openptx.check.accepted_bodies import AcceptedBodies
from openptx.check.checked import CheckedModule
from openptx.check.module import ModuleChecker
from openptx.late import late
from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.check.foreign_languages import foreign
    from openptx.check.lowering.module import lower as lower_module
    from openptx.check.merge_conflicts import find_conflicts
    from openptx.check.repairs.dotted_names import with_uses
    from openptx.check.repairs.header_edits import settle_header
    from openptx.check.repairs.second_check import SecondCheck
    from openptx.diagnostics import Diagnostic
    from openptx.program import Program
else:
    with_uses = late("openptx.check.repairs.dotted_names", "with_uses")
    settle_header = late("openptx.check.repairs.header_edits", "settle_header")
    SecondCheck = late("openptx.check.repairs.second_check", "SecondCheck")
    foreign = late("openptx.check.foreign_languages", "foreign")
    find_conflicts = late("openptx.check.merge_conflicts", "find_conflicts")
    lower_module = late("openptx.check.lowering.module", "lower")


def check(
    file: File, target: str | None = None, profile: str = "ptxas", selected: frozenset[str] = frozenset()
) -> list[Diagnostic]:
    """Every finding in a file, in the order of the text. Never raises for a bad program.

    `target` overrides the `.target` of the file; `profile` is "ptxas" (as the assembler answers) or "isa". `selected`
    names codes that are checked only on demand.
    """
    module = CheckedModule(parse(file), target, profile, selected)
    return settled(module, ModuleChecker(module).check(), target)


def resolve(file: File, target: str | None = None, profile: str = "ptxas") -> tuple[CheckedModule, list[Diagnostic]]:
    """The resolved module, which `lower` takes, and every finding in it."""
    module = CheckedModule(parse(file), target, profile, keep=True)
    return module, settled(module, ModuleChecker(module).check(), target)


def settled(
    module: CheckedModule, found: list[Diagnostic], target: str | None = None, room: int | None = None,
    pause: Callable[[], None] = lambda: None,
) -> list[Diagnostic]:  # fmt: skip
    """The findings of a module without those that are consequences of others. A file in another language has one
    finding, which names the language; of one with conflicts of a merge only these are reported.

    A wrong file is checked again with each fix in it: `room` is how many characters, all in all, instead of as many as
    usual; `pause` is called before each time.
    """
    if all(diagnostic.severity != "error" for diagnostic in found):
        return found
    if (other := foreign(module.file)) is not None:
        return [other]
    if conflicts := list(find_conflicts(module.file)):
        return conflicts
    accepted = module.accepted if module.accepted is not None else AcceptedBodies()

    def check_text(text: str) -> list[Diagnostic]:
        pause()
        other = CheckedModule(parse(File("", text)), target, module.profile, module.selected, accepted=accepted)
        other.suggestions = module.suggestions  # one budget for all
        return ModuleChecker(other).check()

    if target is None:
        found = settle_header(module.header, found, check_text)
    bodies = [each.body for each in module.tree.items if isinstance(each, Function) and each.body is not None]
    return SecondCheck(module.file, bodies, with_uses(module.file, found), check_text, room).settled()


def lower(source: CheckedModule | File) -> Program:
    """The Program of a module without errors; see `lowering.module.lower`."""
    return lower_module(resolve(source)[0] if isinstance(source, File) else source)
