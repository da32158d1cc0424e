"""The engine `native`: machine code where it can run a launch, else the reference engine."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from openptx.device.image import Image
from openptx.engines.interp import launch as interp
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.settings import Options
from openptx.errors import Triple
from openptx.late import late
from openptx.program import Function, Program

MACHINE_CODE = "openptx.engines.native.runtime.launch"
"""Imported on first use: it runs machine code, and imports what compiles it."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.engines.common.engine import PreparedLaunch
    from openptx.engines.native.runtime.compiled_kernel import compiled
    from openptx.engines.native.runtime.launch import launch as run
else:
    compiled = late("openptx.engines.native.runtime.compiled_kernel", "compiled")
    run = late("openptx.engines.native.runtime.launch", "launch")

FALLBACK = logging.getLogger("openptx.fallback")
"""Reports that the reference engine runs a launch for which machine code was requested."""


def launch(
    prepared: PreparedLaunch, *, workers: int | None = None, meanwhile: Callable[[], bool] = bool,
    baseline: bool = False,
) -> bool:  # fmt: skip
    """Runs a kernel as machine code (`run`, which has the same options), or on the reference engine if it needs
    something that only that supports. Returns whether that ran parts of a launch of machine code."""
    if prepared.since is None and prepared.timeout is not None:
        prepared = prepared._replace(since=time.monotonic())
    try:
        if prepared.interpreted:  # `run` would have to be imported to say so
            raise UnsupportedByJit("clusters, or counted instructions")
        return run(prepared, workers=workers, meanwhile=meanwhile, baseline=baseline)
    except UnsupportedByJit as reason:
        FALLBACK.info("kernel `%s` runs on the reference engine: %s", prepared.function.name, reason)
        interp.launch(prepared)
        return False


def gap(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with these blocks, machine code cannot do; None if nothing."""
    try:
        compiled(program, function, image, Options(block, False))
    except UnsupportedByJit as reason:
        return str(reason)
    return None
