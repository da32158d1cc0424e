"""A trace as data: the executions of warps, in execution order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from openptx.errors import Fault, Triple
from openptx.isa.types import find_type
from openptx.trace.regions import Regions
from openptx.trace.values import show

Place = tuple[str, int, int]
"""File, line, column, from 1."""

WIDEST = 8
"""The number of lanes whose values are written out in a line of text; for more, the first ones and the count."""


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an operand in each of the active lanes, lowest first: bits of `type`.

    `name` is a register, a special register, or an address as it is written: `[%rd1+4]`.
    """

    name: str
    type: str
    bits: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}={self.text}"

    @property
    def text(self) -> str:
        """The values: one if it is the same in all lanes, else those of the first lanes and of the last."""
        if len(set(self.bits)) == 1:
            return self.format_lane(0)
        if len(self.bits) <= WIDEST:
            return f"[{' '.join(map(self.format_lane, range(len(self.bits))))}]"
        first = " ".join(map(self.format_lane, range(WIDEST - 1)))
        return f"[{first} .. {self.format_lane(-1)}]"

    def format_lane(self, i: int) -> str:
        """The value of the active lane with index `i`."""
        return show(self.bits[i], find_type(self.type))


@dataclass(frozen=True, slots=True)
class Record:
    """One instruction, executed once by one warp.

    `step` counts the launch's instructions. `mask` has a bit for each lane that executed it: for a branch, for each
    that decided. `line` is its row in the PTX, `source` its position in the source program, innermost call first; ()
    without `.loc`. `operands` are the registers, special registers and addresses that were read, `results` the
    registers that were written: () for a call, and for a barrier that others had not reached, where the warp `waits`.
    """

    step: int
    block: Triple
    warp: int
    mask: int
    function: str
    text: str
    line: int
    source: tuple[Place, ...]
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    waits: bool = False

    @property
    def lanes(self) -> tuple[int, ...]:
        """The active lanes, lowest first."""
        return tuple(i for i in range(32) if self.mask >> i & 1)

    def as_json(self) -> dict[str, Any]:
        """The record as objects for `json.dumps`; values are bits."""
        return {
            "step": self.step, "block": list(self.block), "warp": self.warp, "mask": self.mask,
            "function": self.function, "text": self.text, "line": self.line,
            "source": [list(place) for place in self.source],
            "operands": [{"name": v.name, "type": v.type, "bits": list(v.bits)} for v in self.operands],
            "results": [{"name": v.name, "type": v.type, "bits": list(v.bits)} for v in self.results],
        }  # fmt: skip

    @property
    def place(self) -> str:
        """The line of the source, for an inlined function with that of the kernel's call, or of the PTX."""
        places = [f"{file}:{line}" for file, line, _ in self.source] or [f"line {self.line}"]
        return ", inlined at ".join([places[0], *places[-1:]] if len(places) > 1 else places)

    def __str__(self) -> str:
        block = ",".join(map(str, self.block))
        values = " ".join(map(str, self.operands))
        results = " ".join(map(str, self.results))
        shown = f"  {values}" if values else ""
        shown += f"  -> {results}" if results else ""
        return f"{self.step:>6} block {block} warp {self.warp} {self.mask:08x} {self.place}: {self.text}{shown}"


@dataclass(frozen=True, slots=True)
class Trace(Sequence[Record]):
    """The records of a launch, in order. `str()` is a line for each.

    `fault` is the fault that ended the launch, None if it finished. `notes` say what was omitted. `regions` are the
    allocations that values may be addresses of.
    """

    kernel: str
    records: tuple[Record, ...] = field(repr=False)
    fault: Fault | None = None
    notes: tuple[str, ...] = ()
    regions: Regions = field(default=Regions(), repr=False)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, index: int | slice) -> Record | tuple[Record, ...]:
        """A record by its position, or a tuple of several."""
        return self.records[index]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.records), *(f"note: {note}" for note in self.notes)])
