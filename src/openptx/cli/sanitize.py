r"""Run a kernel and find data races, uses of undefined values, wrong uses of barriers, and memory errors.

    openptx sanitize sum.ptx --grid 4 --block 256 \
        --arg 1024 @x.npy empty:f32:1024
    openptx sanitize cases/block_reduce

Arguments are as for `openptx run`, and a case folder brings its own; empty:TYPE:COUNT is an array that nobody has set.
Each cause is reported once, with the statement, the line of the program it was compiled from (-lineinfo), the thread,
the other access of a race, why nothing orders the two, and what would. The exit status is 1 when anything is found.

A launch runs as machine code first. Where that leaves a doubt, the reference engine runs it, which takes some hundred
times as long.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import CLEAN, FINDINGS, INTERRUPTED
from openptx.cli.launch_options import add_limits
from openptx.cli.launching import add_launch_arguments, launching
from openptx.cli.terminal import Clock
from openptx.diagnostics.render import render
from openptx.errors import InputError
from openptx.sanitize.entry import ENGINES, Options, tools_of, watch

FORMATS = ("full", "concise", "json", "sarif", "github")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx sanitize`."""
    add_launch_arguments(parser)
    add = parser.add_argument
    add("--tool", metavar="TOOLS", default="all", help="some of race,init,sync,mem (all)")
    add("--output", metavar="INDEX", type=int, action="append", default=[], help="an array that must be all defined")
    add("--engine", choices=ENGINES, default="auto", help="run as machine code first where that is possible (auto)")
    add("--strict", action="store_true", help="report idioms that are races by the text alone as well")
    add("--schedules", metavar="N", type=int, default=1, help="run N times, in other orders of lanes, warps and blocks")
    add("--seed", metavar="N", type=int, default=0, help="what chooses the orders")
    add("--output-format", choices=FORMATS, default="full", help="full (default), concise, json, sarif or github")
    add_limits(parser)


def run(args: Namespace) -> int:
    """Loads, launches under watch, prints the findings."""
    if args.schedules < 1:
        raise InputError(f"--schedules {args.schedules}: write a number from 1")
    given = launching(args)
    kernel = given.kernel
    options = Options(
        tools_of(args.tool), given.shared, given.cluster, tuple(args.output), args.schedules, args.seed, args.timeout,
        args.max_instructions, args.strict, args.engine, ends=True,
    )  # fmt: skip
    with Clock(f"watching `{kernel.name}`"):
        report = watch(kernel, given.grid, given.block, given.arguments, options)
    color = args.output_format == "full" and sys.stdout.isatty()
    sys.stdout.write(render([*report.findings], args.output_format, color=color))
    if args.engine == "native" and report.reason:
        print(f"openptx: `{kernel.name}` is watched on the reference engine: {report.reason}", file=sys.stderr)
    for limit in report.limits:
        print(f"openptx: {limit}", file=sys.stderr)
    if report.interrupted:
        return INTERRUPTED
    return FINDINGS if report.findings else CLEAN
