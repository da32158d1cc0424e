"""The adapter: answers a client's requests by means of a session. The launch runs on its own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from openptx.debug import stops
from openptx.debug.dap.breakpoints import Breakpoints
from openptx.debug.dap.debuggee import Debuggee
from openptx.debug.dap.inspection import Inspection
from openptx.debug.dap.memory import Memory
from openptx.debug.dap.sources import Sources
from openptx.debug.dap.wire import Message, Wire
from openptx.debug.session import Session
from openptx.debug.stops import Stop
from openptx.errors import Bug, CheckError, Error, InputError

Make = Callable[[Message, Callable[[str], object]], "Session"]
"""Creates the session that the arguments of `launch` describe; it passes the kernel's output to the function."""

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True, "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True, "supportsHitConditionalBreakpoints": True, "supportsStepBack": True,
    "supportsRestartRequest": True, "supportsReadMemoryRequest": True, "supportsExceptionInfoRequest": True,
    "supportsEvaluateForHovers": True, "supportsSteppingGranularity": True, "supportsTerminateRequest": True,
    "supportsSetVariable": True, "supportsSetExpression": True, "supportsWriteMemoryRequest": True,
    "supportsDisassembleRequest": True, "supportsInstructionBreakpoints": True, "supportsDataBreakpoints": True,
    "supportsDataBreakpointBytes": True, "supportsCompletionsRequest": True, "supportsLogPoints": True,
    "exceptionBreakpointFilters": [{"filter": "fault", "label": "Faults", "default": True}],
}  # fmt: skip
REASONS = {
    stops.ENTRY: "entry", stops.STEP: "step", stops.BREAKPOINT: "breakpoint", stops.WATCHPOINT: "data breakpoint",
    stops.PAUSE: "pause", stops.FAULT: "exception", stops.GOTO: "step", stops.ENDED: "step",
}  # fmt: skip


class Adapter:
    """The conversation with one client. `serve` ends when the client disconnects or vanishes, and so does the
    launch."""

    def __init__(self, wire: Wire, make: Make) -> None:
        self.wire, self.make = wire, make
        self.debuggee = debuggee = Debuggee(wire)
        self.breakpoints = Breakpoints(debuggee)
        self._parts = (self, self.breakpoints, Inspection(debuggee), Memory(debuggee))
        self._launched: Message = {}
        self._running: threading.Thread | None = None
        self._stop_on_entry = False
        self._stops_on_faults = True
        self._over = self._ending = self._warned = False
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
        if self.debuggee.launched is not None:
            self._ending = True
            while self._running is not None and self._running.is_alive():  # it may start an execution meanwhile
                self.debuggee.launched.interrupt()
                self._running.join(0.05)
            self.debuggee.launched.close()
            self._ending = self.debuggee.busy = False

    def answer(self, message: Message) -> None:
        """Answers one request; an error becomes the answer."""
        command = str(message.get("command"))
        response = {"type": "response", "request_seq": message.get("seq", 0), "command": command}
        handlers = (getattr(part, f"on_{command}", None) for part in self._parts)
        handler: Callable[[Message], Message | None] | None = next(filter(None, handlers), None)
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
        self.debuggee.first_line = int(arguments.get("linesStartAt1", True))
        self.debuggee.first_column = int(arguments.get("columnsStartAt1", True))
        return CAPABILITIES

    def on_launch(self, arguments: Message) -> Message | None:
        if self.debuggee.launched is not None:
            raise InputError("a launch is under way; `restart` begins it again")
        self.begin(arguments)
        return None

    def begin(self, arguments: Message) -> None:
        """Reads the file and starts the launch, in place of an existing one, which is kept if this fails."""
        session = self.make(arguments, self.output)
        sources = Sources(session.places)
        self.close()
        session.start()
        self.debuggee.launched, self.debuggee.files = session, sources
        self._launched, self._warned = arguments, False
        self._stop_on_entry = bool(arguments.get("stopOnEntry", False))

    def output(self, text: str) -> None:
        """Sends what the kernel prints to the client."""
        self.wire.event("output", category="stdout", output=text)

    def on_configurationDone(self, arguments: Message) -> None:
        self.debuggee.stopped_session()

    def on_restart(self, arguments: Message) -> None:
        if self.debuggee.launched is None:
            raise InputError("nothing has been launched")
        self.begin(arguments.get("arguments") or self._launched)

    def on_setExceptionBreakpoints(self, arguments: Message) -> None:
        self._stops_on_faults = "fault" in arguments["filters"]

    def on_disconnect(self, arguments: Message) -> None:
        self._over = True

    def on_terminate(self, arguments: Message) -> None:
        self.close()
        self.debuggee.launched = None

    def after(self, command: str) -> None:
        """Events that follow the answer."""
        if command == "launch":
            self.wire.event("initialized")
        elif command == "restart":
            self.debuggee.references.clear()
            self.breakpoints.set_again()
        if command in ("configurationDone", "restart"):
            if self._stop_on_entry:
                self.report(self.debuggee.session.stop)
            else:
                self.go(self.debuggee.session.cont)
        elif command == "terminate":
            self.wire.event("terminated")
        elif self._next is not None:
            run, self._next = self._next, None
            self.go(run)

    # Running.

    def go(self, run: Callable[[], Stop]) -> None:
        """Calls `run` on a new thread, and reports its stop to the client."""
        self.debuggee.references.clear()
        self.debuggee.busy = True

        def work() -> None:
            try:
                stop = run()
            except InputError as error:
                self.wire.event("output", category="important", output=f"{error}\n")
                stop = self.debuggee.session.stop
            except Exception as error:
                self.wire.event("output", category="stderr", output=f"{Bug.of(error)}\n")
                stop = self.debuggee.session.stop
            self.report(stop)

        self._running = threading.Thread(target=work, name="openptx debug", daemon=True)
        self._running.start()

    def report(self, stop: Stop) -> None:
        """Reports a stop to the client."""
        if self._ending:
            return
        if stop.kind == stops.FAULT and not self._stops_on_faults:
            stop = self.debuggee.session.cont()
        self.debuggee.busy = False
        if self.debuggee.sources.changed and not self._warned:
            self._warned = True
            name = self.debuggee.sources.places.file.name
            text = f"{name} has changed since it was launched; restart runs it as it is now\n"
            self.wire.event("output", category="important", output=text)
        if not stop.live:
            if stop.error is not None:
                self.wire.event("output", category="stderr", output=f"{stop.error}\n")
            self.wire.event("exited", exitCode=int(stop.error is not None))
            self.wire.event("terminated")
            return
        self.wire.event(
            "stopped",
            reason=REASONS[stop.kind],
            description=stop.message or stop.kind,
            threadId=self.debuggee.session.thread + 1,
            allThreadsStopped=True,
            hitBreakpointIds=self.breakpoints.ids(stop.breakpoints),
            **({"text": stop.message} if stop.error is not None else {}),
        )

    def later(self, arguments: Message, run: Callable[[Session, bool], Stop]) -> None:
        """Continues the launch after the answer, from the thread that the client names. `run` receives the session, and
        whether to step by instruction."""
        session = self.debuggee.stopped_session()
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
        self.debuggee.session.interrupt()
