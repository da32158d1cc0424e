"""Checks the modifiers of a plain `cvt` against the needs of its pair of types (`isa/conversions.py`)."""

from __future__ import annotations

from openptx.check.problems import Problem, rewrite
from openptx.diagnostics import SAFE
from openptx.isa.conversions import Needs, needs
from openptx.isa.notation.forms import Modifiers

_TABLE = "PTX ISA, Scalar Conversions (6.5.1), Table 15, and Rounding Modifiers (6.5.2), Tables 17 and 18"


def cvt_errors(m: Modifiers) -> Problem | None:
    """The problems with the modifiers of `cvt.dtype.atype`."""
    d, a = m.dtype, m.atype
    pair, wanted, rounding = f"cvt.{d.name}.{a.name}", needs(d, a), m.values.get("rnd")
    if rounding is None and wanted.required:
        return Problem(
            "rounding-required", f"`{pair}` needs a rounding modifier", label=f"one of {_with_dots(wanted.rounding)}",
            expected=_with_dots(wanted.rounding), actual="none", rule=_TABLE,
            help=f"write `{_rounded_opcode(m)}`, or one of the others", repair=rewrite(_rounded_opcode(m)),
        )  # fmt: skip
    if rounding is not None and rounding not in wanted.rounding:
        return Problem(
            "rounding-forbidden",
            f"`.{rounding}` can't round `{pair}`" if wanted.rounding else f"`{pair}` rounds nothing",
            label=f"one of {_with_dots(wanted.rounding)}" if wanted.rounding else f"leave out `.{rounding}`",
            part=rounding, expected=_with_dots(wanted.rounding) or "no rounding modifier", actual=f".{rounding}",
            rule=_TABLE, help=f"write `{_rounded_opcode(m)}`", repair=rewrite(_rounded_opcode(m)),
        )  # fmt: skip
    if m.sat and not wanted.sat:
        return Problem(
            "saturation", f"`.sat` has nothing to clamp in `{pair}`", label="leave out `.sat`",
            expected="no `.sat`", actual=".sat", rule="PTX ISA, cvt: .sat",
            help=f"write `{_needed(m, wanted)}`", repair=rewrite(_needed(m, wanted), SAFE),
        )  # fmt: skip
    if m.ftz and not wanted.ftz:
        return Problem(
            "modifier-forbidden", f"`.ftz` needs an `.f32` on one side, and `{pair}` has none",
            label="leave out `.ftz`",
            expected="no `.ftz`", actual=".ftz", rule="PTX ISA, cvt: .ftz",
            help=f"write `{_needed(m, wanted)}`", repair=rewrite(_needed(m, wanted), SAFE),
        )  # fmt: skip
    return None


def _rounded_opcode(m: Modifiers) -> str:
    """The opcode with a rounding that the pair allows, or without."""
    wanted = needs(m.dtype, m.atype).rounding
    others = [modifier for modifier in m.written if modifier != m.values.get("rnd")]
    return ".".join(("cvt", *(("rzi" if "rzi" in wanted else "rn",) if wanted else ()), *others))


def _needed(m: Modifiers, wanted: Needs) -> str:
    """The opcode without `.sat` and `.ftz` where its pair of types has no use for them."""
    idle = {name for name, used in (("sat", wanted.sat), ("ftz", wanted.ftz)) if not used}
    return ".".join(("cvt", *(each for each in m.written if each not in idle)))


def _with_dots(names: tuple[str, ...]) -> str:
    return " ".join(f".{name}" for name in names)
