"""The plans of a module: which one a launch gets, and when other code replaces it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from openptx.device.image import Image
from openptx.engines.native import settings
from openptx.engines.native.runtime.callbacks import CallingWorker
from openptx.engines.native.runtime.compiled_kernel import CompiledKernel
from openptx.engines.native.runtime.plan import LaunchConfig, Plan, Sizes
from openptx.engines.native.runtime.warp_order import WarpOrder
from openptx.engines.tiers.service import Job, is_available
from openptx.errors import Triple
from openptx.locks import cancellable
from openptx.program import Function, Program
from openptx.progress import progress

EACH = 1.4e-6
"""Seconds to compile optimised code, per character of LLVM text: 1.2 to 1.6 for ten kernels."""

LOG = logging.getLogger("openptx")


MOST = 256
"""The number of plans that a module keeps."""


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
            self.job = plan.request(image, plan.options._replace(baseline=False))
        if not is_available(self.job):
            return False
        LOG.info("kernel `%s` runs optimised code from now on", plan.function.name)
        return True


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
        self.idle: dict[tuple[CompiledKernel, Sizes], list[CallingWorker]] = {}
        """Workers of earlier launches."""

    def find(
        self, program: Program, function: Function, image: Image, config: LaunchConfig, workers: int,
        check: Callable[[], None], baseline: bool = False, watched: tuple[str, ...] = (),
    ) -> Plan:  # fmt: skip
        """The plan of a launch; raises UnsupportedByJit if only interp can run it, and any exception of `check`.

        `baseline`: baseline code is acceptable while there is no other. `watched`: see `Options`.
        """
        baseline = baseline and (function.name, config.block) not in self.optimised
        key = (function.name, config, workers, baseline, watched, settings.variant())
        plan = self.made.get(key)
        if plan is None:
            order = self.orders.get(key) or WarpOrder()
            speculates = (function.name, config.block) not in self.not_speculating
            with progress(lambda: f"compiling kernel `{function.name}`") as update, cancellable(both(check, update)):
                plan = Plan(program, function, image, config, workers, speculates, baseline, watched, order)
            if len(self.made) >= MOST:
                self.made.clear()
                self.orders.clear()
            self.made[key] = plan
            if plan.code.metadata.strides:
                self.orders[key] = order
        return plan

    def worker(self, plan: Plan) -> CallingWorker:
        """A worker that an earlier launch has left, or a new one."""
        idle = self.idle.get((plan.code, plan.sizes))
        try:
            return idle.pop() if idle else CallingWorker(*plan.sizes)
        except IndexError:  # another thread was faster
            return CallingWorker(*plan.sizes)

    def baseline_ran(self, plan: Plan, image: Image, seconds: float) -> None:
        """Records that a launch of baseline code has ended."""
        key = plan.function.name, plan.block
        if self.baseline.setdefault(key, BaselineCode()).ran(plan, image, seconds):
            self.optimised.add(key)
            self.made.clear()

    def ran_in_order(self, plan: Plan, image: Image, seconds: float, meanwhile: Callable[[], bool]) -> None:
        """Records that a launch has ended of a kernel with a loop over the grid's stride."""

        def request() -> Job | None:
            return plan.request(image, plan.options._replace(rounds=True)) if meanwhile() else None

        if plan.order.ran(seconds, EACH * plan.code.metadata.size, request):
            self.made.clear()

    def disable_speculation(self, plan: Plan, image: Image, meanwhile: bool) -> None:
        """Too many side exits: from now on branches are not assumed uniform.

        If the other code may be compiled `meanwhile`, the plan stays until it is available.
        """
        if meanwhile:
            if plan.replacement is None:
                plan.replacement = plan.request(image, plan.options._replace(speculates=False))
            if not is_available(plan.replacement):
                return
            LOG.info("kernel `%s`: from now on its branches are not assumed to be uniform", plan.function.name)
        self.not_speculating.add((plan.function.name, plan.block))
        self.made.clear()


def plans(image: Image) -> Plans:
    """The plans of a module."""
    found = image.attached.get(Plans)
    return found if found is not None else image.attached.setdefault(Plans, Plans())
