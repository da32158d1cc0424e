"""The words for what lanes do wrong, which both engines say alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from openptx.runtime.memory import many

if TYPE_CHECKING:
    from openptx.program import Op

CHAINED = 8
"""How many of the calls that led to a fault are told."""

WHOSE = {"local": "the thread's", "frame": "the thread's", "const": "the module's", "param": "the kernel's"}

TORN = "a copy that begins in one allocation and ends in another"

TOO_DEEP = "calls nest deeper than the stack allows"


def wrong_mask(op: Op) -> str:
    """Of a lane that its own mask leaves out."""
    return f"lane {{lane}} executes `{op.m}` with mask 0x{{value:08x}}, which does not include it"


def access(what: str, size: int) -> str:
    """`a store of 4 bytes`; `what` is load, store, atomic or copy."""
    name = {"atomic": "an atomic operation on"}.get(what, f"a {what} of")
    return f"{name} {many(size)}"


def misaligned(what: str, size: int) -> str:
    return f"{access(what, size)} at an address that is not a multiple of {size}"


def not_allocated(doing: str, size: int) -> str:
    return f"{access(doing, size)} in the heap, which `malloc` has not given out or `free` took back"


def outside(what: str, size: int, space: str, limit: int) -> str:
    """Beyond the `limit` bytes that a block or a thread has of a space; of all allocations where that is negative."""
    where = f"the {many(limit)} of .{space.replace('frame', 'param')}" if limit >= 0 else "every allocation"
    return f"{access(what, size)} outside of {where}"


def beyond(address: int, size: int, space: str, limit: int) -> str:
    """How far an access missed the `limit` bytes that a block, a thread, a kernel or a module has of a space."""
    whose = WHOSE.get(space, "the block's")
    what = f"{whose} .{space.replace('frame', 'param')}, {many(limit)}"
    for bits in (64, 32):  # of the register that an address below 0 was computed in
        if 1 << bits - 1 <= address < 1 << bits and limit < 1 << bits - 1:
            return f"{what}; the access begins {many((1 << bits) - address)} before it"
    past = address + size - limit
    return f"{what}; the access ends {many(past)} past it" if past > 0 else what


def calls(names: Sequence[str]) -> tuple[str, ...]:
    """The calls that led to a place, innermost first: the function where it is, who called it, who called that one."""
    steps = [f"in `{a}`, called from `{b}`" for a, b in pairwise(names[: CHAINED + 1])]
    told = [(step, len(list(same))) for step, same in groupby(steps)]
    lines = [step + (f", {n} times" if n > 1 else "") for step, n in told]
    return (*lines, *(["and so on"] if len(names) > CHAINED else []))
