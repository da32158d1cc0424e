"""Makes compiled code take over launches of `auto` at chosen moments: at every check, or at random ones.

with forced() as takeovers:
    run()                        every launch ends on the reference engine, and its questions are counted
    takeovers.again(choose)      from now on each launch is abandoned at one of its questions, and run by code
    run()
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from unittest.mock import patch

from openptx.engines.auto import launch as auto
from openptx.engines.auto import tier_state
from openptx.engines.interp.abandon import Abandonable
from openptx.engines.native import entry as native
from openptx.engines.native.runtime import plans as made_plans
from openptx.engines.tiers import takeover


class Takeovers:
    """Of all launches in their order: how many questions they asked, and at which of them code takes over."""

    def __init__(self, baseline: bool) -> None:
        self.baseline = baseline
        self.asked: list[int] = []
        self.at: list[int] = []
        self.restored = 0
        self.kept: list[str] = []
        """Why launches that were to be abandoned were not."""

    def again(self, at: Callable[[int], int]) -> None:
        """The same launches will be run again; `at` chooses one of a launch's questions, from 1 to their number."""
        self.at, self.asked = [at(count) if count else 0 for count in self.asked], []
        tier_state.states.clear()


def never(*_: object) -> bool:
    return False


def begins(*_: object) -> Callable[[], bool]:
    """A launch that the reference engine begins, and goes on with unless it is told otherwise."""
    return never


def none(_: object) -> int:
    return 0


@contextmanager
def forced(baseline: bool = False) -> Generator[Takeovers]:
    """All launches of `auto` begin on the reference engine, also those of kernels whose code is there.

    `baseline`: the code that takes over is that of the baseline tier.
    """
    known, launch = Takeovers(baseline), native.launch

    class Forced(Abandonable):
        """Wants to be abandoned at one question."""

        __slots__ = ("number",)

        def __init__(self, wanted: Callable[[], bool], objection: Callable[[], str]) -> None:
            super().__init__(wanted, objection)
            self.number = len(known.asked)
            known.asked.append(0)

        def ask(self) -> None:
            known.asked[self.number] += 1
            if self.number < len(known.at) and known.asked[self.number] == known.at[self.number]:
                if not self.kept:
                    self.end()
                known.kept.append(self.kept)

        def restore(self) -> None:
            known.restored += 1
            super().restore()

    def run(*args: object, **options: object) -> None:
        launch(*args, **{**options, "baseline": known.baseline})  # type: ignore[arg-type]
        tier_state.states.clear()

    with (
        patch.object(auto, "code_wanted", begins),
        patch.object(auto, "prefers_interp", never),
        patch.object(native, "launch", run),
        patch.object(takeover, "Abandonable", Forced),
        patch.object(takeover, "host_threads", none),
        patch.object(made_plans, "EACH", math.inf),  # nothing is asked of the compile server
    ):
        tier_state.states.clear()
        yield known
        tier_state.states.clear()
