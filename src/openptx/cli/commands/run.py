r"""Run a kernel on NumPy arrays, without a GPU.

    openptx run saxpy.ptx --grid 4 --block 256 \
        --arg 1000 2.0 @x.npy zeros:f32:1000 --save 3=y.npy

The arguments are in the order of the kernel's parameters. Each is a number (42, 1.5, 0f3F800000, inf), @FILE.npy for
an array from a file, zeros:TYPE:COUNT for a new array (zeros:f32:1000, ones:u8:32x32, arange:s32:64), or null for a
null pointer. After the launch every array is printed; --save writes one into a file.

If the kernel faults, the fault is explained on stderr and the exit status is 1.

--trace prints every instruction that a warp executes; the other --trace options filter by thread, block, line and
register. --against runs the kernel of another file on the same arguments and shows the first instruction that differs.
--fidelity lists how accurate the results of the kernel's instructions are; without --grid and --block nothing is run.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from openptx.api import PROFILES
from openptx.cli.arguments import arrays_of, read_argument, read_extent, read_save
from openptx.cli.exit_status import CLEAN, FINDINGS
from openptx.cli.files import load, require_one_stdin
from openptx.cli.launch_options import CONTRACT, ENGINE, PROFILE, add_launch_options, add_limits, pick, require_extents
from openptx.cli.saving import require_writable, save_arrays
from openptx.cli.terminal import Clock
from openptx.cli.time_limit import limited
from openptx.cli.tracing import add_trace_arguments, compared, restore, traced, wants_trace, write_trace
from openptx.diagnostics.render.summary import plural
from openptx.rewrite import CONTRACTIONS
from openptx.runtime import Kernel, LoadedModule
from openptx.runtime import load as load_module


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx run`."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a PTX file, or - for stdin")
    add_launch_options(parser)
    save = "write argument INDEX, counted from 0, into a .npy file after the launch"
    add("--save", metavar="INDEX=FILE", action="append", default=[], help=save)
    add("--engine", choices=("auto", "interp", "native"), default="auto", help=ENGINE)
    add("--profile", choices=PROFILES, default="ptxas", help=PROFILE)
    add("--contract", choices=CONTRACTIONS, help=f"{CONTRACT}; off is the default of --profile isa")
    add("--workers", metavar="N", type=int, help="use at most N threads of this computer (default: chosen by speed)")
    add_limits(parser, "stop checking, compiling or running after this time")
    add(
        "--initcheck", action="store_true", help="fault on reads of registers and shared memory that were never written"
    )
    add("--fidelity", action="store_true", help="list how accurate the results of the kernel's instructions are")
    add("--quiet", action="store_true", help="do not print arrays")
    add_trace_arguments(parser)


def run(args: Namespace) -> int:
    """Load, launch, print, save."""
    require_one_stdin(args.file, args.against)
    grid, block = read_extent(args.grid or "1", "grid"), read_extent(args.block or "1", "block")
    cluster = read_extent(args.cluster, "cluster") if args.cluster else None
    since = time.monotonic()
    module = limited(args.timeout, lambda: loaded(args))
    kernel = pick(module, args.kernel, module.program.file.name)
    if args.fidelity:
        print(fidelities(module, kernel.name))
        if not (args.grid and args.block):
            return CLEAN
    arguments = [read_argument(text) for text in args.arg]
    arrays = arrays_of(arguments)
    saves = [read_save(text, arrays) for text in args.save]
    require_writable([path for _, path in saves] + ([args.trace_output] if args.trace_output else []))
    status = CLEAN
    if wants_trace(args):
        status = run_traced(kernel, args, arguments, cluster)
    else:
        with reporting_fallback(args.engine == "native"):
            kernel(
                grid, block, arguments, shared_mem=args.shared, cluster=cluster, engine=args.engine,
                workers=args.workers, timeout=args.timeout, since=since, max_instructions=args.max_instructions,
                initcheck=args.initcheck,
            )  # fmt: skip
    if not args.quiet:
        show_arrays(arrays)
    save_arrays([(path, arrays[index]) for index, path in saves])
    return status


def loaded(args: Namespace) -> LoadedModule:
    """The module in the file."""
    file = load(args.file)
    if not args.fidelity:
        require_extents(args)
    return load_module(file, target=args.target, profile=args.profile, contract=args.contract)


def show_arrays(arrays: dict[int, NDArray[Any]]) -> None:
    """Prints the contents of the arrays after the launch."""
    import numpy as np

    for index, array in arrays.items():
        shape = "x".join(map(str, array.shape))
        values = np.array2string(array, threshold=16, edgeitems=4, max_line_width=120)
        print(f"{index}: {array.dtype} {shape} {values}")


def run_traced(kernel: Kernel, args: Namespace, arguments: list[object], cluster: tuple[int, ...] | None) -> int:
    """Runs the launch and writes its trace; with --against also that of another file's kernel, and their difference."""
    arrays = arrays_of(arguments)
    against = other_kernel(args, kernel.name) if args.against else None
    before = {index: array.copy() for index, array in arrays.items()} if against else {}
    with Clock(f"recording `{kernel.name}`"):
        found = traced(kernel, args, arguments, cluster)
    if args.trace or args.trace_output:
        write_trace(found, args.trace_output, args.trace_format)
    if found.fault is not None:
        print(found.fault, file=sys.stderr)
    status = FINDINGS if found.fault is not None else CLEAN
    if against is not None:
        after = {index: array.copy() for index, array in arrays.items()}
        restore(arrays, before)
        other = traced(against, args, arguments, cluster)
        restore(arrays, after)
        difference = compared(found, other)
        print(difference or f"both execute the same: {len(found)} records")
        status = FINDINGS if difference else status
    return status


def other_kernel(args: Namespace, name: str) -> Kernel:
    """The kernel of --against, which is read before anything runs."""
    module = load_module(load(args.against), target=args.target, profile=args.profile, contract=args.contract)
    return pick(module, args.kernel or name, args.against)


@contextmanager
def reporting_fallback(enabled: bool) -> Generator[None]:
    """If `enabled`, reports on stderr when the reference engine runs a launch that the native one cannot run."""
    import logging

    logger, handler = logging.getLogger("openptx.fallback"), logging.StreamHandler()
    before = logger.level
    if enabled and not logger.isEnabledFor(logging.INFO):  # else OPENPTX_LOG shows them
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def fidelities(module: LoadedModule, kernel: str) -> str:
    """The fidelities of a kernel's statements; exact ones share a line."""
    found = module.get_function(kernel).fidelity()
    rest = [each for each in found if each.fidelity.kind != "exact"]
    lines = [
        f"line {each.row}: {each.text}\n    {each.fidelity.kind}: {each.fidelity.text}".rstrip(": ") for each in rest
    ]
    return "\n".join([f"fidelity of `{kernel}`:", *lines, f"exact: {plural(len(found) - len(rest), 'statement')}"])
