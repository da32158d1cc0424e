"""The debugger in a terminal: commands as in gdb and pdb, on a `Session`."""

from __future__ import annotations

import cmd
import re
import sys
from collections import deque
from typing import Any, TextIO

from openptx.debug import listing
from openptx.debug.arguments import number
from openptx.debug.commands import COMMANDS, displayed
from openptx.debug.examine import at_location
from openptx.debug.history import history
from openptx.debug.scripts import SILENT, Body, at_stop, begin, printed, unescaped
from openptx.debug.session import Session
from openptx.debug.stops import ENDED, EXITED, FAULT, PAUSE, Stop
from openptx.errors import Error, Fault, InputError
from openptx.keywords import did_you_mean

# fmt: off
ALIASES = {
    "b": "break", "tb": "tbreak", "c": "continue", "s": "step", "n": "next", "si": "stepi", "ni": "nexti",
    "sw": "stepw", "bar": "barrier", "fin": "finish", "p": "print", "l": "list", "bt": "where", "backtrace": "where",
    "i": "info", "d": "delete", "q": "quit", "exit": "quit", "rsi": "back", "rc": "reverse", "r": "run",
    "f": "frame", "h": "help", "disassemble": "list", "u": "until",
    "reverse-continue": "reverse", "reverse-stepi": "back",
}
# fmt: on


class Terminal(cmd.Cmd):
    """Reads commands and prints their results. `interactive`: a person types, with history and completion.

    `body` are the commands of a breakpoint that are being read, `pending` those of the last stop that are still to be
    executed.
    """

    def __init__(self, session: Session, stdin: TextIO, stdout: TextIO, *, interactive: bool) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.session = session
        self.use_rawinput = interactive
        self.prompt = "(openptx) " if interactive else ""
        self.body: Body | None = None
        self.pending = deque[str]()
        self.displayed = dict[int, str]()
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
        if self.body is not None:
            self.collect(self.body, "EOF")

    def say(self, text: str) -> None:
        self.stdout.write(f"{text}\n")
        self.stdout.flush()

    def onecmd(self, line: str) -> bool:
        """Executes one command, and those of the breakpoint that it has run to; returns whether it was the last. Errors
        are reported."""
        if self.body is not None:
            return self.collect(self.body, line.strip())
        if line.strip() and not line.startswith("#"):
            self.lastcmd = line
        last = self.execute_line(line)
        while self.pending and not last:
            last = self.execute_line(self.pending.popleft())
        return last

    def collect(self, body: Body, line: str) -> bool:
        """Adds a line to the commands of a breakpoint; returns whether the input has ended."""
        if line == "EOF":
            self.read_body(None)
            self.quitting = True
            self.report("`commands` without `end`")
            return True
        if line != "end":
            body.lines += [line] if line else []
            return False
        self.read_body(None)
        for each in body.numbers:
            self.session.breakpoints.commands[each] = body.lines
        return False

    def read_body(self, body: Body | None) -> None:
        """The next lines are those of a body, or commands again."""
        self.body = body
        if self.use_rawinput:
            self.prompt = "(openptx) " if body is None else ">"

    def execute_line(self, line: str) -> bool:
        """Executes one command; returns whether it was the last."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            return bool(self.emptyline()) if not word and self.use_rawinput else False
        name, slash, form = word.partition("/")
        if line.strip() == "EOF":
            self.quitting = True
            return True
        text = f"/{form} {rest}".strip() if slash else rest.strip()
        try:
            name = command_name(name)
            if name not in COMMANDS:
                return bool(getattr(self, f"do_{name}")(text))
            for shown in COMMANDS[name](self.session, text):
                self.say(shown)
        except Error as error:
            self.report(str(error))
        return False

    def report(self, error: str) -> None:
        """Prints an error."""
        self.problems += 1
        self.say(f"error: {error}")

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """Commands that begin with the typed text."""
        return sorted(name for name in names() if name.startswith(text))

    def completedefault(self, *ignored: Any) -> list[str]:
        """Registers, variables, labels and functions that begin with the typed text."""
        text = str(ignored[0])
        return sorted(name for name in listing.names(self.session) if name.startswith(text))

    # Running.

    def show_stop(self, stop: Stop) -> None:
        """Prints where the launch has stopped; the commands of a breakpoint there are executed next, in place of those
        of the last stop."""
        self.pending = deque(at_stop(self.session, stop))
        if self.pending and self.pending[0] == SILENT:
            self.pending.popleft()
            return
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
            self.show_displayed()

    def do_start(self, text: str) -> None:
        """start: begin the launch again, and stop at its first instruction"""
        self.show_stop(self.session.start())

    def do_run(self, text: str) -> None:
        """run: begin the launch again, and run to a breakpoint, a watchpoint, a fault or the end"""
        self.session.start()
        self.show_stop(self.session.cont())

    def do_continue(self, text: str) -> None:
        """continue [N]: run to a breakpoint, a watchpoint, a fault or the end; N: to the N-th stop at this one"""
        if text:
            session = self.session
            points = {**session.breakpoints, **session.watchpoints}
            reached = [points[each] for each in session.stop.breakpoints if each in points]
            if not reached:
                raise InputError(f"continue {text}: the launch has not stopped at a breakpoint")
            for point in reached:
                point.skip = max(number(text) - 1, 0)
        self.show_stop(self.session.cont())

    def do_step(self, text: str) -> None:
        """step [N]: run to the thread's next line (of the source, without `.loc` of the PTX), into calls"""
        self.show_stop(self.session.step(line=True, count=number(text, 1)))

    def do_next(self, text: str) -> None:
        """next [N]: the same, over calls"""
        self.show_stop(self.session.step(line=True, over=True, count=number(text, 1)))

    def do_until(self, text: str) -> None:
        """until [PLACE]: run to a later line of the function, as out of a loop; or to a place or out of the function"""
        if text:
            self.run_to(text, within=len(self.session.frames()) > 1)
        else:
            self.show_stop(self.session.step(line=True, over=True, forward=True))

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

    def do_advance(self, text: str) -> None:
        """advance PLACE: run until this thread reaches it, or to another stop"""
        if not text:
            raise InputError("advance to which place? a row, FILE:LINE, a label or a function")
        self.run_to(text, within=False)

    def run_to(self, place: str, within: bool) -> None:
        """Runs until this thread reaches a place; with `within`, or returns from its function."""
        made = self.session.break_at(place, thread=self.session.thread, once=True)
        try:
            self.show_stop(self.session.finish() if within else self.session.cont())
        finally:
            if made.number in self.session.breakpoints:
                self.session.delete(made.number)

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
        place, _, condition = re.sub(r"(^|\s)if\b", "\0", text, count=1).partition("\0")
        found = re.fullmatch(r"(.*?)\s+thread\s+(\d+)", place.strip())
        place, thread = (found[1], int(found[2])) if found else (place.strip(), None)
        if not place:
            place = str(listing.row(self.session))
        made = self.session.break_at(place, condition.strip() or None, thread=thread, once=once)
        where = ", ".join(sorted(self.session.places.describe(place) for place in made.places))
        self.say(f"breakpoint {made.number}: {where}")

    def do_watch(self, text: str) -> None:
        """watch [-l] EXPRESSION [if CONDITION]: stop when it changes: a register of the thread, memory, a variable; -l:
        the memory where it is now"""
        if not text:
            raise InputError("watch what? a register, `u32[address]`, a variable")
        text, _, condition = text.partition(" if ")
        location = re.fullmatch(r"-l(?:ocation)?\s+(.*)", text)
        text, scope = at_location(self.session, location[1]) if location else (text, None)
        made = self.session.watch(text, condition.strip() or None, scope=scope)
        self.say(f"watchpoint {made.number}: {made.text}")

    def do_commands(self, text: str) -> None:
        """commands [N...]: execute the lines up to `end` at each stop at breakpoint N; the first may be `silent`"""
        self.read_body(begin(self.session, text))

    # Inspection.

    def do_printf(self, text: str) -> None:
        """printf "FORMAT", EXPRESSION, ...: values as C writes them"""
        self.stdout.write(printed(self.session, text))

    def do_echo(self, text: str) -> None:
        """echo TEXT: write a text, with \\n for the end of a line"""
        self.stdout.write(unescaped(text))

    def do_display(self, text: str) -> None:
        """display[/TYPE] [EXPRESSION]: print it at each stop, now as well; undisplay [N] ends that"""
        if text:
            displayed(self.session, text)  # an expression without a value is an error now, and not at each stop
            self.displayed[max(self.displayed, default=0) + 1] = text
        self.show_displayed()

    def do_undisplay(self, text: str) -> None:
        """undisplay [N]: print an expression no longer at each stop, or none of them"""
        if text and number(text) not in self.displayed:
            raise InputError(f"no displayed expression {text}")
        for each in [number(text)] if text else [*self.displayed]:
            del self.displayed[each]

    def show_displayed(self) -> None:
        """Prints the displayed expressions that have a value here."""
        for each, text in self.displayed.items():
            try:
                self.say(f"{each}: " + "\n".join(displayed(self.session, text)))
            except InputError:
                continue

    def do_frame(self, text: str) -> None:
        """frame N: look at this call; 0 is the innermost"""
        self.session.scope(number(text))
        self.session.level = number(text)
        self.execute_line("where")

    def do_up(self, text: str) -> None:
        """up [N]: look at the caller, N calls up"""
        self.do_frame(str(self.session.level + number(text, 1)))

    def do_down(self, text: str) -> None:
        """down [N]: look at the callee, N calls down"""
        if not self.session.level:
            raise InputError("this is the innermost call")
        self.do_frame(str(self.session.level - number(text, 1)))

    def do_help(self, arg: str) -> None:
        """help [COMMAND]: what a command does"""
        for name in [command_name(arg)] if arg else names():
            short = ", ".join(alias for alias, of in ALIASES.items() if of == name) if not arg else ""
            self.say(" ".join(str(documentation(name)).split()) + (f"  ({short})" if short else ""))

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


def names() -> list[str]:
    """All commands, in the order of `help`."""
    return [*(name[3:] for name in vars(Terminal) if name.startswith("do_")), *COMMANDS]


def command_name(word: str) -> str:
    """The command that a word or its beginning names. Raises InputError if it names none, or several."""
    every = names()
    word = ALIASES.get(word, word)
    if word in every:
        return word
    found = sorted((name for name in every if name.startswith(word)), key=len)
    if len(found) == 1 or (found and all(name.startswith(found[0]) for name in found)):
        return found[0]
    if found:
        raise InputError(f"`{word}` may be {' or '.join(sorted(found))}")
    raise InputError(f"no command `{word}`{did_you_mean(word, every) or '; `help` lists them'}")


def documentation(name: str) -> str | None:
    """The description of a command."""
    return (COMMANDS[name] if name in COMMANDS else vars(Terminal)[f"do_{name}"]).__doc__
