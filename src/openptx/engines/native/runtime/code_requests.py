"""Requests to the compile service: the code of a kernel with given options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from openptx.device.image import Image
from openptx.engines.native import settings
from openptx.engines.native.settings import KEYS, Options
from openptx.engines.tiers.messages import Reply, Request
from openptx.engines.tiers.service import Job, service
from openptx.errors import Triple
from openptx.late import late
from openptx.program import Function, Program

if TYPE_CHECKING:
    from openptx.engines.native.cache.key import name_of
    from openptx.engines.native.cache.store import has
    from openptx.engines.native.runtime.background_code import codes_of, reply_with
else:
    name_of = late("openptx.engines.native.cache.key", "name_of")
    has = late("openptx.engines.native.cache.store", "has")
    codes_of = late("openptx.engines.native.runtime.background_code", "codes_of")
    reply_with = late("openptx.engines.native.runtime.background_code", "reply_with")

NICE = 5
"""The priority of requests that no launch waits for."""


def name_of_code(program: Program, function: Function, options: Options) -> str:
    """The key of a kernel's code, except the generic version."""
    return name_of(program, function, options, "fast")


def usual(block: Triple, baseline: bool = False) -> Options:
    """The options with which a kernel is first compiled for such blocks."""
    facts, turns = settings.has_lane_facts(), settings.deoptimize_turns()
    return Options(block, False, facts, settings.checks(), True, turns, baseline=baseline)


def on_disk(program: Program, function: Function, block: Triple, baseline: bool = False) -> bool:
    """Whether the kernel's code for such blocks was stored, perhaps by an earlier process."""
    return has(name_of_code(program, function, usual(block, baseline)))


def request_code(
    program: Program, function: Function, image: Image, options: Options, *, several_workers: bool = False,
    waits: bool = False,
) -> Job:  # fmt: skip
    """The request for a kernel's code, made now or before. With `several_workers`, code with locked atomics may be
    needed. Either a launch `waits` for the code, or it is for later launches."""
    folder = settings.cache_folder()
    cache = str(folder) if folder is not None else None

    def name() -> str:
        return name_of_code(program, function, options)

    def request() -> Request:
        return Request(
            name(), program.file.text, program.file.name, program.target, program.profile, program.contract,
            function.name, options, several_workers, cache,
        )  # fmt: skip

    def make() -> Reply:
        return reply_with(name(), lambda: codes_of(program, function, image, options, several_workers, cache))

    known = name() if KEYS in sys.modules else ""
    return service().request(Job(function.name, known, request, make, 0 if waits else NICE))
