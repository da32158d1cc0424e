"""The claim about two executions, as terms: equal memory afterwards, for every launch."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import z3

from openptx.errors import Triple
from openptx.prove.concrete import Launch
from openptx.prove.inputs import AXES, LARGEST_ARRAY, USUAL
from openptx.prove.memory import STACK, Access, identical
from openptx.prove.paths import EVERYWHERE, conjunction
from openptx.prove.solving import solve
from openptx.prove.terms import Term, vector
from openptx.prove.unprovable import Unprovable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.program import Function
    from openptx.prove.execution import Execution
    from openptx.prove.inputs import Inputs

SMALL_ARRAY = 1 << 12


class Claim:
    """The claim that two executions leave the same memory. `difference` is its negation, at a place that the solver
    chooses."""

    def __init__(self, inputs: Inputs, functions: tuple[Function, Function], one: Execution, two: Execution) -> None:
        self.inputs, self.functions, self.one, self.two = inputs, functions, one, two
        self.accesses = [e for e in (*one.accesses, *two.accesses) if e.region != STACK]
        self.regions = sorted(one.regions.modified_regions() | two.regions.modified_regions())
        self.constraints = self.launches(one, two)
        self.widths = {e.region: e.size for e in self.accesses}
        self.size = max((e.size for e in self.accesses if e.value is not None), default=1)
        self.place = z3.BitVec("differing place", 64)
        self.fixed_block = any("reqntid" in function.directives for function in functions)
        self.difference = z3.Or([self.differs(region) for region in self.regions])

    def launches(self, *executions: Execution) -> list[z3.BoolRef]:
        """The conditions for a launch without a fault, with loops within the bound."""
        accesses = [e for execution in executions for e in execution.accesses if e.region != STACK]
        return [
            *self.inputs.constraints(self.functions, {e.region for e in accesses}),
            *(z3.Not(path.condition()) for execution in executions for path in execution.open),
            *(within(e, LARGEST_ARRAY) for e in accesses),
        ]

    def misaligned_alone(self, execution: Execution, other: Execution) -> list[z3.BoolRef]:
        """The conditions for a launch that is misaligned in `execution` and aligned in `other`; none if it is obvious
        that there is no such launch."""
        aligned = {(e.region, e.alignment, key(e.offset)): e.path for e in other.accesses}
        found = list[z3.BoolRef]()
        for e in execution.accesses:
            same_place = aligned.get((e.region, e.alignment, key(e.offset)))
            if e.alignment > 1 and (same_place is None or not e.path.implies(same_place)):
                odd = z3.simplify(z3.Not(is_aligned(e)))
                found += [] if z3.is_false(odd) else [z3.And(e.path.condition(), odd)]
        if not found:
            return []
        return [
            *self.inputs.constraints(self.functions, {e.region for e in self.accesses}),
            *(z3.Not(path.condition()) for each in (execution, other) for path in each.open),
            *(z3.Implies(e.path.condition(), is_aligned(e)) for e in other.accesses),
            *(z3.Implies(e.path.condition(), z3.ULT(e.at(), LARGEST_ARRAY)) for e in self.accesses),
            z3.Or(found),
        ]

    def stores(self, region: str) -> tuple[list[Access], list[Access]]:
        return self.one.regions.stores(region), self.two.regions.stores(region)

    def differs(self, region: str) -> z3.BoolRef:
        """Differing words of the region at `place`, or bytes if stores have different sizes."""
        sizes = {store.size for stores in self.stores(region) for store in stores}
        size = sizes.pop() if len(sizes) == 1 else 1
        a, b = (vector(e.regions.value(EVERYWHERE, region, self.place, size), 8 * size) for e in (self.one, self.two))
        return z3.And(a != b, z3.ULT(self.place, LARGEST_ARRAY), self.place & size - 1 == 0)

    def identical(self) -> bool:
        """Whether all stores are the same, term by term."""
        return all(
            len(a) == len(b) and all(map(identical, a, b)) for a, b in (self.stores(region) for region in self.regions)
        )

    def scales(self) -> Iterator[list[z3.BoolRef]]:
        """Further conditions for a launch: one thread, a few, a few in three
        dimensions, then none: any launch.

        A block size that the kernel requires is kept.
        """
        s = self.inputs.specials
        near = [s[name] == value for name, value in USUAL.items()]
        near += [z3.Implies(e.path.condition(), z3.ULT(e.at(), SMALL_ARRAY)) for e in self.accesses] + [
            z3.ULT(self.place, SMALL_ARRAY)
        ]
        for block, grid in (((1, 1, 1), (1, 1, 1)), ((64, 1, 1), (4, 1, 1)), ((16, 8, 4), (4, 4, 4))):
            extents = [z3.ULE(s[f"nctaid.{axis}"], most) for axis, most in zip(AXES, grid, strict=True)]
            if not self.fixed_block:
                extents += [z3.ULE(s[f"ntid.{axis}"], most) for axis, most in zip(AXES, block, strict=True)]
            yield near + extents
        yield []

    def launch(self, model: z3.ModelRef) -> Launch:
        """A model's launch. Arrays hold the model's values at the places that threads access. Raises Unprovable if an
        array would have more than 2^28 bytes."""

        def number(term: z3.ExprRef) -> int:
            return model.eval(term, model_completion=True).as_long()

        def triple(name: str) -> Triple:
            x, y, z = (number(self.inputs.specials[f"{name}.{axis}"]) for axis in AXES)
            return x, y, z

        places: dict[str, set[int]] = {}
        for e in self.accesses:
            found = places.setdefault(e.region, set())
            if z3.is_true(model.eval(e.path.condition(), model_completion=True)):
                start = number(e.at())
                found.update(range(start, start + e.size))
        arrays: dict[str, Any] = {}
        for region, found in places.items():
            size = max(found, default=-1) + 1
            if size > 1 << 28:
                raise Unprovable("unconfirmed", f"an array of {size} bytes would be needed")
            arrays[region] = np.zeros(max(16, -(-size // 16) * 16), np.uint8)
            for at in found:
                arrays[region][at] = number(z3.Select(self.inputs.initial[region], z3.BitVecVal(at, 64)))
        grid = triple("nctaid")
        return Launch(
            grid, triple("ntid"), triple("ctaid"), {word.offset: number(word.term) for word in self.inputs.words},
            arrays, grid != (1, 1, 1),
        )  # fmt: skip


def within(e: Access, size: int) -> z3.BoolRef:
    """That an access is within an array of this size and is aligned."""
    return z3.Implies(e.path.condition(), z3.And(z3.ULT(e.at(), size), is_aligned(e)))


def is_aligned(e: Access) -> z3.BoolRef:
    bits = e.alignment.bit_length() - 1
    return z3.Extract(bits - 1, 0, e.at()) == 0 if bits else z3.BoolVal(True)


def key(offset: Term) -> tuple[bool, int]:
    """Offsets that are the same term have the same key."""
    return (True, offset) if isinstance(offset, int) else (False, offset.get_id())


def pairwise_equal(claim: Claim, milliseconds: int, deadline: float) -> bool:
    """Whether both perform the same stores in the same order: often easier to decide than equality of memory."""
    for region in claim.regions:
        one, two = claim.stores(region)
        if len(one) != len(two):
            return False
        for a, b in zip(one, two, strict=True):
            if identical(a, b):
                continue
            if a.size != b.size or time.monotonic() > deadline:
                return False
            p, q = a.path.condition(), b.path.condition()
            alike = conjunction([a.at() == b.at(), a.stored_bits() == b.stored_bits()])
            differ = z3.Or(z3.Xor(p, q), z3.And(p, z3.Not(alike)))
            if solve([*claim.constraints, differ], milliseconds).verdict != z3.unsat:
                return False
    return True
