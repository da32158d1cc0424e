"""What `auto` keeps of each kernel: how long its launches took, and the code that exists or was requested."""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING

from openptx.call_graph import calls_indirectly
from openptx.device.image import Image
from openptx.engines.auto import costs
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.interp.builtins import EXTERNALS
from openptx.engines.native.runtime.compile_time import OPERATION, least_seconds_to_make, seconds_to_make
from openptx.engines.native.runtime.engine_times import EngineTimes
from openptx.engines.native.runtime.worker_count import loops
from openptx.errors import Triple
from openptx.program import Function, Program

if TYPE_CHECKING:
    from openptx.engines.tiers.service import Job


class TierState:
    """The state that `auto` keeps for a kernel."""

    __slots__ = (
        "_compile_seconds", "baseline_blocks", "compiled_blocks", "engine_times", "found_on_disk", "function",
        "interp_seconds", "jobs", "logged", "loops", "program", "searched_disk", "seconds_per_thread",
    )  # fmt: skip

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.loops = loops(function, calls=False) or (
            not function.callees <= {*EXTERNALS} or calls_indirectly(function)
        )
        self.seconds_per_thread = OPERATION * len(function.code)  # of interp, if each instruction runs once
        self._compile_seconds = -1.0
        self.interp_seconds = 0.0  # processor time of all launches on interp
        self.engine_times = EngineTimes()
        self.searched_disk = self.found_on_disk = False
        self.jobs: dict[Triple, Job] = {}  # code that has been requested
        self.compiled_blocks: set[Triple] = set()  # for which code exists
        self.baseline_blocks: set[Triple] = set()  # for which that is baseline code, at first
        self.logged: set[Triple] = set()  # for which a launch on the reference engine has been logged

    @property
    def compile_seconds(self) -> float:
        """The compile time, estimated on first use."""
        if self._compile_seconds < 0:
            self._compile_seconds = seconds_to_make(self.program, self.function)
        return self._compile_seconds

    @property
    def seconds_until_code(self) -> float:
        """The seconds of work before machine code can run."""
        return (0.0 if self.found_on_disk else self.compile_seconds) + costs.imports()

    def level(self, block: Triple) -> int:
        """The level at which a launch on the reference engine is logged: the first with such blocks concerns users."""
        known = block in self.logged
        self.logged.add(block)
        return logging.DEBUG if known else logging.INFO

    def surely_before_code(self, seconds: float) -> bool:
        """Whether something takes less than the remaining work; answered without an estimate if that is clear."""
        return not self.found_on_disk and seconds < least_seconds_to_make(self.function) + costs.imports()


states: weakref.WeakKeyDictionary[Image, dict[str, TierState]] = weakref.WeakKeyDictionary()
"""The state kept for kernels of loaded modules."""


def state_of(prepared: PreparedLaunch) -> TierState:
    """The state kept for the kernel of a launch."""
    kernels = states.get(prepared.image) or states.setdefault(prepared.image, {})
    name = prepared.function.name
    return kernels.get(name) or kernels.setdefault(name, TierState(prepared.program, prepared.function))
