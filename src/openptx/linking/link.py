"""Links several modules into one text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from openptx.api import SOURCE, TARGET, file_of, require_options
from openptx.diagnostics import Diagnostic
from openptx.errors import ArgumentError, CheckError
from openptx.keywords import hints
from openptx.linking.device_runtime import device_runtime
from openptx.linking.linked_file import Edit, LinkedFile, edited
from openptx.linking.modules import Declaration, Module, Name, common_header, read_modules
from openptx.linking.renaming import Renaming
from openptx.linking.resolution import resolve_names
from openptx.source import File, Span
from openptx.syntax.declarations import Declarator, Variable
from openptx.syntax.directives import AddressSize, Dwarf, Target, Version
from openptx.syntax.tree import Function

if TYPE_CHECKING:
    from openptx.api import Source

SYSTEM = frozenset({
    "vprintf", "__assertfail", "malloc", "free", "openptx_nested_parameters", "openptx_nested_launch",
})  # fmt: skip
"""Functions that the driver defines."""

NO_STRINGS = "\n.section .debug_str\n{\n}\n"
"""A file with `.target debug` must have a section of debug information."""

Part = str | tuple[File, Span]


def link_files(
    files: list[File], target: str | None = None, profile: str = "ptxas", *, complete: bool = True
) -> LinkedFile:
    """The linked module. Definitions keep their order; faults and diagnostics point into the files they came from.

    Static names that occur twice are renamed. Debug information is left out, except for lines and inlining. If a file
    declares functions of CUDA's device runtime, their library is linked too. In a program that is not `complete`, names
    may lack a definition. Raises CheckError for errors in the modules or between them, ArgumentError for no files.
    """
    if not files:
        raise ArgumentError("there is nothing to link: name one module or more")
    modules = read_modules([*files, *device_runtime(files)], target, profile)
    _require(problem for module in modules for problem in module.found if problem.severity == "error")
    header, problems = common_header(modules, target)
    chosen, unresolved = resolve_names(modules, SYSTEM, complete)
    _require((*problems, *unresolved))
    renaming = Renaming(modules)
    parts: list[Part] = [header]
    for module in modules:
        edits = _without_header(module) + _declarations(module, chosen) + renaming.edits(module)
        parts += [f"\n// {module.file.name}\n", *edited(module.file, _outermost(edits)), "\n"]
    if "debug" in header and not renaming.labels:
        parts.append(NO_STRINGS)
    return LinkedFile(" + ".join(file.name for file in files), parts)


def _require(problems: Iterable[Diagnostic]) -> None:
    found = [*problems]
    if found:
        raise CheckError(found)


def _without_header(module: Module) -> list[Edit]:
    return [(*item.span, "") for item in module.items if isinstance(item, Version | Target | AddressSize | Dwarf)]


def _declarations(module: Module, chosen: dict[str, Name | None]) -> list[Edit]:
    """The edits of a module's declarations of names that another module defines.

    A variable may be declared `.extern` beside its definition. A function is declared with the linkage of its
    definition, and only before it.
    """
    edits: list[Edit] = []
    elsewhere = {
        text: best
        for text, best in chosen.items()
        if best is not None and best.module is not module and text in module.names and module.names[text].external
    }
    for item in module.items:
        if isinstance(item, Function) and (best := elsewhere.get(item.name.text)) is not None:
            edits.append(_function(item, module, best))
        elif isinstance(item, Variable) and any(declarator.name.text in elsewhere for declarator in item.names):
            edits += _variables(item, elsewhere)
    return edits


def _function(function: Function, module: Module, best: Name) -> Edit:
    if best.module.number < module.number:
        return (*function.span, "")
    text = function.text if function.body is None else _header(function) + ";"
    wanted = f".{best.statement.linkage} " if best.statement.linkage else ""
    return (*function.span, wanted + text.removeprefix(f".{function.linkage}").lstrip())


def _header(function: Function) -> str:
    return function.file.text[slice(*function.header)].rstrip().removesuffix("{").rstrip()


def _variables(statement: Variable, elsewhere: dict[str, Name]) -> list[Edit]:
    """Turns the variables that another module defines into `.extern` ones, declared as the definition declares them.

    Linkers compare sizes, the assembler compares types: what agrees with the definition stays as it is.
    """
    whole = statement.file.text
    before = whole[statement.span[0] : statement.names[0].span[0]]
    parts: list[str] = []
    for declarator in statement.names:
        definition = elsewhere[declarator.name.text].definition if declarator.name.text in elsewhere else None
        if definition is None or (statement.linkage == "extern" and _alike(statement, declarator, definition)):
            parts.append(f"{before}{whole[slice(*declarator.span)]};")
        else:
            parts.append(_extern(definition))
    text = " ".join(parts)
    return [] if len(parts) == 1 and text == statement.text else [(*statement.span, text)]


def _alike(statement: Variable, declarator: Declarator, definition: Declaration) -> bool:
    other, named = definition.statement, definition.declarator
    assert isinstance(other, Variable)
    assert named is not None
    mine, its = (statement.type, statement.vector), (other.type, other.vector)
    return mine == its and len(declarator.dimensions) == len(named.dimensions)


def _extern(definition: Declaration) -> str:
    """A declaration of a symbol that is defined elsewhere: the original without the initial value."""
    statement, declarator = definition.statement, definition.declarator
    assert isinstance(statement, Variable)
    assert declarator is not None
    whole = statement.file.text
    before = whole[statement.span[0] : statement.names[0].span[0]].removeprefix(f".{statement.linkage}")
    return f".extern{before}{whole[slice(*declarator.span)].partition('=')[0].rstrip()};"


def _outermost(edits: list[Edit]) -> list[Edit]:
    """The edits that are not inside the range of another edit."""
    kept: list[Edit] = []
    for edit in sorted(set(edits), key=lambda edit: (edit[0], -edit[1])):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept


@hints(arch=TARGET, path=SOURCE, file=SOURCE)
def link(sources: Sequence[Source], *, target: str | None = None, profile: str = "ptxas") -> str:
    """Several PTX modules as the text of one, by the rules of `.extern`, `.visible`, `.weak` and `.common`.

    `sources`, `target` and `profile` are as for `check`. Of several definitions of a name the one that is neither
    `.weak` nor `.common` is used, else the first `.weak` or the largest `.common` one. Names without linkage that occur
    in two modules are renamed in the later one. The header has the newest `.version` and a `.target` with the features
    of all targets. Of the debug information only lines are kept. `openptx.load` accepts several sources, too, and its
    faults then name the original file of a statement.

    Raises CheckError for errors in a module and for link errors: undefined or multiply defined names, declarations that
    differ, targets that cannot be combined; ArgumentError, OSError and InputError as `check`.
    """
    require_options(target, profile)
    single = isinstance(sources, (str, bytes, bytearray, memoryview, File))
    if single or not hasattr(sources, "__iter__") or getattr(sources, "ndim", 1) == 0:  # a path is not iterable either
        raise ArgumentError(f"`link` takes a list of modules, `[a, b]`, not {type(sources).__name__}")
    return link_files([file_of(source, f"<string {i}>") for i, source in enumerate(sources)], target, profile).text
