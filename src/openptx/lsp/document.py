"""One version of an open file, and its analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from openptx.check import settled
from openptx.check.accepted_bodies import AcceptedBodies
from openptx.check.checked import CheckedModule
from openptx.check.module import ModuleChecker
from openptx.check.symbols import Symbols
from openptx.diagnostics import Diagnostic
from openptx.garbage import uncollected
from openptx.lsp.positions import Columns, Positions
from openptx.source import File, Span
from openptx.syntax import parse, tree
from openptx.syntax.statement_lexer import landmarks

ROOM = 100_000
"""Characters that are checked again where a file is wrong: a quarter of what `openptx check` takes, since a person
waits."""


class Document:
    """One version of a text. It is parsed and checked on the first request, and later requests use the results.

    `accepted`: bodies without findings, which a later version of the file is not checked for again.
    """

    def __init__(
        self, file: File, version: int | None, columns: Columns, accepted: AcceptedBodies, target: str | None = None
    ) -> None:
        self.file = file
        self.uri = file.name
        self.version = version
        self.target = target
        self.at = Positions(file, columns)
        self._accepted = accepted
        self._settled: list[Diagnostic] | None = None
        self._bodies: dict[Span, list[tree.Statement]] = {}

    @cached_property
    def _checked(self) -> tuple[CheckedModule, list[Diagnostic]]:
        self._accepted.renew()
        with uncollected():
            module = CheckedModule(parse(self.file), self.target, "ptxas", accepted=self._accepted)
            return module, ModuleChecker(module).check()

    @property
    def module(self) -> CheckedModule:
        """The file as the checker represents it: its tree, its names."""
        return self._checked[0]

    @property
    def is_settled(self) -> bool:
        """Whether `diagnostics` are known."""
        return self._settled is not None

    @property
    def warnings(self) -> list[Diagnostic]:
        """Every warning; they need no second check."""
        return [each for each in self._checked[1] if each.severity == "warning"]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every finding, in text order."""
        return self.settle(lambda: None)

    def settle(self, pause: Callable[[], None]) -> list[Diagnostic]:
        """Every finding, in text order. `pause` is called now and then, and may raise to give up."""
        if self._settled is None:
            module, found = self._checked
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
