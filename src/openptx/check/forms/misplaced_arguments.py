"""What to pass instead of an argument of a call that does not fit: in another order, state space, or declaration."""

from __future__ import annotations

from openptx.check.explain.suggestions import converted
from openptx.check.operand import kinds
from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.diagnostics.kinds import OF_ANOTHER_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from openptx.check.names.scopes import Scope
    from openptx.check.operand.kinds import Kind
    from openptx.isa.types import Type
    from openptx.syntax.declarations import Variable
    from openptx.syntax.operands import Operand
    from openptx.syntax.tree import Function

_COPIED = frozenset((kinds.SPECIAL, kinds.FUNCTION))
_MOST = 32
"""The most elements of a list that is rotated."""


def orders(count: int, wrong: Sequence[int]) -> Iterator[Sequence[int]]:
    """The orders of a list in which the elements at these positions may fit: two of them exchanged, then rotated."""
    if len(wrong) < 2 or count > _MOST:
        return
    if len(wrong) == 2:
        (one, other), order = wrong, list(range(count))
        order[one], order[other] = other, one
        yield order
    for first in (1, *range(count - 1, 1, -1)):
        yield [*range(first, count), *range(first)]


def reordering(file: str, elements: Sequence[Operand], order: Sequence[int]) -> Fix:
    """The fix that writes a list in another order."""
    moved = [i for i, at in enumerate(order) if i != at]
    parts = list[str]()
    for i in range(moved[0], moved[-1] + 1):
        parts += elements[order[i]].text, file[elements[i].span[1] : elements[min(i + 1, len(order) - 1)].span[0]]
    span = elements[moved[0]].span[0], elements[moved[-1]].span[1]
    return Fix(span, "".join(parts[:-1]), "write them in this order")


def outside_of_parameters(
    what: str, element: Operand, kind: Kind, function: Function, scope: Scope, fits: Callable[[Kind], bool]
) -> Diagnostic | None:
    """The error of a variable of the body that would be an argument or a result if it were in `.param`."""
    if kind.sort != kinds.VARIABLE or kind.space in kinds.PARAMETERS or not fits(_in_parameters(kind)):
        return None
    word = f".{kind.space}"
    start = _declaration(word, element, function, scope)
    if start is None:
        return None
    space = start, start + len(word)
    return Diagnostic(
        "argument-type", f"the {what} `{element.text}` of a call must be declared in `.param`, not in `{word}`",
        function.file, space, "declare it in `.param`", labels=(Label(element.span, f"the {what}"),),
        expected=".param", actual=word, fix=Fix(space, ".param", "write `.param`"), kind=OF_ANOTHER_SPACE,
        subject=element.text,
    )  # fmt: skip


def declared_as(formal: Variable, name: str) -> str:
    """The declaration of a `.param` variable that is passed as this parameter."""
    aligned = f".align {formal.align.value} " if formal.align is not None else ""
    lengths = "".join(f"[{length.value}]" for length in formal.names[0].dimensions if length is not None)
    return f".param {aligned}.{formal.type} {name}{lengths}"


def declared_like(formal: Variable, element: Operand, function: Function, scope: Scope) -> Fix | None:
    """The fix that declares a `.param` variable of the body as the parameter that it is passed to."""
    text = function.file.text
    start = _declaration(".param", element, function, scope)
    end = text.find(";", start) if start is not None else -1
    if start is None or end < 0 or "," in text[start:end]:
        return None
    meant = declared_as(formal, element.text)
    return Fix((start, end), meant, f"declare it `{meant}`")


def _declaration(space: str, element: Operand, function: Function, scope: Scope) -> int | None:
    """Where the declaration in the body of a variable begins, with its space."""
    found, text, body = scope.find(element.text), function.file.text, function.body
    if found is None or body is None:
        return None
    name = found[0].span[0]
    start = text.rfind(space, body[0], name)
    return start if start >= 0 and not any(mark in text[start:name] for mark in ";{}") else None


def _in_parameters(kind: Kind) -> Kind:
    """A variable of this kind in the space of arguments."""
    return kinds.kind(
        kind.sort, kind.text, type=kind.type, count=kind.count, bits=kind.bits, space="frame", align=kind.align,
        room=kind.room, literal=kind.literal, gate=kind.gate,
    )  # fmt: skip


def fitting(what: str, kind: Kind, type: Type, wanted: str, text: str) -> str | None:
    """What to pass, or to receive a result in, instead."""
    if kind.sort == kinds.VARIABLE and kind.space == "frame":
        return f"declare it like the parameter: `.param {wanted}`"
    if what == "argument" and kind.sort in _COPIED:
        return "copy it to a register, and pass that"
    if kind.sort == kinds.REGISTER and kind.type is not None and "[" not in wanted:
        sentence = converted(type, kind.type) if what == "argument" else f"receive it in a register `{wanted}`"
        return sentence.format(text)
    return None
