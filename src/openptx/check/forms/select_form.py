"""Selects the form of an instruction by the kinds of its operands: the first that accepts them, or the nearest."""

from __future__ import annotations

from openptx.check.availability import require
from openptx.check.forms.operands import judge
from openptx.check.forms.rules import refine
from openptx.check.forms.vectors import lengths
from openptx.check.operand import kinds
from openptx.check.operand.slot import Place
from openptx.check.problems import INSTRUCTION_SET, OPCODE, WARNINGS, Candidate, Problem, rewrite
from openptx.diagnostics import Fix
from openptx.isa.notation import load, resolve
from openptx.isa.notation.conditions import conditions
from openptx.isa.notation.gates import gate
from openptx.isa.notation.ignored_modifiers import ignored_modifiers, overlooked_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.context import Context
    from openptx.check.operand.kinds import Kind
    from openptx.check.problems import Path
    from openptx.isa.notation.forms import Form, Modifiers
    from openptx.isa.notation.slots import Template
    from openptx.syntax.tree import Instruction as Statement

    Placed = tuple[Kind, Path] | None

_GATES = frozenset(("needs-version", "needs-target"))
_GATED = WARNINGS | _GATES
"""Problems of operands that fit a form."""


def select_form(opcode: str, operands: tuple[Kind, ...], context: Context) -> Candidate | None:
    """The first form that accepts these operands, or else the nearest one; None if the opcode has no form."""
    refused: list[Candidate] = []
    for form, m in resolve(opcode, "ptxas" if context.follows_ptxas else "isa"):
        candidate = refine(examine(form, m, operands, context), operands, context)
        if candidate.accepted:
            return _overlooking(candidate, opcode, context)
        refused.append(candidate)
    if len(refused) > 1 and all(each.rank[0] == 0 for each in refused):  # none has so many operands
        return min(refused, key=lambda each: (_misshapen(each, operands, context), -each.rank[1]))
    return max(refused, key=lambda each: each.rank, default=None)


def _misshapen(candidate: Candidate, operands: tuple[Kind, ...], context: Context) -> int:
    """How many operands are lists or addresses, or are none, contrary to a form with another number of operands."""
    form, m = candidate.form, candidate.m
    layout = min(form.layouts(m), key=lambda each: abs(len(each) - len(operands)))
    types, wrong = form.types(m), 0
    for position, kind in zip(layout, operands, strict=False):
        operand_place = Place(form, m, form.operands[position], types[position], context)
        allowed = lengths(operand_place)
        single = kind.sort == kinds.REGISTER and allowed and 1 not in allowed
        wrong += bool(single) or _is_of_another_form(operand_place, kind, [])
    return wrong


def _overlooking(candidate: Candidate, opcode: str, context: Context) -> Candidate:
    """A candidate with a warning about the modifiers that the assembler ignores."""
    strange = [each for each in ignored_modifiers(opcode) if each not in candidate.m.written]
    if not strange:
        return candidate
    name, shorter = candidate.form.instruction.name, repr(candidate.m)
    found = Problem(
        "document-disagrees",
        f"the assembler ignores {' and '.join(f'`.{each}`' for each in strange)}: `{name}` has no such modifier",
        label=f"`{name}` has none", part=strange[-1], expected=shorter, actual=opcode,
        rule=INSTRUCTION_SET, help=f"write `{shorter}`", repair=rewrite(shorter),
    )  # fmt: skip
    gates = [
        (each, row.gate) for each in strange for row in overlooked_rows(opcode) if row.gate and each in row.modifiers
    ]
    unmet = [problem for each, since in gates for problem in require(f"`.{each}`", gate(since), context, OPCODE)]
    return Candidate(candidate.form, candidate.m, candidate.rank, (*unmet, found, *candidate.findings))


def examine(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Candidate:
    """One form with its findings: on the number of operands, then on each of them."""
    layouts = form.layouts(m)
    layout = next((layout for layout in layouts if len(layout) == len(operands)), None)
    if layout is None:
        return Candidate(
            form, m, (0, -min(abs(len(x) - len(operands)) for x in layouts), 0), (_count(m, form, layouts, operands),)
        )
    placed = place(form, layout, operands)
    if isinstance(placed, Problem):
        return Candidate(form, m, (1, 0, 0), (placed,))
    findings: list[Problem] = []
    bad = gated = 0
    paths = {given[1] for given in placed if given is not None}
    if (0, 0) in paths and (0, 1) not in paths:
        findings.append(_no_second_result(form, context))
        bad += not context.follows_ptxas
    for template, type, given in zip(form.operands, form.types(m), placed, strict=True):
        if given is None:
            continue
        operand_place = Place(form, m, template, type, context)
        found = [*judge(operand_place, *given), *_may_be(form, m, template, *given, context)]
        gated += any(problem.about in _GATES for problem in found)
        if any(problem.about not in _GATED for problem in found):
            bad += 2 if _is_of_another_form(operand_place, given[0], found) else 1
        findings += found
    return Candidate(form, m, (2, -bad, -gated), tuple(findings))


def _is_of_another_form(place: Place, kind: Kind, found: list[Problem]) -> bool:
    """Whether an operand that does not fit is an address of other parts, or a list where there is none."""
    if kind.sort == kinds.LIST:
        return len(kind.parts) > 1 and not lengths(place)
    bracketed = kind.sort == kinds.ADDRESS and place.template.role != "address"
    return bracketed or any(problem.about == "address-form" for problem in found)


def place(form: Form, layout: tuple[int, ...], operands: tuple[Kind, ...]) -> list[Placed] | Problem:
    """Operands by template: their kinds and their paths. `d|p` fills two templates."""
    placed: list[Placed] = [None] * len(form.operands)
    for number, (position, kind) in enumerate(zip(layout, operands, strict=True)):
        paired = position + 1 < len(form.operands) and form.operands[position + 1].pair
        if kind.sort != kinds.PAIR:
            if paired and not form.operands[position + 1].optional:
                alone = kind.sort == kinds.REGISTER and kind.type is not None and kind.type.kind == "pred"
                return Problem(
                    "operand-kind", f"`{form.text}` writes a pair `d|p`", (number,), "half of a pair",
                    expected="a pair `d|p`", actual=kind.text,
                    help="write `_` for the result that is not needed: `_|{}`" if alone else None,
                    repair=(lambda statement, number=number: _second_of_pair(statement, number)) if alone else None,
                )  # fmt: skip
            placed[position] = kind, (number,)
        elif not paired and _discards(kind, number):
            placed[position] = kind.parts[0], (number, 0)
        elif not paired:
            return Problem(
                "operand-kind", f"`{form.instruction.name}` has no pair of results here", (number,), "a pair `d|p`",
                expected="one operand", actual="a pair",
                help="leave out the `|` and what follows it",
                repair=lambda statement, number=number: _first_of_pair(statement, number),
            )  # fmt: skip
        else:
            placed[position], placed[position + 1] = (kind.parts[0], (number, 0)), (kind.parts[1], (number, 1))
    return placed


def _second_of_pair(statement: Statement, number: int) -> Fix:
    """The operand as the second of a pair whose first one is not needed."""
    operand = statement.operands[number]
    return Fix(operand.span, f"_|{operand.text}", f"write `_|{operand.text}`")


def _first_of_pair(statement: Statement, number: int) -> Fix:
    """The pair replaced by its first operand."""
    span, text = statement.operands[number].span, statement.operands[number].text
    first = text.partition("|")[0].rstrip()
    return Fix(span, first, f"write `{first}`")


def _discards(kind: Kind, number: int) -> bool:
    """Whether an operand is `d|_`, which the assembler reads as `d` if an instruction has one result."""
    return not number and kind.sort == kinds.PAIR and [x.sort for x in kind.parts] == [kinds.REGISTER, kinds.SINK]


def _no_second_result(form: Form, context: Context) -> Problem:
    name = form.instruction.name
    return Problem(
        "document-disagrees" if context.follows_ptxas else "operand-kind",
        f"the assembler ignores `|_`: `{name}` has one result"
        if context.follows_ptxas
        else f"`{name}` has no pair of results here",
        (0, 1),
        "nothing to discard",
        expected="one operand",
        actual="a pair",
        help="leave `|_` out",
    )


def _may_be(
    form: Form, m: Modifiers, template: Template, kind: Kind, path: Path, context: Context
) -> Iterator[Problem]:
    """What forbids an optional operand: the other modifiers, or the file's version or target."""
    name = template.name
    if any(name in each.then.split() and each.holds(m) for each in conditions(form.instruction.absent)):
        label, expected = "leave it out", "no such operand"
        yield Problem(
            "operand-count", f"`{m}` has no operand `{name}`", path, label, expected=expected, actual=kind.text
        )
    later = form.instruction.operand_gates.get(name)
    integer = kind.sort == kinds.INTEGER or (kind.type is not None and kind.type.kind in "su")
    if later is not None and not (context.follows_ptxas and integer):  # those are ignored
        yield from require(f"operand `{name}` of `{m}`", gate(later), context, path)


def _count(m: Modifiers, form: Form, layouts: tuple[tuple[int, ...], ...], operands: tuple[Kind, ...]) -> Problem:
    counts = sorted({len(layout) for layout in layouts})
    least, most = counts[0], counts[-1]
    wanted = str(least) if least == most else f"{least} or {most}" if most == least + 1 else f"{least} to {most}"
    plural = "" if wanted == "1" else "s"
    return Problem(
        "operand-count", f"`{m}` takes {wanted} operand{plural}, not {len(operands)}",
        label=f"{len(operands)} operand{'' if len(operands) == 1 else 's'}",
        expected=f"{wanted} operand{plural}", actual=str(len(operands)),
        help=f"its form is `{form.text}`", repair=_unended,
    )  # fmt: skip


def _unended(statement: Statement) -> Fix | None:
    """An instruction without its `;`, whose only operand is the next line's opcode: `ret`, and then `ret;`."""
    end, next_line = statement.opcode_span[1], statement.operands[0].span[0] if statement.operands else 0
    if len(statement.operands) != 1 or statement.operands[0].text not in load():
        return None
    return Fix((end, end), ";", "end the statement") if "\n" in statement.file.text[end:next_line] else None
