"""`openptx.profile`: one launch, counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod

from openptx.device.shared_layout import shared_layout
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.interp.geometry import Shape
from openptx.engines.interp.launch import launch
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.instrument.count.order import kernel_depends_on_order
from openptx.engines.native.runtime.compile_time import observed_code_pays
from openptx.errors import Fault, require_choice, require_kernel
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, require_count, require_options
from openptx.profile.counting.launch import ProfiledLaunch, sampled
from openptx.profile.counting.native import run_native
from openptx.profile.counting.recorder import Recorder
from openptx.profile.lines import LaunchShape
from openptx.profile.report import Profile
from openptx.profile.summary import summarize
from openptx.runtime import Kernel
from openptx.runtime.options import Extent

WARP = 32
# Launches of more threads are sampled unless `blocks` says how many blocks to execute: about a second on the reference
# engine, and on machine code, which takes 5 to 300 ns for a warp, a few. For this a partial warp counts as a full one.
MOST_THREADS, SAMPLE_THREADS = 1 << 22, 1 << 20
MOST_LANES, SAMPLE_LANES = 1 << 29, 1 << 27

SLOWER, LONGER = 2, 2
"""The slowdown of the reference engine when it counts, and the growth of the code to compile."""
ENGINES = ("auto", "interp", "native")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a profiled launch, as in `profile`."""

    shared_mem: int = 0
    cluster: Extent | None = None
    engine: str = "auto"
    workers: int | None = None
    blocks: int | None = None
    timeout: float | None = None
    max_instructions: int | None = None


@hints(**OTHER_NAMES)
def profile(
    kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object] = (), *, shared_mem: int = 0,
    cluster: Extent | None = None, engine: str = "auto", workers: int | None = None, blocks: int | None = None,
    timeout: float | None = None, max_instructions: int | None = None,
) -> Profile:  # fmt: skip
    """Runs a kernel and counts what Nsight Compute would: a `Profile`.

    `grid`, `block`, `args`, `shared_mem` (bytes), `cluster`, `engine`, `workers`, `timeout` (seconds) and
    `max_instructions` are as for a launch; arrays are written as by a launch. Both engines count the same; "native"
    uses the reference engine for kernels that machine code cannot count, which `Profile.notes` reports. `blocks` is the
    number of blocks to execute, spread evenly over the grid. By default all are executed, but only a sample of them if
    the launch has more than 536,870,912 threads (on the reference engine 4,194,304), which the notes report.

    A fault of the kernel, also a time limit, ends the profile and is its `fault`. Raises ArgumentError and Unsupported
    as a launch does.
    """
    require_kernel(kernel)
    options = Options(shared_mem, cluster, engine, workers, blocks, timeout, max_instructions)
    found = watch(kernel, grid, block, args, options)
    if found.ended == "interrupted":
        raise KeyboardInterrupt
    return found


def watch(kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object], options: Options) -> Profile:
    """Like `profile`, but an interrupt ends the profile with the counts so far."""
    require_options(options.shared_mem, options.workers, options.timeout, options.max_instructions, None)
    if options.blocks is not None:
        require_count("blocks", options.blocks)
    require_choice("engine", options.engine, ENGINES)
    return ProfiledRun(kernel.prepare(grid, block, args, options.shared_mem, options.cluster), options).profile()


class ProfiledRun:
    """One launch that is profiled."""

    def __init__(self, prepared: PreparedLaunch, options: Options) -> None:
        self.prepared, self.program, self.function = prepared, prepared.program, prepared.function
        self.options = options
        self.threads, self.every = prod(prepared.block), prod(prepared.grid)
        self.recorder = Recorder(waits=kernel_depends_on_order(self.program, self.function.name))
        self.sample: int | None = None
        self.notes: list[str] = []

    def profile(self) -> Profile:
        ended, stopped = "finished", None
        try:
            self.run()
        except Fault as fault:
            ended, stopped = "fault", fault
        except KeyboardInterrupt:
            ended = "interrupted"
        prepared, layout = self.prepared, shared_layout(self.program, self.function.name)
        shape = LaunchShape(
            prepared.grid, prepared.block, prepared.cluster, layout.static, prepared.shared, self.recorder.ctas,
            self.every, self.sample is not None,
        )  # fmt: skip
        found = (*notes(shape, ended, self.options.blocks is not None), *self.notes)
        return summarize(self.program, self.function, self.recorder, shape, ended, stopped, found)

    def run(self) -> None:
        """Counts the launch."""
        options = self.options
        if options.engine == "native" or (options.engine == "auto" and self.pays()):
            lanes = -(-self.threads // WARP) * WARP
            self.sample = sample(self.every, lanes, options.blocks, MOST_LANES, SAMPLE_LANES)
            try:
                run_native(
                    self.prepared,
                    self.recorder,
                    self.pieces(),
                    options.timeout,
                    options.max_instructions,
                    options.workers,
                )
                return
            except UnsupportedByJit as reason:
                self.notes.append(f"counted on the reference engine, because the kernel has {reason}")
        self.sample = sample(self.every, self.threads, options.blocks, MOST_THREADS, SAMPLE_THREADS)
        launch(
            self.prepared.within(options.timeout, options.max_instructions),
            make=partial(ProfiledLaunch, recorder=self.recorder, sample=self.sample),
        )

    def pays(self) -> bool:
        """Whether the reference engine is likely to take longer than compiling machine code."""
        return observed_code_pays(self.program, self.function, self.threads * self.every, SLOWER, LONGER)

    def pieces(self) -> Iterator[tuple[int, int]]:
        """The first block and the number of blocks of each executed piece of the grid."""
        if self.sample is None:
            return iter([(0, self.every)])
        layout, shared = shared_layout(self.program, self.function.name), self.prepared.shared
        size = layout.size(shared)
        shape = Shape(
            self.prepared.grid, self.prepared.block, self.prepared.cluster or (1, 1, 1), False, layout, size, shared,
            self.program.own_shared(size),
        )  # fmt: skip
        return sampled(self.program, self.function, shape, self.sample)


def sample(blocks: int, threads: int, requested: int | None, most: int, enough: int) -> int | None:
    """The minimum number of blocks to execute; None for all. If there are more threads than `most`, about `enough` are
    executed."""
    if requested is None and blocks * threads > most:
        requested = max(enough // threads, 1)
    return requested if requested is not None and requested < blocks else None


def notes(launch: LaunchShape, ended: str, requested: bool) -> list[str]:
    """What the counters omit; `requested` is whether the caller gave a number of blocks."""
    found: list[str] = []
    if launch.sampled:
        every = "" if requested else f"; to execute all, ask for {launch.all_blocks} blocks"
        found.append(
            f"a sample: {launch.blocks} of {launch.all_blocks} blocks were executed, evenly spread;"
            f" the other blocks' results are missing{every}"
        )
    if ended == "fault":
        found.append("the kernel was stopped by a fault: the counters are of what came before it")
    if ended == "interrupted":
        found.append("interrupted: the counters are of what came before")
    return found
