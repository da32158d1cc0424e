"""The meaning of a `cvt` type name: integer, float, fixed point, or several of them packed into one register."""

from __future__ import annotations

from openptx.keywords import nearest as similar
from openptx.numerics.formats import FORMATS, S2F6, Fixed, Format


class Integer:
    """An integer type of 2 to 64 bits."""

    __slots__ = ("name", "signed", "storage", "width")

    def __init__(self, name: str) -> None:
        self.name, self.signed, self.width = name, name[0] == "s", int(name[1:])
        self.storage = max(8, self.width)

    @property
    def least(self) -> int:
        return -(1 << self.width - 1) if self.signed else 0

    @property
    def greatest(self) -> int:
        return (1 << self.width - self.signed) - 1

    def __repr__(self) -> str:
        return f"<Integer {self.name}>"


class Packed:
    """`count` elements in fields of `field` bits, the first operand in the highest."""

    __slots__ = ("count", "element", "field", "name", "storage")

    def __init__(self, element: Format | Fixed, count: int) -> None:
        self.name, self.element, self.count = f"{element.name}x{count}", element, count
        self.field = element.field
        self.storage = self.field * count

    def __repr__(self) -> str:
        return f"<Packed {self.name}>"


Element = Integer | Format | Fixed

INTEGERS: dict[str, Integer] = {f"{kind}{w}": Integer(f"{kind}{w}") for kind in "su" for w in (8, 16, 32, 64)}
SUBBYTE: dict[str, Integer] = {f"{kind}{w}": Integer(f"{kind}{w}") for kind in "su" for w in (2, 4)}  # of cvt.pack
ELEMENTS: dict[str, Element] = {**INTEGERS, **FORMATS, S2F6.name: S2F6}
PACKED: dict[str, Packed] = {
    packed.name: packed
    for count in (2, 4)
    for element in (*FORMATS.values(), S2F6)
    if count in element.packed
    for packed in (Packed(element, count),)
}


NUMPY_KINDS = {"float": "f", "uint": "u", "int": "s", "bfloat": "bf", "i": "s", "fp": "f"}


def find_format(name: str) -> Element | Packed:
    """The type called `name`; ValueError with the nearest name, or all names."""
    found = ELEMENTS.get(name) or PACKED.get(name)
    if found is None:
        raise ValueError(f"no number format is called {name!r}; {nearest(name)}")
    return found


def nearest(name: object, further: tuple[str, ...] = ()) -> str:
    """The hint for an unknown name: the type that NumPy calls so, the most similar one, or all names."""
    single, given = (*further, *ELEMENTS), str(name)
    kind = given.rstrip("0123456789")
    spelled = NUMPY_KINDS.get(kind, kind) + given[len(kind) :]
    near = spelled if spelled in single else similar(given, single) or similar(given, PACKED)
    return f"did you mean {near}?" if near else f"there are {', '.join((*single, *PACKED))}"
