"""Checks a file: its header, what it declares, its functions."""

from __future__ import annotations

import re
from functools import cached_property, partial

from openptx.check.availability import B128, WITHDRAWN
from openptx.check.checked_function import CheckedFunction
from openptx.check.context import Context
from openptx.check.debug_info import DebugInfo
from openptx.check.directive_availability import TYPES_SINCE, DirectiveAvailability
from openptx.check.fast import FastPath
from openptx.check.fast.file_memo import FileMemo
from openptx.check.function_findings import FunctionFindings
from openptx.check.header import Header
from openptx.check.names.body import ResolvedBody, declare_local, header_scope, memory_kind, parameters_in_body
from openptx.check.names.declarations import Declarations
from openptx.check.names.linkage import Linkage, moves, symbols
from openptx.check.names.scopes import Formal, FormalRegister, Memory, Registers, Scope
from openptx.check.operand import kinds
from openptx.check.sizes import CONSTANTS, bytes_of
from openptx.diagnostics import Collector, Diagnostic
from openptx.isa.special_registers import is_predefined
from openptx.isa.targets import satisfied
from openptx.isa.types import TYPES
from openptx.late import late
from openptx.patterns import pattern
from openptx.syntax import characters, tree
from openptx.syntax.declarations import InitialiserList
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import Alias, Pragma, Section, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.check.flow.function_flow import report_flow
    from openptx.check.flow.lints import Used, unused_in_module
    from openptx.check.function_checker import FunctionChecker
    from openptx.check.names.scopes import Scope
    from openptx.check.operand.kinds import Kind
    from openptx.check.spelling import Suggestions
    from openptx.source import File
    from openptx.syntax.tree import Function
else:
    Used = late("openptx.check.flow.lints", "Used")
    unused_in_module = late("openptx.check.flow.lints", "unused_in_module")
    Suggestions = late("openptx.check.spelling", "Suggestions")
    FunctionChecker = late("openptx.check.function_checker", "FunctionChecker")
    report_flow = late("openptx.check.flow.function_flow", "report_flow")


def check_body(module: ModuleChecker, function: Function, header: Scope) -> None:
    """Checks the body of a function, whose parameters `header` declares. Findings go to the collector of the module."""
    body = function.body
    plain = body is not None and not function.broken and module.debug_info.plain(body)
    if body is None or not plain or not module.tree.plain or module.thorough:
        FunctionChecker(CheckedFunction(module, function, header)).check()
        return
    bodies, room = module.memo.bodies, module.memo.register_budget
    key = bodies.key(module, function)
    if key is not None and bodies.accepts(key, module):
        return
    checked = CheckedFunction(module, function, header)
    path = FastPath(checked)
    if not path.accepts() or (path.unwritten and _ZEROS.search(module.tree.file.text, *body)):
        FunctionChecker(checked).check()
        return
    places = path.doubtful_positions()
    sound, before = True, len(module.collector)
    found_flow = path.unwritten or path.falls_through
    if places:
        sound = FunctionChecker(checked).check(places, path.maybe_unwritten)
    elif key is not None and not (path.warnings or found_flow):
        bodies.accept(key, room - module.memo.register_budget)
    if path.warnings:
        module.collector.extend(module.collector.not_since(before, path.warnings))
    if sound and found_flow:
        report_flow(path.unwritten, path.falls_through, function, FunctionFindings(module.collector, module.file))


_ZEROS = pattern(r"\D0\d", re.A)
"""A register such as `%r01`, which the fast path takes for another than `%r1`."""

ON_DEMAND = frozenset(("unused", "unreachable", "deprecated", "uninitialized-register"))
"""Codes that are checked, or checked everywhere, only on demand: they need the full checker for every body."""


class ModuleChecker:
    """The checks of one file."""

    def __init__(
        self, module: tree.SyntaxTree, target: str | None, profile: str, selected: frozenset[str] = frozenset(), *,
        keep: bool = False,
    ) -> None:  # fmt: skip
        self.tree = module
        self.profile = profile
        self.constants = 0  # bytes
        self.selected = selected  # names of codes that are checked only on demand
        self.collector = Collector()
        self.scope = Scope()
        self.functions: dict[str, Kind] = {}  # kinds of functions, from their first declaration on
        self.headers: dict[str, tree.Function] = {}
        self.keep = keep  # resolved bodies for lowering
        self.bodies: dict[tree.Function, ResolvedBody] = {}
        self.header = Header(module, self.collector, target, profile == "ptxas")
        self.context = Context(
            self.header.version, self.header.target, profile, short_addresses=self.header.short_addresses,
            independent_textures=self.header.independent_textures,
        )  # fmt: skip
        self.declarations = Declarations(self)
        self.debug_info = DebugInfo(module.file, self.collector, self.header.version)
        self.linkage = Linkage(self.collector, self.header.version)
        self.availability = DirectiveAvailability(module, self.context, self.collector, self.linkage)
        self.memo = FileMemo(len(module.file.text))

    @property
    def thorough(self) -> bool:
        """Whether a code is selected that needs the full checker for every body."""
        return not self.selected.isdisjoint(ON_DEMAND)

    @cached_property
    def used(self) -> Used:
        """What the file uses, if `unused` is selected."""
        return Used()

    @cached_property
    def suggestions(self) -> Suggestions:
        """Candidates for what unknown names may have been meant as."""
        return Suggestions()

    @cached_property
    def function_names(self) -> set[str]:
        """The names of all functions of the file, declared so far or not."""
        return {each.name.text for each in self.tree.items if isinstance(each, tree.Function)}

    @property
    def file(self) -> File:
        """The file that is checked."""
        return self.tree.file

    def check(self) -> list[Diagnostic]:
        """Every finding, in text order."""
        self.collector.extend(self.tree.problems)
        if self.profile == "isa":
            self.collector.extend(characters.commented(self.file))
        for item in self.tree.items:
            if isinstance(item, Declaration):
                self._variable(item)
                continue
            if isinstance(item, tree.Function):
                self._function(item)
                continue
            self.availability.check(item)
            if isinstance(item, Alias):
                self.linkage.alias(item)
                self.functions.setdefault(item.alias.text, kinds.FUNCTION_KIND)
                if item.aliasee.text in self.headers:
                    self.headers.setdefault(item.alias.text, self.headers[item.aliasee.text])
            elif isinstance(item, Section):
                self.debug_info.section(item)
            elif isinstance(item, SourceFile):
                self.debug_info.source(item)
            elif isinstance(item, Pragma):
                self.availability.outside_of_bodies(item, "not in a function")
        if "unused" in self.selected:
            unused_in_module(self)
        return self.collector.diagnostics

    def body(self, function: tree.Function) -> ResolvedBody:
        """The resolved body of a correct function: the one that the full checker kept, or else a new one."""
        known = self.bodies.pop(function, None)
        if known is not None:
            return known
        body = ResolvedBody(header_scope(function, self.scope), self.functions)
        own = parameters_in_body(function, self.context.version)
        for _ in body.walk(function.statements, body.header, partial(declare_local, own=own)):
            pass
        return body

    def kind(self, name: str, scope: Scope) -> Kind:
        """The kind of a plain name as an operand."""
        return scope.kind(name, self.functions)

    def _function(self, function: tree.Function) -> None:
        """A function. If its header differs from an accepted one only in names, only its name is checked."""
        name, entry, form = function.name.text, function.kind == "entry", function.form
        known = self.memo.headers.get(form) if form is not None else None
        before = len(self.collector)
        if known is None:
            self.availability.check(function)
            if is_predefined(name):
                self.declarations.add(
                    "reserved-name", f"`{name}` is predefined", function.name.span, "can't be declared"
                )
        self.linkage.function(function)
        self.functions[name] = kinds.ENTRY_KIND if entry else kinds.FUNCTION_KIND
        if name in WITHDRAWN and self.context.follows_ptxas and function.body is None:
            self.functions[name] = kinds.kind(kinds.FUNCTION, "a function", space="func", gate=WITHDRAWN[name])
            self.availability.modern = False
        self.headers.setdefault(name, function)
        if known is not None and function.body is None:
            return
        scope = Scope(self.scope)
        if known is None:
            self.declarations.header(function, scope)
            if form is not None and self.availability.modern and len(self.collector) == before:
                self.memo.header(form, function, scope)
        else:
            for number, (formal, like) in enumerate(zip(function.formals, known, strict=True)):
                scope.names[formal] = (
                    FormalRegister(like, function, number)
                    if isinstance(like, Registers)
                    else Formal(like, function, number)
                )
        if function.body is not None:
            check_body(self, function, scope)

    def _variable(self, declaration: Declaration) -> None:
        """A module-level variable. If only its names differ from an accepted one, only the names are checked."""
        form, names = declaration.form, declaration.words
        if form is None:
            self._whole_variable(declaration)
        elif (
            (known := self.memo.forms.get(form)) is not None
            and all(map(self.linkage.new, names))
            and (not declaration.symbols or self._have_addresses(declaration.symbols, declaration))
        ):
            kind = kinds.resized(known, declaration.length) if declaration.length else known
            for number, name in enumerate(names):
                self.linkage.variables[name] = declaration
                self.scope.names[name] = Memory(kind, declaration, number)
            if kind.space == "const":
                self._constants(declaration, kind.room * len(names))
        else:
            before = len(self.collector)
            self._whole_variable(declaration)
            own = declaration.space in ("global", "shared") or (
                declaration.space == "const" and declaration.linkage != "extern"
            )
            if len(self.collector) == before and own:
                self.memo.forms[form] = memory_kind(declaration, declaration.names[0], declaration.space)

    def _have_addresses(self, names: Sequence[str], declaration: Declaration) -> bool:
        """Whether these names certainly have addresses that the variables of a declaration may hold."""
        variables, functions = self.scope.names, self.linkage.functions
        if not functions.keys().isdisjoint(names) and moves(declaration.text):
            return False
        return self.availability.modern and all(
            name in functions
            or (isinstance(found := variables.get(name), Memory) and found.kind.space in ("global", "const"))
            for name in set(names)
        )

    def _whole_variable(self, declaration: Declaration) -> None:
        self.availability.module_level(declaration)
        self.linkage.variable(declaration)
        for declarator in declaration.names:
            value = declarator.initialiser
            if isinstance(value, InitialiserList) and value.plain and self._have_addresses(value.names, declaration):
                continue
            for address in symbols(value):
                self.linkage.symbol(address, declaration, self.linkage.space_of(address.name.text))
        self.declarations.module_level(declaration)
        if declaration.space == "const" and declaration.linkage != "extern":
            self._constants(declaration, bytes_of(declaration))

    def _constants(self, declaration: Declaration, size: int) -> None:
        """The amount of constant memory that the file declares."""
        before = self.constants
        self.constants += size
        if before <= CONSTANTS < self.constants:
            self.declarations.add(
                "too-much-memory",
                f"the file declares {self.constants} bytes of constant memory, and the limit is {CONSTANTS}",
                declaration.names[-1].name.span, "beyond the limit",
                expected=f"at most {CONSTANTS} bytes", actual=f"{self.constants} bytes",
                rule="PTX ISA, Constant State Space (5.1.3)",
                help="declare it in `.global`",
            )  # fmt: skip

    def plain_type(self, name: str, vector: int) -> bool:
        """Whether a register may certainly be declared with this fundamental type."""
        target, since = self.context.target, TYPES_SINCE.get(name)
        if since is not None and target is not None and not satisfied(since, self.context.version, target):
            return False
        if name == "b128":
            return vector == 1 and target is not None and satisfied(B128, self.context.version, target)
        return vector == 1 or (vector in (2, 4) and name != "pred" and TYPES[name].width * vector <= 128)

    @staticmethod
    def reserved(name: str) -> bool:
        """Whether a name is predefined, so that it cannot be declared."""
        return name == "_" or is_predefined(name)
