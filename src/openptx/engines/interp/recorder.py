"""A machine that notes the operations on arrays of which a meaning consists.

Integer operations are NumPy's. What the NumPy machine does faster than the definition, such as floating-point
arithmetic, is one operation: a call of that machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from openptx.array_types import Array
from openptx.numerics import Bits
from openptx.numerics.bits import Signedness, wrapped
from openptx.numerics.dot import Arithmetic
from openptx.numerics.formats import Format
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.numpy_machine_float import in_hardware
from openptx.numerics.numpy_machine_integer import (
    BOOLEAN,
    COMPARISONS,
    INTEGER,
    UNSIGNED,
    amount_of,
    below_zero,
    resizer,
    select_lanes,
    signed_ufunc,
)

Operation = tuple[Callable[..., Any], tuple[int, ...], int]
"""A function that returns a new array, the places of its one to three arguments, and the place of its result."""

LONGEST = 160
"""The maximum number of operations of a recording."""


class NotRecorded(Exception):
    """The meaning needs more than arithmetic on its lane."""


class QuietMachine(NumpyMachine):
    """A NumPy machine for callers that have silenced NumPy, as `Batch.run` does."""

    _quiet = True


NUMPY = QuietMachine()


class Recorder(Arithmetic):
    """A machine whose values are indices of places, and which records operations on them instead of computing. A place
    holds a constant's array, or None for a value that depends on registers: its array exists only when the recording is
    run."""

    def __init__(self, registers: int) -> None:
        self.registers = registers
        self.places: list[Any] = [None] * registers
        self.operations: list[Operation] = []

    def note(self, w: int, function: Callable[..., Any], *operands: Bits) -> Bits:
        """Records a call of a function that returns a new array; its result has width `w`. With constant operands the
        function is called at once. Raises NotRecorded beyond `LONGEST` operations."""
        places = self.places
        place, given = len(places), tuple([b.v for b in operands])
        for i in given:
            if places[i] is None:
                break
        else:
            places.append(np.asarray(function(*[places[i] for i in given])))
            return Bits(self, w, place)
        if len(self.operations) == LONGEST:
            raise NotRecorded
        self.operations.append((function, given, place))
        places.append(None)
        return Bits(self, w, place)

    def varies(self, place: int) -> bool:
        """Whether a place's value depends on registers."""
        return self.places[place] is None

    def const(self, value: int, w: int) -> Bits:
        self.places.append(constant(value, w))
        return Bits(self, w, len(self.places) - 1)

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w != b.width:
            raise TypeError(f"`{op}` of {w} and {b.width} bits")
        return self.note(1 if op in COMPARISONS else w, (BOOLEAN if w == 1 else INTEGER)[op], a, b)

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        if a.width != b.width or p.width != 1:
            raise TypeError(f"select of {a.width} and {b.width} bits by {p.width}")
        return self.note(a.width, select_lanes, p, a, b)

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        return a if a.width == w else self.note(w, resizer(a.width, w, signed), a)

    def amount(self, n: Bits | int, w: int) -> Bits:
        if not isinstance(n, Bits):
            return self.const(min(n, w), w)
        return n if n.width == w else self.note(w, amount_of(n.width, w), n)

    def invert(self, a: Bits) -> Bits:
        return self.note(a.width, np.invert, a)

    def unequal(self, a: Bits, b: Bits) -> Bits:
        return self.note(1, np.not_equal, a, b)

    def at_most(self, a: Bits, b: Bits) -> Bits:
        return self.note(1, np.less_equal, a, b)

    def negative(self, a: Bits) -> Bits:
        return a if a.width == 1 else self.note(1, below_zero, a)

    def min(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self.note(a.width, _extreme(np.minimum, t), a, self.operand(b, a.width))

    def max(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self.note(a.width, _extreme(np.maximum, t), a, self.operand(b, a.width))

    # Operations that call a method of the NumPy machine

    def call(self, w: int, method: Callable[..., Bits], /, *given: Any, **named: Any) -> Bits:
        """A call of a method of the NumPy machine with these arguments, as one operation; its result has width `w`."""
        places = [i for i, a in enumerate(given) if isinstance(a, Bits) and self.varies(a.v)]
        fixed = [self.fixed(a) if isinstance(a, Bits) else a for a in given]
        if not places:
            self.places.append(method(*fixed, **named).v.reshape(()))
            return Bits(self, w, len(self.places) - 1)
        operands: list[Bits] = [given[i] for i in places]
        return self.note(w, calling(method, fixed, named, places, [a.width for a in operands]), *operands)

    def fixed(self, a: Bits) -> Bits:
        """A constant as a value of the NumPy machine; 0 for a value that varies, which `calling` replaces."""
        if self.varies(a.v):
            return NUMPY.const(0, a.width)
        return Bits(NUMPY, a.width, self.places[a.v].reshape(1))

    def rounded(self, op: str, f: Format, rnd: str, ftz: bool, *operands: Bits) -> Bits:
        fast = in_hardware(op, f.name, rnd, ftz)
        if fast is None:
            return self.call(f.storage, getattr(NUMPY, op), f, *operands, rnd, ftz)
        return self.note(f.storage, fast, *operands)

    def abs(self, a: Bits) -> Bits:
        return self.call(a.width, NUMPY.abs, a)

    def lookup(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        return self.call(w, NUMPY.lookup, table, index, w)

    def divide(self, t: Signedness, a: Bits, b: Bits) -> Bits:
        return self.call(a.width, NUMPY.divide, t, a, b)

    def clz(self, a: Bits) -> Bits:
        return self.call(32, NUMPY.clz, a)

    def popc(self, a: Bits) -> Bits:
        return self.call(32, NUMPY.popc, a)

    def square(self, x: Bits) -> Bits:
        return self.call(32, NUMPY.square, x)

    def fadd(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fadd", f, rnd, ftz, a, b)

    def fmul(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fmul", f, rnd, ftz, a, b)

    def fdiv(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fdiv", f, rnd, ftz, a, b)

    def fsqrt(self, f: Format, a: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fsqrt", f, rnd, ftz, a)

    def fma(self, f: Format, a: Bits, b: Bits, c: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fma", f, rnd, ftz, a, b, c)

    def convert(self, d: Format, s: Format, a: Bits, rnd: str = "rn", **named: Any) -> Bits:
        if d is s or named.get("rbits") is not None:
            return super().convert(d, s, a, rnd, **named)
        return self.call(d.storage, NUMPY.convert, d, s, a, rnd, **named)

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        """Through 16 bits there is a table."""
        return self.call(f.storage, NUMPY.approx, op, f, a, ftz) if f.storage <= 16 else super().approx(op, f, a, ftz)

    def extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool, xorsign: bool) -> Bits:
        if len(operands) != 2:
            return super().extreme(f, operands, largest, nan, xorsign)

        def of_two(a: Bits, b: Bits) -> Bits:
            return NUMPY.extreme(f, (a, b), largest, nan, xorsign)

        return self.call(f.storage, of_two, *operands)

    def from_int(self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", **named: bool) -> Bits:
        return self.call(f.storage, NUMPY.from_int, f, t, a, rnd, **named)

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        return self.call(w, NUMPY.to_int, t, f, a, rnd, w=w, ftz=ftz)

    def integral(self, f: Format, a: Bits, rnd: str, ftz: bool = False) -> Bits:
        return self.call(f.storage, NUMPY.integral, f, a, rnd, ftz)

    def isnan(self, f: Format, a: Bits) -> Bits:
        return self.call(1, NUMPY.isnan, f, a)

    def fless(self, f: Format, a: Bits, b: Bits) -> Bits:
        return self.call(1, NUMPY.fless, f, a, b)

    def fequal(self, f: Format, a: Bits, b: Bits) -> Bits:
        return self.call(1, NUMPY.fequal, f, a, b)

    def __getattr__(self, name: str) -> NoReturn:
        raise NotRecorded


@lru_cache(maxsize=1 << 10)
def constant(value: int, w: int) -> Array:
    """A number as an array without axes, which is never written. Raises ValueError if it does not fit `w` bits."""
    return np.array(wrapped(value, w), UNSIGNED[w])


def calling(
    method: Callable[..., Bits], fixed: list[Any], named: dict[str, Any], places: list[int], widths: list[int]
) -> Callable[..., Any]:
    """The method as a function of arrays, which are its arguments at these places."""

    def function(*arrays: Any) -> Any:
        given = [*fixed]
        for i, w, v in zip(places, widths, arrays, strict=True):
            given[i] = Bits(NUMPY, w, v)
        return method(*given, **named).v

    return function


def _extreme(ufunc: Callable[..., Array], t: Signedness) -> Callable[..., Array]:
    return signed_ufunc(ufunc) if t.signed else ufunc


def _refused(*_: object, **__: object) -> NoReturn:
    raise NotRecorded


for _class in NumpyMachine.__mro__:  # what the NumPy machine does faster than the definition is not recorded as that
    if not issubclass(Arithmetic, _class):
        for _name in vars(_class):
            if hasattr(Arithmetic, _name) and _name not in vars(Recorder) and not _name.startswith("__"):
                setattr(Recorder, _name, _refused)
