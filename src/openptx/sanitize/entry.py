"""`openptx.sanitize`: one launch, or several in different orders, watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.device.arrays import any_array
from openptx.errors import ArgumentError, require_choice, require_flags, require_kernel
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, require_count, require_options, sequence_of
from openptx.sanitize.collector import Collector
from openptx.sanitize.error import SanitizerError
from openptx.sanitize.findings import Finding
from openptx.sanitize.options import ENGINES, Options, outputs_of, tools_of
from openptx.sanitize.undefined_bits.arrays import undefined_bits
from openptx.sanitize.unwatched import unwatched_races
from openptx.sanitize.watched_launch import WatchedLaunch

if TYPE_CHECKING:
    from openptx.runtime import Kernel
    from openptx.runtime.options import Extent

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


def as_written(argument: object) -> NDArray[Any] | None:
    """An argument as an array, if it is one that kernels may write: of NumPy, of torch, or another buffer."""
    try:
        array = any_array("", argument)
    except ArgumentError:  # a number, or what `prepare` refuses
        return None
    return array if array.flags.writeable else None


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
    before = SavedArguments(kernel, args)
    if options.schedules > 1:
        before.keep()
    for number, order in enumerate(orders(options, collector)):
        before.put_back()
        prepared = kernel.prepare(grid, block, args, options.shared_mem, options.cluster)
        watched = WatchedLaunch(kernel, prepared, args, options, collector)
        try:
            clean = None
            if number == 0 and options.engine != "interp":
                reason, clean = watched.screen()
                if not reason:
                    continue
            before.keep()
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


class SavedArguments:
    """The contents of arrays, the module's variables and the heap before a launch, and undefined bits of arrays."""

    def __init__(self, kernel: Kernel, args: list[object]) -> None:
        given = kernel.arrays(args)
        arrays = [a for a in map(as_written, given) if a is not None]
        undefined = [bits for bits in map(undefined_bits, given) if bits is not None]
        image = kernel.module.image
        variables = [variable.bytes() for variable in image.allocations.values() if variable.writable]
        self.arrays, self.heap = [*arrays, *undefined, *variables], image.memory.heap
        self._state = self.heap.state() if self.heap is not None else None
        self._kept: list[NDArray[Any]] | None = None

    def keep(self) -> None:
        """Saves them, the first time."""
        if self._kept is None:
            self._kept = [array.copy() for array in self.arrays]

    def put_back(self) -> None:
        """Restores them, if they were saved."""
        if self._kept is None:
            return
        for array, content in zip(self.arrays, self._kept, strict=True):
            array[...] = content
        if self.heap is not None and self._state is not None:
            self.heap.restore(self._state)
