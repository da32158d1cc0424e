"""Run a program that uses CUDA on this computer's GPU, and record its launches into files for `openptx replay`.

    openptx record -- python program.py
    openptx replay recordings/

The program loads OpenPTX's libcuda.so.1, which passes every call on to NVIDIA's driver. The first launches of each
kernel are recorded: the PTX, the parameters, the grid, and the memory that the kernel can reach, before and after. The
exit status is the program's.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path

from openptx.cli.commands.exec import cannot_run
from openptx.driver.environment import recording_environment
from openptx.driver.recorder.find_driver import find_driver
from openptx.driver.recorder.settings import Settings
from openptx.errors import ArgumentError, InputError
from openptx.recording.collection import FoundRecording, below
from openptx.recording.file import header_of

MOST = 20
"""The maximum number of kernels that are listed."""


def recorded(folder: str) -> list[FoundRecording]:
    """The recordings in a folder, which need not exist."""
    return below(Path(folder), folder) if Path(folder).is_dir() else []


def summary(made: list[FoundRecording], folder: str) -> str:
    """A line for each kernel, the most recorded first."""
    if not made:
        return f"no launch was recorded in {folder}"
    counts, size = Counter[str](), 0
    for recording in made:
        size += recording.path.stat().st_size
        with recording.path.open("rb") as stream:
            try:
                counts[header_of(stream, recording.name).kernel] += 1
            except InputError:
                counts["(unreadable)"] += 1
    lines = [f"{len(made)} launches of {len(counts)} kernels in {folder}, {size / (1 << 20):.1f} MiB"]
    lines += [f"  {count:4}  {name}" for name, count in counts.most_common(MOST)]
    if len(counts) > MOST:
        lines.append(f"  ... and {len(counts) - MOST} more kernels")
    return "\n".join(lines)


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx record`."""
    add = parser.add_argument
    folder, limit = "the folder for the files (default: recordings)", "skip launches that reach more memory"
    add("-o", "--output", metavar="FOLDER", default="recordings", help=folder)
    add("--kernels", metavar="PATTERN", default="*", help="record only kernels whose names match, such as *matmul*")
    add("--launches", metavar="N", type=int, default=3, help="record at most N launches of each kernel (default: 3)")
    add("--every", metavar="N", type=int, default=1, help="record only every Nth launch of a kernel (default: 1)")
    add("--limit", metavar="MIB", type=int, default=256, help=f"{limit} (default: 256)")
    add("--total", metavar="MIB", type=int, default=4096, help="stop recording after this much (default: 4096)")
    add(
        "--ptx",
        metavar="FILE",
        action="append",
        default=[],
        help="PTX of kernels that the program contains only as machine code",
    )
    add("--driver", metavar="FILE", help="NVIDIA's driver (default: the system's libcuda.so.1)")
    add("command", nargs="+", metavar="COMMAND", help="the program and its arguments, after --")


def run(args: Namespace) -> int:
    """Runs the program, then reports what was recorded."""
    for name in ("launches", "every", "limit", "total"):
        if getattr(args, name) < 1:
            raise ArgumentError(f"--{name} is {getattr(args, name)}; it is 1 or more")
    settings = Settings(
        args.output, args.kernels, args.launches, args.every, args.limit, args.total, ":".join(args.ptx)
    )
    variables = recording_environment(find_driver(args.driver), settings.variables(), args.command[0])
    before = recorded(args.output)
    try:
        status = status_of(args.command, variables)
    except OSError as error:
        return cannot_run(args.command[0], error)
    known: set[FoundRecording] = set(before)
    made = [recording for recording in recorded(args.output) if recording not in known]
    print(f"openptx: {summary(made, args.output)}", file=sys.stderr)
    return status


def status_of(command: list[str], environment: dict[str, str]) -> int:
    """The program's exit status, as in a shell. Signals are passed on to the program; Ctrl-C reaches both."""
    with subprocess.Popen(command, env=environment) as process:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda number, frame: process.send_signal(number))
        status = process.wait()
    return 128 - status if status < 0 else status
