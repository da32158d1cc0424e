"""The mbarrier object: its 64 opaque bits as our machines use them, and what arrivals and transactions do to them.

bits 0-19   pending arrivals of the current phase
bits 20-39  arrivals that each phase expects
bits 40-61  tx-count, in two's complement: bytes expected and not yet arrived
bit 62      the layout: `.layout::v0` or `.layout::v1`
bit 63      the current phase

Counts of `.layout::v1` have 9 bits. The upper bits of its expected arrivals hold the current conditional phase, and
the report predicates of the current phase and of the one before; report values are 0 (PTX ISA 9.4, 9.7.15.16.2 to 10).
"""

from __future__ import annotations

from openptx.numerics import Bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word

COUNT = (1 << 20) - 1
COUNT_V1 = (1 << 9) - 1
EXPECTED, BYTES, LAYOUT, PHASE = 20, 40, 62, 63
CONDITIONAL, REPORT, REPORTED = 37, 38, 39
BOTH_PHASES = 1 << PHASE | 1 << CONDITIONAL
TX = (1 << 22) - 1


def fresh(x: Machine, count: Bits, layout: int = 0) -> Bits:
    """An mbarrier in its first phase."""
    wide = x.resize(count & COUNT, 64)
    return wide | (wide << EXPECTED) | (layout << LAYOUT)


def phase(x: Machine, word: Bits) -> Bits:
    """The current phase, in width 1."""
    return x.resize(word >> PHASE, 1)


def layout(x: Machine, word: Bits) -> Bits:
    """Whether the layout is `.layout::v1`, in width 1."""
    return x.resize(word >> LAYOUT, 1)


def conditional_phase(x: Machine, word: Bits) -> Bits:
    """The current conditional phase, in width 1; for `.layout::v0` the phase."""
    return x.select(layout(x, word), x.resize(word >> CONDITIONAL, 1), phase(x, word))


def reported(x: Machine, word: Bits) -> Bits:
    """The report predicate of the last completed phase, in width 1."""
    return layout(x, word) & x.resize(word >> REPORTED, 1)


def change(x: Machine, old: Bits, arrivals: Bits, dropped: Bits, tx: Bits, report: Bits | None = None) -> Bits:
    """The object after `arrivals` arrivals, with fewer expected arrivals and more expected bytes (all 64 bits).

    `report`, 0 or 1, is a report-on operation, which comes first.
    """
    v1 = layout(x, old)
    counts = x.pick(v1, COUNT_V1, x.const(COUNT, 64))
    bytes_left = ((old >> BYTES) + tx) & TX
    expected = ((old >> EXPECTED) - dropped) & counts
    pending = (old - arrivals) & counts
    over = (pending == 0) & (bytes_left == 0)
    pending = x.select(over, expected, pending)
    flip = x.resize(over, 64)
    same = old & (1 << PHASE | 1 << LAYOUT)
    flags = old if report is None else old | (report << REPORT)
    flags = x.pick(v1, 1 << CONDITIONAL | 1 << REPORT | 1 << REPORTED, x.const(0, 64)) & flags
    current = flags >> REPORT & 1
    advanced = ((flags ^ ((current ^ 1) << CONDITIONAL)) & (1 << CONDITIONAL)) | (current << REPORTED)
    flags = x.select(over & v1, advanced, flags)
    return (same ^ (flip << PHASE)) | (bytes_left << BYTES) | (expected << EXPECTED) | pending | flags


def report_on(x: Machine, old: Bits, arrivals: Bits, dropped: Bits, tx: Bits) -> Bits:
    """A change of an mbarrier by a report-on operation, which sets its report bit first."""
    return change(x, old, arrivals, dropped, tx, x.const(1, 64))


CHANGES = frozenset((change, report_on))


def arrive(x: Machine, space: str, address: Bits, count: Bits, tx: Bits, *, drop: bool = False) -> Word:
    """Expects `tx` bytes, then arrives `count` times; returns the object before."""
    wide = x.resize(count, 64)
    return x.atomic(space, address, 64, change, wide, wide if drop else x.const(0, 64), x.resize(tx, 64))


def expect(x: Machine, space: str, address: Bits, count: Bits) -> None:
    """Adds to the bytes expected in this phase."""
    zero = x.const(0, 64)
    x.atomic(space, address, 64, change, zero, zero, x.resize(count, 64))


def complete(x: Machine, space: str, address: Bits, count: Bits) -> None:
    """Completes bytes of transactions."""
    zero = x.const(0, 64)
    x.atomic(space, address, 64, change, zero, zero, -x.resize(count, 64))


def complete_where(x: Machine, chosen: Bits, address: Bits, count: Bits) -> None:
    """Completes bytes in `chosen` lanes. Other lanes access nothing: their `address` may belong to a CTA that does not
    exist."""

    def one(i: Bits, address: Bits, count: Bits) -> None:
        complete(x, "shared::cluster", address, count)

    x.repeat(x.resize(chosen, 32), one, address, count)


def report(x: Machine, space: str, address: Bits) -> None:
    """Reports on the current phase, which keeps the conditional phase from advancing."""
    (word,) = x.load(space, address, 64)
    made = "an operation reports to an mbarrier that was not made with `.layout::v1`"
    x.require(layout(x, word), "undefined-behavior", made)
    zero = x.const(0, 64)
    x.atomic(space, address, 64, report_on, zero, zero, zero)
