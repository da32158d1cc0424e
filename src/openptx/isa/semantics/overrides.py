"""Values in an instruction that override fields of its tensor map (PTX ISA 9.4, 9.7.10.28.5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from openptx.isa.semantics.elements import as_tuple
from openptx.numerics import Bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine


@dataclass(frozen=True, slots=True)
class Overrides:
    """The overriding values of an instruction: the tensor's address, its sizes, its strides."""

    tensor: Bits | None = None
    sizes: tuple[Bits, ...] = ()
    strides: tuple[Bits, ...] = ()


def overridden(x: Machine, given: Sequence[Bits | tuple[Bits, ...]]) -> Overrides | None:
    """The operands between the tensor map and the coordinates: the address, and with it sizes, the lower 32 bits of
    strides, and their upper 4 in one register (PTX ISA 9.4, 9.7.10.28.5.2)."""
    if not given:
        return None
    tensor, *attributes = given
    assert isinstance(tensor, Bits)
    x.require((tensor & 15) == 0, "misaligned-access", "a tensor whose address is not a multiple of 16")
    if not attributes:
        return Overrides(tensor)
    sizes, *more = map(as_tuple, attributes)
    strides = tuple(
        (x.resize(lower, 64) + (x.resize(more[1][0] >> 4 * i & 15, 64) << 32)) << 4
        for i, lower in enumerate(more[0] if more else ())
    )
    return Overrides(tensor, tuple(x.resize(size & 0xFF, 32) for size in sizes), strides)
