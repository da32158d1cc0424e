r"""Run a kernel and count what it executes and what its memory accesses cost, by the definitions of Nsight Compute.

    openptx profile saxpy.ptx --grid 4 --block 256 \
        --arg 1000 2.0 @x.npy zeros:f32:1000
    openptx profile cases/matmul16
    openptx profile cases/matmul16 --output-format html -o matmul.html

Arguments are as for `openptx run`; a case folder has a kernel and its arguments. The report compares what the launch
does with what would do, ranks what it wastes, and lists the lines that cost most. Counts are of PTX: the assembler
may merge, widen or remove accesses. The exit status is 1 when the kernel faults; the report is of what came before.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from contextlib import redirect_stdout

from openptx.cli.exit_status import CLEAN, FINDINGS, INTERRUPTED
from openptx.cli.launch_options import add_limits
from openptx.cli.launching import Launching, add_launch_arguments, launching
from openptx.cli.saving import require_writable, save_files
from openptx.cli.terminal import Clock
from openptx.profile.entry import ENGINES, watch
from openptx.profile.report import Profile

FORMATS = ("text", "json", "html")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx profile`."""
    add_launch_arguments(parser)
    add = parser.add_argument
    add("--engine", choices=ENGINES, default="auto", help="auto (default), interp, native: they count the same")
    add("--blocks", metavar="N", type=int, help="execute N blocks only, spread evenly over the grid")
    add("--output-format", choices=FORMATS, default="text", help="text (default), json, or html: a page of its own")
    add("-o", "--output", metavar="FILE", help="where to write the report, instead of stdout")
    add_limits(parser)


def run(args: Namespace) -> int:
    """Loads, launches, prints the profile. The kernel's output goes to stderr."""
    if args.output is not None:
        require_writable([args.output])
    with redirect_stdout(sys.stderr):
        found = profiled(launching(args), args)
    report = text_of(found, args.output_format)
    if args.output is not None:
        save_files([(args.output, report.encode())])
    else:
        sys.stdout.write(report)
    if found.fault is not None:
        print(found.fault, file=sys.stderr)
        return FINDINGS
    return INTERRUPTED if found.ended == "interrupted" else CLEAN


def text_of(found: Profile, form: str) -> str:
    """The report in one of `FORMATS`."""
    if form == "json":
        return json.dumps(found.as_json(), indent=1) + "\n"
    return found.to_html() if form == "html" else str(found)


def profiled(given: Launching, args: Namespace) -> Profile:
    """The profile of the launch."""
    with Clock(f"profiling `{given.kernel.name}`"):
        return watch(
            given.kernel, given.grid, given.block, given.arguments, given.shared, given.cluster, args.blocks,
            args.timeout, args.max_instructions, args.engine,
        )  # fmt: skip
