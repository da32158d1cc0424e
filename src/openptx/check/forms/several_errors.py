"""An instruction with several errors that another opcode does not have: a wrong type, or a form of old versions."""

from __future__ import annotations

from openptx.check.forms.fitting_opcodes import accepted
from openptx.check.operand import kinds
from openptx.check.problems import Problem, rewrite
from openptx.diagnostics import Fix
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.context import Context
    from openptx.check.operand.kinds import Kind
    from openptx.check.problems import Repair
    from openptx.syntax.tree import Instruction as Statement

ALL_LANES = "0xffffffff"


def of_opcode(errors: list[Problem], opcode: str, operands: tuple[Kind, ...], context: Context) -> Problem | None:
    """The only problem of an instruction whose errors another opcode does not have: that its opcode is wrong."""
    removed = next((error for error in errors if error.about == "removed"), None)
    if removed is not None:
        return synchronised(removed, opcode, operands, context)
    other = next((each for each in _retyped(opcode, operands) if accepted(each, operands, context)), None)
    first = next((error for error in errors if error.where), errors[0])
    return None if other is None else first.advising(f"write `{other}`, which takes these operands", rewrite(other))


def synchronised(removed: Problem, opcode: str, operands: tuple[Kind, ...], context: Context) -> Problem | None:
    """The problem of a form without `.sync`, with the form that replaced it, and the mask of lanes that it needs."""
    mnemonic, _, tail = opcode.partition(".")
    other = f"{mnemonic}.sync.{tail}"
    if accepted(other, operands, context):
        return removed.advising(f"write `{other}`", rewrite(other))
    if accepted(other, (*operands, kinds.integer(0xFFFFFFFF)), context):
        return removed.advising(f"{removed.help}: `{ALL_LANES}` for all lanes", with_last(other, ALL_LANES))
    return None


def with_last(opcode: str, operand: str) -> Repair:
    """The fix that writes an opcode, and one more operand after the others."""

    def repair(statement: Statement) -> Fix:
        (start, end), operands = statement.opcode_span, statement.operands
        last = operands[-1].span[1] if operands else end
        meant = f"{opcode}{statement.file.text[end:last]}{',' if operands else ''} {operand}"
        return Fix((start, last), meant, f"write `{meant}`")

    return repair


def _retyped(opcode: str, operands: tuple[Kind, ...]) -> Iterator[str]:
    """The opcode with its two types exchanged, then with one of its types replaced by one of the operands' widths: as
    bits, of the same kind, unsigned."""
    words = opcode.split(".")
    typed = [at for at, word in enumerate(words) if word in TYPES]
    if len(typed) == 2:
        first, second = typed
        exchanged = words.copy()
        exchanged[first], exchanged[second] = words[second], words[first]
        yield ".".join(exchanged)
    given = [part for kind in operands for part in (kind.parts if kind.sort == kinds.LIST else (kind,))]
    declared = dict.fromkeys(kind.type for kind in given if kind.type is not None and kind.sort == kinds.REGISTER)
    for at, word in enumerate(words):
        for type in declared if word in TYPES else ():
            for name in dict.fromkeys(
                (type.name, f"b{type.width}", f"{TYPES[word].kind}{type.width}", f"u{type.width}")
            ):
                if name != word and name in TYPES:
                    yield ".".join((*words[:at], name, *words[at + 1 :]))
