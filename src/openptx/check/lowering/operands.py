"""Binds the operands of an instruction to the templates of a form: text becomes registers, bits and addresses."""

from __future__ import annotations

from itertools import zip_longest

from openptx.check.lowering.function_names import UnboundError
from openptx.check.lowering.layout import constant_bits, element_bits, float_bits
from openptx.check.operand.kinds import FIELDS
from openptx.isa.notation.operand_rules import operand_rule
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.types import TYPES
from openptx.program import (
    Address,
    Arguments,
    FunctionName,
    Imm,
    Prototype,
    Reg,
    Sink,
    Special,
    Symbol,
    Target,
    Targets,
    Vector,
    temporary,
)
from openptx.syntax import operands as text
from openptx.syntax.directives import CallPrototype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.lowering.bound_form import BoundForm
    from openptx.check.lowering.function_names import FunctionNames
    from openptx.check.names.body import ResolvedInstruction
    from openptx.check.problems import Path
    from openptx.isa.notation import Template
    from openptx.isa.types import Type
    from openptx.program import Operand
    from openptx.syntax.tree import Function, Guard

_UNTYPED = TYPES["b32"]


def _part(given: tuple[text.Operand, ...], path: Path) -> text.Operand:
    """The operand at a path, or a half of a pair."""
    tree = given[path[0]]
    return (tree.second if path[1] else tree.first) if isinstance(tree, text.Pair) else tree


def _whole(bound: BoundForm, template: Template, operand: Operand) -> Operand | None:
    """The operand with as many values as the form takes: the first of a list if the form takes one, a single value
    followed by zeros if it takes a list. None if it is an integer that the assembler ignores."""
    rule = operand_rule(bound.form.instruction, template.name)
    alone = rule.says("a list of one") or rule.says("a list of one float")
    if not template.vector:
        return operand.elements[0] if isinstance(operand, Vector) and alone else operand
    if not isinstance(operand, Vector) and rule.says("an ignored integer"):
        return None
    if isinstance(operand, Vector):
        return operand.elements[0] if alone and not bound.form.count(template, bound.m) else operand
    if not rule.says("one value"):
        return operand
    return Vector((operand, *(Imm(0, bound.m.type.width) for _ in range(1, bound.form.count(template, bound.m)))))


class Binder:
    """Binds the operands of one instruction."""

    __slots__ = ("body", "callee", "names", "scope")

    def __init__(self, body: FunctionNames, resolved: ResolvedInstruction) -> None:
        self.body = body
        self.names, self.scope = resolved.names, resolved.scope
        self.callee: Function | CallPrototype | None = None

    # Operands.

    def guard(self, guard: Guard | None) -> Reg | None:
        """The guard predicate as a register."""
        if guard is None:
            return None
        register = self._name(guard.name)
        if not isinstance(register, Reg):
            raise UnboundError(f"`{guard.name.text}` is not a predicate register")
        return Reg(register.index, register.width, guard.negated)

    def operands(self, bound: BoundForm, given: tuple[text.Operand, ...]) -> tuple[Operand | None, ...]:
        """All operands, in the order of the form's templates."""
        templates = bound.form.operands
        trees = [None if path is None else _part(given, path) for path in bound.paths]
        if bound.form.instruction.control == "call":
            self.callee = self._callee(templates, trees)
        return tuple(
            [
                None if tree is None else _whole(bound, template, self._operand(template, tree, type))
                for template, tree, type in zip(templates, trees, bound.types, strict=True)
            ]
        )

    def _operand(self, template: Template, tree: text.Operand, type: Type | None) -> Operand:
        match template.role:
            case "label":
                return Target(self.body.position(tree.text, self.scope))
            case "targets":
                return self._targets(tree)
            case "prototype":
                return self._prototype(tree)
            case "function" if isinstance(tree, text.Name) and self.names[tree.text] is None:
                return self._function(tree.text)
            case "returns" | "arguments":
                elements = tree.elements if isinstance(tree, text.Arguments) else (tree,)
                return Arguments(self._arguments(elements, template.role))
            case "address" if isinstance(tree, (text.Name, text.Sum)):
                base = self.bind(tree, None)
                if isinstance(base, Symbol):
                    return Address(Symbol(base.variable, 0, base.generic), base.offset)
                return Address(base) if isinstance(base, Reg) else base
            case "write":
                return self._destination(tree, type)
            case _:
                return self.bind(tree, type)

    def _destination(self, tree: text.Operand, type: Type | None) -> Operand:
        """A result. ptxas accepts special registers in lists of results, which nothing can write to."""
        bound = self.bind(tree, type)
        for element in bound.elements if isinstance(bound, Vector) else (bound,):
            if isinstance(element, Special):
                raise UnboundError(f"`%{element.name}` cannot be written to")
        return bound

    def bind(self, tree: text.Operand, type: Type | None) -> Operand:
        """One operand of the instruction type `type`; None if the instruction gives it no type."""
        match tree:
            case text.Name():
                return self._name(tree)
            case text.Integer() | text.Float():
                return self._constant(tree, type)
            case text.Sink():
                return Sink()
            case text.Vector():
                return self._list(tree, type)
            case text.Negated():
                return self._negated(tree, type)
            case text.Selector():
                return self._selector(tree)
            case text.Minus():  # its effect is a modifier (`bound_form._said`)
                return self.bind(tree.operand, type)
            case text.Address():
                return self._address(tree)
            case text.Subscript():
                return Address(self._subscript(tree)) if type is None else self._subscript(tree)
            case text.Sum():
                return self._sum(tree, type)
            case _:
                raise UnboundError(f"`{tree.text}` can't be executed yet")

    def _list(self, tree: text.Vector, type: Type | None) -> Vector:
        """ptxas accepts predicates beside registers of 32 bits; its code differs from one instruction to another."""
        found: list[Operand] = []
        for element in tree.elements:
            if isinstance(element, text.Float) and type is not None:
                found.append(Imm(element_bits(element, type), type.width))
            else:
                found.append(self.bind(element, type))
        if len(found) > 1 and any(isinstance(each, Reg) and each.width == 1 for each in found):
            raise UnboundError(f"`{tree.text}`, a predicate in a list, can't be executed yet")
        return Vector(tuple(found))

    def _name(self, tree: text.Name) -> Operand:
        found = self.names[tree.text]
        if found is None:
            return self._elsewhere(tree)
        return self.body.operand(tree.text, *found)

    def _elsewhere(self, tree: text.Name) -> Operand:
        if tree.text.startswith("%") and (special := SPECIAL_REGISTERS.get(tree.text[1:])) is not None:
            if special.vector:
                return Vector(tuple(Special(f"{special.name}.{c}", special.type.width) for c in "xyzw"))
            offset = self.body.module.reserved_offset(special.name)
            return Special(special.name, special.type.width) if offset is None else Imm(offset, special.type.width)
        if self.body.module.is_function(tree.text):
            return self._function(tree.text)
        raise UnboundError(f"no name `{tree.text}`")

    def _function(self, name: str) -> FunctionName:
        name = self.body.module.function_name(name)
        self.body.callees.add(name)
        return FunctionName(name)

    def _constant(self, tree: text.Integer | text.Float, type: Type | None) -> Imm:
        if type is None and isinstance(tree, text.Float):
            return Imm(float_bits(tree, 32), 32)
        if type is None and isinstance(tree, text.Integer) and not -(1 << 31) <= tree.value < 1 << 32:
            type = TYPES["b64"]
        type = type or _UNTYPED
        return Imm(constant_bits(tree, type), type.width)

    def _negated(self, tree: text.Negated, type: Type | None) -> Operand:
        inner = self.bind(tree.operand, type)
        if isinstance(inner, Imm):
            return Imm(int(inner.value == 0), 1)
        if not isinstance(inner, Reg):
            raise UnboundError(f"`{tree.text}` is not a predicate")
        return Reg(inner.index, inner.width, not inner.negated)

    def _selector(self, tree: text.Selector) -> Operand:
        base = self._name(tree.base)
        position = FIELDS.get(tree.field)
        if isinstance(
            base, Reg
        ):  # a part of a register in a video instruction: its effect is a modifier (`bound_form._said`)
            return base
        if not isinstance(base, Vector) or position is None or position >= len(base.elements):
            raise UnboundError(f"`{tree.text}` names no component")
        return base.elements[position]

    def _address(self, tree: text.Address) -> Address:
        offset = tree.offset.value if tree.offset is not None else 0
        parts = tuple(self.bind(part, None) for part in tree.parts)
        if isinstance(tree.base, text.Integer):
            return Address(None, tree.base.value + offset, parts)
        base = self._subscript(tree.base) if isinstance(tree.base, text.Subscript) else self.bind(tree.base, None)
        if isinstance(base, Symbol):
            return Address(Symbol(base.variable, 0, base.generic), base.offset + offset, parts)
        if not isinstance(base, Reg):
            raise UnboundError(f"`{tree.text}` is not an address")
        return Address(base, offset, parts)

    def _sum(self, tree: text.Sum, type: Type | None) -> Symbol | Reg:
        base = self._name(tree.base)
        if isinstance(base, Reg) and (type is None or type.kind in "bsu"):
            return self._added(base, tree.offset.value)
        if not isinstance(base, Symbol):
            raise UnboundError(f"`{tree.text}` is not an address")
        return Symbol(base.variable, tree.offset.value)

    def _subscript(self, tree: text.Subscript) -> Symbol | Reg:
        base = self._name(tree.base)
        if not isinstance(base, Symbol):
            raise UnboundError(f"`{tree.text}` is not an array")
        variable = base.variable
        element = max(1, variable.type.width // 8) * variable.vector
        for length in variable.shape[1:]:
            element *= length
        if isinstance(tree.index, text.Integer):
            return Symbol(variable, tree.index.value * element)
        index = self.bind(tree.index, TYPES["u32"])
        if not isinstance(index, Reg):
            raise UnboundError(f"`{tree.text}`: the index is not a register")
        return self._element(base, index, element)

    # Operands that need an instruction of their own, before the one that is bound.

    def _added(self, base: Reg, offset: int) -> Reg:
        """`a+4` as a value: the register's bits plus the constant."""
        sum = temporary(self.body.registers, base.width)
        self.body.insert(f"add.u{base.width}", sum, base, Imm(offset & (1 << base.width) - 1, base.width))
        return sum

    def _element(self, base: Symbol, index: Reg, size: int) -> Reg:
        """`x[i]` as an address in the array's space; the index is unsigned and has 32 bits (measured)."""
        if index.width != 32:
            whole = index
            index = temporary(self.body.registers, 32)
            self.body.insert(f"cvt.u32.u{whole.width}", index, whole)
        start, place = temporary(self.body.registers, 64), temporary(self.body.registers, 64)
        self.body.insert("mov.u64", start, base)
        self.body.insert("mad.wide.u32", place, index, Imm(size, 32), start)
        return place

    # Calls and tables.

    def _arguments(self, trees: tuple[text.Operand, ...], role: str) -> tuple[Operand, ...]:
        """The arguments or results of a call, vectors element by element, as in `Function.parameters`."""
        header = self.callee
        found: list[Operand] = []
        formals = (header.parameters if role == "arguments" else header.returns) if header is not None else ()
        for tree, formal in zip_longest(trees, formals[: len(trees)]):
            type = TYPES[formal.type] if formal is not None and role == "arguments" else None
            bound = self.bind(tree, type)
            if role == "returns" and isinstance(bound, Imm):  # the result is discarded
                bound = Sink()
            if formal is not None and formal.type == "f16x2" and isinstance(bound, Reg) and bound.width == 1:
                raise UnboundError(f"`{tree.text}`, a predicate for two halves, can't be executed yet")
            if isinstance(bound, Sink) and formal is not None and formal.space == "reg":
                found += [bound] * (formal.vector or 1)
            elif isinstance(bound, (Reg, Imm)) and formal is not None and formal.vector > 1:
                raise UnboundError(f"`{tree.text}`, a single value for a vector, can't be executed yet")
            else:
                found += bound.elements if isinstance(bound, Vector) else (bound,)
        return tuple(found)

    def _callee(
        self, templates: tuple[Template, ...], trees: list[text.Operand | None]
    ) -> Function | CallPrototype | None:
        """The operand that describes how the callee takes its arguments."""
        for template, tree in zip(templates, trees, strict=True):
            if template.role == "prototype" and tree is not None:
                table = self.scope.table(tree.text)
                return table if isinstance(table, CallPrototype) else None
            if template.role == "function" and tree is not None and self.body.module.is_function(tree.text):
                return self.body.module.header(tree.text)
        return None

    def _targets(self, tree: text.Operand) -> Targets:
        table = self.scope.table(tree.text)
        if table is None:
            raise UnboundError(f"no table of targets `{tree.text}`")
        return Targets(*self.body.targets(table, self.scope))

    def _prototype(self, tree: text.Operand) -> Prototype | Targets:
        table = self.scope.table(tree.text)
        if isinstance(table, CallPrototype):
            return self.body.module.prototype(table)
        return self._targets(tree)
