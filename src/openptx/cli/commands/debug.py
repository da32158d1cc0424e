r"""Debug a kernel: stop at breakpoints, inspect registers and memory of any thread, step forward and back.

    openptx debug sum.ptx --grid 4 --block 256 --arg 1024 @x.npy zeros:f32:4
    openptx debug cases/matmul16 -x commands.txt

Arguments are as for `openptx run`; a case folder contains its own. The commands are break, watch, step, next, stepi,
barrier, finish, continue, back, goto, print, x, lanes, info, list, thread and block; `help` describes them. A fault, a
deadlock and Ctrl-C stop the launch, and everything can still be inspected; with -x, Ctrl-C ends the command. The exit
status is 1 if the launch ended in a fault. With --dap an editor takes the place of the terminal (docs/debugger.md).
"""

from __future__ import annotations

import socket
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any, BinaryIO, cast

from openptx.cli.exit_status import CLEAN, FINDINGS
from openptx.cli.launching import Launching, add_launch_arguments, launching
from openptx.debug.dap.adapter import Adapter
from openptx.debug.dap.wire import Wire
from openptx.debug.history import history
from openptx.debug.session import Session
from openptx.debug.stops import PAUSE
from openptx.debug.terminal import Terminal
from openptx.errors import InputError

LAST_PORT = 65535


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx debug`."""
    add_launch_arguments(parser)
    add = parser.add_argument
    add(
        "-x", "--command", metavar="FILE", action="append", default=[], help="execute the commands in a file, then exit"
    )
    add("--dap", action="store_true", help="serve an editor by the Debug Adapter Protocol over stdin and stdout")
    add("--port", metavar="N", type=int, help="with --dap: serve one client on this local TCP port; 0: any free port")
    add(
        "-e",
        "--execute",
        metavar="COMMAND",
        action="append",
        default=[],
        help="execute a debugger command at the start",
    )


def run(args: Namespace) -> int:
    """Loads the launch, starts it, reads commands."""
    if args.dap:
        return serve(args)
    if args.port is not None:
        raise InputError("--port needs --dap")
    if args.file is None:
        raise InputError("nothing to debug: name a PTX file, a case folder or a recording")
    if args.file == "-" and not args.command:
        raise InputError("the commands come from stdin: name the PTX file, or give the commands with -x FILE")
    commands = [line for path in args.command for line in read_commands(path)]
    launch = launching(args)
    session = session_for(launch, sys.stdout.write)
    interactive = sys.stdin.isatty() and not args.command
    terminal = Terminal(session, sys.stdin, sys.stdout, interactive=interactive)
    with history(interactive):
        try:
            terminal.show_stop(session.start())
            terminal.execute([*args.execute, *commands])
            if args.command and session.stop.kind == PAUSE:
                raise KeyboardInterrupt
            if not args.command and not terminal.quitting:
                terminal.run()
            failed = session.stop.error is not None
        finally:
            session.close()
    return FINDINGS if failed else CLEAN


def serve(args: Namespace) -> int:
    """Serves one client to its end. Raises InputError for options of the terminal, and for an impossible port."""
    if args.file is not None or args.command or args.execute:
        raise InputError("--dap takes what is launched from the client's `launch` request")
    if args.port is not None and not 0 <= args.port <= LAST_PORT:
        raise InputError(f"--port {args.port}: write a number from 0 to {LAST_PORT}")
    if args.port is None:
        source, sink = sys.stdin.buffer, sys.stdout.buffer
        with redirect_stdout(sys.stderr):  # no other output may come between messages
            Adapter(Wire(source, sink), session_of).serve()
        return CLEAN
    with socket.create_server(("127.0.0.1", args.port)) as server:
        print(f"listening on 127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
        client, _ = server.accept()
    with client, client.makefile("rb") as source, client.makefile("wb") as sink:
        Adapter(Wire(cast("BinaryIO", source), cast("BinaryIO", sink)), session_of).serve()
    return CLEAN


def session_of(arguments: dict[str, Any], output: Callable[[str], object]) -> Session:
    """The session that a `launch` request describes: `program`, `kernel`, `target`, `grid`, `block`, `args`, `shared`,
    `cluster`.

    Extents are numbers, lists of them or text; arguments are as on the command line. Raises InputError.
    """
    if not isinstance(arguments.get("program"), str):
        raise InputError("`program` is the path of a PTX file or of a case folder")
    texts: object = arguments.get("args") or []
    if not isinstance(texts, list):
        raise InputError("`args` is a list")
    described = launching(
        Namespace(
            file=arguments["program"],
            kernel=arguments.get("kernel"),
            target=arguments.get("target"),
            grid=extent_text(arguments.get("grid")),
            block=extent_text(arguments.get("block")),
            shared=int(arguments.get("shared") or 0),
            cluster=extent_text(arguments.get("cluster")),
            arg=[str(text) for text in cast("list[object]", texts)],
        )
    )
    return session_for(described, output)


def extent_text(extent: object) -> str | None:
    """An extent in the form of the command line: `4,2`."""
    if isinstance(extent, list):
        return ",".join(map(str, cast("list[object]", extent)))
    return str(extent) if extent else None


def session_for(launch: Launching, output: Callable[[str], object]) -> Session:
    return Session(
        launch.kernel, launch.grid, launch.block, launch.arguments,
        shared_mem=launch.shared, cluster=launch.cluster, print=output,
    )  # fmt: skip


def read_commands(path: str) -> list[str]:
    """The lines of a file. Raises InputError if it is not text."""
    with open(path, encoding="utf-8-sig") as stream:
        try:
            return stream.read().splitlines()
        except UnicodeDecodeError:
            raise InputError(f"{path}: not a text file in UTF-8") from None
