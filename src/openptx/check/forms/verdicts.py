"""Verdicts on instructions, memoised by opcode and kinds of operands."""

from __future__ import annotations

from openptx.check.flow.reads_writes import writes
from openptx.check.forms.addresses import guard_problem, guarded_parameter
from openptx.check.forms.immediates import has_checked_immediates, judge_immediates
from openptx.check.forms.select_form import select_form
from openptx.check.operand import kinds
from openptx.check.problems import Candidate, Findings, Problem, passes
from openptx.isa.control import calls, joins
from openptx.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.check.context import Context
    from openptx.check.fast.block_memo import BlockMemo
    from openptx.check.lowering.bound_form import BoundForm
    from openptx.check.names.body import ResolvedInstruction
    from openptx.check.operand.kinds import Kind
    from openptx.check.problems import Key
    from openptx.check.spelling import Suggestions
    from openptx.syntax.operands import Operand

    Row = tuple[str, Kind, Kind, Kind, Kind, Kind, Kind]
    from openptx.check.explain.opcode_errors import explain
    from openptx.check.forms.fitting_opcodes import fitting
    from openptx.check.forms.mistaken_operands import mistaken
    from openptx.check.forms.split_names import split_name
else:
    fitting = late("openptx.check.forms.fitting_opcodes", "fitting")
    explain = late("openptx.check.explain.opcode_errors", "explain")
    mistaken = late("openptx.check.forms.mistaken_operands", "mistaken")
    split_name = late("openptx.check.forms.split_names", "split_name")


class Verdicts(dict["Key", "Findings | None"]):
    """Verdicts of one context by (opcode, kind, kind, ...): findings, LOOK, or None if there are none. Errors are not
    explained yet: `explained` does that, for what is reported."""

    __slots__ = ("_candidates", "_explained", "_plain", "block_memos", "bound", "calls", "context", "rows", "valued")

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.rows = Rows(self)
        self._candidates: dict[Key, Candidate | None] = {}  # the forms that the verdicts refer to
        self.bound: dict[Key, BoundForm | None] = {}  # these forms as lowering needs them
        self.valued: set[tuple[Key, tuple[str, ...]]] = set()
        """Instructions with accepted constants, by the text of the constants."""
        self._plain: dict[Key, Findings] = {}
        self._explained: dict[tuple[Key, bool], Findings] = {}
        self.calls: set[tuple[object, ...]] = set()
        """Keys of accepted calls."""
        self.block_memos: dict[tuple[object, ...], BlockMemo | None] = {}
        """Memos of accepted blocks, by key; None for a block that can't be memoised."""

    def __missing__(self, key: Key) -> Findings | None:
        opcode, operands = key[0], key[1:]
        candidate = self._candidates[key] = select_form(opcode, operands, self.context)
        found: Findings | None = (_NO_FORM if candidate is None else candidate.findings) or None
        if found is None and (calls(opcode) or joins(opcode) or self.has_checked_immediates(key)):
            found = LOOK
        self[key] = found
        return found

    def candidate(self, key: Key) -> Candidate | None:
        """The form that takes these operands, or the nearest one; None if the opcode has no form."""
        if key not in self._candidates:
            self[key]
        return self._candidates[key]

    def has_checked_immediates(self, key: Key) -> bool:
        """Whether constants may have values that the instruction does not accept."""
        candidate = self.candidate(key)
        return candidate is not None and has_checked_immediates(candidate.form, candidate.m, key[1:], self.context)

    def plain_warnings(self, key: Key) -> Findings:
        """The problems of an instruction if they are warnings that only need the texts of its operands; none if there
        are others, or if more than its kinds decides."""
        found = self._plain.get(key)
        if found is None:
            given, all_found = key[1:], self[key] or ()
            decided = passes(all_found) and not (calls(key[0]) or joins(key[0]) or self.has_checked_immediates(key))
            plain = decided and all(_needs_text_alone(problem, given) for problem in all_found)
            found = self._plain[key] = all_found if plain else ()
        return found

    def constants(self, key: Key, texts: Sequence[str]) -> tuple[Key, tuple[str, ...]] | None:
        """The key into `valued` for these operands; None if more than the constants decides."""
        if self[key] != LOOK or calls(key[0]) or joins(key[0]):
            return None
        given = zip(texts, key[1:], strict=True)
        return key, tuple([text for text, kind in given if kind.sort in (kinds.INTEGER, kinds.FLOAT)])

    def immediate_errors(self, key: Key, operands: Sequence[Operand]) -> list[Problem]:
        """Problems with the values of constants in an otherwise correct instruction."""
        candidate = self._candidates[key]
        if candidate is None or not candidate.accepted:
            return []
        return list(judge_immediates(candidate.form, candidate.m, operands, self.context))

    def explained(self, key: Key, suggestions: Suggestions) -> Findings | None:
        """The verdict with advice on errors; whether it is searched for depends on what the file has spent."""
        found = self[key]
        if found is None or passes(found):
            return found
        searches = suggestions.searches(key)
        known = self._explained.get((key, searches))
        if known is None:
            known = explained(self._candidates[key], key[0], key[1:], self.context, searches=searches)
            self._explained[key, searches] = known
        return known

    def problems(self, resolved: ResolvedInstruction, suggestions: Suggestions) -> Findings:
        """All problems of an instruction, including those of its guard and of its constants."""
        instruction, key = resolved.instruction, resolved.key
        found = self.explained(key, suggestions)
        problems = found or ()
        if instruction.guard is not None and (number := guarded_parameter(key[1:])) is not None:
            problems = (*problems, guard_problem(key[0], number))
        if found is not None:
            problems = (*problems, *self.immediate_errors(key, instruction.operands))
        if instruction.splits_opcode and (candidate := self.candidate(key)) is not None:
            problem = split_name(instruction, candidate)
            problems = problems if problem is None else (*problems, problem)
        return problems


class Rows(dict["Row", str]):
    """Verdicts by (opcode, kind of the guard, second to fifth operand, first operand), or ABSENT_KIND."""

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
            plain = met and not self.verdicts.has_checked_immediates((opcode, *given))
            found = BARRIER if plain else LOOK_CLOSER
        self[key] = found
        return found


FINE, READS_FIRST, BARRIER, LOOK_CLOSER = "fine", "reads what it names first", "barrier", "look closer"
"""Verdicts on rows. READS_FIRST is accepted if the first operand has been written; BARRIER if the warp is not split.

A barrier also reads its first operand."""

_PASSIVE = (kinds.ABSENT, kinds.ADDRESS, kinds.NAME, kinds.INTEGER)

LOOK: Findings = ()
"""The kinds are correct but not sufficient: a call also depends on its callee, a barrier on its place, a constant on
its value."""

_NO_FORM: Findings = (Problem("unknown-instruction", "no instruction has a form with this opcode"),)

_NAMELESS = (kinds.INTEGER, kinds.FLOAT, kinds.LIST)
"""Operands without a declaration of their own, which a diagnostic would show."""


def _needs_text_alone(problem: Problem, given: Sequence[Kind]) -> bool:
    """Whether a problem can be stated without the tree and the scope of its instruction."""
    if problem.repair is not None or problem.part is not None or problem.suits is not None:
        return False
    return not problem.where or (len(problem.where) == 1 and given[problem.where[0]].sort in _NAMELESS)


_VERDICTS: dict[tuple[object, ...], Verdicts] = {}
_MOST_CONTEXTS, _MOST = 1 << 5, 1 << 16
"""The maximum number of contexts, and of verdicts of one, that outlive a file: a long-lived process checks any number
of files."""


def verdicts(context: Context) -> Verdicts:
    """The verdicts remembered for a context. Too many are replaced, and stay with the files that they came from."""
    key = context.key()
    found = _VERDICTS.get(key)
    if found is None or max(len(found), len(found.rows)) > _MOST:
        if len(_VERDICTS) >= _MOST_CONTEXTS:
            _VERDICTS.clear()
        found = _VERDICTS[key] = Verdicts(context)
    return found


def explained(
    candidate: Candidate | None, opcode: str, operands: tuple[Kind, ...], context: Context, *, searches: bool
) -> Findings:
    """The findings about a wrong instruction; `candidate` is the form that was selected for its operands. `searches`:
    other opcodes and places are tried for advice."""
    if candidate is None:
        found = explain(opcode, operands, context.profile)
        return (fitting(found, opcode, operands, context) if searches else found,)
    return mistaken(candidate, opcode, operands, context, searches=searches)
