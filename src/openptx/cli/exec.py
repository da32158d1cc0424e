"""Run a program that uses CUDA, on a device that is this computer.

The program finds our `libcuda.so.1` and `libcudart.so`: numba-cuda, programs in C on the CUDA Driver API, and programs
in CUDA C++ that were compiled with `nvcc -cudart shared`. The exit status is that of the command, and signals reach it.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from openptx.cli.failures import complain
from openptx.driver.environment import environment
from openptx.driver.objects import capability_of

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""A shell's exit statuses for a command that cannot be run."""


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx exec`."""
    parser.add_argument("--device", metavar="SM", help="the device's compute capability, such as sm_90 (the default)")
    parser.add_argument("--sanitize", action="store_true", help="find races, undefined values and wrong barriers")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the program and its arguments, after --")


def run(args: Namespace) -> int:
    """Becomes the program. Returns only if it does not exist."""
    if args.device is not None:
        capability_of(args.device)
    found = environment(args.device, "all" if args.sanitize else None, args.command[0])
    try:
        os.execvpe(args.command[0], args.command, found)
    except OSError as error:
        return cannot_run(args.command[0], error)


def cannot_run(command: str, error: OSError) -> int:
    """Reports why the system does not run a command, and returns a shell's exit status for it."""
    if isinstance(error, FileNotFoundError):
        complain(f"no command `{command}`")
        return NOT_FOUND
    complain(f"`{command}` cannot be run: {error.strerror}")
    return NOT_EXECUTABLE
