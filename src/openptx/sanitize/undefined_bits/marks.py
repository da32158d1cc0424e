"""The memory of a launch that starts undefined, and the memory that must be defined at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from openptx.device.undefined import undefined
from openptx.sanitize.undefined_bits.arrays import undefined_bits

if TYPE_CHECKING:
    from openptx.device.allocation import Bytes
    from openptx.device.memory_view import MemoryView
    from openptx.runtime import Kernel


class Marks(NamedTuple):
    """`undefined`: by the addresses of arrays, a byte for each byte with its undefined bits, which are changed in place
    when a launch has ended. `outputs`: the addresses of arguments that must be defined then, by their numbers."""

    undefined: dict[int, Bytes]
    outputs: dict[int, int]

    def untrackable(self, memory: MemoryView) -> str:
        """Why machine code cannot track the undefined memory, which must be whole allocations; "" if it can."""
        sizes = {a.base: a.size for a in memory.allocations()}
        wrong = any(sizes.get(base) != bits.size for base, bits in self.undefined.items())
        return "an undefined array that is a part of an allocation" if wrong else ""

    def partly_undefined(self) -> dict[int, Bytes]:
        """`undefined` without the arrays that are defined by now."""
        return {base: bits for base, bits in self.undefined.items() if bits.size and bits.max()}

    def outputs_are_defined(self) -> bool:
        """Whether everything that must be defined is defined."""
        return not any(bits.any() for base, bits in self.undefined.items() if base in self.outputs.values())


def marks(kernel: Kernel, args: Sequence[object], outputs: Sequence[int]) -> Marks:
    """The marks of a launch with these arguments; `outputs` are numbers of arguments."""
    given = ((a, undefined_bits(a)) for a in kernel.arrays(args))
    arrays = ((kernel.module.address(a), bits) for a, bits in given if bits is not None)
    return Marks({**dict(arrays), **undefined()}, {i: kernel.module.address(args[i]) for i in outputs})
