"""Launches a kernel as compiled code: its plan, its execution, and what the launch teaches about the kernel."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from openptx.engines.common import fault_text
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.runtime.execution import Execution
from openptx.engines.native.runtime.plan import LaunchConfig
from openptx.engines.native.runtime.plans import plans
from openptx.engines.native.runtime.run import Observer
from openptx.errors import Fault

LOG = logging.getLogger("openptx")


def launch(
    prepared: PreparedLaunch, *, workers: int | None = None, meanwhile: Callable[[], bool] = bool,
    baseline: bool = False, observer: Observer | None = None,
) -> bool:  # fmt: skip
    """Runs a kernel. Returns whether the reference engine ran parts of it. Raises UnsupportedByJit, before anything has
    run, if only that can run it.

    If this launch shows that the kernel needs other code, that is compiled in the background if `meanwhile()`, or else
    by the next launch. `baseline`: baseline code is acceptable. `observer`: observes the execution.
    """
    if prepared.interpreted:
        raise UnsupportedByJit("clusters, or counted instructions")
    program, function, image, block = prepared.program, prepared.function, prepared.image, prepared.block
    timeout, since = prepared.timeout, prepared.since
    made = plans(image)
    deadline = (time.monotonic() if since is None else since) + timeout if timeout is not None else None

    def check() -> None:
        if deadline is not None and time.monotonic() > deadline:
            said, notes = fault_text.not_started(timeout), (fault_text.COMPILING,)
            raise Fault("timeout", said, kernel=function.name, file=program.file, notes=notes)

    config = LaunchConfig(prepared.grid, block, prepared.shared, prepared.blocks)
    watched = observer.tools if observer is not None else ()
    plan = made.find(program, function, image, config, workers or 1, check, baseline, watched)
    team = plan.team if workers is None or (plan.meets and observer is None) else None
    if team is not None and team.workers != plan.workers:
        plan = made.find(program, function, image, config, team.workers, check, baseline, watched)
    start = time.perf_counter()
    handed = Execution(made, plan, prepared.memory, image, timeout, deadline, observer).go(meanwhile)
    seconds = time.perf_counter() - start
    if LOG.isEnabledFor(logging.DEBUG):
        kind = "baseline" if plan.options.baseline else "optimised"
        said = "kernel `%s`, %d blocks of %s: %.6f s as %s code, %d workers"
        LOG.debug(said, function.name, plan.ctas, block, seconds, kind, plan.workers)
    if team is not None:
        team.learn(seconds)
    if plan.code.metadata.strides or plan.options.rounds:
        made.ran_in_order(plan, image, seconds, meanwhile)
    if plan.options.baseline:
        made.baseline_ran(plan, image, seconds)
    return handed
