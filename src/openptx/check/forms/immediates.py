"""Checks constants: whether their type accepts them, and their values, which are not part of their kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from openptx.check.context import Context
from openptx.check.explain.suggestions import short_float, wrong_constant
from openptx.check.explain.type_errors import what, wrong_kind
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem
from openptx.diagnostics import SUGGESTION, Fix
from openptx.isa.notation.conditions import conditions
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.notation.ranges import Values, limits
from openptx.isa.types import TYPES
from openptx.syntax import operands as text
from openptx.syntax.tree import Instruction


def judge_constant(place: Place, kind: Kind, where: Path) -> Iterator[Problem]:
    """Checks a constant as a source operand."""
    wanted = place.type
    if wanted is None:
        if kind.sort != kinds.INTEGER:
            yield wrong_kind(place, kind, where, "an integer")
        return
    exact = place.rule is not None and place.rule.exact
    if not place.allows.constant or exact or (kind.sort == kinds.INTEGER and no_integers(place)):
        yield wrong_kind(place, kind, where, what(place))
    elif not place.takes_constant(kind):
        yield wrong_constant(place, kind, where)
    elif kind.sort == kinds.INTEGER and kind.bits > max(wanted.width, 8) and wanted.kind != "pred":
        yield place.problem(
            "immediate-truncated", f"`{{}}` has more bits than the {wanted.width} of `.{wanted.name}`", where,
            "its upper bits are dropped",
            expected=f".{wanted.name}",
            actual=f"an integer of {kind.bits} bits" if kind.bits <= 64 else "an integer of more than 64 bits",
            rule="PTX ISA, Integer Constants (4.5.1)",
        )  # fmt: skip
    elif is_short(place, kind):
        yield short_float(place, where)


def no_integers(place: Place) -> bool:
    """Whether the assembler rejects integer constants in this place (measured)."""
    table = conditions(place.form.instruction.no_integers) if place.context.follows_ptxas else ()
    return any(place.name in each.then.split() and each.holds(place.m) for each in table)


def is_short(place: Place, kind: Kind) -> bool:
    """Whether a constant gives a double 32 bits only. Zero is the same number in both widths."""
    return place.type is TYPES["f64"] and kind.sort == kinds.FLOAT and kind.bits == 32 and not kind.space


def has_checked_immediates(form: Form, m: Modifiers, operands: Sequence[Kind], context: Context) -> bool:
    """Whether a constant operand may have a value that the instruction does not accept in this file."""
    for number, element, _, values in _limited(form, m, len(operands), context):
        kind = operands[number]
        if element is not None and kind.sort == kinds.LIST and element < len(kind.parts):
            kind = kind.parts[element]
        if kind.sort == kinds.FLOAT:
            return True
        if kind.sort == kinds.INTEGER:
            size = 1 << kind.bits
            if not values.hold(*((-size, 0) if kind.space == "-" else (0, size - 1))):
                return True
    return False


def judge_immediates(form: Form, m: Modifiers, operands: Sequence[text.Operand], context: Context) -> Iterator[Problem]:
    """The problems with the values of constants."""
    if not form.instruction.ranges:
        return
    layout = layout_of(form, m, len(operands))
    others = {form.operands[position].name: number for number, position in enumerate(layout)}
    for number, element, name, values in _limited(form, m, len(operands), context):
        operand = _operand_at(operands, number, element)
        if not isinstance(operand, text.Integer | text.Float):
            continue
        other = operands[others[values.other]] if values.other in others else None
        exceeds = isinstance(other, text.Integer) and operand.value % (1 << 32) > other.value % (1 << 32)
        if exceeds or operand.value not in values:
            near = values.nearest(operand.value) if isinstance(operand, text.Integer) and not exceeds else None
            where = (number,) if element is None else (number, element)
            yield Problem(
                "immediate-range", f"operand `{name}` of `{m}` must be {values.shown}, not {operand.text}", where,
                "out of range",
                operand=name, expected=values.shown, actual=operand.text, rule=f"PTX ISA, {form.instruction.name}",
                help=f"the nearest value is {near}" if near is not None else None,
                repair=_replacing(number, element, str(near)) if near is not None else None,
            )  # fmt: skip


def _operand_at(operands: Sequence[text.Operand], number: int, element: int | None) -> text.Operand:
    """An operand, or an element of it."""
    operand = operands[number]
    if element is None or not isinstance(operand, text.Vector) or element >= len(operand.elements):
        return operand
    return operand.elements[element]


def _replacing(number: int, element: int | None, value: str) -> Callable[[Instruction], Fix]:
    """The fix that writes another constant."""

    def repair(statement: Instruction) -> Fix:
        span = _operand_at(statement.operands, number, element).span
        return Fix(span, value, f"write `{value}`", SUGGESTION)

    return repair


def layout_of(form: Form, m: Modifiers, count: int) -> tuple[int, ...]:
    """The positions of this many operands in the form."""
    return next((layout for layout in form.layouts(m) if len(layout) == count), ())


_Limited = tuple[int, int | None, str, Values]


def _limited(form: Form, m: Modifiers, count: int, context: Context) -> Iterator[_Limited]:
    """The index, the element, the name and the allowed values of limited operands and elements of lists, for this many
    operands."""
    if not form.instruction.ranges:
        return
    for number, position in enumerate(layout_of(form, m, count)):
        template = form.operands[position]
        for element, name in [*enumerate(template.elements)] if template.elements else [(None, template.name)]:
            if (values := limits(form.instruction, m, name, context.target_name, context.version)) is not None:
                yield number, element, name, values
