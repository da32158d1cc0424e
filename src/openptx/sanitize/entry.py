"""`openptx.sanitize`: one launch, or several in different orders, watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.device.contents import MOST, Contents
from openptx.errors import require_choice, require_flags, require_kernel
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, require_count, require_options, sequence_of
from openptx.sanitize.collector import Collector
from openptx.sanitize.error import SanitizerError
from openptx.sanitize.findings import Finding
from openptx.sanitize.options import ENGINES, Options, outputs_of, tools_of
from openptx.sanitize.undefined_bits.marks import Marks
from openptx.sanitize.unwatched import unwatched_races
from openptx.sanitize.watched_launch import WatchedLaunch

if TYPE_CHECKING:
    from openptx.engines.common.engine import PreparedLaunch
    from openptx.runtime import Kernel
    from openptx.runtime.options import Extent

MOST_KEPT = 64 << 20
"""The maximum bytes of memory that are copied, so that a launch can be repeated. Each launch on the reference engine
is, as its threads may wait forever: a copy of this size takes about as long as a small launch."""

ORDERS_OF_STUCK = 2
"""The number of other orders in which a launch whose threads wait forever runs: in those they may continue, and
race."""


@dataclass(slots=True)
class Report:
    """The findings, what was not watched, and whether the user stopped it. `reason`: why a launch that was to run as
    machine code ran on the reference engine."""

    findings: list[Finding]
    limits: list[str]
    interrupted: bool = False
    reason: str = ""


@hints(**OTHER_NAMES)
def sanitize(
    kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object] = (), *, tools: str | Sequence[str] = "all",
    shared_mem: int = 0, cluster: Extent | None = None, outputs: Sequence[int] = (), schedules: int = 1, seed: int = 0,
    timeout: float | None = None, max_instructions: int | None = None, strict: bool = False, engine: str = "auto",
) -> list[Finding]:  # fmt: skip
    """Runs a kernel and returns the defects of this execution; [] if there are none.

    `grid`, `block`, `args`, `shared_mem` (bytes), `cluster`, `timeout` (seconds) and `max_instructions` are as for a
    launch; arrays are written as by a launch. `tools` is "all", or some of "race", "init", "sync", "mem". `outputs` are
    the numbers, from 0, of arguments whose bytes must all be defined at the end. Arrays of `openptx.empty` are
    undefined at the start.

    `schedules` is how often the kernel runs: first in the engine's own order, then with lanes, warps and blocks in
    random orders given by `seed`, each time on the original contents of the arrays. A launch that hangs at a barrier or
    mbarrier is repeated in up to two other orders.

    `strict` also reports four idioms that the manual defines as races and that CUDA's samples or compilers contain: a
    plain load before a compare-and-swap loop, an atomic counter that is relied on without an acquire fence, and a store
    of one value by several lanes of a warp, or by several warps in shared memory of Triton's.

    `engine` "native" first runs the launch as instrumented machine code, if possible, and repeats it on the interpreter
    only if that does not prove it clean; "auto" does so if the launch is large enough to be worth compiling; "interp"
    uses the interpreter alone. The findings are the same.

    Launches that the kernel makes are watched, too, each for itself.

    A fault of the kernel is a finding, too. Raises ArgumentError and Unsupported as a launch does.
    """
    require_kernel(kernel)
    require_options(shared_mem, None, timeout, max_instructions, None)
    require_choice("engine", engine, ENGINES)
    require_flags(strict=strict)
    require_count("seed", seed, 0)
    args = list(sequence_of(args))
    options = Options(
        tools_of(tools), shared_mem, cluster, outputs_of(outputs, args), schedules, seed, timeout, max_instructions,
        strict, engine,
    )  # fmt: skip
    report = watch(kernel, grid, block, args, options)
    if report.interrupted:
        raise KeyboardInterrupt
    return report.findings


def require_clean(
    kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object], tools: str | Sequence[str], **options: Any
) -> None:
    """Raises SanitizerError for the errors of a launch."""
    if found := sanitize(kernel, grid, block, args, tools=tools, **options):
        raise SanitizerError(found)


def watch(kernel: Kernel, grid: Extent, block: Extent, args: list[object], options: Options) -> Report:
    """Runs a launch once for each of its orders; an interrupt ends it with the findings so far."""
    require_count("schedules", options.schedules)
    outputs_of(options.outputs, args)
    collector, reason = Collector(options.strict), ""
    collector.limits += unwatched_races(kernel.module.program, kernel.function, options.tools)
    before: Contents | None = None
    for number, order in enumerate(orders(options, collector)):
        if before is not None and not before.restore():
            collector.limits.append(f"other orders: they need a copy of {before.size >> 20} MiB of memory")
            break
        prepared = kernel.prepare(grid, block, args, options.shared_mem, options.cluster)
        watched = WatchedLaunch(kernel, prepared, args, options, collector)
        try:
            if options.schedules > 1:
                before = before or contents(prepared, watched.marks(), options)
            clean = None
            if number == 0 and options.engine != "interp":
                reason, clean = watched.screen()
                if not reason:
                    continue
            before = before or contents(prepared, watched.marks(), options)
            stopped = not watched.run_with_children(order, clean)
        except KeyboardInterrupt:
            stopped = True
        if stopped:
            limits = [*collector.limits, "interrupted: the rest was not watched"]
            return Report(collector.findings, limits, True, reason)
    return Report(collector.findings, collector.limits, reason=reason)


def orders(options: Options, collector: Collector) -> Iterator[np.random.Generator | None]:
    """For each run, the generator that determines the order of threads; None for the engine's own order."""
    yield None
    number = 1
    while number < options.schedules or (collector.unexplained_wait and number <= ORDERS_OF_STUCK):
        yield np.random.default_rng((options.seed, number))
        number += 1


def contents(prepared: PreparedLaunch, marks: Marks, options: Options) -> Contents:
    """The contents of all memory that a launch may write, and what of it is undefined, before it: a kernel may have
    pointers to more than its arguments."""
    return Contents(prepared.memory, marks.undefined.values(), MOST if options.schedules > 1 else MOST_KEPT)
