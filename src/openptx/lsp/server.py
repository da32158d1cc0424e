"""The protocol side of the language server: keeps the open documents, and dispatches each request to its module."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from openptx.errors import InputError
from openptx.lsp import completion, findings, hover, literals, names, outline
from openptx.lsp.document import Document
from openptx.syntax.format import formatted

if TYPE_CHECKING:
    from pygls.server import ServerErrors

PAUSE = 0.02
"""Seconds without another change after which diagnostics are sent."""

Answer = TypeVar("Answer")


class Server(LanguageServer):
    """A language server that does not report to the editor that the editor cannot be reached: that would fail in
    turn."""

    reporting = False

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Shows an error in the editor, except one that occurs while an error is shown."""
        if self.reporting:
            return
        self.reporting = True
        try:
            super().report_server_error(error, source)
        finally:
            self.reporting = False


class Session:
    """The open documents of one editor. `target` overrides the `.target` of every file."""

    def __init__(self, protocol: LanguageServer, target: str | None = None) -> None:
        self.protocol = protocol
        self.target = target
        self.documents: dict[str, Document] = {}
        self.waiting: dict[str, asyncio.TimerHandle] = {}

    def open(self, uri: str, version: int | None, text: str) -> Document:
        """A document with its first text."""
        encoding = types.PositionEncodingKind(self.protocol.workspace.position_encoding or "utf-16")
        return Document(uri, version, text, encoding, self.target)

    def document(self, uri: str) -> Document:
        """An open document; one that was never opened is read from disk."""
        return self.documents.get(uri) or self.open(uri, None, self.protocol.workspace.get_text_document(uri).source)

    def show(self, document: Document) -> None:
        """Sends the diagnostics of a document, unless it has changed since."""
        if self.documents.get(document.uri) is document:
            self.send(document.uri, findings.diagnostics(document), document.version)

    def show_soon(self, document: Document) -> None:
        """Publishes diagnostics after a short pause in typing."""
        if (handle := self.waiting.pop(document.uri, None)) is not None:
            handle.cancel()
        self.waiting[document.uri] = asyncio.get_running_loop().call_later(PAUSE, self.show, document)

    def end(self) -> None:
        """Forgets the documents, since an editor that is shutting down reads no more diagnostics."""
        for handle in self.waiting.values():
            handle.cancel()
        self.waiting.clear()
        self.documents.clear()

    def send(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        """Sends the diagnostics of a file to the editor."""
        params = types.PublishDiagnosticsParams(uri, found, version=version)
        self.protocol.text_document_publish_diagnostics(params)


def make_server(target: str | None = None) -> LanguageServer:
    """A server with all its features."""
    server = Server("openptx", version("openptx"), text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_unexpected)
    session = Session(server, target)
    _register_documents(server, session)
    _register_queries(server, session)
    _register_edits(server, session)
    return server


def _register_documents(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        document = session.open(item.uri, item.version, item.text)
        session.documents[item.uri] = document
        session.show(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        item = params.text_document
        document = session.document(item.uri).apply_changes(params.content_changes, item.version)
        session.documents[item.uri] = document
        session.show_soon(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        session.documents.pop(uri, None)
        session.send(uri, [])

    @server.feature(types.SHUTDOWN)
    def shut_down(params: None) -> None:
        session.end()


def _register_queries(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        return hover.hover(session.document(params.text_document.uri), params.position)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "%"]))
    def completed(params: types.CompletionParams) -> list[types.CompletionItem]:
        return completion.completions(session.document(params.text_document.uri), params.position)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def defined(params: types.DefinitionParams) -> types.Location | None:
        return names.definition(session.document(params.text_document.uri), params.position)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def referred(params: types.ReferenceParams) -> list[types.Location]:
        document = session.document(params.text_document.uri)
        return names.references(document, params.position, params.context.include_declaration)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlighted(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        return names.highlights(session.document(params.text_document.uri), params.position)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return outline.document_symbols(session.document(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folded(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        return outline.folding_ranges(session.document(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: types.InlayHintParams) -> list[types.InlayHint]:
        return literals.inlay_hints(session.document(params.text_document.uri), params.range)


def _register_edits(server: LanguageServer, session: Session) -> None:
    kinds: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, findings.FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    def list_code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return findings.code_actions(session.document(params.text_document.uri), params)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def laid_out(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = session.document(params.text_document.uri)
        if document.module.tree.diagnostics:
            return None  # the diagnostics give the reason
        text = formatted(document.module.tree)
        whole = document.at.range((0, len(document.file.text)))
        return [types.TextEdit(whole, text)] if text != document.file.text else []

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def renamable(params: types.PrepareRenameParams) -> types.Range | None:
        document = session.document(params.text_document.uri)
        return _or_refused(lambda: names.renamable(document, params.position))

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        document = session.document(params.text_document.uri)
        return _or_refused(lambda: names.rename(document, params.position, params.new_name))


def _or_refused(answer: Callable[[], Answer]) -> Answer:
    """An answer, or the reason for refusing it as the protocol's error, which editors show."""
    try:
        return answer()
    except InputError as error:
        raise JsonRpcInvalidParams(str(error)) from error


def _unexpected(record: logging.LogRecord) -> bool:
    """A filter of the log, in which pygls reports a refusal like an error of the server."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcInvalidParams))
