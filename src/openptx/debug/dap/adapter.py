"""The adapter: answers a client's requests with a session. The launch runs on a thread beside the one that reads."""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.debug import stops
from openptx.debug.dap.variables import References
from openptx.debug.dap.wire import Message, Wire
from openptx.debug.expressions import parse
from openptx.errors import Bug, CheckError, Error, Fault, InputError

if TYPE_CHECKING:
    from openptx.debug.scope import Scope
    from openptx.debug.session import Session
    from openptx.debug.stops import Stop
    from openptx.program import Op

Make = Callable[[Message, Callable[[str], object]], "Session"]
"""Makes the session that the arguments of `launch` describe; it prints with the function."""
LANES = 128
"""Launches of so many threads show each as a thread; larger ones a thread for each warp, and the one looked at."""
MOST = 1024
"""Threads that are shown."""
LEVELS = 1 << 12
"""Stack frames of a thread."""

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True, "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True, "supportsHitConditionalBreakpoints": True, "supportsStepBack": True,
    "supportsRestartRequest": True, "supportsReadMemoryRequest": True, "supportsExceptionInfoRequest": True,
    "supportsEvaluateForHovers": True, "supportsSteppingGranularity": True, "supportsTerminateRequest": True,
    "exceptionBreakpointFilters": [{"filter": "fault", "label": "Faults", "default": True}],
}  # fmt: skip
REASONS = {
    stops.ENTRY: "entry", stops.STEP: "step", stops.BREAKPOINT: "breakpoint", stops.WATCHPOINT: "data breakpoint",
    stops.PAUSE: "pause", stops.FAULT: "exception", stops.GOTO: "step", stops.ENDED: "step",
}  # fmt: skip


class Adapter:
    """One client's conversation. `serve` ends when the client disconnects or is gone, and the launch with it."""

    def __init__(self, wire: Wire, make: Make) -> None:
        self.wire, self.make = wire, make
        self.references = References()
        self._session: Session | None = None
        self._running: threading.Thread | None = None
        self._breakpoints: dict[str, list[int]] = {}
        self._stop_on_entry = False
        self._stops_on_faults = True
        self._over = self._busy = self._ending = False
        self._next: Callable[[], Stop] | None = None

    def serve(self) -> None:
        """Answers requests until there are no more."""
        try:
            while not self._over and not self.wire.gone and (message := self.wire.read()) is not None:
                self.answer(message)
        finally:
            self.close()

    def close(self) -> None:
        """Ends the launch."""
        if self._session is not None:
            self._ending = True
            while self._running is not None and self._running.is_alive():  # it may begin an execution meanwhile
                self._session.interrupt()
                self._running.join(0.05)
            self._session.close()

    def answer(self, message: Message) -> None:
        """Answers one request; what goes wrong is the answer."""
        command = str(message.get("command"))
        response = {"type": "response", "request_seq": message.get("seq", 0), "command": command}
        handler: Callable[[Message], Message | None] | None = getattr(self, f"on_{command}", None)
        arguments: Message = message.get("arguments") or {}
        try:
            if handler is None:
                raise InputError(f"`{command}` is not supported")
            body = handler(arguments) or {}
        except CheckError as error:
            self.fail(response, error.rendered(color=False))
        except (Error, OSError) as error:
            self.fail(response, str(error))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.fail(response, f"`{command}` has wrong arguments: {type(error).__name__}: {error}")
        else:
            self.wire.write({**response, "success": True, "body": body})
            self.after(command)

    def fail(self, response: Message, text: str) -> None:
        self.wire.write({**response, "success": False, "message": text, "body": {"error": {"id": 1, "format": text}}})

    # The life of a launch.

    def on_initialize(self, arguments: Message) -> Message:
        return CAPABILITIES

    def on_launch(self, arguments: Message) -> Message | None:
        if self._session is not None:
            raise InputError("a launch is under way; `restart` begins it again")
        self._session = self.make(arguments, self.output)
        self._session.start()
        self._stop_on_entry = bool(arguments.get("stopOnEntry", False))
        return None

    def output(self, text: str) -> None:
        """What the kernel prints."""
        self.wire.event("output", category="stdout", output=text)

    def on_configurationDone(self, arguments: Message) -> None:
        self.stopped_session()

    def on_restart(self, arguments: Message) -> None:
        self.stopped_session()

    def on_disconnect(self, arguments: Message) -> None:
        self._over = True

    def on_terminate(self, arguments: Message) -> None:
        self.close()
        self._session = None

    def after(self, command: str) -> None:
        """What a client is told after the answer."""
        if command == "launch":
            self.wire.event("initialized")
        elif command == "configurationDone":
            if self._stop_on_entry:
                self.report(self.session.stop)
            else:
                self.go(self.session.cont)
        elif command == "restart":
            self.go(self.session.start)
        elif command == "terminate":
            self.wire.event("terminated")
        elif self._next is not None:
            run, self._next = self._next, None
            self.go(run)

    @property
    def session(self) -> Session:
        """The session; InputError before `launch`."""
        if self._session is None:
            raise InputError("nothing has been launched")
        return self._session

    def stopped_session(self) -> Session:
        """The session, while the launch stands still."""
        if self._busy:
            raise InputError("the launch is running")
        return self.session

    # Running.

    def go(self, run: Callable[[], Stop]) -> None:
        """Runs on a thread, and tells the client of the stop."""
        self.references.clear()
        self._busy = True

        def work() -> None:
            try:
                stop = run()
            except InputError as error:
                self.wire.event("output", category="important", output=f"{error}\n")
                stop = self.session.stop
            except Exception as error:
                self.wire.event("output", category="stderr", output=f"{Bug.of(error)}\n")
                stop = self.session.stop
            self.report(stop)

        self._running = threading.Thread(target=work, name="openptx debug", daemon=True)
        self._running.start()

    def report(self, stop: Stop) -> None:
        """Tells of a stop."""
        if self._ending:
            return
        if stop.kind == stops.FAULT and not self._stops_on_faults:
            stop = self.session.cont()
        if not stop.live:
            self._busy = False
            if stop.error is not None:
                self.wire.event("output", category="stderr", output=f"{stop.error}\n")
            self.wire.event("exited", exitCode=int(stop.error is not None))
            self.wire.event("terminated")
            return
        self._busy = False
        self.wire.event(
            "stopped",
            reason=REASONS[stop.kind],
            description=stop.message or stop.kind,
            threadId=self.session.thread + 1,
            allThreadsStopped=True,
            hitBreakpointIds=list(stop.breakpoints),
            **({"text": stop.message} if stop.error is not None else {}),
        )

    def later(self, arguments: Message, run: Callable[[Session, bool], Stop]) -> None:
        """Runs from the client's thread, after the answer; `run` is told whether to step by instruction."""
        session = self.stopped_session()
        if not session.stop.live:
            raise InputError("the launch has ended; restart it")
        session.look_at(int(arguments["threadId"]) - 1)
        by_instruction = arguments.get("granularity") == "instruction"
        self._next = lambda: run(session, by_instruction)

    def on_continue(self, arguments: Message) -> Message:
        self.later(arguments, lambda session, instruction: session.cont())
        return {"allThreadsContinued": True}

    def on_next(self, arguments: Message) -> None:
        self.later(arguments, lambda session, instruction: session.step(line=not instruction, over=True))

    def on_stepIn(self, arguments: Message) -> None:
        self.later(arguments, lambda session, instruction: session.step(line=not instruction))

    def on_stepOut(self, arguments: Message) -> None:
        self.later(arguments, lambda session, instruction: session.finish())

    def on_stepBack(self, arguments: Message) -> None:
        self.later(arguments, lambda session, instruction: session.back())

    def on_reverseContinue(self, arguments: Message) -> None:
        self.later(arguments, lambda session, instruction: session.back_to_breakpoint())

    def on_pause(self, arguments: Message) -> None:
        self.session.interrupt()

    # Breakpoints.

    def on_setBreakpoints(self, arguments: Message) -> Message:
        source = arguments["source"]
        path = str(source.get("path") or source.get("name") or "")
        lines: list[Message] = arguments.get("breakpoints") or []
        return self.replace(path, [(self.named(path, int(one["line"])), one) for one in lines])

    def on_setFunctionBreakpoints(self, arguments: Message) -> Message:
        return self.replace("", [(str(one["name"]), one) for one in arguments["breakpoints"]])

    def on_setExceptionBreakpoints(self, arguments: Message) -> None:
        self._stops_on_faults = "fault" in arguments["filters"]

    def named(self, path: str, line: int) -> str:
        """How the session names a line of a file of the client's."""
        file = self.session.places.file.name
        if os.path.abspath(path) == os.path.abspath(file):
            return str(line)
        for name in self.session.places.table.names.values():
            if os.path.abspath(path) == os.path.abspath(name):
                return f"{name}:{line}"
        return f"{os.path.basename(path)}:{line}"

    def replace(self, key: str, wanted: list[tuple[str, Message]]) -> Message:
        """Sets all breakpoints of one file, or of functions; those that were there are removed."""
        for number in self._breakpoints.pop(key, []):
            if number in self.session.breakpoints:
                self.session.delete(number)
        numbers = self._breakpoints[key] = []
        return {"breakpoints": [self.breakpoint(place, one, numbers) for place, one in wanted]}

    def breakpoint(self, place: str, one: Message, numbers: list[int]) -> Message:
        """Sets a breakpoint, and says where it is."""
        session = self.session
        hits = one.get("hitCondition")
        try:
            if hits and not (str(hits).isdecimal() and int(hits)):
                raise InputError(f"`{hits}`: write how many times the place is reached before it stops")
            made = session.break_at(place, one.get("condition"), skip=int(hits) - 1 if hits else 0, live=not self._busy)
        except InputError as error:
            return {"verified": False, "message": str(error)}
        numbers.append(made.number)
        name, pc = min(made.places)
        op = session.places.functions[name].code[pc]
        by_source = ":" in place and session.places.table.of(op)
        return {"id": made.number, "verified": True, "line": self.location(op, by_source=bool(by_source))[1]}

    # Looking.

    def on_threads(self, arguments: Message) -> Message:
        numbering = self.session.numbering
        shown = range(numbering.threads)
        if numbering.threads > LANES:
            threads = numbering.block_threads
            firsts = (
                block * threads + first
                for block in range(numbering.blocks)
                for first in range(0, threads, min(threads, 32))
            )
            shown = sorted({*(first for first, _ in zip(firsts, range(MOST), strict=False)), self.session.thread})
        return {"threads": [{"id": thread + 1, "name": self.thread_name(thread)} for thread in shown]}

    def thread_name(self, thread: int) -> str:
        """A thread, or the warp that it stands for."""
        session = self.session
        block, own = session.position(thread)
        if session.numbering.threads <= LANES or thread == session.thread:
            return f"block {block} thread {own}"
        return f"block {block} warp {thread % session.numbering.block_threads // 32}"

    def on_stackTrace(self, arguments: Message) -> Message:
        session = self.stopped_session()
        thread = int(arguments["threadId"]) - 1
        session.look_at(thread)
        if session.where(thread) is None:
            return {"stackFrames": [], "totalFrames": 0}
        every = session.frames()
        first = int(arguments.get("startFrame") or 0)
        count = int(arguments.get("levels") or 0) or len(every)
        found: list[Message] = []
        for level, (frame, pc) in list(enumerate(every))[first : first + count]:
            code = frame.plan.code
            op = code[min(pc, len(code) - 1)]
            file, line, column = self.location(op)
            source = {"name": os.path.basename(file), "path": os.path.abspath(file)}
            name = frame.plan.function.name
            found.append(
                {"id": thread * LEVELS + level, "name": name, "source": source, "line": line, "column": column}
            )
        return {"stackFrames": found, "totalFrames": len(every)}

    def location(self, op: Op, by_source: bool = False) -> tuple[str, int, int]:
        """Where an instruction is shown: in the source, if that can be read, else in the PTX."""
        places = self.session.places
        chain = places.table.of(op)
        if chain and (by_source or places.table.text(chain[0]) is not None):
            return chain[0]
        return (places.file.name, *places.file.location(op.span[0]))

    def on_scopes(self, arguments: Message) -> Message:
        return {"scopes": self.references.scopes(self.frame(arguments["frameId"]))}

    def frame(self, number: int) -> Scope:
        """The names of a stack frame."""
        session = self.stopped_session()
        session.look_at(int(number) // LEVELS)
        return session.scope(int(number) % LEVELS)

    def on_variables(self, arguments: Message) -> Message:
        self.stopped_session()
        start, count = int(arguments.get("start") or 0), int(arguments.get("count") or 0)
        return {"variables": self.references.variables(int(arguments["variablesReference"]), start, count)}

    def on_evaluate(self, arguments: Message) -> Message:
        session = self.stopped_session()
        number = arguments.get("frameId")
        scope = self.frame(number) if number is not None else session.scope()
        text = str(arguments["expression"])
        value = self.references.value(scope, text, parse(text).evaluate(scope))
        value["result"] = value.pop("value")
        return {k: v for k, v in value.items() if k not in ("name", "evaluateName")}

    def on_readMemory(self, arguments: Message) -> Message:
        scope = self.stopped_session().scope()
        space, _, text = str(arguments["memoryReference"]).rpartition(":")
        address = int(text, 0) + int(arguments.get("offset") or 0)
        wanted = int(arguments["count"])
        readable, unreadable = 0, wanted + 1  # the most bytes that are known to be readable, the fewest that are not
        data = b""
        while readable + 1 < unreadable:
            size = wanted if unreadable > wanted else (readable + unreadable) // 2
            try:
                data, readable = scope.bytes(space or "generic", address, size), size
            except InputError:
                unreadable = size
        return {
            "address": f"0x{address:x}",
            "data": base64.b64encode(data[:readable]).decode(),
            "unreadableBytes": wanted - readable,
        }

    def on_exceptionInfo(self, arguments: Message) -> Message:
        stop = self.stopped_session().stop
        if stop.error is None:
            raise InputError("no fault has stopped the launch")
        name = f"{stop.error.code} {stop.error.name}" if isinstance(stop.error, Fault) else "unsupported"
        return {"exceptionId": name, "description": str(stop.error), "breakMode": "always"}
