"""What the compile service is asked for: the code of a kernel with given options."""

from __future__ import annotations

from openptx.engines.native import settings
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import name_of
from openptx.engines.native.options import Options
from openptx.engines.tiers.messages import Request
from openptx.engines.tiers.service import Job, service
from openptx.errors import Triple
from openptx.program import Function, Program


def name_of_code(program: Program, function: Function, options: Options) -> str:
    """The key of a kernel's code, but for the generic version."""
    return name_of(program, function, options, "fast")


def usual(block: Triple, baseline: bool = False) -> Options:
    """The options with which a kernel is compiled at first for such blocks."""
    facts, turns = settings.has_lane_facts(), settings.deoptimize_turns()
    return Options(block, False, facts, settings.checks(), True, turns, baseline=baseline)


def on_disk(program: Program, function: Function, block: Triple, baseline: bool = False) -> bool:
    """Whether the kernel's code for such blocks was kept, by an earlier process perhaps."""
    return store.has(name_of_code(program, function, usual(block, baseline)))


def request_code(program: Program, function: Function, options: Options, *, several_workers: bool = False) -> Job:
    """The request for a kernel's code, made now or before. With `several_workers` they may lock atomics."""
    name, folder = name_of_code(program, function, options), settings.cache_folder()
    return service().find(name) or service().request(
        Request(
            name, program.file.text, program.file.name, program.target, program.profile, program.contract,
            function.name, options, several_workers, str(folder) if folder is not None else None,
        )
    )  # fmt: skip
