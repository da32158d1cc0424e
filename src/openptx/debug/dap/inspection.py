"""Requests that inspect and modify a stopped launch: threads, stack, variables, expressions."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from openptx.debug.dap.code_addresses import CodeAddresses
from openptx.debug.dap.debuggee import LEVELS
from openptx.debug.expressions import parse
from openptx.debug.listing import names
from openptx.debug.terminal import ALIASES, Terminal
from openptx.errors import Fault, InputError
from openptx.runtime.cxx_names import qualified

if TYPE_CHECKING:
    from openptx.debug.dap.debuggee import Debuggee
    from openptx.debug.dap.wire import Message
    from openptx.debug.scope import Scope

LANES = 128
"""Launches of up to this many threads show each as a thread; larger ones a thread per warp, and the current one."""
MOST = 1024
"""The maximum number of threads and completions that are shown."""
COMMANDS = ("print", "lanes", "x", "set", "info", "where", "list")
"""Terminal commands that the debug console accepts, besides expressions."""


class Inspection:
    """Answers requests about threads, stack frames, variables and expressions."""

    def __init__(self, debuggee: Debuggee) -> None:
        self.debuggee = debuggee

    def on_threads(self, arguments: Message) -> Message:
        numbering = self.debuggee.session.numbering
        shown = range(numbering.threads)
        if numbering.threads > LANES:
            threads = numbering.block_threads
            firsts = (
                block * threads + first
                for block in range(numbering.blocks)
                for first in range(0, threads, min(threads, 32))
            )
            listed = {first for first, _ in zip(firsts, range(MOST), strict=False)}
            shown = sorted({*listed, self.debuggee.session.thread})
        return {"threads": [{"id": thread + 1, "name": self.thread_name(thread)} for thread in shown]}

    def thread_name(self, thread: int) -> str:
        """A thread, or the warp that it represents."""
        session = self.debuggee.session
        block, own = session.position(thread)
        if session.numbering.threads <= LANES or thread == session.thread:
            return f"block {block} thread {own}"
        return f"block {block} warp {thread % session.numbering.block_threads // 32}"

    def on_stackTrace(self, arguments: Message) -> Message:
        session = self.debuggee.stopped_session()
        thread = int(arguments["threadId"]) - 1
        session.look_at(thread)
        if session.where(thread) is None:
            return {"stackFrames": [], "totalFrames": 0}
        every = session.frames()
        first = int(arguments.get("startFrame") or 0)
        count = int(arguments.get("levels") or 0) or len(every)
        addresses = CodeAddresses(session.places)
        found: list[Message] = []
        for level, activation in list(enumerate(every))[first : first + count]:
            frame, pc, outward = activation
            path, line, column = self.debuggee.location(activation.op, outward=outward)
            name, pc = frame.plan.function.name, min(pc, len(frame.plan.code) - 1)
            inlined = session.places.inlined(activation.op)[outward:]
            shown = inlined[0].function if inlined else name
            found.append({
                "id": thread * LEVELS + level, "name": qualified(shown), "source": self.debuggee.source(path),
                "line": line, "column": column, "instructionPointerReference": f"0x{addresses.of((name, pc)):x}",
            })  # fmt: skip
        return {"stackFrames": found, "totalFrames": len(every)}

    def on_scopes(self, arguments: Message) -> Message:
        return {"scopes": self.debuggee.references.scopes(self.debuggee.frame(arguments["frameId"]))}

    def on_variables(self, arguments: Message) -> Message:
        self.debuggee.stopped_session()
        start, count = int(arguments.get("start") or 0), int(arguments.get("count") or 0)
        reference = int(arguments["variablesReference"])
        return {"variables": self.debuggee.references.variables(reference, start, count)}

    def on_setVariable(self, arguments: Message) -> Message:
        session = self.debuggee.stopped_session()
        scope = self.debuggee.references.scope(int(arguments["variablesReference"]))
        session.assign(str(arguments["name"]), str(arguments["value"]), scope)
        return self.describe_result(scope, str(arguments["name"]))

    def on_setExpression(self, arguments: Message) -> Message:
        session = self.debuggee.stopped_session()
        scope = self.debuggee.frame(arguments.get("frameId"))
        session.assign(str(arguments["expression"]), str(arguments["value"]), scope)
        return self.describe_result(scope, str(arguments["expression"]))

    def describe_result(self, scope: Scope, text: str) -> Message:
        """The result of an expression, without its name."""
        expression = parse(text)
        value = expression.source_object(scope) or expression.evaluate(scope)
        found = self.debuggee.references.value(scope, text, value)
        return {key: found[key] for key in found if key not in ("name", "evaluateName")}

    def on_evaluate(self, arguments: Message) -> Message:
        number = arguments.get("frameId")
        scope = self.debuggee.frame(number)
        text = str(arguments["expression"])
        if arguments.get("context") == "repl" and (output := self.command(text, number)) is not None:
            return {"result": output, "variablesReference": 0}
        found = self.describe_result(scope, text)
        return {"result": found.pop("value"), **found}

    def command(self, text: str, frame: int | None) -> str | None:
        """The output of a terminal command; None if it is not a command, or is the name of a register."""
        session = self.debuggee.session
        word, _, rest = text.strip().partition(" ")
        word = word.partition("/")[0]
        if ALIASES.get(word, word) not in COMMANDS or (not rest and word in names(session)):
            return None
        session.level = int(frame) % LEVELS if frame is not None else 0
        written = io.StringIO()
        Terminal(session, io.StringIO(), written, interactive=False).onecmd(text)
        return written.getvalue().rstrip("\n")

    def on_completions(self, arguments: Message) -> Message:
        session = self.debuggee.stopped_session()
        before = str(arguments["text"])[: int(arguments["column"]) - 1]
        word = before[len(re.split(r"[%$\w.]*$", before)[0]) :]
        found = sorted(name for name in names(session) if name.startswith((word, f"%{word}")))
        start, length = len(before) - len(word), len(word)
        return {"targets": [{"label": name, "start": start, "length": length} for name in found[:MOST]]}

    def on_exceptionInfo(self, arguments: Message) -> Message:
        stop = self.debuggee.stopped_session().stop
        if stop.error is None:
            raise InputError("no fault has stopped the launch")
        name = f"{stop.error.code} {stop.error.name}" if isinstance(stop.error, Fault) else "unsupported"
        return {"exceptionId": name, "description": str(stop.error), "breakMode": "always"}

    def on_source(self, arguments: Message) -> Message:
        return {"content": self.debuggee.session.places.file.text}
