"""Whether operands fit a form or an opcode; advice on an opcode without a form: those one edit away that take them."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from openptx.check.context import Context
from openptx.check.explain.missing_modifiers import ITS_FORM, completed, lacking_slots
from openptx.check.explain.replacements import valid_instead
from openptx.check.foreign_spellings import absent
from openptx.check.forms.rules import refine
from openptx.check.forms.select_form import examine
from openptx.check.operand.kinds import Kind
from openptx.check.problems import Problem, rewrite
from openptx.check.spelling import distance, max_distance, nearest
from openptx.isa.notation import Instruction, instructions_of, load, resolve
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.problems import Repair

_SHOWN = 3
"""The most opcodes that are named where several take the operands."""
_LONGEST = 40
"""The most letters of a mnemonic that is compared with others, and of an opcode's modifiers."""
_LAYOUTS = ("row", "col")


def takes(form: Form, m: Modifiers, operands: tuple[Kind, ...], context: Context) -> bool:
    """Whether a form takes these operands."""
    return refine(examine(form, m, operands, context), operands, context).accepted


@lru_cache(1 << 12)  # many wrong opcodes have the same correct ones beside them
def accepted(opcode: str, operands: tuple[Kind, ...], context: Context) -> bool:
    """Whether a form of this opcode takes these operands."""
    profile = "ptxas" if context.follows_ptxas else "isa"
    return any(takes(form, m, operands, context) for form, m in resolve(opcode, profile))


def fitting(problem: Problem, opcode: str, operands: tuple[Kind, ...], context: Context) -> Problem:
    """The problem of an opcode, with the opcodes that were probably meant because they take the operands."""
    mnemonic, *modifiers = opcode.split(".")
    if len(mnemonic) > _LONGEST or len(modifiers) > _LONGEST:
        return problem
    if problem.about == "unknown-instruction":
        return _misspelt(problem, mnemonic, opcode, operands, context)
    if problem.about == "missing-modifier" and (better := _complete(problem, modifiers, opcode, operands, context)):
        return better
    if problem.repair is not None or any(absent(mnemonic, each, _type_kind(each)) for each in modifiers):
        return problem
    known = instructions_of(mnemonic)
    replaced, shortened = _replaced(mnemonic, modifiers, known, problem), _shortened(mnemonic, modifiers)
    either = [shortened, replaced] if _is_of_others(problem, known) else [replaced, shortened]
    edits = [_punctuated(opcode), *either, _completed(modifiers, known)]
    if problem.about == "unknown-modifier":  # one may stand inside of the name, or in the place of its second word
        edits = [edits[0], _reordered(opcode), *edits[1:], _named(opcode, known)]
    for kind in edits:
        if kind is shortened and problem.help is not None:
            continue
        found = _best([each for each in dict.fromkeys(kind) if accepted(each, operands, context)], operands)
        if len(found) == 1:
            return problem.advising(
                f"write `{found[0]}`, which takes these operands", _rewrite_unless_lossy(found[0], modifiers)
            )
        if found and (problem.help is None or problem.help.startswith(ITS_FORM)):
            return problem.advising(_several(found), None)
    return problem if problem.help is not None else _misspelt(problem, mnemonic, opcode, operands, context)


def _complete(
    problem: Problem, modifiers: list[str], opcode: str, operands: tuple[Kind, ...], context: Context
) -> Problem | None:
    """The problem that a modifier is missing, where these operands need another one than is usual."""
    candidates = _completed(modifiers, instructions_of(opcode.partition(".")[0]))
    found = _best([each for each in dict.fromkeys(candidates) if accepted(each, operands, context)], operands)
    if not found or any(f"`{each}`" in (problem.help or "") for each in found):
        return None
    return problem.advising(_several(found), rewrite(found[0]) if len(found) == 1 else None)


def _is_of_others(problem: Problem, known: list[Instruction]) -> bool:
    """Whether a modifier that the instruction lacks is no misspelling of one that it has."""
    if problem.about != "unknown-modifier" or problem.part is None:
        return False
    choices = {choice for each in known for form in each.forms for slot in form.slots for choice in slot.choices}
    return nearest(problem.part, choices) is None


def _best(found: list[str], operands: tuple[Kind, ...]) -> list[str]:
    """Of these opcodes those with a type that a register of the operands is declared with, if there are some."""
    declared = {part.type.name for kind in operands for part in (kind, *kind.parts) if part.type is not None}
    return [each for each in found if not declared.isdisjoint(each.split("."))] or found


def _type_kind(modifier: str) -> str | None:
    return TYPES[modifier].kind if modifier in TYPES else None


def _rewrite_unless_lossy(fixed: str, modifiers: list[str]) -> Repair | None:
    """The fix that writes an opcode; none if a modifier would be lost, which may have been what was wanted."""
    return rewrite(fixed) if fixed.replace("::", ".").count(".") >= len(modifiers) else None


def _several(found: list[str]) -> str:
    """The help that names the first opcodes of several."""
    plain = [each for each in found if all(TYPES[m].count == 1 for m in each.split(".") if m in TYPES)] or found
    *others, last = (f"`{each}`" for each in plain[:_SHOWN])
    more = ", or another that takes these operands" if len(found) > _SHOWN else ""
    return f"write {', '.join(others)} or {last}{more}" if others else f"write {last}{more}"


def _misspelt(problem: Problem, mnemonic: str, opcode: str, operands: tuple[Kind, ...], context: Context) -> Problem:
    """The problem of an unknown mnemonic, with the nearest one whose instruction takes the operands."""
    if problem.repair is not None and problem.expected and accepted(problem.expected, operands, context):
        return problem
    rest, most = opcode[len(mnemonic) :], max_distance(mnemonic, None)
    names = [(distance(mnemonic, each, most + 1), each) for each in load() if abs(len(each) - len(mnemonic)) <= most]
    near = (f"{name}{rest}" for edits, name in sorted(names) if edits <= most)
    edits = chain(near, _punctuated(opcode), _reordered(opcode)) if operands else _reordered(opcode)
    found = next((each for each in edits if accepted(each, operands, context)), None)
    if found is None:
        return problem
    return problem.advising(f"did you mean `{found}`?", rewrite(found))


def _punctuated(opcode: str) -> Iterator[str]:
    """The opcode with `::` for a dot or a dot for `::`, `:` or `_`, and with a dot put into one of its words, or in the
    place of a character of it."""
    for wrong, right in ((".", "::"), (":", "."), ("::", "."), (":", "::"), ("_", ".")):
        at = opcode.find(wrong)
        while at >= 0:
            other = f"{opcode[:at]}{right}{opcode[at + len(wrong) :]}"
            if resolve(other):
                yield other
            at = opcode.find(wrong, at + 1)
    for at in range(2, min(len(opcode), _LONGEST)):
        for end in (at, at + 1) if opcode[at - 1 : at + 1].isalnum() else ():
            if resolve(other := f"{opcode[:at]}.{opcode[end:]}"):
                yield other


def _reordered(opcode: str) -> Iterator[str]:
    """The opcode with two words exchanged that stand side by side, and with a mnemonic moved to its beginning."""
    words = opcode.split(".")
    for at in range(len(words) - 1):
        yield ".".join((*words[:at], words[at + 1], words[at], *words[at + 2 :]))
    for at, word in enumerate(words):
        if at > 1 and word in load():
            yield ".".join((word, *words[:at], *words[at + 1 :]))


def _named(opcode: str, known: list[Instruction]) -> Iterator[str]:
    """The opcodes with a part of the name that is missing: `tcgen05.cta_group::1.b64`, `cp.async.shared::cta`."""
    words = opcode.split(".")
    for each in known:
        for at, part in enumerate(each.parts):
            if words[:at] == list(each.parts[:at]) and words[at : at + 1] != [part]:
                yield ".".join((*words[:at], part, *words[at:]))


def _replaced(mnemonic: str, modifiers: list[str], known: list[Instruction], problem: Problem) -> Iterator[str]:
    """The opcodes with another modifier in the place of one, first of the one that the problem is about; the nearest
    spelling first. Operands tell which type, size, shape or layout is meant, and not which operation."""
    others = valid_instead(mnemonic, modifiers, known)
    for at in sorted(others, key=lambda at: modifiers[at] != problem.part):
        old = modifiers[at]
        if problem.about != "unknown-modifier" and not (old in TYPES or old in _LAYOUTS or any(map(str.isdigit, old))):
            continue
        for choice in sorted(others[at], key=lambda choice: distance(old[:_LONGEST], choice, len(old) + len(choice))):
            yield ".".join((mnemonic, *modifiers[:at], choice, *modifiers[at + 1 :]))


def _completed(modifiers: list[str], known: list[Instruction]) -> Iterator[str]:
    """The opcodes with one modifier more, of those that their form needs."""
    for form in (form for each in known for form in each.forms):
        lacking = lacking_slots(form, modifiers)
        for choice in lacking[0].choices if len(lacking) == 1 else ():
            yield completed(form, modifiers, lacking[0], choice)


def _shortened(mnemonic: str, modifiers: list[str]) -> Iterator[str]:
    """The opcodes with one modifier less."""
    for at in range(len(modifiers)):
        yield ".".join((mnemonic, *modifiers[:at], *modifiers[at + 1 :]))
