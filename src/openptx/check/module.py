"""Checks a file: its header, what it declares, its functions."""

from __future__ import annotations

import re

from openptx.check.accepted_bodies import BodiesInOrder
from openptx.check.availability import WITHDRAWN
from openptx.check.checked import CheckedFunction, CheckedModule
from openptx.check.fast import FastPath
from openptx.check.fast.body_memo import BodyMemo
from openptx.check.fast.file_memo import FileMemo
from openptx.check.function_findings import FunctionFindings
from openptx.check.names.body import memory_kind
from openptx.check.names.linkage import moves, symbols
from openptx.check.names.scopes import Formal, FormalRegister, Memory, Registers, Scope
from openptx.check.operand import kinds
from openptx.check.sizes import CONSTANTS, bytes_of
from openptx.diagnostics import Diagnostic
from openptx.isa.special_registers import is_predefined
from openptx.late import late
from openptx.patterns import pattern
from openptx.syntax import characters, tree
from openptx.syntax.declarations import InitialiserList
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import Alias, Pragma, Section, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.check.fast.body_memo import Key
    from openptx.check.flow.function_flow import report_flow
    from openptx.check.flow.lints import unused_in_module
    from openptx.check.function_checker import FunctionChecker
    from openptx.check.names.predefined import predefined
    from openptx.check.names.scopes import Scope
    from openptx.syntax.tree import Function
else:
    unused_in_module = late("openptx.check.flow.lints", "unused_in_module")
    FunctionChecker = late("openptx.check.function_checker", "FunctionChecker")
    predefined = late("openptx.check.names.predefined", "predefined")
    report_flow = late("openptx.check.flow.function_flow", "report_flow")


_ZEROS = pattern(r"\D0\d", re.A)
"""A register such as `%r01`, which the fast path takes for another than `%r1`."""


class ModuleChecker:
    """The checks of one file."""

    def __init__(self, module: CheckedModule) -> None:
        self.module = module
        self.constants = 0  # bytes
        self.memo = FileMemo(len(module.file.text), module.headers, module.context)
        self.bodies = BodyMemo(module.file, module.scope, module.functions, self.memo)
        accepted = module.accepted
        self.known = None if accepted is None else BodiesInOrder(module.file, module.context, accepted)

    def check(self, pause: Callable[[], None] = lambda: None) -> list[Diagnostic]:
        """Every finding, in text order. `pause` is called before each function, and may raise to give up."""
        module = self.module
        module.collector.extend(module.tree.problems)
        if module.profile == "isa":
            module.collector.extend(characters.commented(module.file))
        for item in module.tree.items:
            if isinstance(item, Declaration):
                self._variable(item)
                continue
            if isinstance(item, tree.Function):
                pause()
                self._function(item)
                continue
            module.availability.check(item)
            if isinstance(item, Alias):
                module.linkage.alias(item)
                module.functions.setdefault(item.alias.text, kinds.FUNCTION_KIND)
                if item.aliasee.text in module.headers:
                    module.headers.setdefault(item.alias.text, module.headers[item.aliasee.text])
            elif isinstance(item, Section):
                module.debug_info.section(item)
            elif isinstance(item, SourceFile):
                module.debug_info.source(item)
            elif isinstance(item, Pragma):
                module.availability.outside_of_bodies(item, "not in a function")
        if "unused" in module.selected:
            findings = FunctionFindings(module.collector, module.file)
            unused_in_module(module.tree.items, module.scope, module.used, findings)
        return module.collector.diagnostics

    def _function(self, function: tree.Function) -> None:
        """A function. If its header differs from an accepted one only in names, only its name is checked."""
        module = self.module
        name, entry, form = function.name.text, function.kind == "entry", function.form
        known = self.memo.headers.get(form) if form is not None else None
        before = len(module.collector)
        if known is None:
            module.availability.check(function)
            if is_predefined(name):
                module.collector.add(predefined(module.file, name, function.name.span, hides=False))
        if not function.nameless:
            module.linkage.function(function)
            module.functions[name] = kinds.ENTRY_KIND if entry else kinds.FUNCTION_KIND
        if name in WITHDRAWN and module.context.follows_ptxas and function.body is None:
            module.functions[name] = kinds.kind(kinds.FUNCTION, "a function", space="func", gate=WITHDRAWN[name])
            module.availability.modern = False
        module.headers.setdefault(name, function)
        if known is not None and function.body is None:
            return
        scope = Scope(module.scope)
        if known is None:
            module.declarations.header(function, scope)
            if form is not None and module.availability.modern and len(module.collector) == before:
                self.memo.header(form, function, scope)
        else:
            for number, (formal, like) in enumerate(zip(function.formals, known, strict=True)):
                scope.names[formal] = (
                    FormalRegister(like, function, number)
                    if isinstance(like, Registers)
                    else Formal(like, function, number)
                )
        if function.body is not None:
            self.check_body(function, scope)

    def check_body(self, function: Function, header: Scope) -> None:
        """Checks the body of a function, whose parameters `header` declares."""
        module, body = self.module, function.body
        if body is None:
            return
        if (known := self.known) is not None:
            known.next(body)
        if function.broken or not module.debug_info.plain(body) or not module.tree.plain or module.thorough:
            FunctionChecker(CheckedFunction(module, function, header)).check()
            return
        room, before = self.memo.register_budget, len(module.collector)
        if known is not None and (registers := known.registers()) is not None and registers <= room:
            self.memo.register_budget -= registers
            return
        key = self.bodies.key(function)
        if key is not None and self.bodies.accepts(key):
            return
        if self._accepts(function, header, key) and len(module.collector) == before and known is not None:
            known.add(room - self.memo.register_budget)

    def _accepts(self, function: Function, header: Scope, key: Key | None) -> bool:
        """Checks a new body. Whether the fast path accepted it, and the full checker found no error in the rest."""
        module, room = self.module, self.memo.register_budget
        checked = CheckedFunction(module, function, header)
        path = FastPath(checked, self.memo)
        if not path.accepts() or (path.unwritten and _ZEROS.search(module.file.text, *(function.body or (0, 0)))):
            FunctionChecker(checked).check()
            return False
        places = path.doubtful_positions()
        sound, before = True, len(module.collector)
        found_flow = path.unwritten or path.falls_through
        if places:
            sound = FunctionChecker(checked).check(places, path.maybe_unwritten)
        elif key is not None and not (path.warnings or found_flow):
            self.bodies.accept(key, room - self.memo.register_budget)
        if path.warnings:
            module.collector.extend(module.collector.not_since(before, path.warnings))
        if sound and found_flow:
            report_flow(path.unwritten, path.falls_through, function, FunctionFindings(module.collector, module.file))
        return sound

    def _variable(self, declaration: Declaration) -> None:
        """A module-level variable. If only its names differ from an accepted one, only the names are checked."""
        form, names = declaration.form, declaration.words
        if form is None:
            self._whole_variable(declaration)
        elif (
            (known := self.memo.forms.get(form)) is not None
            and all(map(self.module.linkage.new, names))
            and (not declaration.symbols or self._have_addresses(declaration.symbols, declaration))
        ):
            kind = kinds.resized(known, declaration.length) if declaration.length else known
            for number, name in enumerate(names):
                self.module.linkage.variables[name] = declaration
                self.module.scope.names[name] = Memory(kind, declaration, number)
            if kind.space == "const":
                self._constants(declaration, kind.room * len(names))
        else:
            before = len(self.module.collector)
            self._whole_variable(declaration)
            own = declaration.space in ("global", "shared") or (
                declaration.space == "const" and declaration.linkage != "extern"
            )
            if len(self.module.collector) == before and own:
                self.memo.forms[form] = memory_kind(declaration, declaration.names[0], declaration.space)

    def _have_addresses(self, names: Sequence[str], declaration: Declaration) -> bool:
        """Whether these names certainly have addresses that the variables of a declaration may hold."""
        variables, functions = self.module.scope.names, self.module.linkage.functions
        if not functions.keys().isdisjoint(names) and moves(declaration.text):
            return False
        return self.module.availability.modern and all(
            name in functions
            or (isinstance(found := variables.get(name), Memory) and found.kind.space in ("global", "const"))
            for name in set(names)
        )

    def _whole_variable(self, declaration: Declaration) -> None:
        self.module.availability.module_level(declaration)
        self.module.linkage.variable(declaration)
        for declarator in declaration.names:
            value = declarator.initialiser
            if isinstance(value, InitialiserList) and value.plain and self._have_addresses(value.names, declaration):
                continue
            for address in symbols(value):
                self.module.linkage.symbol(address, declaration, self.module.linkage.space_of(address.name.text))
        self.module.declarations.module_level(declaration, self.module.scope)
        if declaration.space == "const" and declaration.linkage != "extern":
            self._constants(declaration, bytes_of(declaration))

    def _constants(self, declaration: Declaration, size: int) -> None:
        """The amount of constant memory that the file declares."""
        before = self.constants
        self.constants += size
        if before <= CONSTANTS < self.constants:
            self.module.declarations.add(
                "too-much-memory",
                f"the file declares {self.constants} bytes of constant memory, and the limit is {CONSTANTS}",
                declaration.names[-1].name.span, "beyond the limit",
                expected=f"at most {CONSTANTS} bytes", actual=f"{self.constants} bytes",
                rule="PTX ISA, Constant State Space (5.1.3)",
                help="declare it in `.global`",
            )  # fmt: skip
