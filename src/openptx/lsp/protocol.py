"""pygls's protocol, with the errors that the specification wants for messages that are wrong or come at a wrong
time."""

from __future__ import annotations

import json
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

Message = dict[str, Any]
_OF_SESSION = (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE)


class Protocol(LanguageServerProtocol):
    """Handles messages, one at a time. `Session` keeps the texts, which pygls would keep, too."""

    def __init__(self, server: LanguageServer, converter: Any) -> None:
        super().__init__(server, converter)
        for method in _OF_SESSION:
            del cast(Any, self.fm).builtin_features[method]

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor has announced its end."""
        return self._shutdown

    def read(self, body: bytes) -> Message | None:
        """A message; None for anything else, which is refused."""
        try:
            message: object = json.loads(body)
        except ValueError as error:
            self.refuse(None, types.ErrorCodes.ParseError, f"not JSON: {error}")
            return None
        if isinstance(message, dict):
            found = cast(Message, message)
            if isinstance(found.get("method"), str) or ("id" in found and "method" not in found):
                return found
        self.refuse(None, types.ErrorCodes.InvalidRequest, "not a message of JSON-RPC")
        return None

    def handle(self, message: Message) -> None:
        """Answers a request, obeys a notification. Those that come too early or too late are refused."""
        method, number = message.get("method"), message.get("id")
        if method is not None and (wrong := self._wrong(method)) is not None:
            if number is not None:
                self.refuse(number, *wrong)
            return
        try:
            structured: Any = self.structure_message({"jsonrpc": self.VERSION, **message})
        except JsonRpcInvalidParams:
            if number is not None:
                self.refuse(number, types.ErrorCodes.InvalidParams, f"wrong parameters of `{method}`")
            return
        except JsonRpcInternalError:
            if number is not None:
                self.refuse(number, types.ErrorCodes.InvalidRequest, f"`{method}` can't be read")
            return
        self.handle_message(structured)

    def _wrong(self, method: str) -> tuple[int, str] | None:
        """Why a request can't be answered now, whatever its parameters are: the code of the error and its text."""
        codes, initialized = types.ErrorCodes, self._workspace is not None
        if self._shutdown:
            return codes.InvalidRequest, f"`{method}` after `shutdown`"
        if initialized and method == types.INITIALIZE:
            return codes.InvalidRequest, f"`{method}` twice"
        if not initialized and method != types.INITIALIZE:
            return codes.ServerNotInitialized, f"`{method}` before `initialize`"
        try:
            self._get_handler(method)
        except JsonRpcMethodNotFound:
            return codes.MethodNotFound, f"no method `{method}`"
        return None

    def refuse(self, number: str | int | None, code: int, why: str) -> None:
        """Answers a request with an error; `number` is None if its own is not known."""
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": {"code": int(code), "message": why}})
