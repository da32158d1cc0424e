"""Why a launch has stopped."""

from __future__ import annotations

from dataclasses import dataclass

from openptx.errors import Error

# fmt: off
#                  kinds of stops
ENTRY, STEP, BREAKPOINT, WATCHPOINT, PAUSE = "entry", "step", "breakpoint", "watchpoint", "pause"
FAULT, GOTO, ENDED, EXITED                 = "fault", "goto", "thread ended", "exited"
# fmt: on


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop at `step`, which counts the instructions executed since the launch started.

    `kind` is one of the words above. After "exited" nothing is live; `error` is the Fault or Unsupported that the
    launch ended or is about to end in, None where it finished. `message` describes what happened.
    """

    kind: str
    step: int
    message: str = ""
    breakpoints: tuple[int, ...] = ()
    error: Error | None = None

    @property
    def live(self) -> bool:
        """Whether registers and memory can be inspected."""
        return self.kind != EXITED
