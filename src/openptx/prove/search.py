"""The decision: first what costs nothing, then queries of growing cost, until one of them answers.

1. Both kernels are executed with floating-point operations as functions without a meaning. Where the stores are the
   same, term by term or by the solver, the kernels are equal.
2. Else the solver is asked for a launch in which they differ: first a small one, since a person reads it. It is run,
   and so are launches with other contents of its arrays and other scalars. A difference there is a counterexample.
3. Else both are executed with exact floating point, and the solver is asked again.
"""

from __future__ import annotations

import time

import z3

from openptx.progress import progress_by_thread
from openptx.prove.claims import Claim, pairwise_equal
from openptx.prove.concrete import confirmed, faulting_alone, variations
from openptx.prove.execution import Execution, execute
from openptx.prove.inputs import Inputs
from openptx.prove.report import ASSUMPTIONS, Counterexample, Proof
from openptx.prove.solving import Answer, solve
from openptx.prove.unprovable import Unprovable
from openptx.runtime import Kernel

VARIATIONS = 64
"""The number of other contents of arrays and scalars with which a solver's launch is run."""

FEASIBLE_MS = 2000
"""The time limit of one query whether a loop can continue; without an answer it does."""

PAIRS_MS = 5000
"""The time limit of one query whether two stores are equal."""


class Search:
    """One question about two kernels."""

    def __init__(self, a: Kernel, b: Kernel, unroll: int, timeout: float) -> None:
        self.a, self.b, self.unroll = a, b, unroll
        self.since, self.timeout = time.monotonic(), timeout
        self.deadline = self.since + timeout
        self.inputs = Inputs(a.function)
        self.functions = (a.function, b.function)

    def answer(self) -> Proof:
        """The proof, whatever its verdict."""
        try:
            with progress_by_thread(self.describe):
                found = self.decide()
        except Unprovable as reason:
            found = self.proof("unknown", reason=reason.reason, detail=reason.detail)
        return found

    def describe(self) -> str:
        """The progress, as text."""
        took = time.monotonic() - self.since
        return f"proving `{self.a.name}` and `{self.b.name}` equivalent, {took:.0f} of {self.timeout:g} s"

    def proof(
        self, verdict: str, *, reason: str = "", detail: str = "", method: str = "",
        counterexample: Counterexample | None = None,
    ) -> Proof:  # fmt: skip
        return Proof(
            verdict, (self.a.name, self.b.name), reason, detail, method, counterexample,
            ASSUMPTIONS if verdict == "equal" else (), time.monotonic() - self.since,
        )  # fmt: skip

    def decide(self) -> Proof:
        """The verdict, floating-point operations uninterpreted if possible. Raises Unprovable if there is none."""
        one, two = self.execute(self.a, False), self.execute(self.b, False)
        floats = bool(one.uninterpreted or two.uninterpreted)
        claim = Claim(self.inputs, self.functions, one, two)
        complete = not (one.open or two.open)
        if claim.identical() and complete:
            return self.equal(claim, "identical")
        self.require_launch(claim)
        if pairwise_equal(claim, self.limit(PAIRS_MS), self.deadline) and complete:
            return self.equal(claim, "uninterpreted" if floats else "integer")
        found = self.refuted(claim, vary=True)
        if isinstance(found, Counterexample):
            return self.proof("different", method="run", counterexample=found)
        if found is None:  # equal, whatever the floating-point operations are
            return self.bounded(one, two) or self.equal(claim, "uninterpreted" if floats else "integer")
        if not floats:
            raise Unprovable("unconfirmed")
        return self.decide_exactly()

    def equal(self, claim: Claim, method: str) -> Proof:
        """The proof of equality, unless in some launch only one of the kernels makes a misaligned access. Raises
        Unprovable if that cannot be decided."""
        for kernel, execution, other in ((self.a, claim.one, claim.two), (self.b, claim.two, claim.one)):
            conditions = claim.misaligned_alone(execution, other)
            for bounds in claim.scales() if conditions else ():
                answer = solve([*conditions, *bounds], self.limit())
                if answer.model is not None:
                    found = faulting_alone(self.a, self.b, self.inputs, claim.launch(answer.model), self.remaining())
                    if found is None:
                        raise Unprovable("unconfirmed", f"a misaligned access of `{kernel.name}` alone")
                    return self.proof("different", method="run", counterexample=found)
                if not bounds and answer.verdict != z3.unsat:
                    raise self.undecided(answer)
        return self.proof("equal", method=method)

    def undecided(self, answer: Answer) -> Unprovable:
        return Unprovable("time" if time.monotonic() >= self.deadline else "solver", answer.reason)

    def require_launch(self, claim: Claim) -> None:
        """Raises Unprovable if no launch executes both kernels without a fault: all would hold of such launches."""
        if claim.one.open or claim.two.open or self.possible(claim.constraints):
            return
        for which, execution in (("first", claim.one), ("second", claim.two)):
            if not self.possible(claim.launches(execution)):
                raise Unprovable("fault", f"every launch of the {which} kernel faults")
        raise Unprovable("fault", "every launch that one of the kernels executes faults in the other")

    def possible(self, conditions: list[z3.BoolRef]) -> bool:
        """Whether the conditions hold in a launch; also where the solver does not know."""
        return solve(conditions, self.limit(FEASIBLE_MS)).verdict != z3.unsat

    def decide_exactly(self) -> Proof:
        """The verdict with floating-point operations as defined on bits. Raises Unprovable if there is none."""
        one, two = self.execute(self.a, True), self.execute(self.b, True)
        claim = Claim(self.inputs, self.functions, one, two)
        complete = not (one.open or two.open)
        if pairwise_equal(claim, self.limit(), self.deadline) and complete:
            return self.equal(claim, "exact")
        found = self.refuted(claim, vary=bool(one.uninterpreted or two.uninterpreted))
        if isinstance(found, Counterexample):
            return self.proof("different", method="exact", counterexample=found)
        if found is None:
            return self.bounded(one, two) or self.equal(claim, "exact")
        raise Unprovable("approximate" if one.uninterpreted or two.uninterpreted else "unconfirmed")

    def bounded(self, one: Execution, two: Execution) -> Proof | None:
        """The verdict unknown, if a loop exceeds the bound."""
        if not (one.open or two.open):
            return None
        names = " and ".join(k.name for k, e in ((self.a, one), (self.b, two)) if e.open)
        detail = f"no difference while loops of `{names}` go round at most {self.unroll} times"
        return self.proof("unknown", reason="loop-bound", detail=detail)

    def execute(self, kernel: Kernel, exact: bool) -> Execution:
        solver = z3.Solver()
        solver.set("timeout", FEASIBLE_MS)
        solver.add(*self.inputs.constraints(self.functions, set()))

        def feasible(condition: z3.BoolRef) -> bool:
            return solver.check(condition) != z3.unsat

        return execute(kernel, self.inputs, exact, self.unroll, self.deadline, feasible)

    def refuted(self, claim: Claim, vary: bool) -> Counterexample | bool | None:
        """A counterexample; None if the solver says there is none, False if none of its launches is one. Raises
        Unprovable if time is over or the solver gives up."""
        for bounds in claim.scales():
            answer = solve([*claim.constraints, *bounds, claim.difference], self.limit())
            if answer.verdict == z3.unsat:
                if not bounds:
                    return None
                continue
            if answer.model is None:
                if bounds:
                    continue
                raise self.undecided(answer)
            launch = claim.launch(answer.model)
            tried = [launch, *(variations(launch, self.inputs.words, claim.widths, VARIATIONS) if vary else ())]
            for each in tried:
                found = confirmed(self.a, self.b, self.inputs, each, claim.size, self.remaining())
                if found is not None:
                    return found
            return False
        return None

    def remaining(self) -> float:
        """The remaining seconds. Raises Unprovable when time is over."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Unprovable("time")
        return left

    def limit(self, most: int | None = None) -> int:
        """The time limit of a query in milliseconds."""
        left = max(1, int(1000 * self.remaining()))
        return left if most is None else min(left, most)


def prove_kernels(a: Kernel, b: Kernel, unroll: int, timeout: float) -> Proof:
    """Whether two kernels with the same parameters are equivalent."""
    return Search(a, b, unroll, timeout).answer()
