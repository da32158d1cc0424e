"""`openptx.profile`: one launch on the reference engine, counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from openptx.device.shared_layout import shared_layout
from openptx.engines.interp.launch import launch
from openptx.errors import ArgumentError, Fault
from openptx.keywords import hints
from openptx.profile.launch import ProfiledLaunch
from openptx.profile.recorder import Recorder
from openptx.profile.report import LaunchShape, Profile
from openptx.profile.summary import summarize
from openptx.runtime.module import OTHER_NAMES
from openptx.runtime.options import require_options

if TYPE_CHECKING:
    from openptx.runtime import Kernel
    from openptx.runtime.extents import Extent

MOST_THREADS = 1 << 22
"""Launches with more threads are sampled unless `blocks` says how many blocks to execute."""
SAMPLE_THREADS = 1 << 20


@hints(**OTHER_NAMES)
def profile(
    kernel: Kernel,
    grid: Extent,
    block: Extent,
    args: Iterable[object] = (),
    *,
    shared_mem: int = 0,
    cluster: Extent | None = None,
    blocks: int | None = None,
    timeout: float | None = None,
    max_instructions: int | None = None,
) -> Profile:
    """Runs a kernel on the reference engine and counts what Nsight Compute would: a `Profile`.

    `grid`, `block`, `args`, `shared_mem` (bytes), `cluster`, `timeout` (seconds) and `max_instructions` are as for a
    launch; arrays are written as by a launch. `blocks` is how many blocks are executed, spread evenly over the grid;
    without it all are, but of launches with more than 4 194 304 threads a sample, which `Profile.notes` says.

    A fault of the kernel, a time limit too, ends the profile and is its `fault`. Raises ArgumentError and Unsupported
    as a launch does.
    """
    found = watch(kernel, grid, block, args, shared_mem, cluster, blocks, timeout, max_instructions)
    if found.ended == "interrupted":
        raise KeyboardInterrupt
    return found


def watch(
    kernel: Kernel,
    grid: Extent,
    block: Extent,
    args: Iterable[object],
    shared_mem: int = 0,
    cluster: Extent | None = None,
    blocks: int | None = None,
    timeout: float | None = None,
    max_instructions: int | None = None,
) -> Profile:
    """The same; an interrupt ends the profile with what was counted so far."""
    require_options(shared_mem, None, timeout, max_instructions, None)
    if blocks is not None and (type(blocks) is not int or blocks < 1):
        raise ArgumentError(f"blocks is a number from 1, not {blocks!r}")
    given = kernel.prepare(grid, block, args, shared_mem, cluster)
    program, function = kernel.module.program, kernel.function
    layout = shared_layout(program, function.name)
    threads, every = volume(given.block), volume(given.grid)
    wanted = sample(every, threads, blocks)
    recorder, ended, stopped = Recorder(), "finished", None

    def make(*parts: Any) -> ProfiledLaunch:
        return ProfiledLaunch(*parts, recorder=recorder, sample=wanted)

    try:
        launch(
            program,
            function,
            given.grid,
            given.block,
            memory=given.memory,
            image=kernel.module.image,
            shared=shared_mem,
            cluster=given.cluster,
            timeout=timeout,
            max_instructions=max_instructions,
            make=make,
        )
    except Fault as fault:
        ended, stopped = "fault", fault
    except KeyboardInterrupt:
        ended = "interrupted"
    shape = LaunchShape(
        given.grid, given.block, given.cluster, layout.static, shared_mem, recorder.ctas, every, wanted is not None
    )
    return summarize(program, function, recorder, shape, ended, stopped, tuple(notes(shape, ended)))


def volume(extent: tuple[int, int, int]) -> int:
    return extent[0] * extent[1] * extent[2]


def sample(blocks: int, threads: int, asked: int | None) -> int | None:
    """How many blocks to execute at least; None for all."""
    if asked is None and blocks * threads > MOST_THREADS:
        asked = max(SAMPLE_THREADS // threads, 1)
    return asked if asked is not None and asked < blocks else None


def notes(launch: LaunchShape, ended: str) -> list[str]:
    """What the counters leave out."""
    found: list[str] = []
    if launch.sampled:
        found.append(
            f"a sample: {launch.blocks} of {launch.all_blocks} blocks were executed, evenly spread;"
            " the other blocks' results are missing"
        )
    if ended == "fault":
        found.append("the kernel was stopped by a fault: the counters are of what came before it")
    if ended == "interrupted":
        found.append("interrupted: the counters are of what came before")
    return found
