"""`openptx.sanitize`: one launch, or several in different orders, watched."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.device import contents
from openptx.device.arrays import as_array
from openptx.device.nested_launches import NestedLaunch, NestedLaunches
from openptx.engines.interp.geometry import Geometry
from openptx.engines.interp.launch import Launch, launch, pieces
from openptx.errors import (
    ArgumentError,
    Fault,
    SanitizerError,
    Unsupported,
    require_choice,
    require_flags,
    require_kernel,
)
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, is_count, require_count, require_options, sequence_of
from openptx.sanitize.batch import SanitizedBatch
from openptx.sanitize.checks.endless_waits import HangError
from openptx.sanitize.findings import KINDS, Collector, Finding
from openptx.sanitize.machine import SanitizedThreads
from openptx.sanitize.races.views import TooManyViews, may_exceed
from openptx.sanitize.schedule import MOST_BATCHES
from openptx.sanitize.session import Session
from openptx.sanitize.undefined_bits.arrays import undefined_bits
from openptx.sanitize.undefined_bits.defined_memory import DefinedMemory
from openptx.sanitize.undefined_bits.marks import marks
from openptx.sanitize.unwatched import unwatched_races

if TYPE_CHECKING:
    from openptx.engines.common.prepared import PreparedLaunch
    from openptx.program import Function
    from openptx.runtime import Kernel
    from openptx.runtime.options import Extent
    from openptx.sanitize.decoded import WatchedFunction


@dataclass(frozen=True, slots=True)
class SanitizedLaunch(Launch):
    """A launch whose lanes and batches report to a session, in the order that it prescribes."""

    session: Session

    batches = SanitizedBatch

    def decoded(self, function: Function) -> WatchedFunction:
        return self.session.decoded(function)

    def machine(self, geometry: Geometry) -> SanitizedThreads:
        machine = DefinedMemory if self.session.tracks else SanitizedThreads
        return machine(geometry, self.memory, self.image, self.session)

    def pieces(self, ctas: range) -> Iterator[tuple[int, int]]:
        order, size = self.session.order, self.shape.cluster_size
        if order is None or len(ctas) // size > MOST_BATCHES:
            return Launch.pieces(self, ctas)
        return iter(order.permutation(list(pieces(ctas, size))).tolist())


ENGINES = ("auto", "native", "interp")
ORDERS_OF_STUCK = 2
"""The number of other orders in which a launch whose threads wait forever runs: in those they may continue, and
race."""
LOG = logging.getLogger("openptx")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a watched launch. `outputs` are the arguments, counted from 0, that must be defined at the end."""

    tools: frozenset[str] = frozenset(KINDS)
    shared_mem: int = 0
    cluster: Extent | None = None
    outputs: tuple[int, ...] = ()
    schedules: int = 1
    seed: int = 0
    timeout: float | None = None
    max_instructions: int | None = None
    strict: bool = False
    engine: str = "auto"
    ends: bool = False  # the program ends with the launch, so no other launch frees what it leaves in the device's heap


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
    kernel: Kernel,
    grid: Extent,
    block: Extent,
    args: Iterable[object] = (),
    *,
    tools: str | Sequence[str] = "all",
    shared_mem: int = 0,
    cluster: Extent | None = None,
    outputs: Sequence[int] = (),
    schedules: int = 1,
    seed: int = 0,
    timeout: float | None = None,
    max_instructions: int | None = None,
    strict: bool = False,
    engine: str = "auto",
) -> list[Finding]:
    """Runs a kernel and returns the defects of this execution; [] if there are none.

    `grid`, `block`, `args`, `shared_mem` (bytes), `cluster`, `timeout` (seconds) and `max_instructions` are as for a
    launch; arrays are written as by a launch. `tools` is "all", or some of "race", "init", "sync", "mem". `outputs` are
    the numbers, from 0, of arguments whose bytes must all be defined at the end. Arrays of `openptx.empty` are
    undefined at the start.

    `schedules` is how often the kernel runs: first in the engine's own order, then with lanes, warps and blocks in
    random orders given by `seed`, each time on the original contents of the arrays. A launch that hangs at a barrier or
    mbarrier is repeated in up to two other orders.

    `strict` also reports three idioms that the manual defines as races and that CUDA's samples contain: a plain load
    before a compare-and-swap loop, an atomic counter that is relied on without an acquire fence, and a store of one
    value by several lanes of a warp.

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


def tools_of(wanted: str | Sequence[str]) -> frozenset[str]:
    """The tools in "all", in one name, in several with commas, or in a sequence. Raises ArgumentError for others."""
    values: Any = wanted.split(",") if isinstance(wanted, str) else wanted
    names: list[Any] = [values] if not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0 else [*values]
    if wrong := [name for name in names if str(name) not in KINDS] if names != ["all"] else []:
        raise ArgumentError(f"no tool `{wrong[0]}`: choose all, or of {', '.join(KINDS)}")
    return frozenset(KINDS if names == ["all"] else names)


def outputs_of(wanted: Any, args: list[object]) -> tuple[int, ...]:
    """`outputs` as a tuple. Raises ArgumentError for anything but numbers of arguments that are arrays."""
    if not hasattr(wanted, "__iter__") or getattr(wanted, "ndim", 1) == 0:
        raise ArgumentError(f"`outputs` is a list of argument numbers: write `outputs=[{wanted!r}]`")
    for i in (numbers := tuple(wanted)):
        if not is_count(i) or not 0 <= i < len(args) or not isinstance(args[i], np.ndarray):
            raise ArgumentError(f"`outputs` names argument {i!r}, counted from 0, which is not an array")
    return numbers


def as_written(argument: object) -> NDArray[Any] | None:
    """An argument as an array, if kernels may write it."""
    return as_array(argument) if isinstance(argument, np.ndarray) and argument.flags.writeable else None


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
    before = Contents(kernel, args)
    if options.schedules > 1:
        before.keep()
    for number, order in enumerate(orders(options, collector)):
        before.put_back()
        prepared = kernel.prepare(grid, block, args, options.shared_mem, options.cluster)
        try:
            if number == 0 and options.engine != "interp":
                reason = cleared(kernel, prepared, args, options, collector)
                if not reason:
                    continue
            before.keep()
            stopped = not run_with_children(kernel, prepared, args, options, collector, order)
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


class Contents:
    """The contents of arrays and of the device's heap before a launch, and their undefined bits."""

    def __init__(self, kernel: Kernel, args: list[object]) -> None:
        arrays = [a for a in map(as_written, args) if a is not None]
        undefined = [bits for bits in map(undefined_bits, args) if bits is not None]
        self.arrays, self.heap = [*arrays, *undefined], kernel.module.image.memory.heap
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


def cleared(
    kernel: Kernel, prepared: PreparedLaunch, args: list[object], options: Options, collector: Collector
) -> str:
    """Runs a launch as machine code. Returns why the reference engine must run it; "" if it is clean."""
    from openptx.sanitize.screening import pays, screen

    if options.engine == "auto" and not pays(prepared):
        return "it ends before machine code would be compiled"

    screening = screen(prepared, options, marks(kernel, args, options.outputs))
    collector.limits += screening.limits
    if screening.reason:
        LOG.info("kernel `%s` is watched on the reference engine: %s", kernel.name, screening.reason)
    return screening.reason


def run_with_children(
    kernel: Kernel,
    prepared: PreparedLaunch,
    args: list[object],
    options: Options,
    collector: Collector,
    order: np.random.Generator | None,
) -> bool:
    """Runs a launch on the reference engine, and those that its threads make, each watched for itself: a fault ends
    them. Returns False if the user stopped it."""
    since, waiting = time.monotonic(), list[NestedLaunch]()
    while True:
        prepared.memory.nested = NestedLaunches(waiting)
        if not run(kernel, prepared, args, options, collector, order):
            return False
        waiting = prepared.memory.nested.next_last()
        if not waiting:
            return True
        kernel, prepared = kernel.prepare_child(waiting.pop())
        limits = unwatched_races(kernel.module.program, kernel.function, options.tools)
        collector.limits += [limit for limit in limits if limit not in collector.limits]
        if options.timeout is not None:
            now = time.monotonic()
            options, since = replace(options, timeout=max(options.timeout - (now - since), 0)), now


def run(
    kernel: Kernel,
    prepared: PreparedLaunch,
    args: list[object],
    options: Options,
    collector: Collector,
    order: np.random.Generator | None,
) -> bool:
    """Runs a launch on the reference engine; again without race detection if that takes too much memory. Returns False
    if the user stopped it. A launch that does not end is the last."""
    sessions: list[Session] = []
    kept = contents.Contents(prepared.memory) if "race" in options.tools and may_exceed(prepared) else None

    def make(*parts: Any) -> SanitizedLaunch:
        program, function, shape = parts[:3]
        marked = marks(kernel, args, options.outputs)
        session = Session(program, function, shape, options.tools, marked, collector, order)
        sessions.append(session)
        return SanitizedLaunch(*parts, session=session)

    try:
        launch(prepared.within(options.timeout, options.max_instructions), make=make)
        sessions[0].finish(prepared.memory, options.ends)
    except HangError:  # the finding has been added already
        prepared.memory.nested = NestedLaunches()
    except TooManyViews as limit:
        collector.limits.append(f"races were not watched to the end: {limit}")
        LOG.warning("kernel `%s`: %s", kernel.name, collector.limits[-1])
        if kept is None or not kept.restore():
            raise Unsupported(
                f"sanitizing `{kernel.name}`: {limit}, and its memory is too large to be restored"
            ) from None
        if prepared.memory.nested is not None:
            prepared.memory.nested = NestedLaunches(prepared.memory.nested.waiting)
        rest = replace(options, tools=options.tools - {"race"})
        return run(kernel, prepared, args, rest, collector, order)
    except KeyboardInterrupt:
        return False
    except Fault as fault:
        if not sessions:
            raise
        sessions[0].fault(fault)
        prepared.memory.nested = NestedLaunches()
    finally:
        for session in sessions:
            session.close()
    return True
