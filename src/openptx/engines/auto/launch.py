"""The engine `auto`: chooses the engine on which a launch starts, and moves it to the other."""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING

from openptx.call_graph import reached_directly
from openptx.engines.auto import costs
from openptx.engines.auto.policy import code_wanted, made_at_once, prefers_interp
from openptx.engines.auto.tier_state import state_of
from openptx.engines.common.engine import PreparedLaunch, import_engine
from openptx.engines.interp import launch as interp
from openptx.engines.interp.builtins import LASTING
from openptx.engines.native import entry as native
from openptx.engines.native import settings
from openptx.engines.tiers.takeover import host_threads, launch_and_replace, try_on_interp
from openptx.late import late

if TYPE_CHECKING:
    from openptx.engines.tiers.service import service
else:
    service = late("openptx.engines.tiers.service", "service")

LOG = logging.getLogger("openptx")


def launch(prepared: PreparedLaunch, *, workers: int | None = None) -> None:
    """Starts on the engine where the first result is expected first, and moves to the one where later ones are faster.

    Launches of kernels without loops run on interp until they have taken as long as compiling would, so a kernel takes
    at most twice as long as if its number of launches had been known. With tiers, launches of other kernels start on
    interp, too, and are abandoned for machine code when they have taken as long as compiling it would or, if that takes
    long, when the compile server has finished.
    """
    function, grid, block = prepared.function, prepared.grid, prepared.block
    state = state_of(prepared)
    times, shape, clock = state.engine_times, (grid, block), time.perf_counter()
    slower = times.settled.get(shape)
    if block not in state.compiled_blocks or slower:
        start = time.thread_time()
        if slower or prefers_interp(state, prepared):
            interp.launch(prepared)
            ended = True
        else:
            wanted = code_wanted(state, prepared, workers)
            ended = wanted is not None and launch_and_replace(prepared, wanted, level=state.level(block))
        if ended:
            state.interp_seconds += time.thread_time() - start
            times.interp_took(shape, time.perf_counter() - clock)
            return
        state.compiled_blocks.add(block)
        clock = time.perf_counter()
    elif times.untried(shape) and may_try(prepared):
        times.interp_took(shape, try_on_interp(prepared, times.to_beat(shape)))
        if math.isfinite(times.interp[shape]):
            return
        clock = time.perf_counter()
    if not costs.imported() and not prepared.interpreted:
        prepared = prepared.later(import_engine("native")[1])

    def meanwhile() -> bool:
        return settings.has_tiers() and not made_at_once(state, service().may_fork())

    shared = native.launch(prepared, workers=workers, meanwhile=meanwhile, baseline=block in state.baseline_blocks)
    if slower is None and times.native_took(shape, time.perf_counter() - clock, shared):
        LOG.info(
            "kernel `%s`, grid %s, blocks of %s: the reference engine runs such launches from now on, in %.4f s"
            " instead of %.4f s as machine code", function.name, grid, block, times.interp[shape], times.native[shape],
        )  # fmt: skip


def may_try(prepared: PreparedLaunch) -> bool:
    """Whether a launch may start on the reference engine and be undone if it takes too long."""
    program, function = prepared.program, prepared.function
    if not settings.has_tiers() or prepared.interpreted or prepared.image.bound or host_threads(function):
        return False
    names = reached_directly(program, function)
    return names is not None and all(program.function(name).callees.isdisjoint(LASTING) for name in names)
