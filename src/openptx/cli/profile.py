r"""Run a kernel and count what it executes and what its memory accesses cost, by the definitions of Nsight Compute.

    openptx profile saxpy.ptx --grid 4 --block 256 \
        --arg 1000 2.0 @x.npy zeros:f32:1000
    openptx profile cases/matmul16

Arguments are as for `openptx run`; a case folder has a kernel and its arguments. The report compares what the launch
does with what would do, ranks what it wastes, and lists the lines that cost most. Counts are of PTX: the assembler
may merge, widen or remove accesses. The exit status is 1 when the kernel faults; the report is of what came before.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from openptx.cli.arguments import read_argument, read_extent
from openptx.cli.exit_status import CLEAN, FINDINGS, INTERRUPTED
from openptx.cli.files import load
from openptx.cli.run import pick
from openptx.cli.terminal import Clock
from openptx.errors import InputError
from openptx.profile.entry import watch
from openptx.runtime import load as load_module
from openptx.testing.case import argument, is_case, read_case

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from openptx.profile import Profile

FORMATS = ("text", "json")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx profile`."""
    add = parser.add_argument
    add("file", metavar="FILE|CASE", help="a PTX file, - for stdin, or a case folder")
    add("--kernel", metavar="NAME", help="the kernel to run; needed when the file has several")
    add("--grid", metavar="X[,Y[,Z]]", help="blocks in the grid")
    add("--block", metavar="X[,Y[,Z]]", help="threads in a block")
    add("--shared", metavar="BYTES", type=int, default=0, help="dynamic shared memory of a block")
    add("--cluster", metavar="X[,Y[,Z]]", help="blocks in a cluster")
    add("--arg", metavar="VALUE", action="extend", nargs="+", default=[], help="arguments; may be given several times")
    add("--blocks", metavar="N", type=int, help="execute N blocks only, spread evenly over the grid")
    add("--output-format", choices=FORMATS, default="text", help="text (default) or json")
    add("--timeout", metavar="SECONDS", type=float, help="stop a kernel that runs longer")
    add("--max-instructions", metavar="N", type=int, help="stop a thread that executes more")


def run(args: Namespace) -> int:
    """Load, launch, print the profile. What the kernel prints goes to stderr."""
    with redirect_stdout(sys.stderr):
        found = of_case(args) if is_case(args.file) else of_file(args)
    if args.output_format == "json":
        json.dump(found.as_json(), sys.stdout, indent=1)
        print()
    else:
        sys.stdout.write(str(found))
    if found.fault is not None:
        print(found.fault, file=sys.stderr)
        return FINDINGS
    return INTERRUPTED if found.ended == "interrupted" else CLEAN


def of_case(args: Namespace) -> Profile:
    """The profile of a case folder's launch."""
    given = [name for name in ("kernel", "grid", "block", "cluster", "arg", "shared") if getattr(args, name)]
    if given:
        raise InputError(f"--{given[0]}: {args.file} is a case, which has its own launch")
    case = read_case(args.file)
    kernel = load_module(load(f"{args.file}/kernel.ptx")).get_function(case.kernel)
    arguments = [argument(case, param) for param in case.params]
    with Clock(f"profiling `{kernel.name}`"):
        return watch(
            kernel, case.grid, case.block, arguments, case.shared, case.cluster, args.blocks, args.timeout,
            args.max_instructions,
        )  # fmt: skip


def of_file(args: Namespace) -> Profile:
    """The profile of a launch that the command line describes."""
    if not (args.grid and args.block):
        raise InputError("--grid and --block say how many threads to run")
    file = load(args.file)
    kernel = pick(load_module(file), args.kernel, file.name)
    cluster = read_extent(args.cluster, "cluster") if args.cluster else None
    arguments = [read_argument(text) for text in args.arg]
    grid, block = read_extent(args.grid, "grid"), read_extent(args.block, "block")
    with Clock(f"profiling `{kernel.name}`"):
        return watch(
            kernel, grid, block, arguments, args.shared, cluster, args.blocks, args.timeout, args.max_instructions
        )
