"""Comparison of two traces: the first instruction at which they differ."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import zip_longest

from openptx.errors import ArgumentError, Triple
from openptx.isa.types import find_type
from openptx.trace.record import Record, Trace, Value
from openptx.trace.regions import Regions


@dataclass(frozen=True, slots=True)
class Difference:
    """The point at which two executions differ. `what` says how; `a` and `b` are the records, None if one warp had
    ended.

    `lane` is the first differing lane of the warp, `name` the operand or result; None if it is neither.
    """

    what: str
    a: Record | None
    b: Record | None
    lane: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        lines = [f"first difference: {self.what}"]
        lines += [
            f"  {side}: {record if record is not None else 'has ended'}"
            for side, record in (("a", self.a), ("b", self.b))
        ]
        return "\n".join(lines)


def first_difference(a: Trace, b: Trace) -> Difference | None:
    """The first instruction at which two launches differ; None if they are equal.

    Each warp is compared with its counterpart, instruction by instruction: the text, the executing lanes, the values
    read and written. Of several warps the one whose difference comes first in `a`, not in `b`, is reported. Pointers
    are equal if they point to the same byte of the argument, variable or function of the same name, because two
    modules, and two arrays, have different addresses. Values computed from a pointer that are not pointers themselves
    differ with it. Raises ArgumentError for anything but traces.
    """
    for each in (a, b):
        require_trace(each)
    warps_of_a, warps_of_b = by_warp(a), by_warp(b)
    same = Same(a.regions, b.regions)
    found = [
        differs
        for warp in {**warps_of_a, **warps_of_b}
        if (differs := of_warp(warps_of_a[warp], warps_of_b[warp], same)) is not None
    ]
    return min(found, key=lambda d: (d.a or d.b or a[0]).step, default=None)


def require_trace(each: object) -> None:
    """Raises ArgumentError for anything but a trace."""
    if not isinstance(each, Trace):
        raise ArgumentError(f"traces are compared, results of `openptx.trace`, not {type(each).__name__}")


def by_warp(trace: Trace) -> defaultdict[tuple[Triple, int], list[Record]]:
    """The records of each warp."""
    found: defaultdict[tuple[Triple, int], list[Record]] = defaultdict(list)
    for record in trace:
        found[record.block, record.warp].append(record)
    return found


@dataclass(frozen=True, slots=True)
class Same:
    """Compares values of two launches."""

    a: Regions
    b: Regions

    def values(self, x: Value, y: Value) -> bool:
        """Whether two values are equal in all lanes. Names are not compared: the instructions have the same text."""
        if x == y:
            return True
        if x.type != y.type or len(x.bits) != len(y.bits):
            return False
        return all(p == q or self.pointers(x, p, q) for p, q in zip(x.bits, y.bits, strict=True))

    def pointers(self, value: Value, p: int, q: int) -> bool:
        """Whether two bits point to the same thing."""
        if find_type(value.type).width != self.a.width or self.a.width != self.b.width:
            return False
        target = self.a.target(p)
        return target is not None and target == self.b.target(q)


def of_warp(a: list[Record], b: list[Record], same: Same) -> Difference | None:
    """The first difference in the execution of one warp."""
    for one, other in zip_longest(a, b):
        if one is None or other is None:
            return Difference("one of the two has ended, or has no further records", one, other)
        if (one.function, one.text) != (other.function, other.text):
            return Difference("another instruction is executed", one, other)
        if one.mask != other.mask:
            lane = next(i for i in range(32) if (one.mask ^ other.mask) >> i & 1)
            return Difference(f"other lanes execute it, lane {lane} first", one, other, lane)
        for role, mine, others in (("operand", one.operands, other.operands), ("result", one.results, other.results)):
            found = of_values(role, one, other, mine, others, same)
            if found is not None:
                return found
    return None


def of_values(
    role: str, one: Record, other: Record, mine: tuple[Value, ...], others: tuple[Value, ...], same: Same
) -> Difference | None:
    for x, y in zip_longest(mine, others):
        if x is None or y is None:
            return Difference(f"one has {len(mine)} {role}s, the other {len(others)}", one, other)
        if not same.values(x, y):
            pairs = enumerate(zip(x.bits, y.bits, strict=True))
            i = next(i for i, (p, q) in pairs if x.type != y.type or not (p == q or same.pointers(x, p, q)))
            lane = one.lanes[i]
            return Difference(
                f"{role} {x.name} in lane {lane}: {x.format_lane(i)}, {y.format_lane(i)}", one, other, lane, x.name
            )
    return None
