"""Says more about a name that nothing declares: beyond a range, misspelt, a special register that isn't one."""

from __future__ import annotations

from openptx.check.nearest import nearest
from openptx.check.scopes import Scope, splits
from openptx.check.slips import REGISTERS
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.isa.special_registers import SPECIAL_REGISTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def unknown_name(name: str, found: Diagnostic, scope: Scope, functions: Iterable[str]) -> Diagnostic:
    """The diagnostic about an unknown name, with what was probably meant."""
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
    base, dot, field = name.partition(".")
    word = base.lstrip("%")
    special = word if word in SPECIAL_REGISTERS else REGISTERS.get(word.lower())
    guess = f"%{special}" if special else None
    if guess is None and not dot:
        guess = nearest(name, (*known_names(scope), *functions))
    if guess is None and name[0] == "%":
        special = nearest(word, SPECIAL_REGISTERS)
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


def around(scope: Scope) -> Iterator[Scope]:
    """A scope and those around it."""
    inner: Scope | None = scope
    while inner is not None:
        yield inner
        inner = inner.outer


def known_names(scope: Scope) -> list[str]:
    """The names that are known in a scope, of a range the first few."""
    return [
        name
        for each in around(scope)
        for name in (
            *each.names,
            *(f"{prefix}{i}" for prefix, r in each.ranges.items() for i in range(min(r.count or 0, 8))),
        )
    ]


def labels_of(scope: Scope) -> list[str]:
    """The labels that can be reached from a scope."""
    return [label for each in around(scope) for label in each.labels]
