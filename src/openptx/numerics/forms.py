"""Which conversions there are: a form is two types and what stands before them, checked as the manual restricts it."""

from __future__ import annotations

from openptx.errors import ArgumentError
from openptx.numerics.formats import Fixed, Format
from openptx.numerics.names import Element, Integer, Packed, named
from openptx.numerics.rounding import ROUNDINGS, TO_INTEGER

RELU = frozenset(("f16", "bf16", "tf32", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "s2f6"))
SATFINITE = RELU | {"ue8m0", "ue4m3"}
SAME = frozenset(("f16", "bf16", "f32", "f64"))
SAT = frozenset(("f16", "f32", "f64"))


class Form:
    """One `cvt`, its defaults filled in. Raises ArgumentError where there is none.

    More is taken than PTX has where the rules say what it means: any float to any other (one rounding of the exact
    value), formats of 8 and fewer bits one at a time, `.satfinite` left out where it is mandatory anyway. Without a
    rounding, floats are rounded to nearest even and floats to integers towards zero.
    """

    __slots__ = ("d", "ftz", "into", "relu", "rnd", "s", "sat", "satfinite", "source")

    def __init__(
        self,
        to: str,
        source: str,
        rounding: str | None = None,
        *,
        sat: bool = False,
        satfinite: bool = False,
        relu: bool = False,
        ftz: bool = False,
    ) -> None:
        self.into, self.source = _named(to), _named(source)
        self.d: Element = self.into.element if isinstance(self.into, Packed) else self.into
        self.s: Element = self.source.element if isinstance(self.source, Packed) else self.source
        self.sat, self.satfinite, self.relu, self.ftz = sat, satfinite, relu, ftz
        self.rnd = self._rounding(rounding.removeprefix(".") if rounding is not None else None)
        self._check()

    @property
    def values(self) -> int:
        """How many operands the source takes: 2 and 4 where scalars are packed."""
        return self.into.count if isinstance(self.into, Packed) and not isinstance(self.source, Packed) else 1

    @property
    def stochastic(self) -> bool:
        return self.rnd == "rs"

    @property
    def key(self) -> tuple[object, ...]:
        return (self.into.name, self.source.name, self.rnd, self.sat, self.satfinite, self.relu, self.ftz)

    def __str__(self) -> str:
        flags = [name for name in ("ftz", "sat", "satfinite", "relu") if getattr(self, name)]
        if isinstance(self.d, Format | Fixed) and self.d.storage == 8 and self.d.name != "ue8m0" and not self.satfinite:
            flags.append("satfinite")
        return ".".join(["cvt", *([self.rnd] if self.rnd else []), *flags, self.into.name, self.source.name])

    def _rounding(self, rnd: str | None) -> str | None:
        d, s = self.d, self.s
        if isinstance(d, Integer) and isinstance(s, Integer):
            if rnd:
                raise ArgumentError(f"integers are not rounded: leave `{rnd}` out")
            return None
        if isinstance(d, Integer):
            if rnd is None:
                return "rzi"
            if rnd not in TO_INTEGER:
                near = f"; did you mean `{rnd}i`?" if f"{rnd}i" in TO_INTEGER else ""
                raise ArgumentError(f"floats become integers by {_list(TO_INTEGER)}, not by `{rnd}`{near}")
            return rnd
        if rnd in TO_INTEGER:
            if d is s and isinstance(d, Format):
                return rnd
            raise ArgumentError(f"`{rnd}` rounds to an integer or within one format, not from {s.name} to {d.name}")
        if d.name == "ue8m0":
            if rnd not in ("rz", "rp"):
                raise ArgumentError(f"ue8m0 is rounded by `rz` or `rp`{f', not by `{rnd}`' if rnd else ': choose one'}")
            return rnd
        if isinstance(d, Fixed) and rnd not in (None, "rn"):
            raise ArgumentError(f"{d.name} is rounded by `rn` alone, not by `{rnd}`")
        if rnd is None:
            return None if d is s or _exact(d, s) else "rn"
        if rnd not in ROUNDINGS:
            raise ArgumentError(f"no rounding is called `{rnd}`; there are {_list((*ROUNDINGS, *TO_INTEGER))}")
        return rnd

    def _check(self) -> None:
        d, s, into, source = self.d, self.s, self.into, self.source
        if isinstance(source, Packed) and not isinstance(into, Packed):
            raise ArgumentError(f"{source.name} holds {source.count} values: ask for {into.name}x{source.count}")
        if isinstance(source, Packed) and isinstance(into, Packed) and source.count != into.count:
            raise ArgumentError(f"{source.name} holds {source.count} values and {into.name} {into.count}")
        for one, other in ((d, s), (s, d)):
            if isinstance(one, Fixed) and not isinstance(other, Format):
                raise ArgumentError(f"{one.name} converts from and to floats alone, not {other.name}")
        if self.relu and d.name not in RELU:
            raise ArgumentError(f"`relu` is for {_list(sorted(RELU))}, not for {d.name}")
        if self.satfinite and d.name not in SATFINITE:
            raise ArgumentError(f"`satfinite` is for {_list(sorted(SATFINITE))}, not for {d.name}")
        if (self.relu or self.satfinite) and isinstance(s, Integer):
            raise ArgumentError("`relu` and `satfinite` are for conversions from floats")
        if self.sat and not (isinstance(d, Integer) or d.name in SAT):
            raise ArgumentError(f"`sat` is for integers and {_list(sorted(SAT))}, not for {d.name}")
        if self.ftz and "f32" not in (d.name, s.name):
            raise ArgumentError(f"`ftz` is for f32, not for {s.name} to {d.name}")
        if d is s and isinstance(d, Format) and d.name not in SAME and (self.rnd or self.relu or self.satfinite):
            raise ArgumentError(f"{d.name} is not rounded or clamped in place, only {_list(sorted(SAME))} are")
        if self.rnd == "rna" and self.relu and d.name == "tf32":
            raise ArgumentError("`rna` has no `relu`")
        if self.rnd == "rna" and not (d.name == "tf32" or isinstance(s, Format)):
            raise ArgumentError(f"`rna` is for floats, not for {s.name}")
        if self.stochastic and not isinstance(s, Format):
            raise ArgumentError(f"`rs` is for floats, not for {s.name}")


def _exact(d: Element, s: Element) -> bool:
    """Whether every value of `s` is one of `d`."""
    if isinstance(d, Format) and isinstance(s, Format):
        smallest = d.emin - d.man if d.gradual else d.emin
        return d.man >= s.man and d.emax >= s.emax and smallest <= (s.emin - s.man) and (d.signed or not s.signed)
    return False


def _named(name: str) -> Element | Packed:
    try:
        return named(name.removeprefix("."))
    except ValueError as error:
        raise ArgumentError(str(error)) from None


def _list(names: tuple[str, ...] | list[str] | dict[str, str]) -> str:
    return " ".join(f"`{name}`" for name in names)
