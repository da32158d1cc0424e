r"""Run a kernel and count its instructions and the cost of its memory accesses, as Nsight Compute defines them.

    openptx profile saxpy.ptx --grid 4 --block 256 \
        --arg 1000 2.0 @x.npy zeros:f32:1000
    openptx profile cases/matmul16
    openptx profile cases/matmul16 --output-format html -o matmul.html

Arguments are as for `openptx run`; a case folder contains its own. The report compares the launch's memory traffic
with the least that its accesses need, ranks the inefficiencies, and lists the most expensive lines. PTX instructions
are counted: the assembler may merge, widen or remove accesses. If the kernel faults, the report covers the execution
up to the fault, and the exit status is 1.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from contextlib import redirect_stdout

from openptx.cli.exit_status import CLEAN, FINDINGS, INTERRUPTED
from openptx.cli.launch_options import add_limits
from openptx.cli.launching import Launching, add_launch_arguments, launching
from openptx.cli.saving import STDOUT, require_writable, save_files
from openptx.cli.terminal import Clock
from openptx.profile.entry import ENGINES, Options, watch
from openptx.profile.report import Profile

FORMATS = ("text", "json", "html")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx profile`."""
    add_launch_arguments(parser)
    add = parser.add_argument
    add(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="auto (default), interp or native; the counts do not depend on it",
    )
    add("--blocks", metavar="N", type=int, help="execute only N blocks, spread evenly over the grid (default: all)")
    add("--output-format", choices=FORMATS, default="text", help="text (default), json, or html: a self-contained page")
    add("-o", "--output", metavar="FILE", default=STDOUT, help="the file for the report (default: -, stdout)")
    add_limits(parser)


def run(args: Namespace) -> int:
    """Loads, launches, prints the profile. The kernel's output goes to stderr."""
    require_writable([args.output])
    with redirect_stdout(sys.stderr):
        found = profiled(launching(args), args)
    report = text_of(found, args.output_format)
    if args.output != STDOUT:
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


def profiled(launch: Launching, args: Namespace) -> Profile:
    """The profile of the launch."""
    options = Options(
        launch.shared, launch.cluster, args.engine, None, args.blocks, args.timeout, args.max_instructions
    )
    with Clock(f"profiling `{launch.kernel.name}`"):
        return watch(launch.kernel, launch.grid, launch.block, launch.arguments, options)
