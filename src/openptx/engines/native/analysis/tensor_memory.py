"""Tensor memory on the abstract machine: its contents are unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openptx.engines.native.analysis.unsupported import InterpretInstruction, InterpretWithinCta
from openptx.isa.semantics import tensor_memory

if TYPE_CHECKING:
    from openptx.engines.native.analysis.abstract_machine import AbstractMachine
    from openptx.numerics import Bits


class TensorMemory(tensor_memory.TensorMemory):
    def __init__(self, x: AbstractMachine) -> None:
        self.x = x

    def allocate(self, count: Bits, *, exclusively: bool = False) -> Bits:
        raise InterpretWithinCta("allocation of tensor memory")

    def free(self, address: Bits, count: Bits) -> None:
        raise InterpretWithinCta("allocation of tensor memory")

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        self.of_own_cta(rank)
        return tuple(self.x.unknown(32) for _ in range(count))

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        self.of_own_cta(rank)

    def of_own_cta(self, rank: Bits | None) -> None:
        if rank is not None:
            raise InterpretInstruction("tensor memory of another CTA")
