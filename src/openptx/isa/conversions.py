"""What converts to what, with which modifiers, needed, allowed or forbidden: Tables 15 to 18 as rules (6.5)."""

from __future__ import annotations

from openptx.isa.types import TYPES, Type

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

SCALARS = ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bf16", "tf32")
"""The formats of Table 15, in its order."""

NARROW = ("f16", "f32", "bf16", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0")
"""The formats of Table 16, in its order."""

# Table 16: which formats each source reaches.
_REACHES = {
    "f16": ("f32", "bf16", "e4m3", "e5m2"),
    "f32": ("f16", "bf16", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0"),
    "bf16": ("f16", "f32", "bf16", "ue8m0"),
    "e4m3": ("f16",),
    "e5m2": ("f16",),
    "e2m3": ("f16",),
    "e3m2": ("f16",),
    "e2m1": ("f16",),
    "ue8m0": ("bf16",),
}
# What came after that table: PTX 9.1 and 9.2.
REACHES_LATER = {
    "f16": ("e2m3", "e3m2", "e2m1"),
    "bf16": ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1"),
    "e4m3": ("bf16",),
    "e5m2": ("bf16",),
    "e2m3": ("bf16",),
    "e3m2": ("bf16",),
    "e2m1": ("bf16",),
}


def scalar(d: Type, a: Type) -> str | None:
    """Table 15: how `a` becomes `d`: sext zext chop1 s2f f2s u2f f2u f2f, "" for a plain move, None if it can't.

    The table prints a dash both for a plain move and for what can't be converted, which is everything to and from tf32
    but for f32 to tf32. `chop1`: the result is extended again by its signedness where the register is wider.
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


def narrow(d: Type, a: Type) -> str | None:
    """Table 16: "f2f" where there is a conversion between these formats, scalar or packed, else None."""
    return "f2f" if d.name in _REACHES[a.name] else None


class Needs:
    """What a conversion asks of its modifiers: `rounding` are those allowed, one of them needed where `required`."""

    __slots__ = ("ftz", "required", "rounding", "sat")

    def __init__(self, rounding: tuple[str, ...], required: bool, sat: bool, ftz: bool) -> None:
        self.rounding = rounding
        self.required = required
        self.sat = sat
        self.ftz = ftz

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Needs) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"Needs({self.rounding}, required={self.required}, sat={self.sat}, ftz={self.ftz})"


def needs(d: Type, a: Type) -> Needs:
    """What a plain `cvt.d.a` needs, without `.relu` and `.satfinite` (those have forms of their own).

    * Nothing rounds between integers, nor where every value has its equal in d: f16 to f32, f32 to f64.
    * A float to an integer needs an integer rounding; so may a float to the same type, which then rounds to integers.
    * Everything else needs a rounding; from and between the formats with eight exponent bits or more it may be left out
      where nothing is lost but subnormals or range (bf16 to others, f16 to bf16).
    * `.sat` needs a range to clamp to: an integer that can't hold all values, or [0, 1] for floats; bf16 has none.
    * `.ftz` needs an f32 on one side; with bf16 on the other that is only so between floats.
    """
    brain = "bf16" in (d.name, a.name)
    ftz = "f32" in (d.name, a.name)
    if d.kind != "f" and a.kind != "f":
        return Needs((), False, not _holds(d, a), False)
    if d.kind != "f":
        return Needs(TO_INTEGER, True, not brain, ftz)
    if a.kind != "f":
        return Needs(TO_FLOAT, True, not brain, ftz)
    if d.name == a.name:
        return Needs(TO_INTEGER, False, not brain, ftz)
    if brain:
        lossy = d.name == "bf16" and a.name in ("f32", "f64")
        return Needs(TO_FLOAT, lossy, False, ftz)
    if d.width > a.width:
        return Needs((), False, True, ftz)
    return Needs(TO_FLOAT, True, True, ftz)


def _holds(d: Type, a: Type) -> bool:
    """Whether every value of integer type a is one of d."""
    if a.signed == d.signed:
        return d.width >= a.width
    return d.signed and d.width > a.width


PAIRS: tuple[tuple[str, str], ...] = tuple(
    (d, a) for d in SCALARS for a in SCALARS if scalar(TYPES[d], TYPES[a]) is not None
)
"""All (destination, source) pairs of Table 15 that convert."""
