"""A machine that emits LLVM code for one thread, which reads shared and tensor memory in loops over lines of matrices.

Code for an invalid read reads another place instead and returns failure: the reference engine then repeats the
instruction, and reports the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from openptx.engines.common import tensor_block
from openptx.errors import Unsupported
from openptx.isa.machine import Machine
from openptx.isa.semantics import tensor_memory
from openptx.isa.semantics.tensor_memory import COLUMNS, LANE, LANES, UNIT, probes
from openptx.numerics import Bits
from openptx.numerics.compiled import Trace

if TYPE_CHECKING:
    Body = Callable[["OneThread", Bits, Sequence[Bits]], None]

ARGUMENTS = "ptr noalias %values, i64 %spacing, ptr noalias %shared, i64 %size, ptr noalias %tensor"
"""Words of operands and the bytes between them; the CTA's shared memory and its size; its tensor memory."""


class OneThread(Trace, Machine):
    def __init__(self) -> None:
        super().__init__()
        self.good: list[Bits] = []
        """Whether each of the reads is allowed."""
        self.size = Bits(self, 64, "%size")
        self._tensor_memory = TensorMemory(self)

    @property
    def tensor_memory(self) -> TensorMemory:
        return self._tensor_memory

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        if p.v != 1:
            raise Unsupported(message)

    def safe(self, good: Bits, offset: Bits) -> str:
        """An offset (64 bits) if it is valid, else 0."""
        self.good.append(good)
        return self.select(good, offset, self.const(0, 64)).v

    def at(self, base: str, offset: str | int) -> str:
        return self.emit(64, f"getelementptr i8, ptr {base}, i64 {offset}").v

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        if space != "shared":
            raise Unsupported(f"a load from {space} memory")
        bytes = w * count // 8
        room = self.const(bytes, 64) <= self.size - address
        good = room & (address <= self.size) & ((address & bytes - 1) == 0)
        place = self.at("%shared", self.safe(good, address))
        return self.words(place, w, count)

    def words(self, place: str, w: int, count: int) -> tuple[Bits, ...]:
        step = w // 8
        return tuple(
            self.emit(w, f"load i{w}, ptr {self.at(place, i * step) if i else place}, align {step}")
            for i in range(count)
        )

    def put(self, place: str, offset: Bits | int, values: Sequence[Bits]) -> None:
        """Stores values, one after another."""
        for value in values:
            at = self.at(place, offset.v if isinstance(offset, Bits) else offset)
            w = value.width
            self.lines.append(f"  store i{w} {value.v}, ptr {at}, align {w // 8}")
            offset = offset + w // 8


class TensorMemory(tensor_memory.TensorMemory):
    """The tensor memory of the CTA."""

    def __init__(self, x: OneThread) -> None:
        self.x = x

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        if rank is not None:
            raise Unsupported("tensor memory of another CTA")
        x = self.x
        offset = x.safe(self.are_allocated(address, count), self.offset(address))
        cells = x.at("%tensor", tensor_block.CELLS)
        return x.words(x.at(cells, offset), 32, count)

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        """Without a check: the caller has checked that it is `allowed`."""
        if rank is not None:
            raise Unsupported("tensor memory of another CTA")
        self.x.put(self.x.at("%tensor", tensor_block.CELLS), self.offset(address), values)

    def are_allocated(self, address: Bits, count: int) -> Bits:
        """Whether these columns exist and are allocated."""
        x = self.x
        lane, column = address >> LANE, address & (1 << LANE) - 1
        owned = x.words(x.at("%tensor", tensor_block.OWNED), 32, 1)[0]
        good = (lane < LANES) & (column <= COLUMNS - count)
        for i in probes(count):
            good = good & x.resize(owned >> ((column + i) >> UNIT.bit_length() - 1), 1)
        return good

    def offset(self, address: Bits) -> Bits:
        """The offset in bytes from the first lane's first column."""
        lane, column = address >> LANE, address & (1 << LANE) - 1
        return self.x.resize(lane * (4 * COLUMNS) + column * 4, 64)


def loop(name: str, widths: Sequence[int], count: int, body: Body) -> str:
    """LLVM text of `name(ARGUMENTS, to)`, which does `body(x, i, values)` for i (32 bits) from 0 to `count` - 1, with
    the operands that lie in `values`. It returns whether all reads were allowed."""
    x = OneThread()
    given = [Bits(x, w, f"%g{i}") for i, w in enumerate(widths)]
    body(x, Bits(x, 32, "%i"), given)
    good = x.const(1, 1)
    for one in x.good:
        good = good & one
    good = good & Bits(x, 1, "%before")
    return f"""
define internal i1 @{name}({ARGUMENTS}, ptr noalias %to) noinline nounwind {{
entry:
{operands(widths)}
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %before = phi i1 [ 1, %entry ], [ {good.v}, %body ]
{chr(10).join(x.lines)}
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, {count}
  br i1 %done, label %exit, label %body
exit:
  ret i1 {good.v}
}}
"""


def operands(widths: Sequence[int]) -> str:
    """Reads the words of operands into `%g0`, `%g1`..."""
    lines: list[str] = []
    for i, w in enumerate(widths):
        lines.append(f"  %o{i} = mul i64 %spacing, {i}")
        lines.append(f"  %p{i} = getelementptr i8, ptr %values, i64 %o{i}")
        lines.append(f"  %g{i} = load i{w}, ptr %p{i}, align {w // 8}")
    return "\n".join(lines)
