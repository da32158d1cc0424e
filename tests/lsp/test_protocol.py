"""The language server as the protocol wants it: errors of JSON-RPC, order of messages, cancellation, exit status."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest

pytest.importorskip("pygls")

from editor import ServerThread
from lsprotocol.types import ErrorCodes, LSPErrorCodes

Message = dict[str, Any]
INITIALIZE = {"id": 0, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
DOCUMENT = {"uri": "file:///kernel.ptx"}
HOVER = {"method": "textDocument/hover", "params": {"textDocument": DOCUMENT, "position": {"line": 0, "character": 1}}}
SHUTDOWN, EXIT = {"id": 90, "method": "shutdown"}, {"method": "exit"}


class Pipes:
    """A server that is sent bytes."""

    def __init__(self, server: subprocess.Popen[bytes] | ServerThread, input: IO[bytes], output: IO[bytes]) -> None:
        self.server, self.input, self.output = server, input, output

    def send(self, *messages: Message | bytes) -> None:
        """Sends messages at once, so that all of them wait while the first one is handled."""
        bodies = [
            each if isinstance(each, bytes) else json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages
        ]
        self.input.write(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies))
        self.input.flush()

    def next(self) -> Message:
        length = 0
        while line := self.output.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        assert length, "the server has ended"
        return json.loads(self.output.read(length))

    def answer(self, number: int | None) -> Message:
        """The answer to a request."""
        while "method" in (found := self.next()) or found["id"] != number:
            pass
        return found

    def error(self, number: int | None) -> int:
        return self.answer(number)["error"]["code"]

    def end(self) -> int:
        self.send(SHUTDOWN, EXIT)
        return self.server.wait(60)


@contextmanager
def started(*, initialize: bool = True) -> Iterator[Pipes]:
    ours, theirs = socket.socketpair()
    server = ServerThread(theirs)
    server.start()
    with ours, ours.makefile("wb") as input, ours.makefile("rb") as output:
        pipes = Pipes(server, input, output)
        if initialize:
            begin(pipes)
        yield pipes
        ours.shutdown(socket.SHUT_RDWR)
    server.join(60)
    assert not server.is_alive()


@contextmanager
def started_as_process(*, initialize: bool = True) -> Iterator[Pipes]:
    server = subprocess.Popen(
        [sys.executable, "-m", "openptx", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with server:
        pipes = Pipes(server, server.stdin, server.stdout)
        try:
            if initialize:
                begin(pipes)
            yield pipes
        finally:
            server.kill()


def begin(pipes: Pipes) -> None:
    pipes.send(INITIALIZE, {"method": "initialized", "params": {}})
    assert "capabilities" in pipes.answer(0)["result"]


def test_before_initialize_requests_are_refused_and_notifications_ignored() -> None:
    opened = {"textDocument": {**DOCUMENT, "languageId": "ptx", "version": 0, "text": "x"}}
    with started(initialize=False) as pipes:
        pipes.send({"id": 1, **HOVER}, {"method": "textDocument/didOpen", "params": opened}, SHUTDOWN, INITIALIZE)
        assert pipes.error(1) == ErrorCodes.ServerNotInitialized == -32002
        assert pipes.error(90) == ErrorCodes.ServerNotInitialized
        assert "capabilities" in pipes.next()["result"]  # no diagnostics before
        pipes.send({**INITIALIZE, "id": 2})
        assert pipes.error(2) == ErrorCodes.InvalidRequest
        assert pipes.end() == 0


# fmt: off
WRONG = (
    (b"{",                                                      None, -32700),
    (b"\xff",                                                   None, -32700),
    (b"[]",                                                     None, -32600),
    (b"{}",                                                     None, -32600),
    ({"id": 7, "method": "textDocument/unheardOf"},             7,    -32601),
    ({"id": 8, "method": "$/unheardOf", "params": {}},          8,    -32601),
    ({"id": 9, "method": "textDocument/hover", "params": {}},   9,    -32602),
    ({"id": 10, "method": "textDocument/hover"},                10,   -32602),
)
# fmt: on


def test_wrong_messages_are_refused_and_the_next_ones_answered() -> None:
    with started() as pipes:
        for message, number, code in WRONG:
            pipes.send(message)
            assert pipes.error(number) == code
        pipes.send({"method": "$/unheardOf", "params": {}}, {"method": "textDocument/didOpen", "params": {}})
        assert pipes.end() == 0


def test_headers_of_the_protocol() -> None:
    body = json.dumps({"jsonrpc": "2.0", **INITIALIZE}).encode()
    with started(initialize=False) as pipes:
        pipes.input.write(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n")
        pipes.input.write(b"content-length: %d\r\n\r\n%s" % (len(body), body))
        pipes.input.flush()
        assert "capabilities" in pipes.answer(0)["result"]


def test_after_shutdown_there_is_only_exit() -> None:
    with started_as_process() as pipes:
        pipes.send(SHUTDOWN, {"id": 91, **HOVER}, {"id": 92, "method": "shutdown"})
        assert pipes.answer(90)["result"] is None
        assert pipes.error(91) == ErrorCodes.InvalidRequest
        assert pipes.error(92) == ErrorCodes.InvalidRequest
        pipes.send(EXIT)
        assert pipes.server.wait(60) == 0  # though its input is open


@pytest.mark.parametrize("initialize", [False, True])
def test_exit_without_shutdown_has_the_status_of_an_error(*, initialize: bool) -> None:
    with started_as_process(initialize=initialize) as pipes:
        pipes.send(EXIT)
        assert pipes.server.wait(60) == 1


FUNCTION = ".visible .entry k{}()\n{{\n    .reg .b32 %r<4>;\n    add.s32 %r1, %r2, nobody{};\n    ret;\n}}\n"
LARGE = ".version 8.0\n.target sm_80\n.address_size 64\n" + "".join(FUNCTION.format(i, i) for i in range(100))


def test_a_cancelled_request_is_not_answered_and_others_are() -> None:
    opened = {"textDocument": {**DOCUMENT, "languageId": "ptx", "version": 0, "text": LARGE}}
    symbols = {"method": "textDocument/documentSymbol", "params": {"textDocument": DOCUMENT}}
    with started() as pipes:
        pipes.send(
            {"method": "textDocument/didOpen", "params": opened},
            {"id": 1, **symbols},  # is handled while the next three arrive
            {"id": 2, **symbols},
            {"id": 3, **HOVER},
            {"method": "$/cancelRequest", "params": {"id": 2}},
            {"method": "$/cancelRequest", "params": {"id": 77}},
        )
        assert pipes.error(2) == LSPErrorCodes.RequestCancelled == -32800
        assert "result" in pipes.answer(3)
        assert pipes.end() == 0


def test_requests_are_answered_while_a_wrong_file_is_checked_and_a_change_ends_that_check() -> None:
    opened = {"textDocument": {**DOCUMENT, "languageId": "ptx", "version": 1, "text": LARGE}}
    change = {"textDocument": {**DOCUMENT, "version": 2}, "contentChanges": [{"text": ".version 8.0\n.target sm_80\n"}]}
    with started() as pipes:
        pipes.send({"method": "textDocument/didOpen", "params": opened})
        pipes.send({"id": 1, **HOVER})
        assert "result" in pipes.answer(1)
        pipes.send({"id": 2, **HOVER}, {"method": "textDocument/didChange", "params": change})
        seen: list[int] = []
        while 2 not in seen:
            found = pipes.next()
            if found.get("method") == "textDocument/publishDiagnostics":
                seen.append(found["params"]["version"])
        assert seen == [2]
        assert pipes.end() == 0


def test_many_quick_changes_of_a_large_file_are_checked_once() -> None:
    opened = {"textDocument": {**DOCUMENT, "languageId": "ptx", "version": 0, "text": LARGE}}
    at = {"line": 6, "character": 4}

    def change(version: int) -> Message:
        edit = {"range": {"start": at, "end": at}, "text": "x"}
        params = {"textDocument": {**DOCUMENT, "version": version}, "contentChanges": [edit]}
        return {"method": "textDocument/didChange", "params": params}

    with started() as pipes:
        pipes.send({"method": "textDocument/didOpen", "params": opened}, *map(change, range(1, 201)))
        versions: list[int] = []
        while 200 not in versions:
            found = pipes.next()
            assert found["method"] == "textDocument/publishDiagnostics"
            versions.append(found["params"]["version"])
        assert versions[:-1] in ([], [0])
        assert pipes.end() == 0


def test_the_server_ends_with_its_editor() -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "openptx", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin is not None
    server.stdin.close()
    assert server.wait(60) == 0


@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_the_server_ends_with_ctrl_c() -> None:
    body = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    server = subprocess.Popen(
        [sys.executable, "-m", "openptx", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length")
    server.send_signal(signal.SIGINT)
    assert server.wait(60) == -signal.SIGINT


def test_without_pygls_the_command_says_what_to_install(tmp_path) -> None:
    (tmp_path / "pygls").mkdir()
    (tmp_path / "pygls" / "__init__.py").write_text("raise ModuleNotFoundError('no pygls', name='pygls')")
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    ended = subprocess.run(
        [sys.executable, "-m", "openptx", "lsp"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "pip install 'openptx[lsp]'" in ended.stderr
