"""Runs a lowered function on expressions, as `machine` does for machine code, with the rules of each result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contraction.expressions import (
    Expression,
    absolute,
    bits,
    extreme,
    fused,
    half,
    high,
    holds,
    is_bits,
    low,
    make,
    negated,
    pack,
    pair,
    product,
    total,
)
from contraction.machine import LONGEST, SCALES, Unreadable, put
from contraction.programs import ROUNDS
from openptx.isa.contracted import reverse_difference
from openptx.program import Address, Function, Imm, Op, Reg, Target, Vector

Rules = frozenset[str]
PASSED = frozenset((
    "membar", "fence", "pmevent", "bar", "barrier", "bra", "ret", "exit",
))  # fmt: skip
FACTORS = tuple(127 + sign * n << 23 for sign in (1, -1) for n in (1, 2, 3))
"""Of SCALES, as codes of f32."""


class Lowered:
    """One function in one trial."""

    def __init__(self, function: Function, trial: int) -> None:
        self.function, self.trial = function, trial
        self.registers: dict[int, tuple[Expression, Rules]] = {}
        self.predicates: dict[int, bool] = {}
        self.stored: dict[int, Expression] = {}
        self.rules: dict[int, Rules] = {}

    def run(self) -> None:
        """Sets `stored`, by offset, and the rules of what computed it."""
        at, code = 0, self.function.code
        for _ in range(LONGEST):
            if at >= len(code):
                return
            op = code[at]
            at += 1
            if op.guard is not None and self.predicates.get(op.guard.index, False) == op.guard.negated:
                continue
            name = op.form.instruction.name
            if name in ("ret", "exit"):
                return
            if name == "bra":
                target = op.operands[0]
                assert isinstance(target, Target)
                at = target.pc
            elif name not in PASSED:
                self.step(name, op)
        raise Unreadable("does not end")

    def value(self, operand: Any) -> Expression:
        if isinstance(operand, Imm):
            return bits(operand.value, operand.width)
        if isinstance(operand, Reg) and operand.index in self.registers:
            return self.registers[operand.index][0]
        return make("?", str(operand))

    def truth(self, operand: Any) -> bool:
        if isinstance(operand, Imm):
            return bool(operand.value)
        return self.predicates.get(operand.index, False) != operand.negated

    def step(self, name: str, op: Op) -> None:
        if name == "st":
            self.store(op)
        elif name == "setp":
            a, b = (self.value(o) for o in op.operands[2:4])
            to = op.operands[0]
            assert isinstance(to, Reg)
            found = holds(self.trial, op.m.values["CmpOp"], op.m.type.name, a, b)
            other = self.truth(op.operands[4]) if len(op.operands) > 4 else True
            combined = {"and": found and other, "or": found or other, "xor": found != other}
            self.predicates[to.index] = combined[op.m.values.get("BoolOp") or "and"]
        elif name == "mov" and op.m.type.name == "pred":
            to = op.operands[0]
            assert isinstance(to, Reg)
            self.predicates[to.index] = self.truth(op.operands[1])
        elif name == "ld" and isinstance(op.operands[0], Vector):
            address = op.operands[1]
            assert isinstance(address, Address)
            for n, register in enumerate(op.operands[0].elements):
                assert isinstance(register, Reg)
                self.registers[register.index] = make("in", address.offset + 4 * n), frozenset()
        elif op.operands and isinstance(op.operands[0], Reg):
            rules = [
                self.registers[o.index][1] for o in op.operands[1:] if isinstance(o, Reg) and o.index in self.registers
            ]
            e = self.result(name, op)
            self.registers[op.operands[0].index] = e, frozenset((op.rule,) if op.rule else ()).union(*rules)

    def store(self, op: Op) -> None:
        address, source = op.operands[0], op.operands[1]
        assert isinstance(address, Address)
        size, offset = op.m.type.width // 8, address.offset
        for n, element in enumerate(source.elements if isinstance(source, Vector) else (source,)):
            self.put(offset + n * size, size, element)

    def put(self, offset: int, size: int, source: Any) -> None:
        e = self.value(source)
        if size == 2:
            self.stored[offset] = e
        elif size == 8:
            put(self.stored, offset, low(e))
            put(self.stored, offset + 4, high(e))
        else:
            put(self.stored, offset, e)
        known = isinstance(source, Reg) and source.index in self.registers
        for each in range(offset, offset + size, 2):
            self.rules[each] = self.registers[source.index][1] if known else frozenset()

    def load(self, op: Op) -> Expression:
        address, width = op.operands[1], op.m.type.width
        assert isinstance(address, Address)
        if op.m.space == "param":
            variable: Any = address.base
            return make("parameter", variable.variable.offset + address.offset)
        if address.offset == ROUNDS:
            return bits(self.trial)
        return make({16: "inh", 32: "in", 64: "ind"}[width], address.offset)

    def result(self, name: str, op: Op) -> Expression:
        """What an instruction gives."""
        if name == "ld":
            return self.load(op)
        if name == "selp":
            return self.value(op.operands[1 if self.truth(op.operands[3]) else 2])
        if name == "mov":
            return self.value(op.operands[1])
        values = [self.value(o) for o in op.operands[1:] if o is not None]
        type = op.m.type.name
        if type[0] in "usb" and type[:2] != "bf":
            return integers(name, values) or make("?", op.text)
        return floats(name, op, type, values)


def floats(name: str, op: Op, type: str, values: list[Expression]) -> Expression:
    """What an instruction on floats gives."""
    flags = "".join(f".{f}" for f in ("ftz", "sat") if op.m.values.get(f))
    if name == "mul" and len(values) == 3:
        factor = values.pop().args[0]
        flags += SCALES[FACTORS.index(factor)]
    if op.form.instruction is reverse_difference:
        return total("f64", "", negated(values[0]), values[1])
    compute = ARITHMETIC.get(name)
    if compute is None:
        return make("?", op.text)
    format = type.removesuffix("x2")
    if not type.endswith("x2"):
        return compute(format, flags, *values)
    if format == "f32":
        parts = [[low(e) for e in values], [high(e) for e in values]]
        return pair(*(compute(format, flags, *part) for part in parts))
    return pack(*(compute(format, flags, *(half(e, i) for e in values)) for i in (0, 1)))


def integers(name: str, values: list[Expression]) -> Expression | None:
    if not all(map(is_bits, values)):
        return None
    numbers = [e.args[0] for e in values]
    return {"add": lambda a, b: bits(a + b), "sub": lambda a, b: bits(a - b)}[name](*numbers)


ARITHMETIC: dict[str, Callable[..., Expression]] = {
    "mul": product,
    "add": total,
    "sub": lambda format, flags, a, b: total(format, flags, a, negated(b)),
    "fma": fused,
    "neg": lambda format, flags, a: negated(a),
    "abs": lambda format, flags, a: absolute(a),
    "max": lambda format, flags, a, b: extreme("max", format, a, b),
    "min": lambda format, flags, a, b: extreme("min", format, a, b),
}
