"""Messages of the Debug Adapter Protocol on a stream: a header with the length, and JSON."""

from __future__ import annotations

import json
import threading
from typing import Any, BinaryIO, cast

from openptx.errors import InputError

Message = dict[str, Any]
LONGEST = 1 << 26
"""The maximum size of a message in bytes."""


class Wire:
    """Reads messages, and writes them from any thread, numbered. Nothing is written to a client that is gone."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self.source, self.sink = source, sink
        self._lock = threading.Lock()
        self._number = 0
        self.gone = False

    def read(self) -> Message | None:
        """The next message; None at the end. Raises InputError for anything that is not a message."""
        length = -1
        while (line := self.source.readline()) not in (b"\r\n", b"\n"):
            if not line:
                return None
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if not 0 <= length <= LONGEST:
            raise InputError("a message without a `Content-Length` that says how long it is")
        data = self.source.read(length)
        if len(data) < length:
            return None
        try:
            found: object = json.loads(data)
        except ValueError as error:
            raise InputError(f"a message that is not JSON: {error}") from error
        if not isinstance(found, dict):
            raise InputError("a message that is not a JSON object")
        return cast("Message", found)

    def write(self, message: Message) -> None:
        """Writes a message."""
        with self._lock:
            self._number += 1
            data = json.dumps({"seq": self._number, **message}).encode()
            if self.gone:
                return
            try:
                self.sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
                self.sink.flush()
            except (OSError, ValueError):  # the client has closed its end
                self.gone = True

    def event(self, name: str, **body: Any) -> None:
        """Writes an event."""
        self.write({"type": "event", "event": name, "body": body})
