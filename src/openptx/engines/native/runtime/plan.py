"""The plan that launches of one shape share: the code, the layout of its memory, and the number of workers."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from openptx.device.image import Image
from openptx.device.shared_layout import shared_layout
from openptx.engines.common import tensor_block
from openptx.engines.interp.batch_state import STACK_OF_A_THREAD
from openptx.engines.native import settings
from openptx.engines.native.analysis.inlining import compiled_function
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.runtime.code_requests import request_code
from openptx.engines.native.runtime.compiled_kernel import CompiledKernel, compiled
from openptx.engines.native.runtime.warp_order import WarpOrder
from openptx.engines.native.runtime.worker_count import WorkerCount, loops
from openptx.engines.native.settings import Options
from openptx.engines.tiers.service import Job
from openptx.errors import Triple
from openptx.program import Function, Program

USUAL_BUDGET, STACK_BUDGET = 1 << 20, 250 << 20
"""Bytes of the processor's stack for kernels, and for those with large frames; only what is used is committed."""

LOCAL_MOST, LOCAL_BYTES = 1 << 20, 1 << 29
"""Bytes of local memory for recursive kernels: per thread, per CTA."""

CHUNK_WORK = 1 << 16
"""The maximum number of warp instructions, without repetitions by loops, in the CTAs that a worker takes at once. Up to
four times as many are between two polls."""

SHARES, MORE_SHARES, TAKEN = 8, 64, 256
"""The minimum number of times that a worker takes CTAs: of a kernel without loops, and of one with loops as long as all
workers together take CTAs at most `TAKEN` times. The smaller the shares, the shorter workers wait for the last one."""

BAND = 8
"""Columns of CTAs in a band: with tiles of 16 by 16 and rows of 512 numbers a band's data fits a level-2 cache."""

Sizes = tuple[int, int, int, int]
"""Bytes of shared memory, local memory, frames and tensor memory of a worker."""


class LaunchConfig(NamedTuple):
    """The configuration of a launch. `shared`: bytes of dynamic shared memory. `blocks`: the indices of the first CTA
    and of one past the last, where only a part of the grid is launched."""

    grid: Triple
    block: Triple
    shared: int = 0
    blocks: tuple[int, int] | None = None


class Plan:
    """How a kernel is launched in one configuration."""

    __slots__ = (
        "addresses", "band", "block", "blocks", "budget", "chunk", "code", "ctas", "deep", "dynamic", "function",
        "grid", "layout", "meets", "options", "order", "program", "replacement", "shared", "sizes",
        "stride", "team", "threads", "warps", "workers",
    )  # fmt: skip

    def __init__(
        self, program: Program, function: Function, image: Image, config: LaunchConfig, workers: int,
        speculates: bool, baseline: bool, watched: tuple[str, ...], order: WarpOrder,
    ) -> None:  # fmt: skip
        self.program, self.function, self.order = program, function, order
        grid, block, shared, blocks = config
        self.grid, self.block = grid, block
        self.blocks = blocks = blocks or (0, grid[0] * grid[1] * grid[2])
        self.ctas, self.threads = blocks[1] - blocks[0], block[0] * block[1] * block[2]
        self.warps = -(-self.threads // 32)
        self.workers = min(workers, self.ctas)
        self.options, self.code = self.choose_code(image, speculates, baseline, watched)
        self.replacement: Job | None = None
        if self.code.metadata.stack.size > STACK_OF_A_THREAD:
            raise UnsupportedByJit("more local memory than threads have")
        self.layout = shared_layout(program, function.name)
        self.dynamic, self.shared = shared, self.layout.size(shared)
        self.stride, self.budget = self.code.metadata.stack.size, USUAL_BUDGET
        if self.code.metadata.stack.recursive:
            self.stride = max(self.stride, min(LOCAL_MOST, LOCAL_BYTES // self.threads)) // 64 * 64
        self.deep = self.code.metadata.has_large_frames
        """Whether threads need a large stack of the processor."""
        if self.deep:
            self.budget = STACK_BUDGET
        self.sizes: Sizes = (
            self.shared,
            self.stride * self.warps * 32,
            self.code.metadata.frame_size * self.warps,
            (tensor_block.SIZE if self.code.metadata.has_tensor_memory else 0),
        )
        work = self.warps * max(len(function.code), 1)
        shares = max(SHARES, min(MORE_SHARES, TAKEN // self.workers)) if loops(function) else SHARES
        self.chunk = max(1, min(64, self.ctas // (self.workers * shares), CHUNK_WORK // work))
        self.band = self.band_of()
        free_order = self.code.metadata.free_order
        self.team = WorkerCount(function, self.ctas, self.threads, free_order=free_order, given=self.workers)
        """For launches that leave the number of workers open, and so found the plan for one first; and for those that
        specify more, where CTAs meet."""
        self.meets = self.workers > 1 and not free_order and not self.code.metadata.deoptimizes
        """Whether CTAs of several workers use the same atomics, and none waits for another."""
        self.addresses = array("Q", [image.addresses[name] for name in self.code.metadata.globals] or (0,))

    @property
    def executed(self) -> Function:
        """The kernel as it is compiled; for stored code it is first made when a place in it is asked for."""
        return compiled_function(self.program, self.function, self.options)

    def choose_code(
        self, image: Image, speculates: bool, baseline: bool, watched: tuple[str, ...]
    ) -> tuple[Options, CompiledKernel]:
        """The code; workers whose CTAs use the same atomics need these locked."""
        options = Options(
            self.block, False, settings.has_lane_facts(), settings.checks(), speculates, settings.deoptimize_turns(),
            watched=watched, rounds=self.order.in_rounds and not baseline, baseline=baseline,
        )  # fmt: skip
        code = compiled(self.program, self.function, image, options)
        if code.metadata.one_worker:
            self.workers = 1
        if self.workers > 1 and not code.metadata.free_order:
            options = options._replace(locked=True)
            code = compiled(self.program, self.function, image, options)
        return options, code

    def request(self, image: Image, options: Options) -> Job:
        """Requests code of the kernel with other options, to be compiled meanwhile."""
        unlocked, several = options._replace(locked=False), options.locked
        return request_code(self.program, self.function, image, unlocked, several_workers=several)

    def band_of(self) -> int:
        """Columns of a two-dimensional grid that run side by side, so that the data of CTA rows stays in the caches.

        Atomics of CTAs happen in the grid's order, as on the reference engine, so kernels with atomics keep that order.
        A part of the grid is given by row-major indices.
        """
        x, y, z = self.grid
        whole = self.ctas == x * y * z
        in_rows = (
            not (whole and self.code.metadata.free_order) or self.code.metadata.deoptimizes
        )  # the reference engine continues in row-major order
        return BAND if not in_rows and z == 1 and y > 1 and x > BAND and x % BAND == 0 else x
