"""Which rounding, `.sat` and `.ftz` a plain `cvt` needs, allows or forbids (6.5, the cvt page; measured: Table 15's cells)."""

from __future__ import annotations

from openptx.check.problems import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.forms import Modifiers
    from openptx.isa.types import Type

INTEGER_ROUNDING = ("rni", "rzi", "rmi", "rpi")
FLOAT_ROUNDING = ("rn", "rz", "rm", "rp")
_TABLE = "PTX ISA, Scalar Conversions (6.5.1), Table 15, and Rounding Modifiers (6.5.2)"


class Needs:
    """What a pair of types asks of its modifiers. `rounding` may be left out unless `required`."""

    __slots__ = ("ftz", "required", "rounding", "sat")

    def __init__(self, rounding: tuple[str, ...], required: bool, sat: bool, ftz: bool) -> None:
        self.rounding, self.required, self.sat, self.ftz = rounding, required, sat, ftz


def needs(d: Type, a: Type) -> Needs:
    """What `cvt.d.a` of plain types needs."""
    brain = "bf16" in (d.name, a.name)
    ftz = "f32" in (d.name, a.name) and not (brain and (d.kind != "f" or a.kind != "f"))
    if d.kind != "f" and a.kind != "f":
        return Needs((), False, not _holds(d, a), False)
    if d.kind != "f":
        return Needs(INTEGER_ROUNDING, True, not brain, ftz)
    if a.kind != "f":
        return Needs(FLOAT_ROUNDING, True, not brain, ftz)
    if d.name == a.name:
        return Needs(INTEGER_ROUNDING, False, not brain, ftz)
    if brain and a.name != "f32" and not (d.name == "bf16" and a.name == "f64"):
        return Needs(FLOAT_ROUNDING, False, False, ftz)
    if d.width > a.width:
        return Needs((), False, not brain, ftz)
    return Needs(FLOAT_ROUNDING, True, not brain, ftz)


def _holds(d: Type, a: Type) -> bool:
    """Whether every value of integer type a is one of d."""
    if a.signed == d.signed:
        return d.width >= a.width
    return d.signed and d.width > a.width


def misused(m: Modifiers) -> Problem | None:
    """What is wrong with the modifiers of a plain `cvt`."""
    d, a = m.dtype, m.atype
    pair, wanted, rounding = f"cvt.{d.name}.{a.name}", needs(d, a), m.rnd
    if rounding is None and wanted.required:
        return Problem(
            "rounding-required",
            f"`{pair}` needs a rounding modifier",
            label="how to round is not said",
            expected=_dotted(wanted.rounding),
            actual="none",
            rule=_TABLE,
            help=f"write `cvt.{'rzi' if d.kind != 'f' else 'rn'}.{d.name}.{a.name}`",
        )
    if rounding is not None and rounding not in wanted.rounding:
        return Problem(
            "rounding-forbidden",
            f"`.{rounding}` can't round `{pair}`" if wanted.rounding else f"`{pair}` rounds nothing",
            label="leave it out" if not wanted.rounding else f"one of {_dotted(wanted.rounding)}",
            expected=_dotted(wanted.rounding) or "no rounding modifier",
            actual=f".{rounding}",
            rule=_TABLE,
        )
    if m.sat and not wanted.sat:
        return Problem(
            "saturation",
            f"`.sat` has nothing to clamp in `{pair}`",
            label="leave out `.sat`",
            expected="no `.sat`",
            actual=".sat",
            rule="PTX ISA, cvt: .sat",
        )
    if m.ftz and not wanted.ftz:
        return Problem(
            "modifier-forbidden",
            f"`.ftz` needs an `.f32` on one side, and `{pair}` has none",
            label="leave out `.ftz`",
            expected="no `.ftz`",
            actual=".ftz",
            rule="PTX ISA, cvt: .ftz",
        )
    return None


def _dotted(names: tuple[str, ...]) -> str:
    return " ".join(f".{name}" for name in names)
