"""One request: PTX text is parsed, lowered and compiled, and the code stored on disk if there is a cache."""

from __future__ import annotations

from openptx.engines.native.cache.key import name_of
from openptx.engines.native.runtime.background_code import Codes, codes_of, reply_with
from openptx.engines.tiers.messages import Reply, Request
from openptx.runtime.module import load
from openptx.source import File


def reply_to(request: Request) -> Reply:
    """The code, or why there is none."""
    return reply_with(request.name, lambda: codes(request))


def codes(request: Request) -> Codes:
    module = load(
        File(request.file, request.text), target=request.target, profile=request.profile, contract=request.contract
    )
    function = module.program.function(request.kernel)
    if name_of(module.program, function, request.options, "fast") != request.name:
        raise ValueError("openptx has been edited since the process that asks was started")
    return codes_of(module.program, function, module.image, request.options, request.several_workers, request.cache)
