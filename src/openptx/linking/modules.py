"""The modules to link, and the symbols that each declares and defines for the others (manual 11.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from openptx.check import resolve
from openptx.check.checked import CheckedModule
from openptx.check.sizes import element_bytes, shape_of
from openptx.check.symbols import Symbols
from openptx.diagnostics import Diagnostic
from openptx.isa.targets import covers, target
from openptx.isa.types import TYPES
from openptx.source import File, Span
from openptx.syntax.declarations import Declarator, Variable
from openptx.syntax.directives import AddressSize, Alias, Directive, Target, Version
from openptx.syntax.tree import Function, Statement

WEAK = ("weak", "common")
"""Linkages of definitions that yield to others, in this order."""


@dataclass(eq=False)
class Module:
    """One of the files, resolved. Modules are numbered in the order in which they are linked."""

    number: int
    checker: CheckedModule
    found: list[Diagnostic]
    names: dict[str, Name] = field(default_factory=dict[str, "Name"])

    def __post_init__(self) -> None:
        for statement, declarator in _declarations(self.items):
            name = self.names.setdefault(_text(statement, declarator), Name(self))
            name.declarations.append(Declaration(statement, declarator))
        for item in self.items:
            if isinstance(item, Alias) and item.alias.text in self.names:
                self.names[item.alias.text].alias = item

    @property
    def file(self) -> File:
        return self.checker.file

    @property
    def items(self) -> list[Statement]:
        return self.checker.tree.items

    @cached_property
    def symbols(self) -> Symbols:
        return Symbols(self.checker)

    def references(self, name: str) -> list[Span]:
        """All occurrences of a name in the module, including its declarations."""
        symbol = self.symbols.symbol(name, self.checker.scope)
        return [] if symbol is None else self.symbols.references(symbol)


@dataclass(frozen=True)
class Declaration:
    """A function with or without its body, or one name of a declaration of variables."""

    statement: Function | Variable
    declarator: Declarator | None

    @property
    def span(self) -> Span:
        """The span of the name."""
        if self.declarator is not None:
            return self.declarator.name.span
        assert isinstance(self.statement, Function)
        return self.statement.name.span

    @property
    def defines(self) -> bool:
        if isinstance(self.statement, Function):
            return self.statement.body is not None
        return self.statement.linkage != "extern"

    @property
    def initialised(self) -> bool:
        return self.declarator is not None and self.declarator.initialiser is not None

    @property
    def size(self) -> int:
        """Bytes of a variable, 0 for an array of unknown length."""
        if self.declarator is None or not isinstance(self.statement, Variable):
            return 0
        type = TYPES.get(self.statement.type)
        bytes = element_bytes(type) * self.statement.vector if type is not None else 8
        for length in shape_of(self.declarator):
            bytes *= length or 0
        return bytes


@dataclass
class Name:
    """A name in one module: all of its declarations there."""

    module: Module
    declarations: list[Declaration] = field(default_factory=list[Declaration])
    alias: Alias | None = None

    @property
    def statement(self) -> Function | Variable:
        """The first declaration."""
        return self.declarations[0].statement

    @property
    def linkage(self) -> str:
        """The linkage that the module's declarations give it: "" is a name that other modules do not see."""
        said = {declaration.statement.linkage for declaration in self.declarations} - {""}
        return next((one for one in ("visible", *WEAK, "extern") if one in said), "")

    @property
    def external(self) -> bool:
        """Whether it has external linkage: it has the same meaning in all modules.

        `.extern .shared` arrays without a length do not: they are the memory that a launch requests.
        """
        return self.linkage != "" and not self.dynamic

    @property
    def dynamic(self) -> bool:
        """Whether it is dynamic shared memory, which no module defines."""
        statement = self.statement
        if not isinstance(statement, Variable) or statement.space != "shared":
            return False
        return self.definition is None and not self.declarations[0].size

    @property
    def needed(self) -> bool:
        """Whether declaring it suffices to need a definition, as for nvlink: a variable in memory."""
        statement = self.statement
        return isinstance(statement, Variable) and TYPES[statement.type].kind != "opaque"

    @property
    def definition(self) -> Declaration | None:
        if self.alias is not None:
            return self.declarations[0]
        return next((declaration for declaration in self.declarations if declaration.defines), None)


def read_modules(files: list[File], target: str | None, profile: str) -> list[Module]:
    """The modules, each checked by itself."""
    return [Module(number, *resolve(file, target, profile)) for number, file in enumerate(files)]


def _declarations(items: list[Statement]) -> Iterator[tuple[Function | Variable, Declarator | None]]:
    for item in items:
        if isinstance(item, Function):
            yield item, None
        elif isinstance(item, Variable):
            for declarator in item.names:
                yield item, declarator


def _text(statement: Function | Variable, declarator: Declarator | None) -> str:
    if declarator is not None:
        return declarator.name.text
    assert isinstance(statement, Function)
    return statement.name.text


D = TypeVar("D", bound=Directive)


def common_header(modules: list[Module], override: str | None) -> tuple[str, list[Diagnostic]]:
    """The header of the linked module, or why some modules cannot share any: the newest version, and a target that has
    the features of all (manual 11.1)."""
    problems: list[Diagnostic] = []
    version = max((find_directive(module, Version) for module in modules), key=lambda v: (v.major, v.minor))
    machines = [machine for module in modules if (machine := module.checker.header.target) is not None]
    best = target(override) if override else None
    if best is None:
        best = next((one for one in machines if all(covers(str(other), one) for other in machines)), None)
    if best is None:
        newest = max(range(len(modules)), key=lambda i: (machines[i].number, machines[i].suffix))
        other = next(i for i, machine in enumerate(machines) if not covers(str(machine), machines[newest]))
        problems.append(
            _problem(
                find_directive(modules[other], Target), modules[newest],
                f"no processor has the features of `{machines[other]}` and of `{machines[newest]}`",
                "compile both for the same target",
            )
        )  # fmt: skip
        best = machines[newest]
    options = _options(modules[0])
    for module in modules[1:]:
        if module.checker.header.short_addresses != modules[0].checker.header.short_addresses:
            where = next(
                (item for item in module.items if isinstance(item, AddressSize)), find_directive(module, Target)
            )
            problems.append(_problem(where, modules[0], "the modules have addresses of different sizes"))
        if _options(module) - {"debug"} != options - {"debug"}:
            problems.append(_problem(find_directive(module, Target), modules[0], "the modules have different modes"))
        options &= _options(module)  # which differ in `debug` only
    size = 32 if modules[0].checker.header.short_addresses else 64
    listed = ", ".join([str(best), *sorted(options)])
    lines = [f".version {version.major}.{version.minor}", f".target {listed}"]
    lines += [f".address_size {size}"] if (version.major, version.minor) >= (2, 3) else []
    return "\n".join(lines) + "\n", problems


def find_directive(module: Module, kind: type[D]) -> D:
    """The directive of this kind; a module without errors has one."""
    return next(item for item in module.items if isinstance(item, kind))


def _options(module: Module) -> set[str]:
    names = {name.text for name in find_directive(module, Target).targets if target(name.text) is None}
    return names - {"texmode_unified"}  # the default


def _problem(where: Directive, other: Module, message: str, help: str | None = None) -> Diagnostic:
    return Diagnostic(
        "incompatible-modules", message, where.file, where.span, f"not as in {other.file.name}", help=help
    )
