"""A solver's model as a launch, run on the reference engine: only a difference there is a counterexample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp.geometry import block_number
from openptx.errors import Fault, Triple
from openptx.prove.report import Counterexample

if TYPE_CHECKING:
    from openptx.prove.inputs import Inputs, Word
    from openptx.runtime import Kernel

Bytes = NDArray[np.uint8]
ROOM = (0, 1 << 12, 1 << 20)
"""Bytes added to arrays beyond the need of one thread, for the other threads of its block; tried in this order."""

LARGEST = 1 << 28
"""The maximum bytes of arrays in a counterexample."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Values for all inputs: `words` by their offset among the parameters, `arrays` by the name of their pointer."""

    grid: Triple
    block: Triple
    cta: Triple
    words: Mapping[int, int]
    arrays: Mapping[str, Bytes]
    alone: bool
    """Whether only the CTA `cta` runs."""

    @property
    def number(self) -> int:
        """The linear index of the CTA."""
        return block_number(self.cta, self.grid, (1, 1, 1))

    def enlarged(self, room: int) -> Launch:
        return replace(self, arrays={n: np.concatenate([a, np.zeros(room, np.uint8)]) for n, a in self.arrays.items()})


def confirmed(a: Kernel, b: Kernel, inputs: Inputs, launch: Launch, size: int, seconds: float) -> Counterexample | None:
    """The counterexample from the launch, if the kernels differ in it; `size` is the size of values in bytes."""
    if sum(array.size for array in launch.arrays.values()) > LARGEST:
        return None
    for room in ROOM:
        given = launch.enlarged(room)
        try:
            left, right = (results(kernel, inputs, given, seconds) for kernel in (a, b))
        except Fault as fault:
            if fault.name == "timeout":
                return None
            continue
        for name, one in left.items():
            if not np.array_equal(one, right[name]):
                return first_difference(a, inputs, given, name, one, right[name], size)
        return None
    return None


def faulting_alone(a: Kernel, b: Kernel, inputs: Inputs, launch: Launch, seconds: float) -> Counterexample | None:
    """The counterexample from the launch, if one kernel alone makes a misaligned access in it."""
    for room in ROOM:
        given = launch.enlarged(room)
        faults = list[Fault | None]()
        for kernel in (a, b):
            try:
                results(kernel, inputs, given, seconds)
            except Fault as fault:
                faults.append(fault)
            else:
                faults.append(None)
        for fault, which in zip(faults, ("first", "second"), strict=True):
            if None in faults and fault is not None and fault.name == "misaligned-access":
                arguments = launch_arguments(a, inputs, given)
                said = f"the {which} kernel alone faults: {fault.message}"
                return Counterexample(*arguments, "", 0, 1, 0, 0, said)
    return None


def results(kernel: Kernel, inputs: Inputs, launch: Launch, seconds: float) -> dict[str, Bytes]:
    """The contents of the arrays after the launch. Raises Fault."""
    memory = kernel.module.image.memory
    after = {name: array.copy() for name, array in launch.arrays.items()}
    buffer = bytearray(kernel.function.parameter_size)
    for word in inputs.words:
        value = memory.address(after[word.name]).base if word.name in after else launch.words[word.offset]
        buffer[word.offset : word.offset + word.size] = value.to_bytes(word.size, "little")
    blocks = (launch.number, launch.number + 1) if launch.alone else None
    kernel.launch_packed(launch.grid, launch.block, bytes(buffer), engine="interp", timeout=seconds, blocks=blocks)
    return after


def first_difference(
    kernel: Kernel, inputs: Inputs, launch: Launch, name: str, a: Bytes, b: Bytes, size: int
) -> Counterexample:
    """The first place where two results differ."""
    offset = int(np.flatnonzero(a != b)[0]) // size * size
    values = [int.from_bytes(array[offset : offset + size].tobytes(), "little") for array in (a, b)]
    return Counterexample(*launch_arguments(kernel, inputs, launch), name, offset, size, values[0], values[1])


def launch_arguments(
    kernel: Kernel, inputs: Inputs, launch: Launch
) -> tuple[Triple, Triple, int | None, tuple[str, ...], tuple[Bytes | bytes, ...]]:
    """Grid, block, the only block that runs, and the names and values of the parameters."""
    arguments: list[Bytes | bytes] = []
    for p in kernel.parameters:
        words = [word for word in inputs.words if p.offset <= word.offset < p.offset + p.size]
        if words[0].name in launch.arrays and len(words) == 1:
            arguments.append(launch.arrays[words[0].name])
        else:
            arguments.append(b"".join(launch.words[word.offset].to_bytes(word.size, "little") for word in words))
    only = launch.number if launch.alone else None
    return launch.grid, launch.block, only, tuple(p.name for p in kernel.parameters), tuple(arguments)


def variations(launch: Launch, words: Sequence[Word], widths: Mapping[str, int], count: int) -> list[Launch]:
    """A launch on other contents of arrays, every second one with another value of a scalar parameter too.

    The values are floats of many magnitudes, including special values. `words` are those of the parameters, `widths`
    has the bytes of an array's elements.
    """
    random = np.random.default_rng(0)
    scalars = [word for word in words if word.name not in launch.arrays and word.size in EXPONENT]
    found: list[Launch] = []
    for i in range(count):
        arrays = {name: varied(random, array, widths.get(name, 4)) for name, array in launch.arrays.items()}
        values = dict(launch.words)
        if scalars and i % 2:
            word = scalars[i // 2 % len(scalars)]
            values[word.offset] = int.from_bytes(varied(random, np.zeros(word.size, np.uint8), word.size), "little")
        found.append(replace(launch, words=values, arrays=arrays))
    return found


EXPONENT = {2: (5, 10), 4: (8, 23), 8: (11, 52)}
"""Bits of exponent and mantissa, by bytes."""


def varied(random: np.random.Generator, array: Bytes, size: int) -> Bytes:
    """Random words: half of them numbers around 1, the others with any exponent."""
    if size not in EXPONENT:
        return random.integers(0, 256, array.size, np.uint8)
    exp, man = EXPONENT[size]
    count = -(-array.size // size)
    bias, codes = (1 << exp - 1) - 1, np.uint64((1 << 8 * size) - 1)
    bits = random.integers(0, 1 << 63, count, np.uint64) * np.uint64(2) + random.integers(0, 2, count, np.uint64)
    near = random.integers(bias - 3, bias + 4, count).astype(np.uint64) << np.uint64(man)
    ordinary = near | bits & np.uint64((1 << man) - 1) | (bits >> np.uint64(63)) << np.uint64(exp + man)
    values = np.where(random.random(count) < 0.5, ordinary, bits & codes)
    return values.astype(f"<u{size}").view(np.uint8)[: array.size].copy()
