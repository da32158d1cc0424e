"""What a scalar conversion does, and which modifiers it requires, allows or forbids: Tables 15, 17 and 18 as rules
(6.5).

Table 16 needs no rule: the forms of `cvt` (isa/instructions/convert.py) list its pairs, and a test compares the two.
"""

from __future__ import annotations

from openptx.isa.types import Type

# fmt: off
# Tables 17 and 18.
ROUNDING: dict[str, str] = {
    "rn":  "to nearest, ties to even",
    "rna": "to nearest, ties away from zero",
    "rz":  "towards zero",
    "rm":  "towards negative infinity",
    "rp":  "towards positive infinity",
    "rs":  "towards zero or away from it, by the carry of random bits added to those cut off",
    "rni": "to the nearest integer, ties to even",
    "rzi": "to an integer, towards zero",
    "rmi": "to an integer, towards negative infinity",
    "rpi": "to an integer, towards positive infinity",
}
# fmt: on
TO_FLOAT = ("rn", "rz", "rm", "rp")
TO_INTEGER = ("rni", "rzi", "rmi", "rpi")


def scalar(d: Type, a: Type) -> str | None:
    """Table 15: how `a` becomes `d`: sext zext chop1 s2f f2s u2f f2u f2f, "" for a plain move, None if not convertible.

    The table prints a dash both for a plain move and for an impossible conversion: everything to and from tf32 except
    f32 to tf32. `chop1`: the result is extended again according to its signedness if the register is wider.
    """
    if "tf32" in (d.name, a.name):
        return "f2f" if (d.name, a.name) == ("tf32", "f32") else None
    if d.kind == "f" and a.kind == "f":
        return "" if d.name == a.name and d.name != "bf16" else "f2f"
    if d.kind == "f":
        return f"{a.kind}2f"
    if a.kind == "f":
        return f"f2{d.kind}"
    if d.width == a.width:
        return ""
    if d.width < a.width:
        return "chop1"
    return "sext" if a.signed else "zext"


class Needs:
    """The modifiers that a conversion requires or allows: `rounding` lists those allowed; one of them must be present
    if `required`."""

    __slots__ = ("ftz", "required", "rounding", "sat")

    def __init__(self, rounding: tuple[str, ...], required: bool, sat: bool, ftz: bool) -> None:
        self.rounding = rounding
        self.required = required
        self.sat = sat
        self.ftz = ftz


def needs(d: Type, a: Type) -> Needs:
    """The modifiers of a plain `cvt.d.a`, without `.relu` and `.satfinite` (those have forms of their own).

    * Conversions between integers do not round, nor do those where d represents every value exactly: f16 to f32, f32 to
      f64.
    * A float to an integer needs an integer rounding; a float to the same type may have one, and then rounds to an
      integer.
    * Everything else needs a rounding; it may be omitted from and between the formats with eight exponent bits or more
      where only subnormals or range are lost (bf16 to others, f16 to bf16).
    * `.sat` needs a range to clamp to: an integer that can't hold all values, or [0, 1] for floats; bf16 has none.
    * `.ftz` needs an f32 on one side; with bf16 on the other that is only so between floats.
    """
    has_bf16 = "bf16" in (d.name, a.name)
    ftz = "f32" in (d.name, a.name)
    if d.kind != "f" and a.kind != "f":
        return Needs((), False, not _holds(d, a), False)
    if d.kind != "f":
        return Needs(TO_INTEGER, True, not has_bf16, ftz)
    if a.kind != "f":
        return Needs(TO_FLOAT, True, not has_bf16, ftz)
    if d.name == a.name:
        return Needs(TO_INTEGER, False, not has_bf16, ftz)
    if has_bf16:
        lossy = d.name == "bf16" and a.name in ("f32", "f64")
        return Needs(TO_FLOAT, lossy, False, ftz)
    if d.width > a.width:
        return Needs((), False, True, ftz)
    return Needs(TO_FLOAT, True, True, ftz)


def _holds(d: Type, a: Type) -> bool:
    """Whether integer type d represents every value of integer type a."""
    if a.signed == d.signed:
        return d.width >= a.width
    return d.signed and d.width > a.width
