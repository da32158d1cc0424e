"""Explains a `cvt` without a form: existing conversions, and the modifiers that its pair of types allows (6.5)."""

from __future__ import annotations

from openptx.check.explain.cvt_errors import cvt_errors
from openptx.check.problems import Problem, rewrite
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import instructions_of, resolve
from openptx.isa.types import TYPES

_RULE = "PTX ISA, Type Conversion (6.5), Tables 15 and 16, and Rounding Modifiers (6.5.2), Tables 17 and 18"
_EXTRAS = ((), ("satfinite",), ("relu",), ("satfinite", "relu"))
_COMMONEST = ("rn", "rzi", "rz")
_ROUNDINGS: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}


def roundings(d: str, a: str) -> dict[str, tuple[str, ...]]:
    """The rounding modifiers of a pair ("" for none), each with the fewest other modifiers that it needs. Memoised."""
    known = _ROUNDINGS.get((d, a))
    if known is None:
        choices = ("", *ROUNDING) if _has_form(d, a) else ()
        known = _ROUNDINGS[d, a] = {
            rounding: extras for rounding in choices if (extras := _extras_needed(rounding, d, a)) is not None
        }
    return known


def _has_form(d: str, a: str) -> bool:
    """Whether some form has both types: a quick test, which most pairs of types fail."""
    return any(
        any(d in slot.choices for slot in form.slots) and any(a in slot.choices for slot in form.slots)
        for instruction in instructions_of("cvt")
        for form in instruction.forms
    )


def _extras_needed(rounding: str, d: str, a: str) -> tuple[str, ...] | None:
    return next((extras for extras in _EXTRAS if _converts(spelt(rounding, extras, d, a))), None)


def _converts(opcode: str) -> bool:
    return any(
        not (form.slots[-1].typed and "u8" in form.slots[-1].choices) or cvt_errors(m) is None
        for form, m in resolve(opcode)
    )


def spelt(rounding: str, extras: tuple[str, ...], d: str, a: str) -> str:
    """`cvt.rn.satfinite.e4m3x2.f32`."""
    return ".".join(("cvt", *([rounding] if rounding else []), *extras, d, a))


def explain_pair(modifiers: list[str], d: str, a: str) -> Problem | None:
    """The problem with `cvt.modifiers.d.a`: the pair, or its rounding; None if it is another one."""
    found = roundings(d, a)
    if not found:
        return _no_pair(d, a)
    said = [modifier for modifier in modifiers if modifier in ROUNDING]
    if len(said) > 1 or (said and said[0] in found) or (not said and "" in found):
        return None
    fixed = _commonest_opcode(modifiers, found, d, a)
    legal = " ".join(f".{rounding}" for rounding in found if rounding)
    more = ", or one of the others" if len(found) > 1 and not said else ""
    return Problem(
        "rounding-forbidden" if said else "rounding-required", _message(d, a, said, legal),
        label=(f"one of {legal}" if len(found) > 1 else f"expected {legal}") if legal else f"leave out `.{said[0]}`",
        part=said[0] if said else None, expected=legal or "no rounding modifier",
        actual=f".{said[0]}" if said else "none", rule=_RULE, help=f"write `{fixed}`{more}",
        repair=rewrite(fixed, SUGGESTION if len(found) > 1 else SAFE),
    )  # fmt: skip


def _commonest_opcode(modifiers: list[str], found: dict[str, tuple[str, ...]], d: str, a: str) -> str:
    """The opcode with the commonest rounding of the pair, and with its other modifiers if allowed."""
    best = next((rounding for rounding in _COMMONEST if rounding in found), next(iter(found)))
    fixed = spelt(best, tuple(m for m in modifiers[:-2] if m not in ROUNDING), d, a)
    return fixed if resolve(fixed) else spelt(best, found[best], d, a)


def _message(d: str, a: str, said: list[str], legal: str) -> str:
    if not said:
        return f"`cvt.{d}.{a}` needs a rounding modifier"
    return f"`.{said[0]}` can't round `cvt.{d}.{a}`" if legal else f"`cvt.{d}.{a}` rounds nothing"


def _no_pair(d: str, a: str) -> Problem:
    """No `cvt` has this pair: conversions from one type, conversions to the other, and a route between them."""
    sources = [name for name in TYPES if roundings(d, name)]
    targets = [name for name in TYPES if roundings(name, a)]
    return Problem(
        "no-such-conversion", f"there is no conversion from `.{a}` to `.{d}`", label="no such conversion",
        expected=f"to .{d}: {_from(sources)}; from .{a}: {_to(targets)}", actual=f".{a} to .{d}", rule=_RULE,
        help=_help(d, a, sources, targets),
    )  # fmt: skip


def _from(names: list[str]) -> str:
    return "from " + " ".join(f".{name}" for name in names) if names else "from nothing"


def _to(names: list[str]) -> str:
    return "to " + " ".join(f".{name}" for name in names) if names else "to nothing"


def _help(d: str, a: str, sources: list[str], targets: list[str]) -> str:
    """Another form of the same pair, an intermediate step, or the existing forms."""
    if bits := next((name for name in (d, a) if TYPES[name].kind == "b" and TYPES[name].count == 1), None):
        return f"say how to read the bits: `.u{bits[1:]}` or `.s{bits[1:]}`"
    for count in ("x2", "x4"):
        packed = [(f"{d}{count}", a), (d, f"{a}{count}"), (f"{d}{count}", f"{a}{count}")]
        for other in packed:
            if found := roundings(*other):
                return f"only packed: `{_plainest(found, *other)}`"
    between = next(
        (name for name in ("f32", "f16", "f16x2", "bf16x2", *targets) if name in sources and name in targets), None
    )
    if between is not None:
        first, second = _plainest(roundings(between, a), between, a), _plainest(roundings(d, between), d, between)
        return f"take two steps: `{first}`, then `{second}`"
    if not sources:
        return f"nothing converts to `.{d}`; `.{a}` converts {_to(targets)}"
    return f"`.{d}` converts {_from(sources)}"


def _plainest(found: dict[str, tuple[str, ...]], d: str, a: str) -> str:
    rounding = next((rounding for rounding in ("", *_COMMONEST) if rounding in found), next(iter(found)))
    return spelt(rounding, found[rounding], d, a)
