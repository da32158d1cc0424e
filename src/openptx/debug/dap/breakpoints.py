"""Requests that set breakpoints: on lines, functions, instructions, and data."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.debug.dap.code_addresses import CodeAddresses
from openptx.debug.expressions import parse
from openptx.debug.logpoints import of_message
from openptx.debug.scope import scope_of
from openptx.errors import InputError

if TYPE_CHECKING:
    from openptx.debug.dap.debuggee import Debuggee
    from openptx.debug.dap.wire import Message
    from openptx.debug.scope import Scope
    from openptx.debug.session import Session

FUNCTIONS, INSTRUCTIONS, DATA = "functions", "instructions", "data"
SIZES = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
"""How this many bytes at an address are watched."""


@dataclass(slots=True)
class ClientBreakpoint:
    """A breakpoint of the client: `id` is its number in the protocol, `number` that in the session; None if it could
    not be set. `place` sets it."""

    id: int
    request: Message
    place: Callable[[Session, Message], int]
    number: int | None = None


class Breakpoints:
    """The client's breakpoints. Each request replaces all existing ones of a file, or of a kind."""

    def __init__(self, debuggee: Debuggee) -> None:
        self.debuggee = debuggee
        self._by_key: dict[str, list[ClientBreakpoint]] = {}
        self._ids = 0

    def ids(self, numbers: tuple[int, ...]) -> list[int]:
        """The client's ids of the session's breakpoints."""
        known = {wanted.number: wanted.id for group in self._by_key.values() for wanted in group}
        return [known[number] for number in numbers if number in known]

    def set_again(self) -> None:
        """Sets all in a new session, and sends the client their positions. Watched data belonged to the earlier one."""
        for key, group in self._by_key.items():
            for wanted in group:
                wanted.number = None
                body = {"id": wanted.id, "verified": False} if key == DATA else self.set(wanted)
                self.debuggee.wire.event("breakpoint", reason="changed", breakpoint=body)
        self._by_key.pop(DATA, None)

    def replace(self, key: str, requests: list[Message], place: Callable[[Session, Message], int]) -> Message:
        """Sets all breakpoints of one kind; existing ones are removed."""
        session = self.debuggee.session
        for old in self._by_key.pop(key, []):
            if old.number is not None and (old.number in session.breakpoints or old.number in session.watchpoints):
                session.delete(old.number)
        made = self._by_key[key] = [
            ClientBreakpoint(self._ids + i, request, place) for i, request in enumerate(requests, 1)
        ]
        self._ids += len(made)
        return {"breakpoints": [self.set(wanted) for wanted in made]}

    def set(self, wanted: ClientBreakpoint) -> Message:
        """Sets a breakpoint, and reports its position."""
        session = self.debuggee.session
        try:
            wanted.number = wanted.place(session, wanted.request)
        except InputError as error:
            return {"id": wanted.id, "verified": False, "message": str(error)}
        made = session.breakpoints.get(wanted.number)
        if made is None:
            return {"id": wanted.id, "verified": True}
        place = min(made.places)
        op = session.places.functions[place[0]].code[place[1]]
        by_source = ":" in made.text and bool(session.places.table.of(op))
        path, line, _ = self.debuggee.location(op, by_source=by_source)
        reference = f"0x{CodeAddresses(session.places).of(place):x}"
        return {
            "id": wanted.id, "verified": True, "line": line, "source": self.debuggee.source(path),
            "instructionReference": reference,
        }  # fmt: skip

    # Of lines, functions and instructions.

    def on_setBreakpoints(self, arguments: Message) -> Message:
        path = self.debuggee.sources.path(arguments["source"])

        def at_line(session: Session, request: Message) -> int:
            return self.break_at(session, line_name(session, path, self.debuggee.line(int(request["line"]))), request)

        return self.replace(f"file {path}", arguments.get("breakpoints") or [], at_line)

    def on_setFunctionBreakpoints(self, arguments: Message) -> Message:
        def at_function(session: Session, request: Message) -> int:
            return self.break_at(session, str(request["name"]), request)

        return self.replace(FUNCTIONS, arguments["breakpoints"], at_function)

    def on_setInstructionBreakpoints(self, arguments: Message) -> Message:
        def at_instruction(session: Session, request: Message) -> int:
            address = int(request["instructionReference"], 0) + int(request.get("offset") or 0)
            return self.break_at(session, CodeAddresses(session.places).place(address), request)

        return self.replace(INSTRUCTIONS, arguments["breakpoints"], at_instruction)

    def break_at(self, session: Session, place: str | tuple[str, int], request: Message) -> int:
        live = not self.debuggee.busy
        log = of_message(str(request["logMessage"])) if request.get("logMessage") else None
        return session.break_at(place, request.get("condition"), skip=skipped(request), live=live, log=log).number

    # Of data.

    def on_dataBreakpointInfo(self, arguments: Message) -> Message:
        session = self.debuggee.stopped_session()
        text = str(arguments["name"])
        scope = self.scope(arguments)
        try:
            if arguments.get("asAddress"):
                text = of_bytes(int(text, 0), int(arguments.get("bytes") or 1))
            parse(text).evaluate(scope)
        except (InputError, ValueError) as error:
            return {"dataId": None, "description": str(error)}
        owner = session.name_of(scope.thread)
        return {
            "dataId": f"{scope.thread}:{scope.frame.depth}:{text}",
            "description": f"{text} of {owner}", "accessTypes": ["write"], "canPersist": False,
        }  # fmt: skip

    def scope(self, arguments: Message) -> Scope:
        """The scope that a request refers to: that of a reference, or of a stack frame."""
        debuggee = self.debuggee
        if arguments.get("variablesReference"):
            return debuggee.references.scope(int(arguments["variablesReference"]))
        return debuggee.frame(arguments.get("frameId"))

    def on_setDataBreakpoints(self, arguments: Message) -> Message:
        return self.replace(DATA, arguments["breakpoints"], self.watch)

    def watch(self, session: Session, request: Message) -> int:
        """Watches the expression of a `dataId`, which `dataBreakpointInfo` has returned."""
        if request.get("accessType") not in (None, "write"):
            raise InputError("only changes are watched, not reads")
        thread, depth, text = str(request["dataId"]).split(":", 2)
        scope = scope_of(self.debuggee.stopped_session().observer, int(thread), int(depth))
        if scope is None:
            raise InputError(f"`{text}`: the thread has left the function")
        return session.watch(text, request.get("condition"), scope=scope, skip=skipped(request)).number


def skipped(request: Message) -> int:
    """How many hits a hit condition ignores before it stops."""
    hits = request.get("hitCondition")
    if hits and not (str(hits).isdecimal() and int(hits)):
        raise InputError(f"`{hits}`: write how many times the place is reached before it stops")
    return int(hits) - 1 if hits else 0


def line_name(session: Session, path: str, line: int) -> str:
    """The session's name for a line of one of the client's files."""
    if os.path.abspath(path) == os.path.abspath(session.places.file.name):
        return str(line)
    for name in session.places.table.names.values():
        if os.path.abspath(path) == os.path.abspath(name):
            return f"{name}:{line}"
    return f"{os.path.basename(path)}:{line}"


def of_bytes(address: int, size: int) -> str:
    """The expression that reads bytes at a generic address."""
    if size not in SIZES:
        raise InputError(f"{size} bytes: 1, 2, 4 or 8 can be watched")
    return f"{SIZES[size]}[{address}]"
