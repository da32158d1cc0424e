"""The words for what lanes do wrong, which both engines say alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.program import Op

CHAINED = 8
"""How many of the calls that led to a fault are told."""

TOO_DEEP = "calls nest deeper than the stack allows"


def wrong_mask(op: Op) -> str:
    """Of a lane that its own mask leaves out."""
    return f"lane {{lane}} executes `{op.m}` with mask 0x{{value:08x}}, which does not include it"


def access(what: str, size: int) -> str:
    """`a store of 4 bytes`; `what` is load, store, atomic or copy."""
    name = {"atomic": "an atomic operation on"}.get(what, f"a {what} of")
    return f"{name} {size} byte{'s' if size != 1 else ''}"


def misaligned(what: str, size: int) -> str:
    return f"{access(what, size)} at an address that is not a multiple of {size}"


def not_allocated(doing: str, size: int) -> str:
    return f"{access(doing, size)} in the heap, which `malloc` has not given out or `free` took back"


def outside(what: str, size: int, space: str, limit: int) -> str:
    """Beyond the `limit` bytes that a block or a thread has of a space; of all allocations where that is negative."""
    where = f"the {limit} bytes of .{space.replace('frame', 'param')}" if limit >= 0 else "every allocation"
    return f"{access(what, size)} outside of {where}"


def beyond(address: int, size: int, space: str, limit: int) -> str:
    """How far an access missed the `limit` bytes that a block or a thread has of a space."""
    whose = "the block's" if space.startswith("shared") else "the thread's"
    past = address + size - limit
    return f"{whose} .{space.replace('frame', 'param')}, {limit} bytes; the access ends {past} bytes past it"


def calls(names: Sequence[str]) -> tuple[str, ...]:
    """The calls that led to a place, innermost first: the function where it is, who called it, who called that one."""
    steps = [f"in `{a}`, called from `{b}`" for a, b in pairwise(names[: CHAINED + 1])]
    told = [(step, len(list(same))) for step, same in groupby(steps)]
    lines = [step + (f", {n} times" if n > 1 else "") for step, n in told]
    return (*lines, *(["and so on"] if len(names) > CHAINED else []))
