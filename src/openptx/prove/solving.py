"""Solver queries, each in a new context.

z3's search order depends on the age of terms. In a context shared by all proofs, a query that takes a tenth of a second
in a new process took a minute after thirty other proofs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import z3


class Answer(NamedTuple):
    """`verdict` is one of z3's; `model` only if it is `sat`, `reason` only if it is `unknown`."""

    verdict: z3.CheckSatResult
    model: z3.ModelRef | None
    reason: str


def solve(conditions: Iterable[z3.BoolRef], milliseconds: int) -> Answer:
    """Whether all conditions can hold at once."""
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("timeout", milliseconds)
    # Terms are translated, not a solver that holds them: that takes 0.5 s, however few there are.
    solver.add(*(condition.translate(context) for condition in conditions))
    verdict = solver.check()
    model = solver.model().translate(z3.main_ctx()) if verdict == z3.sat else None
    return Answer(verdict, model, solver.reason_unknown() if verdict == z3.unknown else "")
