"""The verdict on an instruction: a lookup by opcode and kinds of operands, and the rules behind it."""

from __future__ import annotations

from openptx.check import kinds
from openptx.check.addresses import guarded_parameter
from openptx.check.flow import writes
from openptx.check.operands import judge
from openptx.check.places import Place
from openptx.check.problems import WARNINGS, Problem, rewrite
from openptx.check.rules import refine
from openptx.check.values import doubtful, judge_values
from openptx.isa.control import calls, joins
from openptx.isa.notation import resolve
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.check.bound_form import BoundForm
    from openptx.check.context import Context
    from openptx.check.kinds import Kind
    from openptx.check.plain.templates import Template
    from openptx.check.problems import Path
    from openptx.isa.notation.forms import Form, Modifiers
    from openptx.isa.types import Type
    from openptx.syntax.operands import Operand

    Key = tuple[str, *tuple[Kind, ...]]
    Placed = tuple[Kind, Path] | None
    Row = tuple[str, Kind, Kind, Kind, Kind, Kind, Kind]

Findings = tuple[Problem, ...]


class Verdicts(dict["Key", "Findings | None"]):
    """Verdicts of one context by (opcode, kind, kind, ...): findings, LOOK, or None where there is nothing to say."""

    __slots__ = ("_judged", "bound", "calls", "context", "rows", "templates", "valued")

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.rows = Rows(self)
        self._judged: dict[Key, Judged | None] = {}  # the forms that the verdicts are about
        self.bound: dict[Key, BoundForm | None] = {}  # these forms as lowering needs them
        self.valued: set[tuple[Key, tuple[str, ...]]] = set()
        """Instructions whose constants, as they are written, were found right."""
        self.calls: set[tuple[object, ...]] = set()
        """Calls that were found right, by all that this depends on."""
        self.templates: dict[tuple[object, ...], Template | None] = {}
        """Blocks that were found right, by what matters of them; None where that is not all."""

    def __missing__(self, key: Key) -> Findings | None:
        opcode, operands = key[0], key[1:]
        judged = self._judged[key] = fitting(opcode, operands, self.context)
        found: Findings | None = verdict(judged, opcode, operands, self.context) or None
        if found is None and (calls(opcode) or joins(opcode) or self.doubtful(key)):
            found = LOOK
        self[key] = found
        return found

    def judged(self, key: Key) -> Judged | None:
        """The form that takes such operands, or comes nearest; None where the opcode has none."""
        if key not in self._judged:
            self[key]
        return self._judged[key]

    def doubtful(self, key: Key) -> bool:
        """Whether constants may have values that the instruction does not take."""
        judged = self.judged(key)
        return judged is not None and doubtful(judged.form, judged.m, key[1:])

    def constants(self, key: Key, texts: Sequence[str]) -> tuple[Key, tuple[str, ...]] | None:
        """The member of `valued` for these operands; None where more is to be looked at than constants."""
        if self[key] != LOOK or calls(key[0]) or joins(key[0]):
            return None
        given = zip(texts, key[1:], strict=True)
        return key, tuple([text for text, kind in given if kind.sort in (kinds.INTEGER, kinds.FLOAT)])

    def misvalued(self, key: Key, operands: Sequence[Operand]) -> list[Problem]:
        """What is wrong with the values of constants, in an instruction that is right but for them."""
        judged = self._judged[key]
        if judged is None or not judged.accepted:
            return []
        return list(judge_values(judged.form, judged.m, operands))


class Rows(dict["Row", str]):
    """The same verdicts by (opcode, kind of the guard, second to fifth operand, first operand), or ABSENT_KIND."""

    __slots__ = ("verdicts",)

    def __init__(self, verdicts: Verdicts) -> None:
        super().__init__()
        self.verdicts = verdicts

    def __missing__(self, key: Row) -> str:
        opcode, guard, *others, first = key
        given = [kind for kind in (first, *others) if kind is not kinds.ABSENT_KIND]
        passive = first.sort in _PASSIVE
        if not opcode:
            found = FINE
        elif guard not in (kinds.ABSENT_KIND, kinds.PREDICATE_KIND) or (
            guard is kinds.PREDICATE_KIND and guarded_parameter(given) is not None
        ):
            found = LOOK_CLOSER
        elif (verdict := self.verdicts[(opcode, *given)]) is None:
            found = FINE if passive or writes(opcode) else READS_FIRST
        else:
            met = joins(opcode) and guard is kinds.ABSENT_KIND and verdict is LOOK
            plain = met and not self.verdicts.doubtful((opcode, *given))
            found = BARRIER if plain else LOOK_CLOSER
        self[key] = found
        return found


FINE, READS_FIRST, BARRIER, LOOK_CLOSER = "fine", "reads what it names first", "barrier", "look closer"
"""Verdicts on rows. The second and third are fine too where the register is written, and the warp not split. The
operand that stands first is read by a barrier, too."""

_PASSIVE = (kinds.ABSENT, kinds.ADDRESS, kinds.NAME, kinds.INTEGER)

LOOK: Findings = ()
"""Nothing to say of the kinds, but the statement must be looked at: a call has a callee, a barrier its place, a
constant its value."""

_VERDICTS: dict[tuple[object, ...], Verdicts] = {}


def verdicts(context: Context) -> Verdicts:
    """The verdicts remembered for a context."""
    key = context.key()
    found = _VERDICTS.get(key)
    if found is None:
        found = _VERDICTS[key] = Verdicts(context)
    return found


class Judged:
    """What one form says about the operands. The better of two is the one with the higher `rank`."""

    __slots__ = ("findings", "form", "m", "rank")

    def __init__(self, form: Form, m: Modifiers, rank: tuple[int, ...], findings: Findings) -> None:
        self.form, self.m, self.rank, self.findings = form, m, rank, findings

    @property
    def accepted(self) -> bool:
        """Whether nothing but warnings was found."""
        return all(finding.about in WARNINGS for finding in self.findings)


def verdict(judged: Judged | None, opcode: str, operands: tuple[Kind, ...], context: Context) -> Findings:
    """What there is to say about an instruction with such operands; `judged` is the form that fits them."""
    if judged is None:
        from openptx.check.opcodes import explain

        return (explain(opcode, operands, context.profile),)
    return judged.findings if judged.accepted else folded(judged, opcode, operands, context)


def fitting(opcode: str, operands: tuple[Kind, ...], context: Context) -> Judged | None:
    """What the first form says that takes such operands, or else the one that comes nearest; None without a form."""
    best: Judged | None = None
    for form, m in resolve(opcode, "ptxas" if context.precedent else "isa"):
        judged = refine(examine(form, m, operands, context), operands, context)
        if judged.accepted:
            return judged
        if best is None or judged.rank > best.rank:
            best = judged
    return best


def folded(judged: Judged, opcode: str, operands: tuple[Kind, ...], context: Context) -> Findings:
    """One mistake, one problem: several operands of one wrong type; often it is the opcode that is wrong."""
    wrong = [finding for finding in judged.findings if finding.about in _MISMATCHES]
    if not wrong or len({finding.actual for finding in wrong}) > 1 or (len(wrong) == 1 and _doubted(judged, operands)):
        return judged.findings
    first = wrong[0]
    actual = TYPES.get((first.actual or "")[1:])
    other = other_type(judged, opcode, operands, context, actual) if actual is not None else None
    if other is not None:
        first = first.advising(f"these operands are `{first.actual}`: write `{other}`", rewrite(other))
    return tuple(first if finding is wrong[0] else finding for finding in judged.findings if finding not in wrong[1:])


def _doubted(judged: Judged, operands: tuple[Kind, ...]) -> bool:
    """Whether one operand of a wrong type is more likely wrong than the opcode: it has neighbours of other types."""
    types = {kind.type for kind in operands if kind.sort == kinds.REGISTER and kind is not kinds.PREDICATE_KIND}
    return bool(judged.form.instruction.access) or judged.form.instruction.converts or len(types) > 1


def other_type(judged: Judged, opcode: str, operands: tuple[Kind, ...], context: Context, actual: Type) -> str | None:
    """The opcode with the type of its operands: the same kind of number in their width, or else their very type."""
    for old in (TYPES[modifier] for modifier in judged.m.written if modifier in TYPES):
        letter = "f" if actual.kind == "f" else old.kind
        for name in (f"{letter}{actual.width}", actual.name):
            other = ".".join(name if part == old.name else part for part in opcode.split("."))
            for form, m in resolve(other, "ptxas" if context.precedent else "isa"):
                if refine(examine(form, m, operands, context), operands, context).accepted:
                    return other
    return None


_MISMATCHES = ("operand-type", "operand-size")


def examine(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> Judged:
    """What one form says: the number of operands first, then each of them."""
    layouts = form.layouts(m)
    layout = next((layout for layout in layouts if len(layout) == len(operands)), None)
    if layout is None:
        return Judged(
            form, m, (0, -min(abs(len(x) - len(operands)) for x in layouts), 0), (_count(m, form, layouts, operands),)
        )
    placed = place(form, layout, operands)
    if isinstance(placed, Problem):
        return Judged(form, m, (1, 0, 0), (placed,))
    findings: list[Problem] = []
    bad = 0
    for template, type, given in zip(form.operands, form.types(m), placed, strict=True):
        if given is None:
            continue
        found = list(judge(Place(form, m, template, type, context), *given))
        if any(problem.about not in WARNINGS for problem in found):  # an address of other parts is another form's
            bad += 2 if any(problem.about == "address-form" for problem in found) else 1
        findings += found
    return Judged(form, m, (2, -bad, 0), tuple(findings))


def place(form: Form, layout: tuple[int, ...], operands: tuple[Kind, ...]) -> list[Placed] | Problem:
    """Operands by template: their kinds and their paths. `d|p` fills two templates."""
    placed: list[Placed] = [None] * len(form.operands)
    for number, (position, kind) in enumerate(zip(layout, operands, strict=True)):
        paired = position + 1 < len(form.operands) and form.operands[position + 1].pair
        if kind.sort != kinds.PAIR:
            if paired and not form.operands[position + 1].optional:
                return Problem(
                    "operand-kind",
                    f"`{form.text}` writes a pair `d|p`",
                    (number,),
                    "half of a pair",
                    expected="a pair `d|p`",
                    actual=kind.text,
                )
            placed[position] = kind, (number,)
        elif not paired:
            return Problem(
                "operand-kind",
                f"`{form.instruction.name}` has no pair of results here",
                (number,),
                "a pair `d|p`",
                expected="one operand",
                actual="a pair",
            )
        else:
            placed[position], placed[position + 1] = (kind.parts[0], (number, 0)), (kind.parts[1], (number, 1))
    return placed


def _count(m: Modifiers, form: Form, layouts: list[tuple[int, ...]], operands: tuple[Kind, ...]) -> Problem:
    counts = sorted({len(layout) for layout in layouts})
    wanted = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    plural = "" if wanted == "1" else "s"
    return Problem(
        "operand-count",
        f"`{m}` takes {wanted} operand{plural}, not {len(operands)}",
        label=f"{len(operands)} operand{'' if len(operands) == 1 else 's'}",
        expected=f"{wanted} operand{plural}",
        actual=str(len(operands)),
        help=f"its form is `{form.text}`",
    )
