"""The cost of reading an operand from each state space (6.6, Table 19)."""

from __future__ import annotations


class Cost:
    """The clocks of an access: 0, or `more than` that number; `note` is quoted from the table."""

    __slots__ = ("clocks", "more", "note")

    def __init__(self, clocks: int, more: bool = False, note: str = "") -> None:
        self.clocks = clocks
        self.more = more
        self.note = note

    def __repr__(self) -> str:
        return f"> {self.clocks} clocks" if self.more else f"{self.clocks} clocks"


# fmt: off
COSTS: dict[str, Cost] = {
    "register":  Cost(0),
    "shared":    Cost(0),
    "constant":  Cost(0, note="the first access is expensive, later ones hardly cost anything"),
    "local":     Cost(100, more=True),
    "parameter": Cost(0),
    "immediate": Cost(0),
    "global":    Cost(100, more=True),
    "texture":   Cost(100, more=True),
    "surface":   Cost(100, more=True),
}
# fmt: on
OF_SPACES = {"const": "constant", "param": "parameter", "tex": "texture"}
"""The table's names for state spaces whose directive has another name."""


def cost_of(space: str) -> Cost | None:
    """The cost of reading from a state space, by its directive without the dot; None if the table lacks it."""
    return COSTS.get(OF_SPACES.get(space, space))
