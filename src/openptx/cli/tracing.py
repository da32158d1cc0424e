"""`openptx run --trace`: what to record of the launch, how to write it, and what to compare it with."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from openptx.cli.arguments import read_extent
from openptx.cli.saving import STDOUT, save_files
from openptx.errors import InputError
from openptx.runtime import Kernel
from openptx.trace.compare import first_difference
from openptx.trace.entry import trace
from openptx.trace.perfetto import as_perfetto
from openptx.trace.record import Trace

LIMIT = 10_000
"""The default number of records, unless --trace-limit gives another."""

FORMATS = ("text", "json", "perfetto")
SUFFIXES = {"jsonl": "json", "json": "perfetto"}
"""The formats of files, unless --trace-format gives another."""

NOTHING = "nothing was recorded: the launch executed no instruction that the --trace options choose"


def add_trace_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx run` for traces."""
    add = parser.add_argument_group("traces (they run the kernel on the interpreter)").add_argument
    add("--trace", action="store_true", help="print each instruction with its lanes, operands and results")
    add("--trace-thread", metavar="X[,Y[,Z]]", action="append", help="trace only this thread of each block")
    add("--trace-block", metavar="X[,Y[,Z]]", action="append", help="trace only this block")
    add("--trace-line", metavar="[FILE:]LINE", action="append", help="trace only this line of the PTX or of a source")
    add("--trace-register", metavar="NAME", action="append", help="trace only reads and writes of this register")
    add("--trace-limit", metavar="N", type=int, default=LIMIT, help=f"trace at most N instructions (default: {LIMIT})")
    add("--trace-output", metavar="FILE", help="write the trace into a file (-: stdout)")
    formats = "text, json (an object a line), perfetto (for ui.perfetto.dev)"
    add(
        "--trace-format", choices=FORMATS, help=f"{formats}; the default is by the file's suffix: .jsonl, .json, others"
    )
    add("--against", metavar="FILE", help="also run the kernel of this file, and show the first difference")


def wants_trace(args: Namespace) -> bool:
    """Whether the launch is to be recorded. Raises InputError if it is not, but options choose what is recorded."""
    if args.trace or args.trace_output or args.against:
        return True
    for name in ("thread", "block", "line", "register", "format"):
        if getattr(args, f"trace_{name}"):
            raise InputError(f"--trace-{name} says what is recorded, and how: write --trace as well")
    return False


def traced(kernel: Kernel, args: Namespace, arguments: list[object], cluster: tuple[int, ...] | None) -> Trace:
    """Runs the launch that the command line describes, and records it. Raises InputError for options that need another
    engine."""
    if args.engine == "native" or args.initcheck:
        other = "--engine native" if args.engine == "native" else "--initcheck"
        raise InputError(f"--trace observes a launch on the reference engine; leave out {other}")
    return trace(
        kernel,
        read_extent(args.grid, "grid"),
        read_extent(args.block, "block"),
        arguments,
        threads=extents(args.trace_thread, "trace-thread"),
        blocks=extents(args.trace_block, "trace-block"),
        lines=[read_line(text) for text in args.trace_line] if args.trace_line else None,
        registers=args.trace_register,
        limit=args.trace_limit,
        shared_mem=args.shared,
        cluster=cluster,
        timeout=args.timeout,
        max_instructions=args.max_instructions,
    )


def extents(texts: list[str] | None, what: str) -> list[tuple[int, ...]] | None:
    """Positions of threads or blocks."""
    found = [read_extent(text, what) for text in texts or ()]
    for text, extent in zip(texts or (), found, strict=True):
        if min(extent) < 0:
            raise InputError(f"--{what} {text.strip()}: positions are numbers from 0")
    return [*found] or None


def read_line(text: str) -> int | tuple[str, int]:
    """`12`, a row of the PTX, or `kernel.cu:12`. Raises InputError for any other text."""
    file, _, line = text.rpartition(":")
    if not line.isdecimal() or int(line) < 1:
        raise InputError(f"--trace-line {text}: write a row of the PTX, or FILE:LINE of its source")
    return (file, int(line)) if file else int(line)


def write_trace(found: Trace, path: str | None, format: str | None = None) -> None:
    """Writes a trace to a file, or to stdout."""
    format = format or SUFFIXES.get((path or "").rpartition(".")[2], "text")
    lines = [as_perfetto(found)] if format == "perfetto" else formatted(found, as_json=format == "json")
    if path is None or path == STDOUT:
        sys.stdout.writelines(lines)
    else:
        save_files([(path, "".join(lines).encode())])
    for note in found.notes or ([] if found else [NOTHING]):
        print(f"openptx: {note}", file=sys.stderr)


def formatted(found: Trace, as_json: bool) -> Iterator[str]:
    """A line for each record."""
    return (f"{json.dumps(record.as_json()) if as_json else record}\n" for record in found)


def compared(a: Trace, b: Trace) -> str | None:
    """The first difference of two traces as text; None if there is none."""
    found = first_difference(a, b)
    return str(found) if found is not None else None


def restore(arrays: dict[int, NDArray[Any]], before: dict[int, NDArray[Any]]) -> None:
    """Restores arrays: a second launch has the same arguments at the same addresses."""
    for index, array in arrays.items():
        if array.flags.writeable:
            array[...] = before[index]
