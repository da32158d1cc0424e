"""The findings about operands that an opcode's form does not take: one mistake gives one finding, which says what the
operands fit. Imported for the first error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise

from openptx.check.context import Context
from openptx.check.explain.replacements import replaced, valid_instead
from openptx.check.forms.fitting_opcodes import accepted, takes
from openptx.check.forms.miscounted import miscounted, too_many, with_sink
from openptx.check.forms.several_errors import ALL_LANES, of_opcode, synchronised, with_last
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.problems import Candidate, Findings, Problem, passes, rewrite, undeclared
from openptx.diagnostics import Fix
from openptx.isa.control import calls
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import instructions_of
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.types import TYPES, Type
from openptx.syntax.tree import Instruction as Statement

_MISMATCHES = ("operand-type", "operand-size")
_LENGTH = "vector-length"
_RULE = "PTX ISA, Operands (6)"
_MOST = 10
"""The most operands that other orders are tried of."""

Order = tuple[int, ...]
"""The operands by their places in the statement."""


def mistaken(
    candidate: Candidate, opcode: str, operands: tuple[Kind, ...], context: Context, *, searches: bool
) -> Findings:
    """The findings about operands that no form of this opcode takes; `candidate` is the nearest form. `searches`: what
    the operands fit is searched for."""
    findings = candidate.findings
    errors = [finding for finding in findings if not passes((finding,))]
    if unknown := tuple(_unknown_elements(opcode, operands)):
        return unknown
    may_be_miscounted = searches and len(errors) > 1 and not calls(opcode)
    if any(finding.about == "unknown-name" for finding in errors):
        extra = too_many(opcode, errors, operands, context) if may_be_miscounted else None
        return findings if extra is None else (extra,)
    if calls(opcode) and (bare := _bare_call(candidate, operands)) is not None:
        return (bare,)
    if not searches:
        return findings
    if [finding.about for finding in errors] == ["removed"]:
        return (synchronised(errors[0], opcode, operands, context) or errors[0],)
    if [finding.about for finding in errors] == ["operand-count"]:
        return (_counted(errors[0], candidate, opcode, operands, context),)
    turned = _reversed(candidate, opcode, operands, context) or _turned_pair(candidate, operands, context)
    misplaced = turned or _misplaced(candidate, opcode, errors, operands, context)
    wrong = misplaced or _lost_result(candidate, errors, operands)
    if wrong is None and may_be_miscounted:
        wrong = miscounted(opcode, errors, operands, context)
    if wrong is not None:
        return (wrong,)
    folded = _folded(candidate, opcode, operands, context)
    several = [finding for finding in folded if not passes((finding,))]
    single = of_opcode(several, opcode, operands, context) if len(several) > 1 else None
    return folded if single is None else (single,)


def _lost_result(candidate: Candidate, errors: list[Problem], operands: tuple[Kind, ...]) -> Problem | None:
    """The problem of an instruction that begins with an address, as if its result were left out."""
    shifted = [error.about for error in errors] == ["destination", "address-form"]
    if not shifted or operands[0].sort != kinds.ADDRESS or operands[1].sort == kinds.LIST:
        return None
    return errors[0].advising(f"the result comes first: its form is `{candidate.form.text}`", None)


def _unknown_elements(opcode: str, operands: tuple[Kind, ...]) -> Iterator[Problem]:
    """The undeclared names in lists, which explain every other error."""
    type = next((TYPES[word] for word in reversed(opcode.split(".")) if word in TYPES), None)
    for i, kind in enumerate(operands):
        for j, part in enumerate(kind.parts if kind.sort == kinds.LIST else ()):
            if part.sort == kinds.NAME:
                size = _width_of_elements(opcode, type, len(kind.parts))
                yield undeclared((i, j), lambda kind, size=size: kind.type is not None and kind.type.width == size)


def _width_of_elements(opcode: str, type: Type | None, count: int) -> int:
    """The bits of an element of a list of `count`: of `ld.v2.f32`, of `mov.b64`, which packs, and of fragments."""
    words = opcode.split(".")
    if type is None or not {"v2", "v4", "v8"}.isdisjoint(words):
        return type.width if type is not None else 32
    return type.width // count if len(words) == 2 else 32


# Operands in another order


def _reversed(candidate: Candidate, opcode: str, operands: tuple[Kind, ...], context: Context) -> Problem | None:
    """The problem that the address stands where the value belongs, and the value where the address does."""
    if len(operands) < 2:
        return None
    first, second, *rest = operands
    if (first.sort == kinds.ADDRESS) == (second.sort == kinds.ADDRESS):
        return None
    form, m, turned = candidate.form, candidate.m, (second, first, *rest)
    if not takes(form, m, turned, context) and not accepted(opcode, turned, context):
        return None
    right = (
        "the address first, then the value" if second.sort == kinds.ADDRESS else "its result first, then the address"
    )
    return Problem(
        "address-form", f"`{m}` takes {right}", (0,) if second.sort == kinds.ADDRESS else (1,),
        "the address belongs here",
        expected=form.text, actual=f"{first.text}, {second.text}", rule=_RULE,
        help="exchange these two operands", repair=_in_order((1, 0)),
    )  # fmt: skip


def _turned_pair(candidate: Candidate, operands: tuple[Kind, ...], context: Context) -> Problem | None:
    """The problem that the results of a pair stand in the wrong order: `%p1|%r1` for `%r1|%p1`."""
    at = next((i for i, kind in enumerate(operands) if kind.sort == kinds.PAIR), None)
    if at is None:
        return None
    second, first = operands[at].parts
    turned = (*operands[:at], kinds.composed(kinds.PAIR, (first, second)), *operands[at + 1 :])
    if not takes(candidate.form, candidate.m, turned, context):
        return None
    return Problem(
        "operand-type", f"the results of `{candidate.m}` stand in the other order", (at,), "exchange these two",
        expected=candidate.form.text, actual=operands[at].text, rule=_RULE, help="exchange the two results",
        repair=lambda statement: _exchanged_pair(statement, at),
    )  # fmt: skip


def _exchanged_pair(statement: Statement, at: int) -> Fix:
    operand = statement.operands[at]
    first, _, second = operand.text.partition("|")
    written = f"{second.strip()}|{first.strip()}"
    return Fix(operand.span, written, f"write `{written}`")


def _misplaced(
    candidate: Candidate, opcode: str, errors: list[Problem], operands: tuple[Kind, ...], context: Context
) -> Problem | None:
    """The problem of an operand that fits in another place, and the others with it: `selp.f32 d, p, a, b`."""
    form, m, count = candidate.form, candidate.m, len(operands)
    if not 2 <= count <= _MOST or candidate.rank[0] < 2 or any(not error.where for error in errors):
        return None
    found = _only_order(candidate, list(dict.fromkeys(error.where[0] for error in errors)), operands, context)
    if found is None:
        return None
    order, first = found
    at, error = order.index(first), next(error for error in errors if error.where[0] == first)
    layout = next(layout for layout in form.layouts(m) if len(layout) == count)
    name = form.operands[layout[at]].name
    typed = _with_types_exchanged(opcode, operands, context)
    return Problem(
        error.about,
        f"operand `{form.operands[layout[first]].name}` of `{m}` can't be `{{}}`, which fits operand `{name}`",
        (first,), error.label,
        operand=error.operand, expected=error.expected, actual=error.actual, rule=_RULE,
        help=f"exchange the operands, or write `{typed}`" if typed else f"its form is `{form.text}`",
        repair=None if typed else _in_order(order),
    )  # fmt: skip


def _only_order(
    candidate: Candidate, wrong: list[int], operands: tuple[Kind, ...], context: Context
) -> tuple[Order, int] | None:
    """The only order in which the operands fit, with the wrong operand that it moves: that operand alone is moved, or
    exchanged with another wrong one."""
    count = len(operands)
    moved = ((order, i) for i in wrong for order in _orders(count, i))
    swapped = ((_swapped_order(count, i, j), i) for i, j in combinations(wrong, 2))
    for orders in (moved, swapped):
        fitting: dict[Order, int] = {}
        for order, i in orders:
            if any(order[at] == at for at in wrong):
                continue  # a wrong operand that stays in its place stays wrong
            if _moves_mask(candidate.form, operands, order):
                continue
            if takes(candidate.form, candidate.m, tuple(operands[at] for at in order), context):
                fitting.setdefault(order, i)
        among = {order: i for order, i in fitting.items() if all(order[at] == at or at in wrong for at in order)}
        fitting = among if len(among) == 1 else fitting
        if len(fitting) == 1:
            return next(iter(fitting.items()))
    return None


def _moves_mask(form: Form, operands: tuple[Kind, ...], order: Order) -> bool:
    """Whether a constant leaves the place of the mask of lanes, which is the last operand."""
    masked = bool(form.operands) and form.operands[-1].name == "membermask"
    return masked and operands[-1].sort == kinds.INTEGER and order[-1] != len(order) - 1


def _orders(count: int, moved: int) -> Iterator[Order]:
    """The orders in which one operand stands in another place, and the others as they did."""
    others = [i for i in range(count) if i != moved]
    yield from ((*others[:to], moved, *others[to:]) for to in range(count) if to != moved)


def _swapped_order(count: int, i: int, j: int) -> Order:
    return tuple(j if at == i else i if at == j else at for at in range(count))


def _with_types_exchanged(opcode: str, operands: tuple[Kind, ...], context: Context) -> str | None:
    """A conversion with its two types exchanged, if that takes the operands: `cvt.u64.u32` for `cvt.u32.u64`."""
    words = opcode.split(".")
    if words[0] != "cvt" or not {*words[-2:]} <= TYPES.keys():
        return None
    plain = [word for word in words[1:-2] if word not in ROUNDING]
    turned = (".".join(("cvt", *rounding, *plain, words[-1], words[-2])) for rounding in ((), ("rn",), ("rzi",)))
    return next((opcode for opcode in turned if accepted(opcode, operands, context)), None)


def _in_order(order: Order) -> Callable[[Statement], Fix]:
    """The fix that writes the first operands in this order."""

    def repair(statement: Statement) -> Fix:
        text, spans = statement.file.text, [operand.span for operand in statement.operands[: len(order)]]
        words = [text[slice(*spans[i])] for i in order]
        between = [text[a[1] : b[0]] for a, b in pairwise(spans)]
        written = "".join(word + gap for word, gap in zip(words, (*between, ""), strict=True))
        return Fix((spans[0][0], spans[-1][1]), written, "exchange the operands")

    return repair


# Too many or too few operands


def _counted(
    found: Problem, candidate: Candidate, opcode: str, operands: tuple[Kind, ...], context: Context
) -> Problem:
    """The problem that the number of operands is wrong, with what these operands fit."""
    form, m = candidate.form, candidate.m
    relative = form.instruction.relative
    other = f"{relative}{opcode[opcode.find('.') :]}"
    if relative and accepted(other, operands, context):
        return found.advising(f"`{other}` takes these operands", rewrite(other))
    for sizes in _sizes(form, m, len(operands)):
        if takes(form, m, tuple(_grouped(operands, sizes)), context):
            return found.advising("write each list of elements in braces: `{a, b}`", _brace_repair(sizes))
    masked = form.operands[-1:] and form.operands[-1].name == "membermask"
    if (masked or not operands) and takes(form, m, (*operands, kinds.integer(-1 if masked else 0)), context):
        help = f"the mask of lanes is missing: `{ALL_LANES}` for all lanes" if masked else f"write `{opcode} 0`"
        return found.advising(help, with_last(opcode, ALL_LANES if masked else "0"))
    if not form.instruction.access and (discarding := with_sink(opcode, operands, context)) is not None:
        return found.advising("the result comes first: `_` where it is not needed", discarding)
    first, names = operands[:1], [operand.name for operand in form.operands]
    if (
        names == ["d", "a", "b"]
        and first
        and first[0].sort == kinds.REGISTER
        and takes(form, m, (*first, *operands), context)
    ):
        return found.advising(f"{found.help}: a destination that is also read is named twice", found.repair)
    return found


def _sizes(form: Form, m: Modifiers, count: int) -> Iterator[Order]:
    """How many operands each place has, if those of lists are written without braces."""
    for layout in form.layouts(m):
        sizes = tuple(max(form.count(form.operands[position], m), 1) for position in layout)
        if sum(sizes) == count > len(sizes):
            yield sizes


def _grouped(operands: tuple[Kind, ...], sizes: Order) -> Iterator[Kind]:
    at = 0
    for size in sizes:
        yield operands[at] if size == 1 else kinds.composed(kinds.LIST, operands[at : at + size])
        at += size


def _brace_repair(sizes: Order) -> Callable[[Statement], Fix]:
    def repair(statement: Statement) -> Fix:
        text, written, at = statement.file.text, list[str](), 0
        for size in sizes:
            start, end = statement.operands[at].span[0], statement.operands[at + size - 1].span[1]
            written.append(f"{{{text[start:end]}}}" if size > 1 else text[start:end])
            at += size
        span = statement.operands[0].span[0], statement.operands[-1].span[1]
        return Fix(span, ", ".join(written), "add the braces")

    return repair


def _bare_call(candidate: Candidate, operands: tuple[Kind, ...]) -> Problem | None:
    """The problem that results or arguments of a call are not in parentheses."""
    callee = next((i for i, kind in enumerate(operands) if kind.sort == kinds.FUNCTION), None)
    if callee is None or all(kind.sort == kinds.ARGUMENTS for i, kind in enumerate(operands) if i != callee):
        return None
    wrong = next(i for i, kind in enumerate(operands) if i != callee and kind.sort != kinds.ARGUMENTS)
    if operands[-1].sort == kinds.TABLE:
        return None
    what = "results" if wrong < callee else "arguments"
    return Problem(
        "operand-kind", f"the {what} of a call are in parentheses", (wrong,), operands[wrong].described,
        expected=candidate.form.text, actual=operands[wrong].text, rule=_RULE,
        help="its form is `call (result), name, (arguments);`", repair=lambda statement: _enclosed(statement, callee),
    )  # fmt: skip


def _enclosed(statement: Statement, callee: int) -> Fix:
    """The call with its results and its arguments in parentheses."""
    given = statement.operands
    parts = given[:callee], given[callee + 1 :]
    results, arguments = (", ".join(each.text.strip("(){}") for each in part) for part in parts)
    words = f"({results})" if results else "", given[callee].text, f"({arguments})" if arguments else ""
    written = ", ".join(word for word in words if word)
    return Fix((given[0].span[0], given[-1].span[1]), written, "add the parentheses")


# Operands of other types


def _folded(candidate: Candidate, opcode: str, operands: tuple[Kind, ...], context: Context) -> Findings:
    """One mistake gives one problem: if several operands have the same wrong type, the opcode is probably wrong."""
    findings = candidate.findings
    wrong = [finding for finding in findings if finding.about in (*_MISMATCHES, _LENGTH)]
    if not wrong:
        return findings
    first = wrong[0]
    lengths = first.about == _LENGTH
    alike = lengths or len({finding.actual for finding in wrong}) == 1
    other = _other_modifier(opcode, operands, context) if first.repair is None else None
    if other is not None and len(wrong) + lengths > 1:
        repair = rewrite(other) if len(wrong) > 1 else None  # or else the operand is as likely wrong as the opcode
        return _leading(findings, wrong, first.advising(f"`{other}` takes these operands", repair))
    if lengths:
        return _leading(findings, wrong, first)
    actual = TYPES.get((first.actual or "")[1:])
    retyped = _other_type(candidate, opcode, operands, context, actual) if alike and actual is not None else None
    if retyped is not None and not (len(wrong) == 1 and _is_operand_wrong(candidate, operands)):
        first = first.advising(f"these operands are `{first.actual}`: write `{retyped}`", rewrite(retyped))
    else:
        first = _or_written(first, other or (None if candidate.form.instruction.converts else retyped))
    return _leading(findings, wrong if alike else wrong[:1], first)


def _or_written(problem: Problem, other: str | None) -> Problem:
    """The problem of an operand's size, whose help is another declaration, with another opcode as a second choice."""
    declares = problem.about == "operand-size" and (problem.help or "").startswith("declare it")
    return problem.advising(f"{problem.help}, or write `{other}`", None) if declares and other is not None else problem


def _leading(findings: Findings, wrong: list[Problem], first: Problem) -> Findings:
    """The findings with `first` in the place of those that are `wrong`."""
    return tuple(first if finding is wrong[0] else finding for finding in findings if finding not in wrong[1:])


def _other_modifier(opcode: str, operands: tuple[Kind, ...], context: Context) -> str | None:
    """The opcode with another modifier, no type, that takes these operands: another shape or geometry, `.wide` for
    `.lo`."""
    mnemonic, *modifiers = opcode.split(".")
    found = [
        other
        for at, choices in valid_instead(mnemonic, modifiers, instructions_of(mnemonic)).items()
        if modifiers[at] not in TYPES
        for other in (replaced(mnemonic, modifiers, at, choice) for choice in choices)
        if other != opcode and accepted(other, operands, context)
    ]
    plain = [other for other in found if ".lo." in other]
    return found[0] if len(found) == 1 else plain[0] if len(plain) == 1 else None


def _is_operand_wrong(candidate: Candidate, operands: tuple[Kind, ...]) -> bool:
    """Whether one operand of a wrong type is more likely wrong than the opcode: its neighbours have other types."""
    types = {kind.type for kind in operands if kind.sort == kinds.REGISTER and kind is not kinds.PREDICATE_KIND}
    return bool(candidate.form.instruction.access) or candidate.form.instruction.converts or len(types) > 1


def _other_type(
    candidate: Candidate, opcode: str, operands: tuple[Kind, ...], context: Context, actual: Type
) -> str | None:
    """The opcode with the type of its operands: the same kind of number in their width, or else their exact type."""
    for old in (TYPES[modifier] for modifier in candidate.m.written if modifier in TYPES):
        letter = "f" if actual.kind == "f" else old.kind
        packed = [f"{old.name}x2"] if old.kind == "f" and actual.kind == "b" else []
        for name in (*packed, f"{letter}{actual.width}", actual.name):
            other = ".".join(name if part == old.name else part for part in opcode.split("."))
            if accepted(other, operands, context):
                return other
    return None
