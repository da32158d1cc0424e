"""Kernels that run code of the baseline tier, until optimised code replaces it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from openptx.device.image import Image
from openptx.engines.native.runtime.code_requests import request_code
from openptx.engines.tiers.service import Job, service

if TYPE_CHECKING:
    from openptx.engines.native.runtime.plan import Plan

EACH = 1.4e-6
"""Seconds to compile optimised code, per character of LLVM text: 1.2 to 1.6 for ten kernels."""

LOG = logging.getLogger("openptx")


class BaselineCode:
    """The state of a kernel for blocks of one shape. Optimised code is requested when all launches together have taken
    as long as compiling it: so the total takes at most twice as long as if their number had been known."""

    __slots__ = ("job", "spent")

    def __init__(self) -> None:
        self.spent = 0.0
        self.job: Job | None = None

    def ran(self, plan: Plan, image: Image, seconds: float) -> bool:
        """A launch has ended; returns whether optimised code is available."""
        self.spent += seconds
        if self.job is None:
            cost = EACH * plan.code.metadata.size
            if self.spent < cost:
                return False
            LOG.info(
                "kernel `%s`: its launches have taken %.2f s, code is being optimised (about %.1f s)",
                plan.function.name, self.spent, cost,
            )  # fmt: skip
            self.job = request_code(
                plan.program, plan.function, image, replace(plan.options, locked=False, baseline=False),
                several_workers=plan.options.locked,
            )  # fmt: skip
        reply = self.job.reply
        if reply is None or (not reply.made and not service().broken):
            return False
        LOG.info("kernel `%s` runs optimised code from now on", plan.function.name)
        return True
