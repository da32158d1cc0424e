"""A file that is open in an editor, and what is known of its present text."""

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
    """One version of a text. It is read and checked at the first question, then answers from what was found.

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

    def changed(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int | None) -> Document:
        """The document after an editor's changes, each of which counts on those before it."""
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
        """The file as the checker knows it: its tree, its names."""
        return self._checked[0]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every finding, in the order of the text."""
        return self._checked[1]

    @cached_property
    def symbols(self) -> Symbols:
        """What is declared, and where it is named."""
        return Symbols(self.module)

    def body(self, function: tree.Function) -> list[tree.Statement]:
        """The statements of a function, which is read once."""
        known = self._bodies.get(function.span)
        if known is None:
            known = self._bodies[function.span] = function.statements
        return known
