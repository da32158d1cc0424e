"""Requests for memory and code by address: readMemory, writeMemory, disassemble."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.debug.dap.code_addresses import STEP, CodeAddresses
from openptx.errors import InputError

if TYPE_CHECKING:
    from openptx.debug.dap.debuggee import Debuggee
    from openptx.debug.dap.wire import Message
    from openptx.debug.scope import Scope

MOST = 1 << 14
"""The maximum number of instructions in an answer."""


class Memory:
    """Answers requests for memory and code. A memory reference is `SPACE:ADDRESS`, or a generic address alone."""

    def __init__(self, debuggee: Debuggee) -> None:
        self.debuggee = debuggee

    def on_readMemory(self, arguments: Message) -> Message:
        scope = self.debuggee.stopped_session().scope()
        space, address = where(arguments)
        wanted = int(arguments["count"])
        size = most(wanted, lambda size: bool(read(scope, space, address, size)))
        return {
            "address": f"0x{address:x}",
            "data": base64.b64encode(read(scope, space, address, size) or b"").decode(),
            "unreadableBytes": wanted - size,
        }

    def on_writeMemory(self, arguments: Message) -> Message:
        session = self.debuggee.stopped_session()
        scope = session.scope()
        space, address = where(arguments)
        try:
            data = base64.b64decode(arguments["data"], validate=True)
        except binascii.Error as error:
            raise InputError(f"`data` is not base64: {error}") from error
        size = len(data)
        if arguments.get("allowPartial"):
            size = most(size, lambda size: bool(read(scope, space, address, size)))
        session.write(space, address, data[:size], scope)
        return {"bytesWritten": size}

    def on_disassemble(self, arguments: Message) -> Message:
        code = CodeAddresses(self.debuggee.session.places)
        count = int(arguments["instructionCount"])
        if not 0 <= count <= MOST:
            raise InputError(f"{count} instructions; at most {MOST} at once")
        first = int(arguments["memoryReference"], 0) + int(arguments.get("offset") or 0)
        first += int(arguments.get("instructionOffset") or 0) * STEP
        return {"instructions": [self.instruction(code, first + i * STEP) for i in range(count)]}

    def instruction(self, code: CodeAddresses, address: int) -> Message:
        """The instruction at an address; outside the code, one that says so."""
        place = code.at(address)
        if place is None:
            return {"address": f"{address:#x}", "instruction": "no code", "presentationHint": "invalid"}
        op = code.op(place)
        file = self.debuggee.session.places.file
        text = " ".join(file.text[op.span[0] : op.span[1]].split())
        found: Message = {"address": f"{address:#x}", "instruction": text}
        if (label := code.label(place)) is not None:
            found["symbol"] = label
        path, line, column = self.debuggee.location(op)
        return found | {"location": self.debuggee.source(path), "line": line, "column": column}


def where(arguments: Message) -> tuple[str, int]:
    """State space and address of a memory reference."""
    space, _, text = str(arguments["memoryReference"]).rpartition(":")
    return space or "generic", int(text, 0) + int(arguments.get("offset") or 0)


def read(scope: Scope, space: str, address: int, size: int) -> bytes | None:
    """Bytes of memory; None if they cannot all be read."""
    try:
        return scope.bytes(space, address, size)
    except InputError:
        return None


def most(wanted: int, works: Callable[[int], bool]) -> int:
    """The largest size up to the wanted one that works, assuming that every smaller one does."""
    return wanted if works(wanted) else bisect_left(range(1, wanted + 1), True, key=lambda size: not works(size))
