"""Values by the names that they have in the text: scalars, vectors, literals."""

from __future__ import annotations

from openptx.engines.native.values import ZEROS, Known, Lanes, N, Value, vector_type
from openptx.engines.native.writer import Writer
from openptx.isa.machine import Machine
from openptx.numerics import Bits


class Naming(Machine):
    """The text being made, and how values stand in it."""

    def __init__(self) -> None:
        self.out = Writer()
        self._constants: dict[tuple[int, int], Bits] = {}

    def scalar(self, a: Bits) -> str:
        """The scalar of a uniform value."""
        v = a.v
        if isinstance(v, int):
            return self.number(v, a.width)
        if not v.name:
            v = self.settled(a)
        assert v.lanes is ZEROS, a
        return v.name

    def number(self, v: int, w: int) -> str:
        return ("true" if v else "false") if w == 1 else str(v)

    def literal_vector(self, v: Known, w: int) -> str:
        if isinstance(v, int):
            return "zeroinitializer" if v == 0 else f"splat (i{w} {self.number(v, w)})"
        return "<" + ", ".join(f"i{w} {self.number(e, w)}" for e in v) + ">"

    def vector(self, a: Bits) -> str:
        """All lanes, as a vector."""
        v, w = a.v, a.width
        if not isinstance(v, Value):
            return self.literal_vector(v, w)
        if not v.name:
            v = self.settled(a)
        if v.vector:
            return v.vector
        name = self.splat(v.name, f"i{w}")
        if v.lanes is not ZEROS:
            assert v.lanes is not None
            name = self.out.emit(f"add {vector_type(w)} {name}, {self.literal_vector(v.lanes, w)}")
        if not self.out.aside:
            v.vector = name
        return name

    def splat(self, scalar: str, t: str) -> str:
        one = self.out.emit(f"insertelement <{N} x {t}> poison, {t} {scalar}, i32 0")
        return self.out.emit(f"shufflevector <{N} x {t}> {one}, <{N} x {t}> poison, <{N} x i32> zeroinitializer")

    def settled(self, a: Bits) -> Value:
        """The value with its bits, where so far it was a float whose NaNs are not canonical."""
        raise NotImplementedError(f"{a} is no float")

    def uniform(self, a: Bits) -> bool:
        v = a.v
        return isinstance(v, int) or (isinstance(v, Value) and v.lanes is ZEROS)

    def bits(self, name: str, w: int, lanes: Lanes | None = None, tz: int = 0, high: int = -1) -> Bits:
        return Bits(self, w, Value(name, lanes, tz, high))

    def const(self, value: int, w: int) -> Bits:
        known = self._constants.get((value, w))
        if known is None:
            if not -(1 << w - 1) <= value < 1 << w:
                raise ValueError(f"{value} does not fit {w} bits")
            known = self._constants[value, w] = Bits(self, w, value & (1 << w) - 1)
        return known
