r"""Run a kernel and stop where one asks: look at registers and memory of any thread, step, go back.

    openptx debug sum.ptx --grid 4 --block 256 --arg 1024 @x.npy zeros:f32:4
    openptx debug cases/matmul16 -x commands.txt

Arguments are as for `openptx run`; a case folder has a kernel and its arguments. `help` lists the commands: break,
watch, step, next, stepi, barrier, finish, continue, back, goto, print, x, lanes, info, list, thread, block. A fault and
a deadlock stop with everything live, and so does Ctrl-C. The exit status is 1 when the launch ended in a fault.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from openptx.cli.exit_status import CLEAN, FINDINGS
from openptx.cli.launching import add_launch_arguments, launching
from openptx.debug.history import history
from openptx.debug.session import Session
from openptx.debug.terminal import Terminal
from openptx.errors import InputError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx debug`."""
    add_launch_arguments(parser)
    add = parser.add_argument
    add("-x", "--command", metavar="FILE", action="append", default=[], help="execute the commands of a file, then end")
    add("-e", "--execute", metavar="COMMAND", action="append", default=[], help="execute a command first")


def run(args: Namespace) -> int:
    """Load, begin, read commands."""
    if args.file is None:
        raise InputError("debug what? name a PTX file or a case folder")
    if args.file == "-" and not args.command:
        raise InputError("the commands come from stdin: name the PTX file, or give the commands with -x FILE")
    commands = [line for path in args.command for line in read_commands(path)]
    given = launching(args)
    session = Session(
        given.kernel, given.grid, given.block, given.arguments,
        shared_mem=given.shared, cluster=given.cluster, print=sys.stdout.write,
    )  # fmt: skip
    interactive = sys.stdin.isatty() and not args.command
    terminal = Terminal(session, sys.stdin, sys.stdout, interactive=interactive)
    with history(interactive):
        try:
            terminal.stopped(session.start())
            terminal.execute([*args.execute, *commands])
            if not args.command and not terminal.quitting:
                terminal.run()
            failed = session.stop.error is not None
        finally:
            session.close()
    return FINDINGS if failed else CLEAN


def read_commands(path: str) -> list[str]:
    """The lines of a file."""
    with open(path, encoding="utf-8") as stream:
        return stream.read().splitlines()
