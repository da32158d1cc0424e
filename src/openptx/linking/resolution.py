"""Symbol resolution: which definition each name with external linkage gets, as NVIDIA's linker decides it (manual
11.6)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from openptx.check.names.linkage import shape_difference
from openptx.diagnostics import Diagnostic
from openptx.linking.modules import WEAK, Declaration, Module, Name
from openptx.syntax.tree import Function


class Resolution(NamedTuple):
    """The external names, with the module whose definition is used; None if no module defines it."""

    chosen: dict[str, Name | None]
    problems: list[Diagnostic]


def resolve_names(modules: list[Module], provided: Collection[str], complete: bool) -> Resolution:
    """Chooses among the definitions of each external name.

    `provided` are functions that the system defines; in a `complete` program all others have a definition.
    """
    everywhere: dict[str, list[Name]] = {}
    for module in modules:
        for text, name in module.names.items():
            if name.external:
                everywhere.setdefault(text, []).append(name)
    chosen: dict[str, Name | None] = {}
    problems: list[Diagnostic] = []
    for text, names in everywhere.items():
        defined = [name for name in names if name.definition is not None]
        chosen[text] = best = min(defined, key=_precedence) if defined else None
        if best is None:
            if complete and text not in provided:
                problems += _undefined(text, names)
            continue
        for other in defined:
            if other is not best and _strong(other):
                problems.append(_twice(text, other, best))
        problems += [problem for name in names if name is not best for problem in _mismatches(text, name, best)]
    return Resolution(chosen, problems)


def _strong(name: Name) -> bool:
    return name.linkage not in WEAK


def _precedence(name: Name) -> tuple[int, int]:
    """A strong definition, then the first weak one, then the largest common one."""
    if _strong(name):
        return 0, 0
    definition = name.definition
    assert definition is not None
    return 1 + WEAK.index(name.linkage), -definition.size if name.linkage == "common" else 0


def _undefined(text: str, names: list[Name]) -> list[Diagnostic]:
    """One diagnostic for each module that uses the name, or declares it if declaring suffices."""
    problems: list[Diagnostic] = []
    for name in names:
        declared = {declaration.span for declaration in name.declarations}
        used = [span for span in name.module.references(text) if span not in declared]
        function = isinstance(name.statement, Function)
        label = "used" if used else "declared"
        if not used and name.needed:
            used = [name.declarations[0].span]
        if used:
            what = "function" if function else "variable"
            message = f"no module defines the {what} `{text}`"
            help = f"link the module that defines it `.visible`; it is declared `.{name.linkage}` here"
            problems.append(Diagnostic("undefined-reference", message, name.module.file, used[0], label, help=help))
    return problems


def _twice(text: str, name: Name, best: Name) -> Diagnostic:
    definition = name.definition
    assert definition is not None
    message = f"`{text}` is defined in {_place(best)} already"
    return Diagnostic("multiple-definition", message, name.module.file, definition.span, "again")


def _mismatches(text: str, name: Name, best: Name) -> list[Diagnostic]:
    mine, other = name.declarations[0], best.definition
    assert other is not None
    difference = _difference(mine, other)
    if difference is None:
        return []
    message = f"`{text}` is {difference} in {_place(best)}"
    return [Diagnostic("mismatched-declaration", message, name.module.file, mine.span, "not the same")]


def _difference(mine: Declaration, other: Declaration) -> str | None:
    """The difference to the other declaration, if there is one."""
    a, b = mine.statement, other.statement
    if isinstance(a, Function) or isinstance(b, Function):
        if not (isinstance(a, Function) and isinstance(b, Function) and a.kind == b.kind):
            return "a variable" if not isinstance(b, Function) else "a kernel" if b.kind == "entry" else "a function"
        difference = None if a.kind == "entry" else shape_difference(a, b)
        return None if difference is None else f"declared here with {difference}, unlike"
    if a.space != b.space:
        return f"in `.{b.space}`"
    suffices = a.linkage == "common" and mine.size <= other.size and (b.linkage == "common" or other.initialised)
    if mine.size and other.size and mine.size != other.size and not suffices:
        return f"{other.size} bytes, here {mine.size},"
    return None


def _place(name: Name) -> str:
    definition = name.definition
    assert definition is not None
    row, column = name.module.file.location(definition.span[0])
    return f"{name.module.file.name}:{row}:{column}"
