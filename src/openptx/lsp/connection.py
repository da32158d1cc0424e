"""The messages of an editor, which a thread reads as they arrive: what is waiting is known while another is handled."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import BinaryIO, cast

from lsprotocol import types

from openptx.lsp.protocol import Message, Protocol

READER = "messages of the editor"
"""The name of the thread."""


class Closed(Exception):
    """The editor has said `exit`, or is gone. `status`: the exit status that it expects."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Connection:
    """The messages from a file descriptor, in the order of their arrival. A request that the editor cancels before its
    turn is not handled."""

    def __init__(self, stdin: int, protocol: Protocol) -> None:
        self.protocol = protocol
        self._arrived: SimpleQueue[bytes | None] = SimpleQueue()
        self._waiting: deque[Message | None] = deque()
        Thread(target=self._read, args=(stdin,), name=READER, daemon=True).start()

    def handle_next(self, seconds: float | None) -> bool:
        """Handles the next message, for which it waits this long; False if there is none. Raises `Closed` at the
        end."""
        self._collect()
        if not self._waiting:
            try:
                self._take(self._arrived.get(timeout=seconds))
            except Empty:
                return False
        if self._waiting:
            message = self._waiting.popleft()
            if message is None:
                raise Closed(0)
            if message.get("method") == types.EXIT:
                raise Closed(0 if self.protocol.is_shut_down else 1)
            self.protocol.handle(message)
        return True

    def handle_waiting(self) -> None:
        """Handles all that have arrived."""
        self._collect()
        while self._waiting:
            self.handle_next(0)

    def changes(self, uri: str) -> bool:
        """Whether a change of a file, or its end, is waiting."""
        self._collect()
        return any(message is None or _changed(message) == uri for message in self._waiting)

    def _read(self, stdin: int) -> None:
        with open(stdin, "rb", closefd=False) as stream:  # the thread's own: it may still wait when the process ends
            for body in _bodies(stream):
                self._arrived.put(body)
        self._arrived.put(None)

    def _collect(self) -> None:
        while not self._arrived.empty():
            self._take(self._arrived.get())

    def _take(self, body: bytes | None) -> None:
        message = self.protocol.read(body) if body is not None else None
        if body is None or (message is not None and message.get("method") != types.CANCEL_REQUEST):
            self._waiting.append(message)
        elif message is not None:
            self._cancel(message)

    def _cancel(self, notice: Message) -> None:
        params = notice.get("params")
        number = cast(Message, params).get("id") if isinstance(params, dict) else None
        for message in self._waiting:
            if message is not None and "method" in message and number is not None and message.get("id") == number:
                self._waiting.remove(message)
                self.protocol.refuse(message["id"], types.LSPErrorCodes.RequestCancelled, "cancelled")
                return


def _changed(message: Message) -> object:
    """The URI of the file that a message changes or closes."""
    if message.get("method") not in (types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE):
        return None
    params: object = message.get("params")
    document: object = cast(Message, params).get("textDocument") if isinstance(params, dict) else None
    return cast(Message, document).get("uri") if isinstance(document, dict) else None


def _bodies(stream: BinaryIO) -> Iterator[bytes]:
    """The bodies of messages, each after its header, up to the end of a stream."""
    while True:
        length = 0
        while (line := stream.readline()).strip():
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if not line:
            return
        if length:
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
