"""What the compile service is asked for: the code of a kernel with given options."""

from __future__ import annotations

from openptx.engines.native import settings
from openptx.engines.native.cache.key import name_of
from openptx.engines.native.options import Options
from openptx.engines.tiers.messages import Request
from openptx.engines.tiers.service import Job, service
from openptx.program import Function, Program


def name_of_code(program: Program, function: Function, options: Options) -> str:
    """The key of a kernel's code, but for the generic version."""
    return name_of(program, function, options, "fast")


def request_code(program: Program, function: Function, options: Options, *, several_workers: bool = False) -> Job:
    """The request for a kernel's code, made now or before. With `several_workers` they may lock atomics."""
    name, folder = name_of_code(program, function, options), settings.cache_folder()
    return service().find(name) or service().request(
        Request(
            name, program.file.text, program.file.name, program.target, program.profile, program.contract,
            function.name, options, several_workers, str(folder) if folder is not None else None,
        )
    )  # fmt: skip
