"""Constants that ptxas folds if the multifunction unit would give other bits.

An approximate function of a constant is correctly rounded. A division by a constant is a product with its correctly
rounded reciprocal; both factors are scaled by a power of two if the reciprocal would be subnormal or infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from openptx.numerics.python_floats import f32_bits, f32_value
from openptx.program import Function, Imm, Op, Operand, Reg, temporary
from openptx.rewrite.algebra import algebra, flags, form_of, leaves_rounding_open, make_op, negation, sign_bits
from openptx.rewrite.constants import Constants
from openptx.rewrite.edit import Edit
from openptx.rewrite.rules import FOLDED

SMALLEST = 2.0**-126  # normal f32
LARGE = 2.0**126  # reciprocals of larger numbers are subnormal
ONES = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000, "f64": 0x3FF0000000000000}


def fold(function: Function) -> Function:
    """The function with such constants folded; the same object if there are none."""
    if not any(is_function(op) or is_quotient(op) or is_product(op) for op in function.code):
        return function
    edit, known = Edit(function), Constants(function)
    changed = False
    for position, op in enumerate(function.code):
        known.enter(position)
        if is_function(op):
            changed |= fold_function(edit, position, op, known)
        elif is_quotient(op):
            changed |= fold_quotient(edit, position, op, known)
        elif is_product(op):
            changed |= fold_product(edit, position, op, known)
        known.step(op)
    return edit.finish() if changed else function


def is_function(op: Op) -> bool:
    """An approximate function of a single f32."""
    return op.form.instruction.folded is not None and bool(op.m.approx) and op.m.type.name == "f32"


def is_quotient(op: Op) -> bool:
    return op.form.instruction.control is None and algebra(op) == "quotient"


def is_product(op: Op) -> bool:
    """A product that may be a copy or a negation."""
    return algebra(op) == "product" and op.m.type.name in ONES and leaves_rounding_open(op) and not op.m.ftz


def fold_function(edit: Edit, position: int, op: Op, known: Constants) -> bool:
    """A function of a constant becomes its result, unless that is NaN."""
    bits, function = known.value(op.operands[1]), op.form.instruction.folded
    value = None if bits is None or function is None else computed(function, f32_value(bits), bool(op.m.ftz))
    if value is None:
        return False
    edit.code[position] = copied(op, Imm(value, 32))
    return True


def fold_product(edit: Edit, position: int, op: Op, known: Constants) -> bool:
    """A product with 1 becomes a copy, which keeps the bits of a NaN, one with -1 a negation. Not if it saturates."""
    one, to = ONES[op.m.type.name], op.operands[0]
    for unit, other in ((1, 2), (2, 1)):
        factor, source = known.value(op.operands[unit]), op.operands[other]
        if factor == one and not op.m.sat:
            edit.code[position] = copied(op, source)
            return True
        if factor == one | sign_bits(op.m.type) and not op.m.sat and isinstance(source, Reg) and isinstance(to, Reg):
            edit.code[position] = replace(negation(to, source, op.m.type, op, FOLDED), guard=op.guard)
            return True
    return False


def fold_quotient(edit: Edit, position: int, op: Op, known: Constants) -> bool:
    """A quotient by a constant becomes a product with its reciprocal, unless the constant is NaN."""
    bits = known.value(op.operands[2])
    if bits is None:
        return False
    divisor, ftz = f32_value(bits), flags(op.m, "ftz")
    scale = scale_of(divisor, bool(op.m.full), bool(ftz))
    reciprocal = computed(reciprocal_of, divisor * scale, True)
    if reciprocal is None:
        return False
    to, dividend = op.operands[0], op.operands[1]
    form = form_of("product", *ftz, "f32")
    assert form is not None
    if scale != 1.0:
        scaled = temporary(edit.registers, 32)
        edit.insert(position, make_op(form, (scaled, dividend, Imm(f32_bits(scale), 32)), op, op.guard, FOLDED))
        dividend = scaled
    edit.code[position] = product = make_op(form, (to, dividend, Imm(reciprocal, 32)), op, op.guard, FOLDED)
    if is_product(product):
        fold_product(edit, position, product, known)
    return True


def copied(op: Op, source: Operand | None) -> Op:
    """A float copy that replaces an instruction."""
    form = form_of("copy", op.m.type.name) or form_of("copy", f"b{op.m.type.width}")
    assert form is not None
    return make_op(form, (op.operands[0], source), op, op.guard, FOLDED)


def reciprocal_of(a: float) -> float:
    """The reciprocal; infinity for zeros."""
    return math.copysign(math.inf, a) if a == 0 else 1 / a


def scale_of(divisor: float, full: bool, ftz: bool) -> float:
    """The power of two that scales a divisor into the range of normal reciprocals."""
    if abs(divisor) < SMALLEST and not ftz:
        return 2.0**24
    return 0.25 if full and abs(divisor) > LARGE else 1.0


def computed(function: Callable[[float], float], a: float, ftz: bool) -> int | None:
    """The f32 nearest to `function` of an f32; None if that is NaN."""
    if ftz and abs(a) < SMALLEST:
        a = math.copysign(0.0, a)
    try:
        value = function(a)
    except OverflowError:
        value = math.inf
    except ValueError:  # the logarithm of zero, the root of a negative number, the sine of infinity
        return None
    if math.isnan(value):
        return None
    bits = f32_bits(value)
    return bits & 0x80000000 if ftz and bits & 0x7F800000 == 0 else bits
