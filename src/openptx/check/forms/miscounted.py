"""Operands of which one is too many or missing, though a form has as many: one finding, not one for each operand that
stands in its neighbour's place."""

from __future__ import annotations

from openptx.check.forms.fitting_opcodes import accepted
from openptx.check.forms.rules import refine
from openptx.check.forms.select_form import examine
from openptx.check.operand import kinds
from openptx.check.problems import Problem, passes
from openptx.diagnostics import Fix
from openptx.isa.notation import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.context import Context
    from openptx.check.operand.kinds import Kind
    from openptx.check.problems import Repair
    from openptx.isa.notation.forms import Form
    from openptx.syntax.tree import Instruction as Statement

_RULE = "PTX ISA, Instruction Statements (4.3.2)"


def miscounted(opcode: str, errors: list[Problem], operands: tuple[Kind, ...], context: Context) -> Problem | None:
    """The problem that one operand is too many, or else that one is missing; None if neither explains the errors."""
    return too_many(opcode, errors, operands, context) or _missing(opcode, operands, context)


def too_many(opcode: str, errors: list[Problem], operands: tuple[Kind, ...], context: Context) -> Problem | None:
    """The problem that an instruction takes all of its operands but one."""
    fitting = [i for i in range(len(operands)) if accepted(opcode, (*operands[:i], *operands[i + 1 :]), context)]
    if not fitting:
        return None
    wrong = next((error.where[0] for error in errors if error.where), fitting[0])
    at = wrong if wrong in fitting else fitting[0]
    return Problem(
        "operand-count", f"`{opcode}` takes no operand `{{}}` here", (at,), "one operand too many",
        expected=f"{len(operands) - 1} operands", actual=f"{len(operands)} operands", rule=_RULE,
        help="leave it out", repair=_without(fitting),
    )  # fmt: skip


def _without(fitting: list[int]) -> Repair:
    """The fix that leaves out the only operand that may be too many, or the one that is written twice."""

    def repair(statement: Statement) -> Fix | None:
        given = statement.operands
        twice = [i for i in fitting if i and given[i].text == given[i - 1].text]
        if len(chosen := twice or fitting) != 1:
            return None
        at = chosen[0]
        start = given[at - 1].span[1] if at else given[at].span[0]
        end = given[at].span[1] if at else given[at + 1].span[0]
        return Fix((start, end), "", f"leave out `{given[at].text}`")

    return repair


def _missing(opcode: str, operands: tuple[Kind, ...], context: Context) -> Problem | None:
    found = list(_lacking(opcode, operands, context))
    if not found:
        return None
    form, at, _ = found[0]
    names = dict.fromkeys(name for each, _, name in found if each is form)
    which = f"operand `{next(iter(names))}`" if len(names) == 1 else f"one of the operands `{'` and `'.join(names)}`"
    last = len(operands) - 1
    return Problem(
        "operand-count", f"`{opcode}` lacks {which}", (min(at, last),), "before this" if at <= last else "after this",
        expected=f"{last + 2} operands", actual=f"{last + 1} operands", rule=_RULE,
        help=f"its form is `{form.text}`", repair=with_sink(opcode, operands, context),
    )  # fmt: skip


def _lacking(opcode: str, operands: tuple[Kind, ...], context: Context) -> Iterator[tuple[Form, int, str]]:
    """The forms that take these operands with one more, its position, and its name."""
    for form, m in resolve(opcode, "ptxas" if context.follows_ptxas else "isa"):
        layout = next((each for each in form.layouts(m) if len(each) == len(operands) + 1), ())
        for at, position in enumerate(layout):
            given = (*operands[:at], kinds.UNREADABLE_KIND, *operands[at:])
            found = refine(examine(form, m, given, context), given, context).findings
            if all(each.where[:1] == (at,) for each in found if not passes((each,))):
                yield form, at, form.operands[position].name


def with_sink(opcode: str, operands: tuple[Kind, ...], context: Context) -> Repair | None:
    """The fix that discards the result, if that is the operand that is missing."""
    if not operands or not accepted(opcode, (kinds.SINK_KIND, *operands), context):
        return None

    def repair(statement: Statement) -> Fix:
        start = statement.operands[0].span[0]
        return Fix((start, start), "_, ", "discard the result")

    return repair
