"""cudaProfiler.h: which part of a program a profiler watches. There is none here, so nothing changes."""

from __future__ import annotations

from openptx.driver.calls import Failure, in_context
from openptx.driver.contexts import Context
from openptx.driver.results import Result


@in_context("cuProfilerStart", "cuProfilerStop")
def switch(context: Context) -> None:
    """Succeeds, as it does on a GPU where no profiler runs."""


@in_context("cuProfilerInitialize")
def initialize(context: Context, configuration: int, output: int, mode: int) -> None:
    raise Failure(Result.NOT_SUPPORTED, "cuProfilerInitialize, which CUDA has dropped in version 11")
