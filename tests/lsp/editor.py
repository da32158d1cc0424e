"""An editor for the tests: pygls's client, which talks to a server in a thread, or to `openptx lsp` over pipes."""

from __future__ import annotations

import asyncio
import io
import logging
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lsprotocol import types
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient

from openptx.lsp.connection import READER
from openptx.lsp.server import serve

URI = "file:///kernel.ptx"
LIMIT = 60  # seconds for an answer, on a loaded machine
WHOLE = 5 * LIMIT  # and for a session
Answer = TypeVar("Answer")


class Editor:
    """A client with one open document."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.text = ""
        self.version = 0
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.document = types.TextDocumentIdentifier(URI)

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def open(self, text: str) -> list[types.Diagnostic]:
        self.text = text
        item = types.TextDocumentItem(URI, "ptx", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        """Those of the present version."""
        while True:
            params = await asyncio.wait_for(self.published.get(), LIMIT)
            if params.version == self.version:
                return list(params.diagnostics)

    def replace(self, range: types.Range, text: str) -> None:
        """Type something, without waiting."""
        self.version += 1
        change = types.TextDocumentContentChangePartial(range, text)
        versioned = types.VersionedTextDocumentIdentifier(self.version, URI)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(versioned, [change]))

    def place(self, word: str, further: int = 0, *, after: bool = False) -> types.Position:
        """Where a word of the first text begins (or ends), in UTF-16 units."""
        offset = -1
        for _ in range(further + 1):
            offset = self.text.index(word, offset + 1)
        before = self.text[: offset + (len(word) if after else 0)]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    def range(self, word: str, further: int = 0) -> types.Range:
        return types.Range(self.place(word, further), self.place(word, further, after=True))

    def within(self, range: types.Range) -> str:
        """What the first text has in a range; lines of the tests are ASCII but where they say so."""
        lines = self.text.splitlines(keepends=True)
        start = sum(map(len, lines[: range.start.line])) + range.start.character
        return self.text[start : sum(map(len, lines[: range.end.line])) + range.end.character]

    def applied(self, edits: list[types.TextEdit]) -> str:
        """The first text with edits."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
            lines = text.splitlines(keepends=True)
            start = sum(map(len, lines[: edit.range.start.line])) + edit.range.start.character
            end = sum(map(len, lines[: edit.range.end.line])) + edit.range.end.character
            text = text[:start] + edit.new_text + text[end:]
        return text


class ServerThread(threading.Thread):
    """A server without a process of its own, whose start would take a second. `written`: what it logged or printed,
    which in a process goes to stderr; the traceback where it failed."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(daemon=True)
        self.connection, self.status, self.written = connection, -1, io.StringIO()

    def wait(self, seconds: float) -> int:
        """The exit status that the process would have."""
        self.join(seconds)
        return self.status

    def run(self) -> None:
        log = logging.StreamHandler(self.written)
        log.setLevel(logging.WARNING)
        log.addFilter(lambda record: record.thread == self.ident)
        logging.getLogger().addHandler(log)
        try:
            with self.connection, self.connection.makefile("wb") as stdout:
                try:
                    self.status = serve(self.connection.fileno(), stdout)
                finally:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    for thread in threading.enumerate():
                        if thread.name == READER:  # else it reads what has the same number next
                            thread.join()
        except Exception:
            logging.exception("the server failed")
        finally:
            logging.getLogger().removeHandler(log)


def edit(session: Callable[[Editor], Awaitable[Answer]]) -> Answer:
    """What a session with a server of its own gives."""

    async def whole() -> tuple[Answer, ServerThread]:
        client = LanguageClient("tests", "1")
        ours, theirs = socket.socketpair()
        server = ServerThread(theirs)
        server.start()
        reader, writer = await asyncio.open_connection(sock=ours)
        client.protocol.set_writer(writer)
        stop = client._stop_event
        client._async_tasks.append(asyncio.create_task(run_async(stop, reader, client.protocol)))
        try:
            answer = await conversation(client, session)
        finally:
            writer.close()
        return answer, server

    answer, server = asyncio.run(whole())
    assert (server.wait(LIMIT), server.written.getvalue()) == (0, "")
    return answer


def edit_with_command(session: Callable[[Editor], Awaitable[Answer]], *arguments: str) -> Answer:
    """The same with `openptx lsp`, started as editors do. Whatever it writes to stderr is an error."""

    async def whole() -> Answer:
        client = LanguageClient("tests", "1")
        await client.start_io(sys.executable, "-m", "openptx", "lsp", "--stdio", *arguments)
        server = client._server
        assert server is not None
        assert server.stderr is not None
        errors = asyncio.create_task(server.stderr.read())
        try:
            answer = await conversation(client, session)
        finally:
            if server.returncode is None:
                server.kill()
        written = (await errors).decode()
        assert (server.returncode, written) == (0, "")
        return answer

    return asyncio.run(whole())


async def conversation(client: LanguageClient, session: Callable[[Editor], Awaitable[Answer]]) -> Answer:
    """From `initialize` to `exit`."""
    editor = Editor(client)
    await asyncio.wait_for(client.initialize_async(types.InitializeParams(types.ClientCapabilities())), LIMIT)
    client.initialized(types.InitializedParams())
    answer = await asyncio.wait_for(session(editor), WHOLE)
    await asyncio.wait_for(client.shutdown_async(None), LIMIT)
    client.exit(None)
    await asyncio.wait_for(client.stop(), LIMIT)
    return answer
