"""The debugger in a terminal: commands as in gdb and pdb, on a `Session`."""

from __future__ import annotations

import cmd
import re
import sys
from typing import Any, TextIO, cast

from openptx.debug import listing
from openptx.debug.history import history
from openptx.debug.session import Session
from openptx.debug.source_values import SourceObject, shown
from openptx.debug.stops import ENDED, EXITED, FAULT, PAUSE, Stop
from openptx.debug.values import Array, TypedBits
from openptx.errors import Fault, InputError
from openptx.isa.types import Type
from openptx.trace.values import show, type_of

# fmt: off
ALIASES = {
    "b": "break", "tb": "tbreak", "c": "continue", "s": "step", "n": "next", "si": "stepi", "ni": "nexti",
    "sw": "stepw", "bar": "barrier", "fin": "finish", "p": "print", "l": "list", "bt": "where", "backtrace": "where",
    "i": "info", "d": "delete", "q": "quit", "exit": "quit", "rsi": "back", "rc": "reverse", "r": "start",
    "run": "start", "f": "frame", "h": "help", "disassemble": "list",
}
# fmt: on
SHOWN = 64
"""Elements of an array that `print` shows."""
LETTERS = {"d": "s", "u": "u", "f": "f", "x": "b"}
"""gdb's letters for formats of bits; the register gives the width."""


class Terminal(cmd.Cmd):
    """Reads commands and prints their results. `interactive`: a person types, with history and completion."""

    prompt = "(openptx) "

    def __init__(self, session: Session, stdin: TextIO, stdout: TextIO, *, interactive: bool) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.session = session
        self.use_rawinput = interactive
        self.prompt = "(openptx) " if interactive else ""
        self.listed = 0
        self.quitting = False
        self.problems = 0

    # The loop.

    def run(self) -> None:
        """Reads commands to the end of the input, or to `quit`."""
        while True:
            try:
                self.cmdloop()
                return
            except KeyboardInterrupt:  # at the prompt; a running launch is stopped instead
                self.say("")

    def execute(self, lines: list[str]) -> None:
        """Executes commands, until one is `quit` or an interrupt stops the launch."""
        for line in lines:
            if self.onecmd(line) or self.session.stop.kind == PAUSE:
                return

    def say(self, text: str) -> None:
        self.stdout.write(f"{text}\n")
        self.stdout.flush()

    def onecmd(self, line: str) -> bool:
        """Executes one command; returns whether it was the last. Errors are reported."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            return bool(self.emptyline()) if not word and self.use_rawinput else False
        name, slash, form = word.partition("/")
        name = ALIASES.get(name, name)
        if line.strip() == "EOF":
            self.quitting = True
            return True
        self.lastcmd = line
        command = getattr(self, f"do_{name}", None)
        try:
            if command is None:
                raise InputError(f"no command `{name}`; `help` lists them")
            return bool(command(f"/{form} {rest}".strip() if slash else rest.strip()))
        except InputError as error:
            self.problems += 1
            self.say(f"error: {error}")
            return False

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """Commands that begin with the typed text."""
        return [name for name in super().completenames(text, *ignored) if name != "EOF"]

    def completedefault(self, *ignored: Any) -> list[str]:
        """Registers, variables, labels and functions that begin with the typed text."""
        text = str(ignored[0])
        return sorted(name for name in listing.names(self.session) if name.startswith(text))

    # Running.

    def show_stop(self, stop: Stop) -> None:
        """Prints where the launch has stopped."""
        if stop.kind == EXITED:
            if stop.error is not None:
                self.say(str(stop.error))
            self.say("the launch has ended" + (" in a fault" if stop.error is not None else ""))
            return
        if stop.kind == FAULT:
            self.say(str(stop.error) if isinstance(stop.error, Fault) else stop.message)
        elif stop.message:
            self.say(stop.message)
        if stop.kind != ENDED:
            self.say(listing.thread_state(self.session))

    def do_start(self, text: str) -> None:
        """start: begin the launch again, and stop at its first instruction"""
        self.show_stop(self.session.start())

    def do_continue(self, text: str) -> None:
        """continue: run to a breakpoint, a watchpoint, a fault or the end"""
        self.show_stop(self.session.cont())

    def do_step(self, text: str) -> None:
        """step [N]: run to the thread's next line (of the source, without `.loc` of the PTX), into calls"""
        self.show_stop(self.session.step(line=True, count=number(text, 1)))

    def do_next(self, text: str) -> None:
        """next [N]: the same, over calls"""
        self.show_stop(self.session.step(line=True, over=True, count=number(text, 1)))

    def do_stepi(self, text: str) -> None:
        """stepi [N]: run to the thread's next instruction"""
        self.show_stop(self.session.step(count=number(text, 1)))

    def do_nexti(self, text: str) -> None:
        """nexti [N]: the same, over calls"""
        self.show_stop(self.session.step(over=True, count=number(text, 1)))

    def do_stepw(self, text: str) -> None:
        """stepw [N]: run to the next instruction of any thread of the warp"""
        self.show_stop(self.session.step(warp=True, count=number(text, 1)))

    def do_barrier(self, text: str) -> None:
        """barrier: run to the thread's next barrier"""
        self.show_stop(self.session.to_barrier())

    def do_finish(self, text: str) -> None:
        """finish: run until the thread returns from its function"""
        self.show_stop(self.session.finish())

    def do_goto(self, text: str) -> None:
        """goto N: run to step N of the launch, from its start if that is an earlier one"""
        self.show_stop(self.session.goto(number(text)))

    def do_back(self, text: str) -> None:
        """back [N]: go back N instructions of the thread, by running again"""
        self.show_stop(self.session.back(number(text, 1)))

    def do_reverse(self, text: str) -> None:
        """reverse: go back to the last stop at a breakpoint before this one"""
        self.show_stop(self.session.back_to_breakpoint())

    def do_quit(self, text: str) -> bool:
        """quit: end the launch and the debugger"""
        self.quitting = True
        return True

    # Breakpoints.

    def do_break(self, text: str) -> None:
        """break PLACE [thread N] [if CONDITION]: stop at a row, FILE:LINE, a label or a function"""
        self.set_breakpoint(text, once=False)

    def do_tbreak(self, text: str) -> None:
        """tbreak PLACE ...: the same, once"""
        self.set_breakpoint(text, once=True)

    def set_breakpoint(self, text: str, once: bool) -> None:
        place, _, condition = text.partition(" if ") if " if " in text else (text, "", "")
        found = re.fullmatch(r"(.*?)\s+thread\s+(\d+)", place.strip())
        place, thread = (found[1], int(found[2])) if found else (place.strip(), None)
        if not place:
            place = str(listing.row(self.session))
        made = self.session.break_at(place, condition or None, thread=thread, once=once)
        where = ", ".join(sorted(self.session.places.describe(place) for place in made.places))
        self.say(f"breakpoint {made.number}: {where}")

    def do_watch(self, text: str) -> None:
        """watch EXPRESSION: stop when it changes: a register of this thread, memory, a variable"""
        if not text:
            raise InputError("watch what? a register, `u32[address]`, a variable")
        made = self.session.watch(text)
        self.say(f"watchpoint {made.number}: {made.text}")

    def do_delete(self, text: str) -> None:
        """delete [N]: remove a breakpoint or watchpoint, or all of them"""
        for each in [number(text)] if text else [*self.session.breakpoints, *self.session.watchpoints]:
            self.session.delete(each)

    def do_condition(self, text: str) -> None:
        """condition N [EXPRESSION]: stop at breakpoint N only if it is true, without it always"""
        which, _, condition = text.partition(" ")
        self.session.set_condition(number(which), condition.strip())

    def do_enable(self, text: str) -> None:
        """enable N: stop at a breakpoint or watchpoint again"""
        self.session.enable(number(text), True)

    def do_disable(self, text: str) -> None:
        """disable N: keep a breakpoint or watchpoint, but do not stop at it"""
        self.session.enable(number(text), False)

    # Inspection.

    def do_thread(self, text: str) -> None:
        """thread [X[,Y[,Z]]]: look at this thread of the block"""
        self.choose(thread=text)

    def do_block(self, text: str) -> None:
        """block [X[,Y[,Z]]]: look at the same thread of this block"""
        self.choose(block=text)

    def do_lane(self, text: str) -> None:
        """lane N: look at this lane of the warp"""
        own = self.session.thread % self.session.numbering.block_threads
        self.choose(thread=str(own - own % 32 + require_below(number(text), 32, "lane")))

    def do_warp(self, text: str) -> None:
        """warp N: look at the first thread of this warp of the block"""
        self.choose(
            thread=str(32 * require_below(number(text), -(-self.session.numbering.block_threads // 32), "warp"))
        )

    def choose(self, thread: str = "", block: str = "") -> None:
        s = self.session
        cta, own = divmod(s.thread, s.numbering.block_threads)
        if thread:
            own = listing.linear(thread, s.prepared.block, "thread")
        if block:
            cta = s.numbering.number_of_block(listing.position(block, s.prepared.grid, "block"))
        s.look_at(cta * s.numbering.block_threads + own)
        self.say(listing.thread_state(s))

    def do_where(self, text: str) -> None:
        """where: the calls that the thread is in, innermost first"""
        for line in listing.calls(self.session):
            self.say(line)

    def do_frame(self, text: str) -> None:
        """frame N: look at this call; 0 is the innermost"""
        self.session.scope(number(text))
        self.session.level = number(text)
        self.do_where("")

    def do_up(self, text: str) -> None:
        """up [N]: look at the caller, N calls up"""
        self.do_frame(str(self.session.level + number(text, 1)))

    def do_down(self, text: str) -> None:
        """down [N]: look at the callee, N calls down"""
        if not self.session.level:
            raise InputError("this is the innermost call")
        self.do_frame(str(self.session.level - number(text, 1)))

    def do_list(self, text: str) -> None:
        """list [ROW]: the PTX around the thread or a row, with the lines of the source that `.loc` names"""
        for line in listing.listing(self.session, number(text) if text else None):
            self.say(line)

    def do_print(self, text: str) -> None:
        """print[/TYPE] EXPRESSION: registers, variables, f32[address], arithmetic; TYPE: s32, f16x2, x, d, u, f"""
        form, text = split_form(text)
        self.say(f"{text} = {self.value_text(self.session.evaluate(text), form)}")

    def do_lanes(self, text: str) -> None:
        """lanes[/TYPE] EXPRESSION: its value in each thread of the warp"""
        form, text = split_form(text)
        for name, found in listing.in_warp(self.session, text):
            self.say(f"{name}: {found if isinstance(found, str) else self.value_text(found, form)}")

    def value_text(self, found: Any, form: str) -> str:
        """A value as text, as another type if one is requested."""
        if isinstance(found, TypedBits):
            return show(found.bits, as_type(form, found.type)) if form else str(found)
        if isinstance(found, SourceObject):
            return shown(self.session.scope(), found)
        if isinstance(found, list):
            return "{" + ", ".join(self.value_text(part, form) for part in cast("list[TypedBits]", found)) + "}"
        if isinstance(found, Array):
            values = self.session.scope().elements(found, SHOWN)
            more = f" ... {found.count} elements" if found.count > SHOWN else ""
            return (
                f".{found.space} 0x{found.address:x} {{"
                + ", ".join(self.value_text(v, form) for v in values)
                + "}"
                + more
            )
        if form and isinstance(found, int):
            type = as_type(form, type_of("b64"))
            return show(found & (1 << type.width) - 1, type)
        return str(found)

    def do_x(self, text: str) -> None:
        """x[/COUNT[TYPE]] [SPACE] ADDRESS: memory from an address or a variable on, eight values a line"""
        form, text = split_form(text)
        for line in listing.memory(self.session, form, text):
            self.say(line)

    def do_set(self, text: str) -> None:
        """set TARGET = VALUE: change a register, an element of a variable, f32[address]; going back forgets it"""
        found = re.fullmatch(r"(.*?)(?<![=<>!])=(?!=)(.*)", text)
        if found is None:
            raise InputError("write set TARGET = VALUE, such as `set %r1 = 4` or `set tile[3] = 0.5`")
        self.say(f"{found[1].strip()} = {self.session.assign(found[1], found[2])}")

    def do_info(self, text: str) -> None:
        """info breakpoints | registers | threads | warps | blocks | variables | params | step"""
        text = {"locals": "variables", "args": "params"}.get(text, text)
        found = [name for name in listing.INFO if text and name.startswith(text)]
        if not found:
            raise InputError(f"info about {', '.join(listing.INFO)}")
        for line in listing.INFO[found[0]](self.session):
            self.say(line)

    def do_help(self, arg: str) -> None:
        """help [COMMAND]: what a command does"""
        name = ALIASES.get(arg, arg)
        if name:
            method = getattr(self, f"do_{name}", None)
            if method is None:
                raise InputError(f"no command `{arg}`; `help` lists them")
            self.say(str(method.__doc__))
            return
        for member in vars(Terminal):
            if member.startswith("do_"):
                short = ", ".join(alias for alias, of in ALIASES.items() if of == member[3:])
                self.say(f"{vars(Terminal)[member].__doc__}" + (f"  ({short})" if short else ""))

    def emptyline(self) -> bool:
        """An empty line repeats a step."""
        word = self.lastcmd.split("/")[0].split(" ")[0] if self.lastcmd else ""
        repeats = ("step", "next", "stepi", "nexti", "stepw", "back", "continue", "list")
        return self.onecmd(self.lastcmd) if ALIASES.get(word, word) in repeats else False


def debug(session: Session) -> Stop:
    """Debugs in the terminal, or by commands from a pipe; returns the last stop."""
    interactive = sys.stdin.isatty()
    terminal = Terminal(session, sys.stdin, sys.stdout, interactive=interactive)
    with history(interactive):
        try:
            terminal.show_stop(session.start())
            terminal.run()
            return session.stop
        finally:
            session.close()


def number(text: str, default: int | None = None) -> int:
    """An integer from 0; `default` for empty text. Raises InputError for any other text."""
    if not text and default is not None:
        return default
    if not text.isdecimal():
        raise InputError(f"write a number, not `{text}`")
    return int(text)


def require_below(value: int, count: int, what: str) -> int:
    """The value. Raises InputError if there are no more than that."""
    if value >= count:
        raise InputError(f"no {what} {value}: there are {count}")
    return value


def split_form(text: str) -> tuple[str, str]:
    """`/f32 expression` as its two parts. Raises InputError if there is no expression."""
    if not text:
        raise InputError("the expression is missing: write one, such as a register's name")
    if not text.startswith("/"):
        return "", text
    form, _, rest = text[1:].partition(" ")
    if not rest:
        raise InputError("the expression is missing: write one, such as a register's name")
    return form, rest.strip()


def as_type(form: str, own: Type) -> Type:
    """The type that a format letter means for a value: gdb's letters take the value's width."""
    letter = LETTERS.get(form)
    if letter is None:
        return type_of(form)
    width = max(own.width, 8)
    return type_of(f"{letter}{max(width, 16) if letter == 'f' else width}")
