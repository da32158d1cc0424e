"""Explains an undeclared name: beyond a range, misspelt, or a special register that does not exist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from openptx.check.foreign_spellings import REGISTERS
from openptx.check.names.scopes import Scope, splits
from openptx.check.spelling import Suggestions, nearest
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.isa.special_registers import SPECIAL_REGISTERS


def unknown_name(
    name: str, found: Diagnostic, scope: Scope, functions: Iterable[str], suggestions: Suggestions,
    suits: Callable[[str], bool],
) -> Diagnostic:  # fmt: skip
    """The diagnostic about an unknown name, with the name probably meant, which must `suit` the place."""
    span = found.span
    for prefix, _ in splits(name):
        for each in around(scope):
            known = each.ranges.get(prefix)
            if known is not None:
                last = (known.count or 1) - 1
                return Diagnostic(
                    "unknown-name", f"`{name}` is not declared", found.file, span, "beyond the range",
                    labels=(Label(known.span, f"`{prefix}0` to `{prefix}{last}` are declared here"),),
                    help=f"declare more of them: `{prefix}<{int(name[len(prefix) :]) + 1}>`",
                )  # fmt: skip
    if (bits := _FLOATS.get(name.lower())) is not None:
        found.help = bits
        return found
    base, dot, field = name.partition(".")
    word = base.lstrip("%")
    special = guess = _special(word)
    if guess is None and not dot:
        guess = suggestions.nearest(name, lambda: (*known_names(scope, name), *functions), suits=suits)
    if guess is None and name[0] == "%":
        special = nearest(word, SPECIAL_REGISTERS, suits=lambda each: suits(f"%{each}"))
        guess = special and f"%{special}"
    is_special = special is not None and name[0] == "%"
    guess = guess and guess + dot + field
    return Diagnostic(
        "unknown-special-register" if is_special else "unknown-name",
        f"there is no special register `{name}`" if is_special else f"`{name}` is not declared",
        found.file,
        span,
        found.label,
        help=f"did you mean `{guess}`?" if guess else None,
        fix=Fix(span, guess, f"write `{guess}`") if guess else None,
    )


_INFINITY = "write its bits: `0f7F800000` for `.f32`, `0d7FF0000000000000` for `.f64`"
_FLOATS = {
    "inf": _INFINITY,
    "infinity": _INFINITY,
    "nan": "write its bits: `0f7FFFFFFF` for `.f32`, `0d7FFFFFFFFFFFFFFF` for `.f64`",
}


def _special(word: str) -> str | None:
    """The special register, or the constant, that a CUDA word or a misspelt component means."""
    plain = word.lower().replace("_", "")
    if plain == "warpsize":
        return "WARP_SZ"
    if (known := REGISTERS.get(plain) or REGISTERS.get(plain.removesuffix("id"))) or (known := _exact(word)):
        return f"%{known}"
    base = _exact(word[:-1].rstrip("_")) or REGISTERS.get(plain[:-1])
    if base is not None and word[-1] in "xyz" and SPECIAL_REGISTERS[base].vector:
        return f"%{base}.{word[-1]}"
    return None


def _exact(word: str) -> str | None:
    return word if word in SPECIAL_REGISTERS else None


def around(scope: Scope) -> Iterator[Scope]:
    """A scope and the enclosing ones."""
    inner: Scope | None = scope
    while inner is not None:
        yield inner
        inner = inner.outer


_ALIKE = str.maketrans("lIoO", "1100")


def known_names(scope: Scope, name: str) -> list[str]:
    """The names that are visible in a scope; for a range the one with the number of `name`, where `l` may be a 1."""
    digits = name[len(name.rstrip("0123456789lIoO")) :].translate(_ALIKE) if len(name) < _LONGEST else ""
    return [
        known
        for each in around(scope)
        for known in (
            *each.names,
            *(f"{prefix}{int(digits)}" for prefix, r in each.ranges.items() if digits and int(digits) < (r.count or 0)),
        )
    ]


_LONGEST = 100


def labels_of(scope: Scope) -> list[str]:
    """The labels that are visible from a scope."""
    return [label for each in around(scope) for label in each.labels]
