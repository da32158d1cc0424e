"""Selections as ptxas compiles them, which shows in the bits of NaNs.

`a < C ? C : a` with a constant C is one maximum (`FMNMX.NAN`), whose NaN is canonical where `selp` would keep the bits
of `a`. Signs that `neg` and `abs` of f32 give an operand of `selp.f32` are changed in that operand (`FSEL R0, -R1,
R2`), where the instruction would make a NaN canonical. Found in launches on an H200, and in machine code of ptxas
13.0.
"""

from __future__ import annotations

from openptx.isa.instructions import comparison_selection, floating_point, logic_shift
from openptx.isa.targets import target as target_of
from openptx.program import Function, Imm, Op, Operand, Reg, temporary
from openptx.rewrite.algebra import algebra, form_in, make_op
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import count_readers
from openptx.rewrite.edit import Edit
from openptx.rewrite.rules import SELECTED

SIGN, REST = 1 << 31, (1 << 31) - 1
INFINITY = 0xFF << 23
Comparison = tuple[str, Reg, int]
OLDEST, OLDEST_WITH_NAN = 75, 80
"""The first architecture of ptxas 13, and the first with a maximum that returns NaN."""

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "ltu": "gtu", "leu": "geu", "gtu": "ltu", "geu": "leu"}
"""Orderings, and what they are with the operands exchanged."""

WITH_ZERO = frozenset(("le", "gt", "leu", "gtu"))
"""Orderings of which ptxas makes an extreme also if they compare with a zero, of either sign; it selects +0 then."""


def settle_selections(function: Function, target: str) -> Function:
    """The function with such selections as the machine code has them; the same object if there are none."""
    if not any(is_selection(op) for op in function.code):
        return function
    constants, edit, changed = Constants(function, find_blocks(function)), Edit(function), False
    known = target_of(target)
    number = 0 if known is None else known.number
    compared = comparisons(function, constants) if number >= OLDEST else {}
    for position, op in enumerate(function.code):
        constants.enter(position)
        if is_selection(op):
            new = extreme(op, constants, compared, with_nan=number >= OLDEST_WITH_NAN)
            new = signed(edit, position, op, constants) if new is None else new
            if new is not None:
                edit.code[position], changed = new, True
        constants.step(op)
    return edit.finish() if changed else function


def is_selection(op: Op) -> bool:
    """`selp` of 32 bits that may be a float."""
    return op.form.instruction is comparison_selection.selp and op.m.type.name in ("f32", "b32")


def comparisons(function: Function, constants: Constants) -> dict[int, Comparison]:
    """Comparisons that may make an extreme, by the register of the result. One of which the register has to be greater
    makes none if anything else reads its result."""
    found: dict[int, Comparison] = {}
    for position, op in enumerate(function.code):
        constants.enter(position)
        each = comparison(op, constants)
        if each is not None and isinstance(op.operands[0], Reg):  # the second result is the opposite
            found[op.operands[0].index] = each
        constants.step(op)
    greater = [index for index, (name, *_) in found.items() if name[0] == "g"]
    readers = count_readers(function) if greater else {}
    for index in greater:
        if readers.get(index) != 1:
            del found[index]
    return found


def extreme(op: Op, constants: Constants, compared: dict[int, Comparison], *, with_nan: bool) -> Op | None:
    """The maximum or minimum that a selection between the operands of its comparison is."""
    to, yes, no, condition = op.operands
    if not isinstance(condition, Reg):
        return None
    if condition.negated:
        yes, no = no, yes
    found = compared.get(condition.index) if condition.index in constants.definitions else None
    if found is None:
        return None
    name, value, bound = found
    if holds(yes, bound, constants) and is_same(no, value):
        largest, keeps_nan = name[0] == "l", not name.endswith("u")
    elif is_same(yes, value) and holds(no, bound, constants):
        largest, keeps_nan = name[0] == "g", name.endswith("u")
    else:
        return None
    if keeps_nan and not with_nan:
        return None
    form = form_in(floating_point.max_ if largest else floating_point.min_, *(("NaN",) if keeps_nan else ()), "f32")
    return make_op(form, (to, value, Imm(bound, 32)), op, op.guard, SELECTED) if form is not None else None


def comparison(op: Op, constants: Constants) -> Comparison | None:
    """The ordering, the register and the constant that it is compared with, if this is such a comparison of f32."""
    if algebra(op) != "comparison" or op.m.type.name != "f32" or len(op.operands) != 4:
        return None
    name, a, b = op.m.CmpOp, op.operands[2], op.operands[3]
    if name not in SWAPPED:
        return None
    if constants.value(a) is not None:
        name, a, b = SWAPPED[name], b, a
    bound = constants.value(b)
    bound = 0 if bound == SIGN else bound
    if not isinstance(a, Reg) or a.index not in constants.definitions or bound is None:
        return None
    if bound & REST > INFINITY or (bound == 0 and name not in WITH_ZERO):
        return None
    return name, a, bound


def holds(operand: Operand | None, bound: int, constants: Constants) -> bool:
    """Whether an operand is this constant."""
    return constants.value(operand) == bound


def is_same(operand: Operand | None, value: Reg) -> bool:
    """Whether an operand is this register."""
    return isinstance(operand, Reg) and operand.index == value.index


def signed(edit: Edit, position: int, op: Op, constants: Constants) -> Op | None:
    """The selection with the signs of its operands changed bit by bit, if `neg` or `abs` made them."""
    if op.m.type.name != "f32":
        return None
    to, *sources, condition = op.operands
    new = [sign_changed(edit, position, op, source, constants) for source in sources]
    if new == sources:
        return None
    return make_op((op.form, op.m), (to, *new, condition), op, op.guard, SELECTED)


def sign_changed(edit: Edit, position: int, op: Op, source: Operand | None, constants: Constants) -> Operand | None:
    """A register with the bits of what `neg` and `abs` were given, and the sign that they give; else the operand."""
    value, negative, positive = source, False, False
    while isinstance(value, Reg) and (sign := constants.definitions.get(value.index)) is not None:
        if algebra(sign) not in ("negation", "magnitude") or sign.m.type.name != "f32" or sign.m.ftz:
            break
        given = sign.operands[1]
        if not isinstance(given, Reg) or given.index not in constants.definitions:
            break
        negative ^= algebra(sign) == "negation" and not positive
        positive |= algebra(sign) == "magnitude"
        value = given
    if value is source:
        return source
    if not positive and not negative:
        return value
    instruction, mask = (logic_shift.and_, REST) if positive else (logic_shift.xor, SIGN)
    if positive and negative:
        instruction, mask = logic_shift.or_, SIGN
    form = form_in(instruction, "b32")
    assert form is not None
    changed = temporary(edit.registers, 32)
    edit.insert(position, make_op(form, (changed, value, Imm(mask, 32)), op, None, SELECTED))
    return changed
