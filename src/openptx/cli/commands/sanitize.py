r"""Run a kernel and report data races, uses of undefined values, misused barriers and memory errors.

    openptx sanitize sum.ptx --grid 4 --block 256 \
        --arg 1024 @x.npy empty:f32:1024
    openptx sanitize cases/block_reduce

Arguments are as for `openptx run`; empty:TYPE:COUNT is an uninitialized array. A case folder contains its own
arguments. Each defect is reported once, with the statement, the source line (if compiled with -lineinfo) and the
thread; for a race also with the other access, why the two are not ordered, and what would order them. The exit status
is 1 if there are findings.

The launch first runs as instrumented machine code. If that does not prove it clean, it is repeated on the interpreter,
which is about a hundred times slower.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import CLEAN, FINDINGS, INTERRUPTED
from openptx.cli.launch_options import add_limits
from openptx.cli.launching import add_launch_arguments, launching
from openptx.cli.terminal import Clock
from openptx.diagnostics.render import render
from openptx.launch_options import require_count, require_options
from openptx.sanitize.entry import watch
from openptx.sanitize.options import ENGINES, Options, tools_of

FORMATS = ("full", "concise", "json", "sarif", "github")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx sanitize`."""
    add_launch_arguments(parser)
    add = parser.add_argument
    engine = "auto (default): machine code, then the interpreter if needed; native: also print why it was; interp"
    strict = "also report idioms that the manual forbids and GPUs tolerate"
    schedules = "run N times, each with another order of lanes, warps and blocks (default: 1)"
    add("--tool", metavar="TOOLS", default="all", help="some of race,init,sync,mem (default: all)")
    add(
        "--output",
        metavar="INDEX",
        type=int,
        action="append",
        default=[],
        help="require that this array argument, counted from 0, is completely written",
    )
    add("--engine", choices=ENGINES, default="auto", help=engine)
    add("--strict", action="store_true", help=strict)
    add("--schedules", metavar="N", type=int, default=1, help=schedules)
    add("--seed", metavar="N", type=int, default=0, help="the seed of the random orders of --schedules (default: 0)")
    add("--output-format", choices=FORMATS, default="full", help="full (default), concise, json, sarif or github")
    add_limits(parser)


def run(args: Namespace) -> int:
    """Loads the kernel, runs it under the sanitizer, prints the findings."""
    require_options(args.shared, None, args.timeout, args.max_instructions, None)
    require_count("schedules", args.schedules)
    require_count("seed", args.seed, 0)
    launch = launching(args)
    kernel = launch.kernel
    options = Options(
        tools_of(args.tool), launch.shared, launch.cluster, tuple(args.output), args.schedules, args.seed, args.timeout,
        args.max_instructions, args.strict, args.engine, ends=True,
    )  # fmt: skip
    with Clock(f"watching `{kernel.name}`"):
        report = watch(kernel, launch.grid, launch.block, launch.arguments, options)
    color = args.output_format == "full" and sys.stdout.isatty()
    sys.stdout.write(render([*report.findings], args.output_format, color=color))
    if args.engine == "native" and report.reason:
        print(f"openptx: `{kernel.name}` is watched on the reference engine: {report.reason}", file=sys.stderr)
    for limit in report.limits:
        print(f"openptx: {limit}", file=sys.stderr)
    if report.interrupted:
        return INTERRUPTED
    return FINDINGS if report.findings else CLEAN
