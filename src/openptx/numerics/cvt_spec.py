"""One conversion with its modifiers, validated: the input of `openptx.convert` and `openptx convert`."""

from __future__ import annotations

from openptx.errors import ArgumentError, require_flags
from openptx.numerics.formats import FORMATS, S2F6, Fixed, Format
from openptx.numerics.rounding import ROUNDINGS, TO_INTEGER
from openptx.numerics.type_names import Element, Integer, Packed, find_format


class CvtSpec:
    """One `cvt`, with defaults filled in. Raises ArgumentError if it does not exist.

    Accepts more than PTX where the rules define the result: any float to any other (one rounding of the exact value),
    formats of 8 and fewer bits one at a time, `.satfinite` omitted where it is mandatory anyway. Without a rounding,
    floats are rounded to nearest even and floats to integers towards zero.
    """

    __slots__ = ("d", "ftz", "into", "relu", "rnd", "s", "sat", "satfinite", "source")

    def __init__(
        self, to: str, source: str, rounding: str | None = None, *, sat: bool = False, satfinite: bool = False,
        relu: bool = False, ftz: bool = False,
    ) -> None:  # fmt: skip
        self.into, self.source = _find_format(to), _find_format(source)
        self.d: Element = self.into.element if isinstance(self.into, Packed) else self.into
        self.s: Element = self.source.element if isinstance(self.source, Packed) else self.source
        require_flags(sat=sat, satfinite=satfinite, relu=relu, ftz=ftz)
        self.sat, self.satfinite, self.relu, self.ftz = bool(sat), bool(satfinite), bool(relu), bool(ftz)
        self.rnd = rounding_of(self.d, self.s, _rounding_name(rounding))
        self._check_packing()
        self._check_modifiers()
        self._check_rounding()

    @property
    def values(self) -> int:
        """The number of operands that the source consumes: 2 and 4 if scalars are packed."""
        return self.into.count if isinstance(self.into, Packed) and not isinstance(self.source, Packed) else 1

    @property
    def stochastic(self) -> bool:
        return self.rnd == "rs"

    @property
    def key(self) -> tuple[object, ...]:
        return (self.into.name, self.source.name, self.rnd, self.sat, self.satfinite, self.relu, self.ftz)

    def __str__(self) -> str:
        flags = [name for name in ("ftz", "sat", "satfinite", "relu") if getattr(self, name)]
        if isinstance(self.d, Format | Fixed) and self.d.always_saturates and not self.satfinite:
            flags.append("satfinite")
        return ".".join(["cvt", *([self.rnd] if self.rnd else []), *flags, self.into.name, self.source.name])

    def _check_packing(self) -> None:
        into, source = self.into, self.source
        if isinstance(source, Packed):
            if not isinstance(into, Packed):
                raise ArgumentError(f"{source.name} holds {source.count} values: ask for {into.name}x{source.count}")
            if source.count != into.count:
                raise ArgumentError(f"{source.name} holds {source.count} values and {into.name} {into.count}")
        for one, other in ((self.d, self.s), (self.s, self.d)):
            if isinstance(one, Fixed) and not isinstance(other, Format):
                raise ArgumentError(f"{one.name} converts only from and to floats, not {other.name}")

    def _check_modifiers(self) -> None:
        d, s = self.d, self.s
        for modifier in ("relu", "satfinite"):
            if getattr(self, modifier):
                if isinstance(d, Integer) or modifier not in d.modifiers:
                    raise ArgumentError(f"`{modifier}` is for {formats_with(modifier)}, not for {d.name}")
                if isinstance(s, Integer):
                    raise ArgumentError(f"`{modifier}` is for conversions from floats, not from {s.name}")
        if self.sat and not isinstance(d, Integer) and "sat" not in d.modifiers:
            raise ArgumentError(f"`sat` is for integers and {formats_with('sat')}, not for {d.name}")
        if self.ftz and "f32" not in (d.name, s.name):
            raise ArgumentError(f"`ftz` is for f32, not for {s.name} to {d.name}")

    def _check_rounding(self) -> None:
        d, s = self.d, self.s
        changed = self.rnd or self.relu or self.satfinite
        if d is s and isinstance(d, Format) and changed and "integral" not in d.modifiers:
            raise ArgumentError(f"{d.name} is not rounded or clamped in place, only {formats_with('integral')} are")
        if self.rnd == "rna" and self.relu and d.name == "tf32":
            raise ArgumentError("`rna` has no `relu`")
        if self.rnd == "rna" and not (d.name == "tf32" or isinstance(s, Format)):
            raise ArgumentError(f"`rna` is for floats, not for {s.name}")
        if self.stochastic and not isinstance(s, Format):
            raise ArgumentError(f"`rs` is for floats, not for {s.name}")


def rounding_of(d: Element, s: Element, rnd: str | None) -> str | None:
    """The rounding of a conversion from `s` to `d` if `rnd` was requested; None if nothing is rounded. Raises
    ArgumentError if it cannot be rounded so."""
    if isinstance(d, Integer):
        return _rounding_to_integer(s, rnd)
    if rnd in TO_INTEGER:
        if d is s and isinstance(d, Format):
            return rnd
        raise ArgumentError(f"`{rnd}` rounds to an integer or within one format, not from {s.name} to {d.name}")
    if d.name == "ue8m0":
        if rnd not in ("rz", "rp"):
            raise ArgumentError(f"ue8m0 is rounded by `rz` or `rp`{f', not by `{rnd}`' if rnd else ': choose one'}")
        return rnd
    if isinstance(d, Fixed) and rnd not in (None, "rn"):
        raise ArgumentError(f"{d.name} is rounded only by `rn`, not by `{rnd}`")
    if rnd is None:
        return None if d is s or is_exact(d, s) else "rn"
    if rnd not in ROUNDINGS:
        raise ArgumentError(f"no rounding is called `{rnd}`; there are {_list((*ROUNDINGS, *TO_INTEGER))}")
    return rnd


def _rounding_to_integer(s: Element, rnd: str | None) -> str | None:
    if isinstance(s, Integer):
        if rnd:
            raise ArgumentError(f"integers are not rounded: leave `{rnd}` out")
        return None
    if rnd is None:
        return "rzi"
    if rnd not in TO_INTEGER:
        near = f"; did you mean `{rnd}i`?" if f"{rnd}i" in TO_INTEGER else ""
        raise ArgumentError(f"floats become integers by {_list(TO_INTEGER)}, not by `{rnd}`{near}")
    return rnd


def is_exact(d: Element, s: Element) -> bool:
    """Whether float format `d` represents every value of `s`."""
    if isinstance(d, Format) and isinstance(s, Format):
        smallest = d.emin - d.man if d.gradual else d.emin
        return d.man >= s.man and d.emax >= s.emax and smallest <= (s.emin - s.man) and (d.signed or not s.signed)
    return False


def formats_with(modifier: str) -> str:
    """The formats for which a `cvt` may carry a modifier, in backquotes."""
    return _list(sorted(f.name for f in (*FORMATS.values(), S2F6) if modifier in f.modifiers))


def _find_format(name: object) -> Element | Packed:
    try:
        return find_format(format_name(name))
    except ValueError as error:
        raise ArgumentError(str(error)) from None


def format_name(name: object) -> str:
    """A format's name without the dot that PTX writes. Raises ArgumentError unless it is text."""
    if not isinstance(name, str):
        raise ArgumentError(f'a number format is a string such as "f16", not {name!r}')
    return name.removeprefix(".")


def _rounding_name(name: object) -> str | None:
    if name is not None and not isinstance(name, str):
        raise ArgumentError(f'a rounding is a string such as "rz", not {name!r}')
    return None if name is None else name.removeprefix(".")


def _list(names: tuple[str, ...] | list[str] | dict[str, str]) -> str:
    return " ".join(f"`{name}`" for name in names)
