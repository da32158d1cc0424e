"""The plan that launches of one shape share: the code, the layout of its memory, and the number of workers."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from openptx.device.image import Image
from openptx.device.shared_layout import shared_layout
from openptx.engines.common import tensor_block
from openptx.engines.interp.batch import STACK_OF_A_THREAD
from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.runtime.code_requests import request_code
from openptx.engines.native.runtime.compiled_kernel import Compiled, compiled
from openptx.engines.native.runtime.warp_order import WarpOrder
from openptx.engines.native.runtime.workers import WorkerCount, loops
from openptx.engines.native.settings import Options
from openptx.engines.tiers.service import Job, is_available
from openptx.errors import Triple
from openptx.locks import cancellable
from openptx.program import Function, Program
from openptx.progress import progress

EACH = 1.4e-6
"""Seconds to compile optimised code, per character of LLVM text: 1.2 to 1.6 for ten kernels."""

LOG = logging.getLogger("openptx")


class BaselineCode:
    """The state of a kernel for blocks of one shape. Optimised code is requested when all launches together have taken
    as long as compiling it: so the total takes at most twice as long as if their number had been known."""

    __slots__ = ("job", "spent")

    def __init__(self) -> None:
        self.spent = 0.0
        self.job: Job | None = None

    def ran(self, plan: Plan, image: Image, seconds: float) -> bool:
        """A launch has ended; returns whether optimised code is available."""
        self.spent += seconds
        if self.job is None:
            cost = EACH * plan.code.metadata.size
            if self.spent < cost:
                return False
            LOG.info(
                "kernel `%s`: its launches have taken %.2f s, code is being optimised (about %.1f s)",
                plan.function.name, self.spent, cost,
            )  # fmt: skip
            self.job = plan.request(image, replace(plan.options, baseline=False))
        if not is_available(self.job):
            return False
        LOG.info("kernel `%s` runs optimised code from now on", plan.function.name)
        return True


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

MOST = 256
"""The number of plans that a module keeps."""


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
        "addresses", "band", "block", "blocks", "budget", "chunk", "code", "ctas", "dynamic", "function", "grid",
        "layout", "options", "order", "program", "replacement", "shared", "sizes", "stride", "team", "threads",
        "warps", "workers",
    )  # fmt: skip

    def __init__(
        self, program: Program, function: Function, image: Image, config: LaunchConfig, workers: int,
        speculates: bool, baseline: bool, order: WarpOrder,
    ) -> None:  # fmt: skip
        self.program, self.function, self.order = program, function, order
        grid, block, shared, blocks = config
        self.grid, self.block = grid, block
        self.blocks = blocks = blocks or (0, grid[0] * grid[1] * grid[2])
        self.ctas, self.threads = blocks[1] - blocks[0], block[0] * block[1] * block[2]
        self.warps = -(-self.threads // 32)
        self.workers = min(workers, self.ctas)
        self.options, self.code = self.choose_code(image, speculates, baseline)
        self.replacement: Job | None = None
        if self.code.metadata.stack.size > STACK_OF_A_THREAD:
            raise UnsupportedByJit("more local memory than threads have")
        self.layout = shared_layout(program, function.name)
        self.dynamic, self.shared = shared, self.layout.size(shared)
        self.stride, self.budget = self.code.metadata.stack.size, USUAL_BUDGET
        if self.code.metadata.stack.recursive:
            self.stride = max(self.stride, min(LOCAL_MOST, LOCAL_BYTES // self.threads)) // 64 * 64
        if self.code.metadata.has_large_frames:
            self.budget = STACK_BUDGET
        self.sizes = (
            self.shared,
            self.stride * self.warps * 32,
            self.code.metadata.frame_size * self.warps,
            (tensor_block.SIZE if self.code.metadata.has_tensor_memory else 0),
        )
        work = self.warps * max(len(function.code), 1)
        shares = max(SHARES, min(MORE_SHARES, TAKEN // self.workers)) if loops(function) else SHARES
        self.chunk = max(1, min(64, self.ctas // (self.workers * shares), CHUNK_WORK // work))
        self.band = self.band_of()
        self.team = WorkerCount(self)  # for launches that leave the number of workers open and found this plan first
        self.addresses = array("Q", [image.addresses[name] for name in self.code.metadata.globals] or (0,))

    def choose_code(self, image: Image, speculates: bool, baseline: bool) -> tuple[Options, Compiled]:
        """The code; workers whose CTAs use the same atomics need these locked."""
        watch = settings.watch()
        options = Options(
            self.block, False, settings.has_lane_facts(), settings.checks(), speculates, settings.deoptimize_turns(),
            rounds=self.order.in_rounds and not baseline, baseline=baseline,
        )  # fmt: skip
        if watch is not None:
            options = replace(options, watched=watch.tools)
        code = compiled(self.program, self.function, image, options)
        if code.metadata.interprets:  # Python's actions are not atomic for other workers
            self.workers = 1
        if self.workers > 1 and not code.metadata.free_order:
            options = replace(options, locked=True)
            code = compiled(self.program, self.function, image, options)
        return options, code

    def request(self, image: Image, options: Options) -> Job:
        """Requests code of the kernel with other options, to be compiled meanwhile."""
        unlocked, several = replace(options, locked=False), options.locked
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


def both(check: Callable[[], None], update: Callable[[], None]) -> Callable[[], None]:
    def checked() -> None:
        check()
        update()

    return checked


class Plans:
    """The plans of a module."""

    def __init__(self) -> None:
        self.made: dict[tuple[object, ...], Plan] = {}
        self.not_speculating: set[tuple[str, Triple]] = set()
        """Kernels and blocks whose warps often exited to the generic version: their branches are not assumed
        uniform."""
        self.baseline: dict[tuple[str, Triple], BaselineCode] = {}
        self.orders: dict[tuple[object, ...], WarpOrder] = {}
        self.optimised: set[tuple[str, Triple]] = set()
        """Kernels and blocks that have run baseline code and no longer need it."""

    def find(
        self, program: Program, function: Function, image: Image, config: LaunchConfig, workers: int,
        check: Callable[[], None], baseline: bool = False,
    ) -> Plan:  # fmt: skip
        """The plan of a launch; raises UnsupportedByJit if only interp can run it, and any exception of `check`.

        `baseline`: baseline code is acceptable while there is no other.
        """
        baseline = baseline and (function.name, config.block) not in self.optimised
        key = (function.name, config, workers, baseline, settings.variant())
        plan = self.made.get(key)
        if plan is None:
            order = self.orders.get(key) or WarpOrder()
            speculates = (function.name, config.block) not in self.not_speculating
            with progress(lambda: f"compiling kernel `{function.name}`") as update, cancellable(both(check, update)):
                plan = Plan(program, function, image, config, workers, speculates, baseline, order)
            if len(self.made) >= MOST:
                self.made.clear()
                self.orders.clear()
            self.made[key] = plan
            if plan.code.metadata.strides:
                self.orders[key] = order
        return plan

    def baseline_ran(self, plan: Plan, image: Image, seconds: float) -> None:
        """Records that a launch of baseline code has ended."""
        key = plan.function.name, plan.block
        if self.baseline.setdefault(key, BaselineCode()).ran(plan, image, seconds):
            self.optimised.add(key)
            self.made.clear()

    def ran_in_order(self, plan: Plan, image: Image, seconds: float, meanwhile: Callable[[], bool]) -> None:
        """Records that a launch has ended of a kernel with a loop over the grid's stride."""

        def request() -> Job | None:
            return plan.request(image, replace(plan.options, rounds=True)) if meanwhile() else None

        if plan.order.ran(seconds, EACH * plan.code.metadata.size, request):
            self.made.clear()

    def disable_speculation(self, plan: Plan, image: Image, meanwhile: bool) -> None:
        """Too many side exits: from now on branches are not assumed uniform.

        If the other code may be compiled `meanwhile`, the plan stays until it is available.
        """
        if meanwhile:
            if plan.replacement is None:
                plan.replacement = plan.request(image, replace(plan.options, speculates=False))
            if not is_available(plan.replacement):
                return
            LOG.info("kernel `%s`: from now on its branches are not assumed to be uniform", plan.function.name)
        self.not_speculating.add((plan.function.name, plan.block))
        self.made.clear()


def plans(image: Image) -> Plans:
    """The plans of a module."""
    found = image.attached.get(Plans)
    return found if found is not None else image.attached.setdefault(Plans, Plans())
