"""The value graph of a block's floating-point arithmetic: values and their uses, without copies and signs."""

from __future__ import annotations

from typing import NamedTuple

from openptx.control_flow import written_registers
from openptx.program import Imm, Reg
from openptx.rewrite.algebra import algebra, leaves_rounding_open, sign_bits
from openptx.rewrite.operands import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Op, Operand
    from openptx.rewrite.constants import Constants


class Value(NamedTuple):
    """One of a block's values, or its negation. Registers and their copies share values."""

    number: int
    negative: bool = False
    magnitude: bool = False  # of a square, which it equals


class Product:
    """A product, or an approximate quotient, whose rounding the assembler may omit."""

    __slots__ = ("factors", "kind", "number", "op", "other", "portable", "position", "sums")

    def __init__(
        self, op: Op, position: int, kind: str, number: int, factors: tuple[Value, Value], portable: bool
    ) -> None:
        self.op, self.position, self.kind, self.number = op, position, kind, number
        self.portable = portable  # sums in other blocks may absorb it
        self.factors = factors
        self.sums: list[Sum] = []  # the sums that use it, repeated if both operands are this
        self.other = False  # another instruction uses it too

    def same(self, other: Product) -> bool:
        """Whether the two multiply the same values."""
        return (
            self.kind == other.kind == "product"
            and self.op.m == other.op.m
            and sorted(self.factors) == sorted(other.factors)
        )


class Sum:
    """A sum that may absorb a product. `values` are its operands, the sign of a difference included."""

    __slots__ = ("able", "fused", "op", "position", "values")

    def __init__(self, op: Op, position: int, values: tuple[Value, Value]) -> None:
        self.op, self.position, self.values = op, position, values
        self.able = values[0].number != values[1].number
        self.fused: Product | None = None


class Values:
    """The values of a function, instruction by instruction. `sums` and `products` are what contraction chooses from.

    Values end with their block, except products with a constant or a parameter of the kernel: those in registers with a
    single definition continue. `equal` names the register in which an earlier block has the same value.
    """

    def __init__(self, constants: Constants, equal: dict[int, Reg]) -> None:
        self.constants, self.equal = constants, equal
        self.products: dict[int, Product] = {}  # by the number of the value
        self.sums: list[Sum] = []
        self.carriers: list[int] = []  # positions of copies and negations
        self.crossing: set[int] = set()  # registers in which a rounded product leaves its block
        self.crossed: set[int] = set()  # values that other blocks find in these
        self._held: dict[int, Value] = {}  # by register
        self._portable: dict[int, Value] = {}  # of these, the values that other blocks find there too
        self._literals: dict[int, Value] = {}
        self._signs: dict[int, int] = {}  # by number: the bits that a negation of the value inverts
        self._count = 0

    def fresh(self) -> Value:
        """A value that nothing else has."""
        self._count += 1
        return Value(self._count)

    def value(self, operand: Operand | None) -> Value:
        """The value of an operand at this point."""
        if isinstance(operand, Reg):
            if operand.index not in self._held:
                self._held[operand.index] = self.fresh()
                if operand.index in self.crossing:
                    self.crossed.add(self._held[operand.index].number)
            return self._held[operand.index]
        if isinstance(operand, Imm):
            return self._literals.setdefault(operand.value, self.fresh())
        return self.fresh()

    def add(self, position: int, op: Op) -> None:
        """Processes the next instruction."""
        found = None if op.guard is not None and algebra(op) not in ("sum", "difference") else algebra(op)
        carried = self.propagated_value(op, found)
        if carried is not None:
            self.carriers.append(position)
        elif found in ("product", "quotient") and self.is_open_product(op):
            carried = self.product(position, op, found)
        elif found in ("sum", "difference") and leaves_rounding_open(op):
            self.sum(position, op, found)
        else:
            self.use(op)
        for index in written_registers(op):
            if op.guard is not None:  # the register may keep its old value
                self.needs(index)
            self._held[index] = self.fresh() if carried is None else carried

    def propagated_value(self, op: Op, found: str | None) -> Value | None:
        """The value that a copy or a negation propagates; None for other instructions."""
        if found in ("copy", "negation") and isinstance(op.operands[0], Reg):
            source = op.operands[1]
            if not isinstance(source, (Reg, Imm)):
                return None
            value = self.value(source)
            if op.m.ftz and not (value.number in self.products and self.products[value.number].op.m.ftz):
                return None
            if found == "copy":
                return value
            signs = sign_bits(op.m.type)
            same = self._signs.setdefault(value.number, signs) == signs
            return value._replace(negative=not value.negative) if same else None
        return self.square(op) if found == "magnitude" else None

    def square(self, op: Op) -> Value | None:
        """The square of which an instruction takes the magnitude: its sign is known."""
        source = op.operands[1]
        value = self._held.get(source.index) if isinstance(source, Reg) else None
        product = None if value is None else self.products.get(value.number)
        if value is None or product is None or product.factors[0] != product.factors[1] or op.m.ftz:
            return None
        known = product.op.m.type is op.m.type and product.kind == "product"
        return Value(value.number, magnitude=True) if known else None

    def is_open_product(self, op: Op) -> bool:
        """Not of two constants, which are folded."""
        if algebra(op) == "quotient":
            return op.m.type.name == "f32"
        literals = [self.constants.value(operand) for operand in op.operands[1:3]]
        return leaves_rounding_open(op) and not op.m.sat and None in literals

    def product(self, position: int, op: Op, kind: str) -> Value:
        """A new product, which uses its factors."""
        self.use(op)
        value = self.fresh()
        factors = self.value(op.operands[1]), self.value(op.operands[2])
        fixed = any(self.is_fixed(operand) for operand in op.operands[1:3])
        portable = kind == "product" and fixed
        self._signs[value.number] = sign_bits(op.m.type)
        self.products[value.number] = Product(op, position, kind, value.number, factors, portable)
        return value

    def is_fixed(self, operand: Operand | None) -> bool:
        """Whether machine code has an operand in the instruction or in the constant bank."""
        return self.constants.value(operand) is not None or self.constants.is_parameter(operand)

    def sum(self, position: int, op: Op, kind: str) -> None:
        """A new sum; it cannot absorb products of another type or with another treatment of subnormal numbers."""
        a, b = self.value(op.operands[1]), self.value(op.operands[2])
        if kind == "difference":
            b = b._replace(negative=not b.negative)
        a, b = self.term(a), self.term(b)
        made = Sum(op, position, (a, b))
        used = [self.products.get(v.number) for v in made.values]
        if used[0] and used[1] and a.negative == b.negative and used[0].same(used[1]):
            made.able = False
        if a.negative == b.negative and self.are_equal(op.operands[1], op.operands[2]):
            made.able = False
        for product in used:
            if product is None:
                continue
            if made.able and product.op.m.type is op.m.type and bool(product.op.m.ftz) == bool(op.m.ftz):
                product.sums.append(made)
            else:
                product.other = True
        self.sums.append(made)

    def term(self, value: Value) -> Value:
        """The operands of a sum. The magnitude of a square, subtracted, is not the square."""
        if not (value.negative and value.magnitude):
            return value
        self.products[value.number].other = True
        return self.fresh()

    def are_equal(self, a: Operand | None, b: Operand | None) -> bool:
        """Whether two registers, computed in different blocks, are known to have the same value."""
        if not isinstance(a, Reg) or not isinstance(b, Reg):
            return False
        return self.equal.get(a.index, a).index == self.equal.get(b.index, b).index

    def use(self, op: Op) -> None:
        """An instruction that needs the rounded values of its operands."""
        for index in read(op):
            self.needs(index)

    def needs(self, index: int) -> None:
        """The rounded value of a register is needed."""
        value = self._held.get(index)
        if value is not None and value.number in self.products:
            self.products[value.number].other = True

    def end(self, live_out: int) -> None:
        """The block ends; `live_out` has a bit for each register that is read after it."""
        for index, value in self._held.items():
            product = self.products.get(value.number)
            if value.number in self.crossed and live_out >> index & 1:
                self.crossing.add(index)
            if product is None:
                continue
            if product.portable and index in self.constants.definitions:
                self._portable[index] = value
            elif live_out >> index & 1:
                product.other = True
                self.crossing.add(index)
        self._held = dict(self._portable)
