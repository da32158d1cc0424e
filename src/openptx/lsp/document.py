"""One version of an open file, and its analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from openptx.check import settled
from openptx.check.checked import CheckedModule
from openptx.check.module import ModuleChecker
from openptx.check.symbols import Symbols
from openptx.diagnostics import Diagnostic
from openptx.garbage import uncollected
from openptx.lsp.known import Known
from openptx.lsp.positions import Columns, Positions
from openptx.source import File, Span
from openptx.syntax import parse, tree
from openptx.syntax.statement_lexer import landmarks

ROOM = 100_000
"""Characters that are checked again where a file is wrong: a quarter of what `openptx check` takes, since a person
waits."""


class Document:
    """One version of a text. It is parsed and checked on the first request, and later requests use the results.

    `known`: what is known of earlier versions.
    """

    def __init__(
        self, file: File, version: int | None, columns: Columns, known: Known, target: str | None = None
    ) -> None:
        self.file = file
        self.uri = file.name
        self.version = version
        self.target = target
        self.at = Positions(file, columns)
        self.known = known
        self._checked: tuple[CheckedModule, list[Diagnostic]] | None = None
        self._settled: list[Diagnostic] | None = None
        self._bodies: dict[Span, list[tree.Statement]] = {}

    def check(self, pause: Callable[[], None] = lambda: None) -> tuple[CheckedModule, list[Diagnostic]]:
        """The file as the checker represents it, with every finding of a first check. `pause` is called before each
        function, and may raise to give up."""
        if self._checked is None:
            accepted = self.known.accepted
            with uncollected():
                module = CheckedModule(parse(self.file), self.target, "ptxas", accepted=accepted)
                self._checked = module, ModuleChecker(module).check(pause)
            accepted.renew()
        return self._checked

    @property
    def module(self) -> CheckedModule:
        """The file as the checker represents it: its tree, its names."""
        return self.check()[0]

    @property
    def is_settled(self) -> bool:
        """Whether `diagnostics` are known."""
        return self._settled is not None

    @property
    def warnings(self) -> list[Diagnostic]:
        """Every warning; they need no second check."""
        return [each for each in self.check()[1] if each.severity == "warning"]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every finding, in text order."""
        return self.settle(lambda: None)

    def settle(self, pause: Callable[[], None]) -> list[Diagnostic]:
        """Every finding, in text order. `pause` is called now and then, and may raise to give up."""
        if self._settled is None:
            module, found = self.check()
            found = settled(module, found, self.target, ROOM, pause)
            self._settled = found
        return self._settled

    @cached_property
    def symbols(self) -> Symbols:
        """The declarations and uses of names."""
        return Symbols(self.module)

    def body(self, function: tree.Function) -> list[tree.Statement]:
        """The statements of a function, which is parsed once."""
        known = self._bodies.get(function.span)
        if known is None:
            known = self._bodies[function.span] = function.statements
        return known

    def structure(self, function: tree.Function) -> list[tree.Statement]:
        """The labels, declarations and blocks of a function, without most of its instructions."""
        if function.body is None:
            return []
        return function.read(list(landmarks(self.file.text, function.body)))[0]
