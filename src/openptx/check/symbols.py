"""The symbols of a file: where each is declared, and everywhere it is used."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openptx.check.flow.reads_writes import names_in
from openptx.check.names.body import ResolvedBody, ResolvedInstruction, declare_local, header_scope, label_of
from openptx.check.names.linkage import symbols as addresses
from openptx.check.names.scopes import Formal, Registers
from openptx.isa.special_registers import is_predefined
from openptx.source import Span
from openptx.syntax import tree
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import Alias, BranchTargets

if TYPE_CHECKING:
    from openptx.check.checked import CheckedModule
    from openptx.check.names.scopes import Found, Scope
    from openptx.syntax.operands import Name

REGISTER, VARIABLE, PARAMETER, LABEL, FUNCTION, PREDEFINED = (
    "register", "variable", "parameter", "label", "function", "predefined",
)  # fmt: skip


@dataclass(frozen=True)
class Symbol:
    """The meaning of a name.

    `declared` is the span of the name in its declaration, None for predefined names; `text` is the declaration.
    `ranged`: it is one of `%r<100>`. `of_module`: it is visible in all functions.
    """

    kind: str
    name: str
    declared: Span | None
    text: str = field(default="", compare=False)
    ranged: bool = field(default=False, compare=False)
    of_module: bool = field(default=False, compare=False)


Use = tuple[Span, Symbol]


class Symbols:
    """The names of one file. A function is parsed when a query concerns it."""

    def __init__(self, module: CheckedModule) -> None:
        self.module = module
        self.text = module.file.text
        self.items = module.tree.items
        self._starts = [item.span[0] for item in self.items]
        self._uses: dict[int, list[Use]] = {}
        self._functions: dict[str, tree.Function] = {}
        for function in module.tree.functions:  # the definition, if there is one
            if function.body is not None or function.name.text not in self._functions:
                self._functions[function.name.text] = function

    def item_at(self, offset: int) -> tree.Statement | None:
        """The function, declaration or directive of the module that contains an offset."""
        number = bisect_right(self._starts, offset) - 1
        return self.items[number] if number >= 0 and offset <= self.items[number].span[1] else None

    def at(self, offset: int) -> Use | None:
        """The name at an offset, or just before it, and its meaning."""
        item = self.item_at(offset)
        uses = self.uses(item) if item is not None else []
        return next((use for use in uses if use[0][0] <= offset <= use[0][1]), None)

    def references(self, symbol: Symbol) -> list[Span]:
        """Every occurrence of a symbol, including its declaration; for the declaration of a range, all of the range."""
        if symbol.declared is None:
            return []
        if symbol.of_module:
            items = [item for item in self.items if symbol.name in item.text]
        else:
            items = [item for item in [self.item_at(symbol.declared[0])] if item is not None]
        range_itself = symbol.ranged and self.text[slice(*symbol.declared)] == symbol.name
        return [
            span
            for item in items
            for span, other in self.uses(item)
            if other == symbol or (other.declared == symbol.declared and (range_itself or span == symbol.declared))
        ]

    def uses(self, item: tree.Statement) -> list[Use]:
        """Every name in an item of the module, in text order."""
        known = self._uses.get(item.span[0])
        if known is None:
            known = self._uses[item.span[0]] = sorted(self._uses_in(item), key=lambda use: use[0])
        return known

    def _uses_in(self, item: tree.Statement) -> Iterator[Use]:
        if isinstance(item, tree.Function):
            yield from self._of_function(item)
        elif isinstance(item, Variable):
            for declarator in item.names:
                yield from self._of_module(declarator.name)
                for address in addresses(declarator.initialiser):
                    yield from self._of_module(address.name)
        elif isinstance(item, Alias):
            yield from self._of_module(item.alias)
            yield from self._of_module(item.aliasee)

    def _of_module(self, name: Name) -> Iterator[Use]:
        if (symbol := self.symbol(name.text, self.module.scope)) is not None:
            yield name.span, symbol

    def _of_function(self, function: tree.Function) -> Iterator[Use]:
        yield from self._of_module(function.name)
        body = ResolvedBody(header_scope(function, self.module.scope), self.module.functions)
        yield from self._declared_symbols((*function.returns, *function.parameters), body.header)
        for statement, scope in body.walk(function.statements, body.header, declare_local):
            if isinstance(statement, ResolvedInstruction):
                yield from self._of_instruction(statement.instruction, scope)
            elif isinstance(statement, Variable):
                declare_local(statement, scope)  # before `walk` does, which continues after this
                yield from self._declared_symbols((statement,), scope)
            elif (label := label_of(statement)) is not None:
                yield label.span, self.label(label.text, scope.labels[label.text])
            if isinstance(statement, BranchTargets):
                yield from self._uses_of_names(statement.targets, scope)

    def _of_instruction(self, instruction: tree.Instruction, scope: Scope) -> Iterator[Use]:
        if (guard := instruction.guard) is not None:
            yield from self._uses_of_names((guard.name,), scope)
        for operand in instruction.operands:
            yield from self._uses_of_names(names_in(operand), scope)

    def _uses_of_names(self, names: Sequence[Name], scope: Scope) -> Iterator[Use]:
        for name in names:
            if (symbol := self.symbol(name.text, scope)) is not None:
                yield name.span, symbol

    def _declared_symbols(self, declarations: tuple[Variable, ...], scope: Scope) -> Iterator[Use]:
        for declaration in declarations:
            for declarator in declaration.names:
                name, count = declarator.name, declarator.count
                first = name.text if count is None else f"{name.text}0"
                if (found := scope.find(first)) is not None:
                    yield name.span, self._symbol_of(name.text, found)

    def symbol(self, name: str, scope: Scope) -> Symbol | None:
        """The meaning of a name in a scope, None if it is undeclared."""
        if (found := scope.find(name)) is not None:
            return self._symbol_of(name, found)
        if (function := self._functions.get(name)) is not None:
            return Symbol(FUNCTION, name, function.name.span, _header(function), of_module=True)
        if is_predefined(name):
            return Symbol(PREDEFINED, name, None)
        place = scope.label(name)
        return self.label(name, place) if place is not None else None

    def label(self, name: str, place: int) -> Symbol:
        """A label, which marks a place."""
        return Symbol(LABEL, name, (place, place + len(name)), f"{name}:")

    def _symbol_of(self, name: str, found: Found) -> Symbol:
        meaning, scope = found
        if isinstance(meaning, Registers):
            vector = f".v{meaning.vector} " if meaning.vector > 1 else ""
            count = f"<{meaning.count}>" if meaning.count is not None else ""
            text = f".reg {vector}{meaning.type!r} {self.text[slice(*meaning.span)]}{count}"
            return Symbol(REGISTER, name, meaning.span, text, ranged=meaning.count is not None)
        declaration, declarator = meaning.declared
        return Symbol(
            PARAMETER if isinstance(meaning, Formal) else VARIABLE, name, declarator.name.span,
            " ".join(declaration.text.split()), ranged=declarator.count is not None,
            of_module=scope is self.module.scope,
        )  # fmt: skip


def _header(function: tree.Function) -> str:
    """A function's header as written."""
    return " ".join(function.file.text[slice(*function.header)].split())
