"""A lane value that carries only its width, and the four operations that make a machine."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Signedness(Protocol):
        """The attribute of a type that integer primitives need."""

        @property
        def signed(self) -> bool: ...
else:
    Signedness = object


class _Signedness:
    __slots__ = ("name", "signed")

    def __init__(self, name: str, signed: bool) -> None:
        self.name, self.signed = name, signed

    def __repr__(self) -> str:
        return self.name


S = _Signedness("S", True)
U = _Signedness("U", False)


class Bits:
    """`width` raw bits in every lane of machine `x`; `v` is the machine's own representation.

    Operators are modular and unsigned, and accept Python integers on either side. A comparison returns bits of width 1.
    Shifts take an amount of any width; shifting by the width or more gives 0.
    """

    __slots__ = ("v", "width", "x")

    def __init__(self, x: Core, width: int, v: Any) -> None:
        self.x = x
        self.width = width
        self.v = v

    def __add__(self, b: Bits | int) -> Bits:
        return self.x.binary("add", self, b if isinstance(b, Bits) else self.x.literal(b, self.width))

    def __sub__(self, b: Bits | int) -> Bits:
        return self.x.binary("sub", self, b if isinstance(b, Bits) else self.x.literal(b, self.width))

    def __mul__(self, b: Bits | int) -> Bits:
        return self.x.binary("mul", self, b if isinstance(b, Bits) else self.x.literal(b, self.width))

    def __and__(self, b: Bits | int) -> Bits:
        return self.x.binary("and", self, b if isinstance(b, Bits) else self.x.literal(b, self.width))

    def __or__(self, b: Bits | int) -> Bits:
        return self.x.binary("or", self, b if isinstance(b, Bits) else self.x.literal(b, self.width))

    def __xor__(self, b: Bits | int) -> Bits:
        return self.x.binary("xor", self, b if isinstance(b, Bits) else self.x.literal(b, self.width))

    def __rsub__(self, a: int) -> Bits:
        return self.x.literal(a, self.width) - self

    def __rlshift__(self, a: int) -> Bits:
        return self.x.literal(a, self.width) << self

    def __rrshift__(self, a: int) -> Bits:
        return self.x.literal(a, self.width) >> self

    __radd__, __rmul__, __rand__, __ror__, __rxor__ = __add__, __mul__, __and__, __or__, __xor__

    def __invert__(self) -> Bits:
        return self.x.invert(self)

    def __neg__(self) -> Bits:
        return self.x.literal(0, self.width) - self

    def __lshift__(self, n: Bits | int) -> Bits:
        return self.x.binary("shl", self, self.x.amount(n, self.width))

    def __rshift__(self, n: Bits | int) -> Bits:
        return self.x.binary("shr", self, self.x.amount(n, self.width))

    # `Any`, because the data model promises a truth value here, while a comparison of lanes is Bits of width 1.
    def __eq__(self, b: object) -> Any:
        return self.x.binary("eq", self, self.x.operand(b, self.width))

    def __ne__(self, b: object) -> Any:
        return self.x.unequal(self, self.x.operand(b, self.width))

    def __lt__(self, b: Bits | int) -> Bits:
        return self.x.binary("ult", self, self.x.operand(b, self.width))

    def __gt__(self, b: Bits | int) -> Bits:
        return self.x.binary("ult", self.x.operand(b, self.width), self)

    def __le__(self, b: Bits | int) -> Bits:
        return self.x.at_most(self, self.x.operand(b, self.width))

    def __ge__(self, b: Bits | int) -> Bits:
        return self.x.at_most(self.x.operand(b, self.width), self)

    def __bool__(self) -> bool:
        raise TypeError("a lane value has no truth value: use `x.select` or `&`, `|`, `~`")

    def __repr__(self) -> str:
        return f"Bits({self.width}, {self.v!r})"


def wrapped(value: int, w: int) -> int:
    """A number as `w` bits, unsigned. Raises ValueError unless it fits them, signed or unsigned."""
    if not -(1 << w - 1) <= value < 1 << w:
        raise ValueError(f"{value} does not fit {w} bits")
    return value & (1 << w) - 1


class Core:
    """The core of a machine: constants, fourteen binary operators, selection and width changes.

    Operators are total: shifts by the width or more give 0 (`sar`: the sign), `x / 0` is all ones, `x % 0` is x.
    """

    # fmt: off
    OPERATORS = ("add", "sub", "mul", "udiv", "urem", "and", "or", "xor", "shl", "shr", "sar", "eq", "ult", "slt")
    # fmt: on

    def const(self, value: int, w: int) -> Bits:
        """`value` in every lane; ValueError unless it fits `w` bits, signed or unsigned."""
        raise NotImplementedError

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        """Applies one of OPERATORS to operands of one width; comparisons return width 1."""
        raise NotImplementedError

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        """`a` where `p` (width 1) is set, else `b`."""
        raise NotImplementedError

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        """`a` truncated or extended to `w` bits."""
        raise NotImplementedError

    # Operators of Bits that go beyond the core; a machine with faster ones overrides them.

    def literal(self, value: int | Bits, w: int) -> Bits:
        """A Python integer operand as a constant of width `w`, that of the other operand."""
        if isinstance(value, int):
            return self.const(value, w)
        raise TypeError(f"expected Bits or int, not {type(value).__name__}")

    def operand(self, value: object, w: int) -> Bits:
        if isinstance(value, Bits):
            return value
        if isinstance(value, int):
            return self.const(value, w)
        raise TypeError(f"expected Bits or int, not {type(value).__name__}")

    def invert(self, a: Bits) -> Bits:
        return self.binary("xor", a, self.const((1 << a.width) - 1, a.width))

    def unequal(self, a: Bits, b: Bits) -> Bits:
        return self.invert(self.binary("eq", a, b))

    def at_most(self, a: Bits, b: Bits) -> Bits:
        return self.invert(self.binary("ult", b, a))

    def amount(self, n: Bits | int, w: int) -> Bits:
        """A shift amount, clamped to what `w` bits can represent."""
        if not isinstance(n, Bits):
            return self.const(min(n, w), w)
        if n.width > w:
            return self.resize(self.select(n < w, n, self.const(w, n.width)), w)
        return n if n.width == w else self.resize(n, w)
