"""Sums of products as loops in LLVM text: a step's code stands once, however many terms there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from openptx.llvm.builder import Builder
from openptx.numerics import Bits
from openptx.numerics.compiled import Trace
from openptx.numerics.dot import Terms
from openptx.numerics.reals import Real


class Slots(Protocol):
    """A machine that emits LLVM text, with values in stack memory: LLVM makes SSA values of single ones."""

    @property
    def ir(self) -> Builder: ...

    def slot(self, w: int, count: int) -> str:
        """Memory for `count` values of `w` bits."""
        ...

    def read_slot(self, slot: str, w: int, i: int | str) -> Bits: ...

    def write_slot(self, slot: str, value: Bits, i: int | str) -> None: ...


class LoopedTerms(Terms):
    """Terms that are made when they are added."""

    __slots__ = ("count", "exponents", "function", "lines", "x")

    def __init__(self, x: Slots, function: Callable[..., list[Real]], lines: Sequence[Sequence[Bits]]) -> None:
        super().__init__(())
        self.x, self.function = x, function
        (self.count,) = {len(line) for line in lines}
        self.lines = [self.stored(line) for line in lines]
        self.exponents: list[str] = []
        """Where the first loop stores the exponents of each step's terms."""

    def stored(self, values: Sequence[Bits]) -> tuple[str, int]:
        """The place and the width of values."""
        w = values[0].width
        slot = self.x.slot(w, len(values))
        for i, value in enumerate(values):
            self.x.write_slot(slot, value, i)
        return slot, w

    def at(self, i: str) -> list[Real]:
        """The terms of a step; a second loop does not compute their exponents again."""
        x = self.x
        terms = self.function(*[x.read_slot(*line, i) for line in self.lines])
        if not self.exponents:
            self.exponents = [x.slot(r.exp.width, self.count) for r in terms]
            for slot, r in zip(self.exponents, terms, strict=True):
                x.write_slot(slot, r.exp, i)
            return terms
        return [
            Real(r.sign, x.read_slot(slot, r.exp.width, i), r.sig, r.inf, r.nan)
            for slot, r in zip(self.exponents, terms, strict=True)
        ]

    def fold(self, step: Callable[..., tuple[Bits, ...]], *values: Bits) -> tuple[Bits, ...]:
        x = self.x
        slots = [self.stored([value]) for value in values]
        with x.ir.loop(self.count) as i:
            values = tuple(x.read_slot(*slot, 0) for slot in slots)
            for r in self.at(i):
                values = step(r, *values)
            for (slot, _), value in zip(slots, values, strict=True):
                x.write_slot(slot, value, 0)
        return tuple(x.read_slot(*slot, 0) for slot in slots)


class ScalarLoops(Trace):
    """A machine for one lane whose sums are loops."""

    def __init__(self) -> None:
        super().__init__()
        self.ir = Builder()
        self.slots: list[str] = []
        """Lines for the function's entry block."""

    def emit(self, w: int, text: str) -> Bits:
        return Bits(self, w, self.ir.emit(text))

    def terms(self, function: Callable[..., list[Real]], *lines: Sequence[Bits]) -> Terms:
        return LoopedTerms(self, function, lines)

    def slot(self, w: int, count: int) -> str:
        name = f"%slot{len(self.slots)}"
        self.slots.append(f"{name} = alloca [{count} x i{w}]")
        return name

    def place(self, slot: str, w: int, i: int | str) -> str:
        return self.ir.emit(f"getelementptr i{w}, ptr {slot}, i64 {i}")

    def read_slot(self, slot: str, w: int, i: int | str) -> Bits:
        return self.emit(w, f"load i{w}, ptr {self.place(slot, w, i)}")

    def write_slot(self, slot: str, value: Bits, i: int | str) -> None:
        self.ir.line(f"store i{value.width} {value.v}, ptr {self.place(slot, value.width, i)}")
