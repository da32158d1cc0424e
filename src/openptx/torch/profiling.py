"""torch's profiler and NVTX ranges where the CPU stands in for a GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any


def ranges() -> dict[str, Any]:
    """The replacements for functions of `torch.cuda.nvtx`, which mark ranges of time for a profiler: there is none."""

    def number(*arguments: Any, **options: Any) -> int:
        return 0

    return dict.fromkeys(("range_push", "range_pop", "range_start", "range_end", "mark"), number)


def host_only(profiler: Any) -> dict[str, Callable[..., Any]]:
    """`torch.autograd.profiler.profile.__init__`: times of the device are 0, as no work is done there.

    torch would record CUDA's events in place of CUPTI, and print for each operator that there are none.
    """
    native: Callable[..., None] = profiler.profile.__init__

    @wraps(native)
    def begin(self: Any, *arguments: Any, **options: Any) -> None:
        native(self, *arguments, **options)
        states = profiler.ProfilerState
        if getattr(self, "profiler_kind", None) == states.KINETO_GPU_FALLBACK:
            self.profiler_kind = states.KINETO

    return {"__init__": begin}
