"""Run a program that uses CUDA without a GPU: its kernels run on this computer's processor.

    openptx exec -- python program.py
    openptx exec --device sm_80 -- ./program

The program loads OpenPTX's `libcuda.so.1` and `libcudart.so` in place of NVIDIA's. This works for numba-cuda, for
programs that use the CUDA Driver API, and for CUDA C++ compiled with `nvcc -cudart shared`. The exit status is the
program's, and signals are passed on to it. docs/driver.md lists what is supported.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from openptx.cli.failures import complain
from openptx.cli.terminal import Clock
from openptx.driver.environment import environment
from openptx.driver.objects import capability_of
from openptx.errors import InputError

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""A shell's exit statuses for a command that cannot be run."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx exec`."""
    parser.add_argument("--device", metavar="SM", help="the compute capability of the device (default: sm_90)")
    sanitize = "report races, undefined values and misused barriers of every launch"
    parser.add_argument("--sanitize", action="store_true", help=sanitize)
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the program and its arguments, after --")


def run(args: Namespace) -> int:
    """Replaces this process by the program. Returns only if the program cannot be run."""
    if args.device is not None:
        capability_of(args.device)
    if not args.command[0]:
        raise InputError("an empty command: name a program after --")
    with Clock("preparing libcuda.so.1"):  # it is compiled at its first use
        variables = environment(args.device, "all" if args.sanitize else None, args.command[0])
    try:
        os.execvpe(args.command[0], args.command, variables)
    except OSError as error:
        return cannot_run(args.command[0], error)


def cannot_run(command: str, error: OSError) -> int:
    """Reports why the system does not run a command, and returns a shell's exit status for it."""
    script = command.endswith(".py") and os.path.isfile(command)
    hint = f": `openptx exec -- python {command}`" if script else ""
    if isinstance(error, FileNotFoundError):
        complain(f"no command `{command}`{hint}")
        return NOT_FOUND
    complain(f"`{command}` cannot be run: {error.strerror}{hint}")
    return NOT_EXECUTABLE
