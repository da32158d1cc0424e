"""A file that is open in an editor, and the analysis of its current text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from lsprotocol import types

from openptx.check import resolve
from openptx.check.module import ModuleChecker
from openptx.check.symbols import Symbols
from openptx.diagnostics import Diagnostic
from openptx.lsp.positions import Positions
from openptx.source import File, Span
from openptx.syntax import tree


class Document:
    """One version of a text. It is parsed and checked on the first request, and later requests use the results.

    A whole file is checked again at every change: 5,000 lines take the checker about 15 ms.
    """

    def __init__(
        self, uri: str, version: int | None, text: str, encoding: types.PositionEncodingKind, target: str | None = None
    ) -> None:
        self.uri = uri
        self.version = version
        self.file = File(uri, text)
        self.target = target
        self.encoding = encoding
        self.at = Positions(self.file, encoding)
        self._bodies: dict[Span, list[tree.Statement]] = {}

    def apply_changes(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int | None) -> Document:
        """The document after an editor's changes, each relative to the result of the previous ones."""
        document = self
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = document.at.span(change.range)
                text = document.file.text[:start] + text + document.file.text[end:]
            document = Document(self.uri, version, text, self.encoding, self.target)
        return document

    @cached_property
    def _checked(self) -> tuple[ModuleChecker, list[Diagnostic]]:
        return resolve(self.file, self.target)

    @property
    def module(self) -> ModuleChecker:
        """The file as the checker represents it: its tree, its names."""
        return self._checked[0]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every finding, in text order."""
        return self._checked[1]

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
