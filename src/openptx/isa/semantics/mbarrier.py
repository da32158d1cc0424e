"""The mbarrier object: its 64 opaque bits as our machines use them, and what arrivals and transactions do to them.

bits 0-19   pending arrivals of the current phase
bits 20-39  arrivals that each phase expects
bits 40-61  tx-count, in two's complement: bytes that are expected and not there yet
bit 63      the current phase
"""

from __future__ import annotations

from openptx.numerics import Bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Word

COUNT = (1 << 20) - 1
EXPECTED, BYTES, PHASE = 20, 40, 63
TX = (1 << 22) - 1


def fresh(x: Machine, count: Bits) -> Bits:
    """An mbarrier in its first phase."""
    wide = x.resize(count & COUNT, 64)
    return wide | (wide << EXPECTED)


def phase(x: Machine, word: Bits) -> Bits:
    """The current phase, in width 1."""
    return x.resize(word >> PHASE, 1)


def change(x: Machine, old: Bits, arrivals: Bits, dropped: Bits, tx: Bits) -> Bits:
    """The object after so many arrivals, expected arrivals less, and bytes more expected (all 64 bits)."""
    bytes_left = ((old >> BYTES) + tx) & TX
    expected = ((old >> EXPECTED) - dropped) & COUNT
    pending = (old - arrivals) & COUNT
    over = (pending == 0) & (bytes_left == 0)
    pending = x.select(over, expected, pending)
    flip = x.resize(over, 64) << PHASE
    same = old & (1 << PHASE)
    return (same ^ flip) | (bytes_left << BYTES) | (expected << EXPECTED) | pending


def arrive(x: Machine, space: str, address: Bits, count: Bits, tx: Bits, *, drop: bool = False) -> Word:
    """Expects `tx` bytes, then arrives `count` times; gives the object before."""
    wide = x.resize(count, 64)
    return x.atomic(space, address, 64, change, wide, wide if drop else x.const(0, 64), x.resize(tx, 64))


def expect(x: Machine, space: str, address: Bits, count: Bits) -> None:
    """So many bytes more are expected in this phase."""
    zero = x.const(0, 64)
    x.atomic(space, address, 64, change, zero, zero, x.resize(count, 64))


def complete(x: Machine, space: str, address: Bits, count: Bits) -> None:
    """Completes so many bytes of transactions."""
    zero = x.const(0, 64)
    x.atomic(space, address, 64, change, zero, zero, -x.resize(count, 64))
