"""The result of `openptx.prove`: equal, different with a counterexample, or unknown with a reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from numpy.typing import NDArray

from openptx.errors import Triple
from openptx.prove.unprovable import REASONS

ASSUMPTIONS = (
    "no launch faults in both kernels, and every access lies within an array, at most 1 TiB from its pointer",
    "arrays of different pointer parameters do not overlap, and pointers are aligned to 256 bytes",
    "no thread reads or writes what another thread of the launch writes",
)
"""Assumptions of every proof. Blocks have at most 1024 threads, grids are within a GPU's limits."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A launch for which both kernels leave different memory, run on the reference engine.

    `arguments` are in the order of the parameters: the bytes of arrays before the launch, or of other parameters. The
    first difference is at byte `offset` of argument number `argument`, where the kernels leave the integers `a` and `b`
    of `size` bytes; if one of the kernels faults instead, `fault` says which, and `argument` is empty. `only` is the
    linear number of the only block that was run; None if the whole grid was.
    """

    grid: Triple
    block: Triple
    only: int | None
    names: tuple[str, ...]
    arguments: tuple[NDArray[Any] | bytes, ...]
    argument: str
    offset: int
    size: int
    a: int
    b: int
    fault: str = ""

    def __str__(self) -> str:
        lines = [f"grid {extent_text(self.grid)}, block {extent_text(self.block)}"]
        if self.only is not None:
            lines[0] += f", block number {self.only} alone"
        for name, value in zip(self.names, self.arguments, strict=True):
            if isinstance(value, bytes):
                lines.append(f"{name} = {int.from_bytes(value, 'little'):#0{2 + 2 * len(value)}x}")
            else:
                lines.append(f"{name} -> {content(value, self.size)}")
        if self.fault:
            return "\n".join([*lines, self.fault])
        digits = 2 + 2 * self.size
        lines.append(f"{self.argument}, byte {self.offset}: {self.a:#0{digits}x} and {self.b:#0{digits}x}")
        return "\n".join(lines)


def extent_text(extent: Triple) -> str:
    x, y, z = extent
    return f"{x}" if y == z == 1 else f"{x},{y},{z}"


def content(array: NDArray[Any], size: int, most: int = 8) -> str:
    """The words of an array that are not zero."""
    data = array.tobytes()
    words = [(i, int.from_bytes(data[i : i + size], "little")) for i in range(0, len(data), size)]
    some = [f"[{i}] {word:#0{2 + 2 * size}x}" for i, word in words if word]
    more = f" and {len(some) - most} more" if len(some) > most else ""
    return f"{len(data)} bytes, " + (", by offset " + ", ".join(some[:most]) + more if some else "all zero").lstrip(
        ", "
    )


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether two kernels are equivalent.

    verdict          "equal" for all inputs, "different", or "unknown"
    reason           why the verdict is unknown, a key of `openptx.prove.unprovable.REASONS`; empty otherwise
    detail           the reason for these kernels: the instruction or the loop
    method           what decided: "identical", "uninterpreted" (floating-point operations as uninterpreted functions),
                     "exact" (as in IEEE 754), "integer" (there are none), "run"
    counterexample   of a difference
    assumptions      of a proof of equality
    seconds          duration of the proof
    """

    verdict: str
    kernels: tuple[str, str]
    reason: str = ""
    detail: str = ""
    method: str = ""
    counterexample: Counterexample | None = None
    assumptions: tuple[str, ...] = field(default=())
    seconds: float = 0.0

    def as_json(self) -> dict[str, object]:
        """The JSON of `openptx prove --output-format json`; arrays as hexadecimal text."""
        found = asdict(self)
        if self.counterexample is not None:
            values = self.counterexample.arguments
            texts = [v.hex() if isinstance(v, bytes) else v.tobytes().hex() for v in values]
            found["counterexample"]["arguments"] = texts
        return found

    def __str__(self) -> str:
        a, b = self.kernels
        both = f"`{a}`" if a == b else f"`{a}` and `{b}`"
        if self.verdict == "equal":
            return "\n".join([f"{both}: equal for all inputs", *(f"  assumed: {text}" for text in self.assumptions)])
        if self.counterexample is not None:
            shown = str(self.counterexample).replace("\n", "\n  ")
            return f"{both}: different\n  {shown}"
        text = f"{both}: unknown ({self.reason}): {REASONS[self.reason]}"
        return f"{text}\n  {self.detail}" if self.detail else text
