"""The protocol side of the language server: keeps the open documents, and dispatches each request to its module."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from openptx.errors import InputError
from openptx.lsp import completion, findings, hover, literals, names, outline
from openptx.lsp.connection import Closed, Connection
from openptx.lsp.document import Document
from openptx.lsp.open_file import OpenFile
from openptx.lsp.protocol import Protocol
from openptx.syntax.format import formatted

if TYPE_CHECKING:
    from pygls.server import ServerErrors

PAUSE = 0.02
"""Seconds without another change after which a file is checked; more if a check of it takes longer."""
MOST_PAUSE = 1.0
"""The maximum of these seconds."""

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


class Superseded(Exception):
    """A check is given up, because its result is not wanted any more or is known."""


class Session:
    """The open files of one editor. `target` overrides the `.target` of every file."""

    def __init__(self, protocol: LanguageServer, target: str | None = None) -> None:
        self.protocol = protocol
        self.target = target
        self.files: dict[str, OpenFile] = {}
        self.due: dict[str, float] = {}  # when which file is checked

    def open(self, uri: str, version: int | None, text: str) -> OpenFile:
        """A file with its first text."""
        encoding = types.PositionEncodingKind(self.protocol.workspace.position_encoding or "utf-16")
        return OpenFile(uri, version, text, encoding, self.target)

    def document(self, uri: str) -> Document:
        """The current version of an open file; one that was never opened is read from disk."""
        file = self.files.get(uri) or self.open(uri, None, self.protocol.workspace.get_text_document(uri).source)
        return file.document

    def check_soon(self, file: OpenFile) -> None:
        """Checks a file after a short pause in typing."""
        self.due[file.uri] = monotonic() + min(max(PAUSE, file.seconds), MOST_PAUSE)

    def seconds_left(self) -> float | None:
        """Seconds until a check is due; None if no file waits for one."""
        return max(min(self.due.values()) - monotonic(), 0) if self.due else None

    def check(self, connection: Connection) -> None:
        """Checks the file whose turn it is and sends the diagnostics, unless it is changed meanwhile: what the editor
        asks is answered between the parts of a second check."""
        uri = min(self.due, key=self.due.__getitem__)
        del self.due[uri]
        file, begun = self.files[uri], monotonic()
        document = file.document

        def give_up() -> None:
            if connection.changes(uri):
                raise Superseded

        def pause() -> None:
            connection.handle_waiting()
            if self.files.get(uri) is not file or not file.is_current(document) or document.is_settled:
                raise Superseded

        try:
            document.check(give_up)
            document.settle(pause)
        except Superseded:
            if not document.is_settled:
                return
        file.seconds = monotonic() - begun
        if self.files.get(uri) is file and file.is_current(document):
            self.send(uri, findings.diagnostics(document), document.version)

    def close(self, uri: str) -> None:
        """Forgets a file."""
        self.files.pop(uri, None)
        self.due.pop(uri, None)

    def send(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        """Sends the diagnostics of a file to the editor."""
        params = types.PublishDiagnosticsParams(uri, found, version=version)
        self.protocol.text_document_publish_diagnostics(params)


def serve(stdin: int, stdout: BinaryIO, target: str | None = None) -> int:
    """Serves an editor, which writes to a file descriptor, until it exits or disconnects.

    Returns the exit status: 1 if it exits without `shutdown`.
    """
    server = Server("openptx", version("openptx"), protocol_cls=Protocol)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_unexpected)
    session = Session(server, target)
    _register_documents(server, session)
    _register_queries(server, session)
    _register_edits(server, session)
    protocol = server.protocol
    assert isinstance(protocol, Protocol)
    protocol.set_writer(StdoutWriter(stdout))
    connection = Connection(stdin, protocol)
    try:
        while True:
            if not connection.handle_next(session.seconds_left()):
                session.check(connection)
    except Closed as closed:
        return closed.status
    except BrokenPipeError:
        return 0


def _register_documents(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        session.files[item.uri] = session.open(item.uri, item.version, item.text)
        session.due[item.uri] = monotonic()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        item = params.text_document
        if (file := session.files.get(item.uri)) is not None:
            file.change(params.content_changes, item.version)
            session.check_soon(file)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)
        session.send(params.text_document.uri, [])

    @server.feature(types.SHUTDOWN)
    def shut_down(params: None) -> None:
        for uri in [*session.files]:
            session.close(uri)  # an editor that is shutting down reads no more diagnostics


def _register_queries(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        return hover.hover(session.document(params.text_document.uri), params.position)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "%"]))
    def completed(params: types.CompletionParams) -> list[types.CompletionItem] | types.CompletionList:
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
