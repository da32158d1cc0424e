"""The launch that a client debugs: its session and its sources, and positions as the client counts them."""

from __future__ import annotations

from openptx.debug.dap.sources import Sources
from openptx.debug.dap.variables import References
from openptx.debug.dap.wire import Message, Wire
from openptx.debug.scope import Scope
from openptx.debug.session import Session
from openptx.errors import InputError
from openptx.program import Op

LEVELS = 1 << 12
"""A bound of the stack frames of a thread, for the numbers of frames."""


class Debuggee:
    """What the adapter and its parts share. `launched` and `files` are None before `launch`; `busy` while it runs."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.references = wire, References()
        self.launched: Session | None = None
        self.files: Sources | None = None
        self.busy = False
        self.first_line = self.first_column = 1

    @property
    def session(self) -> Session:
        """The session; InputError before `launch`."""
        if self.launched is None:
            raise InputError("nothing has been launched")
        return self.launched

    def stopped_session(self) -> Session:
        """The session, while the launch is stopped."""
        if self.busy:
            raise InputError("the launch is running")
        return self.session

    def frame(self, number: int | None) -> Scope:
        """The names of a stack frame; by default the innermost of the current thread."""
        session = self.stopped_session()
        if number is None:
            return session.scope()
        session.look_at(int(number) // LEVELS)
        return session.scope(int(number) % LEVELS)

    @property
    def sources(self) -> Sources:
        """The sources of the launch; InputError before `launch`."""
        if self.files is None:
            raise InputError("nothing has been launched")
        return self.files

    def source(self, path: str) -> Message:
        """A source of the protocol."""
        return self.sources.source_message(path)

    def location(self, op: Op, by_source: bool = False, outward: int = 0) -> tuple[str, int, int]:
        """The path, line and column of an instruction, or of an inlined call that it is in."""
        path, line, column = self.sources.location(op, by_source, outward)
        return path, line + self.first_line - 1, column + self.first_column - 1

    def line(self, line: int) -> int:
        """A line from 1 on, from the client's number."""
        return line + 1 - self.first_line
