"""The resources a launch may use before it is stopped: instructions and time. Also checks whether to abandon it."""

from __future__ import annotations

import time
from collections.abc import Callable

from openptx.engines.common.fault_text import timed_out
from openptx.engines.interp.abandon import Abandonable
from openptx.engines.interp.memory.spaces import Violation
from openptx.progress import silent

MANY_LANES = 1024


class Limits:
    """Counters for all batches of a launch."""

    def __init__(
        self, timeout: float | None, max_instructions: int | None, whole_timeout: float | None = None,
        abandon: Abandonable | None = None, update: Callable[[], None] = silent,
    ) -> None:  # fmt: skip
        """`timeout` is the rest of the whole limit; `update` writes what the launch does, see `progress`."""
        self.timeout, self.max_instructions = whole_timeout or timeout, max_instructions
        self.abandon, self._update = abandon, update
        self.instructions = 0
        self._deadline = time.monotonic() + timeout if timeout is not None else None
        self._timed = timeout is not None or abandon is not None or update is not silent

    def steps_between(self, lanes: int) -> int:
        """The number of steps of a block between two calls of `require_time`, a power of two; smaller for many lanes,
        whose steps take longer."""
        if not self._timed:
            return 1 << 30
        return 1 if lanes >= MANY_LANES else 16

    def spend(self, instructions: int) -> None:
        """Counts instructions (once per group of lanes); raises Violation at the limit."""
        self.instructions += instructions
        if self.max_instructions is not None and self.instructions > self.max_instructions:
            raise Violation("instruction-limit", f"more than {self.max_instructions} instructions were executed", -1)
        if self._timed:
            self.require_time()

    def require_time(self) -> None:
        """Raises Violation when time is over, Abandoned if another engine takes the launch over."""
        if self.abandon is not None:
            self.abandon.ask()
        self._update()
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise Violation("timeout", timed_out(self.timeout), -1)
