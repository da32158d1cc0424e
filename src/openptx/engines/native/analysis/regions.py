"""Where addresses of a state space lead in compiled code."""

from __future__ import annotations

from openptx.engines.native.analysis.unsupported import InterpretInstruction
from openptx.isa.address_windows import LOCAL, SHARED, SHIFT, SLOTS, window
from openptx.isa.machine import Machine
from openptx.numerics import Bits

TABLE = frozenset(("generic", "global", "const", "param"))
"""Spaces whose accesses are checked by the table of slots."""

UNIFORM = TABLE | {"shared"}
"""Regions where one address is one place for all lanes, unless generic addresses may lead to local memory."""


def locate(x: Machine, space: str, address: Bits, address_size: int, stepping: bool) -> tuple[str, Bits]:
    """How accesses of a space are checked (by the table of slots, as "shared" or "local", or "slow": lane by lane), and
    the address for that.

    Raises InterpretInstruction where steps that stand for lanes touch memory that each lane may have its own of.
    """
    if stepping and space in ("generic", "local", "frame"):
        raise InterpretInstruction("steps in memory that each lane may have its own of")
    if space in ("shared", "shared::cta"):
        return "shared", address
    if space in ("local", "frame"):
        return "local", address
    if space == "shared::cluster":
        return "slow", address
    if space == "generic" and isinstance(address.v, int):
        shift = SHIFT[address_size]
        region = {SHARED: "shared", LOCAL: "local"}.get(address.v >> shift)
        if region is not None:
            return region, x.const(address.v & (1 << shift) - 1, 64)
    return space, address + window(space, address_size) if space in SLOTS else address


def is_private(space: str, has_local: bool) -> bool:
    """Whether one address may mean different places for different lanes."""
    return space in ("local", "frame") or (space == "generic" and has_local)
