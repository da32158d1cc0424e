"""Binds the operands of an instruction to the templates of a form: text becomes registers, bits and addresses."""

from __future__ import annotations

from itertools import zip_longest

from openptx.check.constants import constant_bits, float_bits
from openptx.check.scopes import Held, Registers
from openptx.isa.operand_rules import operand_rule
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
    Variable,
    Vector,
)
from openptx.syntax import operands as text
from openptx.syntax.directives import CallPrototype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.bodies import Body
    from openptx.check.scopes import Scope
    from openptx.isa.notation import Form, Modifiers, Template
    from openptx.isa.types import Type
    from openptx.program import Operand
    from openptx.syntax.tree import Function, Guard

    Trees = tuple["text.Operand | None", ...]
    Choice = tuple[Form, Modifiers, Trees]

_FIELDS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
_UNTYPED = TYPES["b32"]


class UnboundError(Exception):
    """An operand that has no place in a Program: what it is, in words."""


def aligned(form: Form, m: Modifiers, given: tuple[text.Operand, ...]) -> Trees | None:
    """The operands in the order of the form's templates, None for those left out; None if their number doesn't fit."""
    layout = next((layout for layout in form.layouts(m) if len(layout) == len(given)), None)
    if layout is None:
        return None
    trees: list[text.Operand | None] = [None] * len(form.operands)
    for position, tree in zip(layout, given, strict=True):
        if isinstance(tree, text.Pair):
            if position + 1 >= len(trees) or not form.operands[position + 1].pair:
                return None
            trees[position], trees[position + 1] = tree.first, tree.second
        elif position + 1 < len(trees) and (pair := form.operands[position + 1]).pair and not pair.optional:
            return None
        else:
            trees[position] = tree
    return tuple(trees)


def select(
    candidates: tuple[tuple[Form, Modifiers], ...], given: tuple[text.Operand, ...], binder: Binder
) -> Choice | None:
    """The first form, in the manual's order, that the operands fit; failing that, the first with as many operands."""
    possible: list[Choice] = []
    for form, m in candidates:
        trees = aligned(form, m, given)
        if trees is not None:
            possible.append((form, m, trees))
    if len(possible) > 1:
        return next((choice for choice in possible if binder.fits(*choice)), possible[0])
    return possible[0] if possible else None


def _packs(form: Form) -> bool:
    """Whether one operand may be a list that the other one holds, packed."""
    return bool(form.operands) and operand_rule(form.instruction, form.operands[0].name).says("packed")


class Binder:
    """Binds operands inside one scope of one function."""

    __slots__ = ("body", "callee", "scope")

    def __init__(self, body: Body, scope: Scope) -> None:
        self.body = body
        self.scope = scope
        self.callee: Function | CallPrototype | None = None

    # Which form.

    def fits(self, form: Form, m: Modifiers, trees: Trees) -> bool:
        """Whether the operands are of the shape and width that the form wants."""
        types = form.types(m)
        return all(
            tree is None or self._fits(form, m, template, tree, type)
            for template, tree, type in zip(form.operands, trees, types, strict=True)
        )

    def _fits(self, form: Form, m: Modifiers, template: Template, tree: text.Operand, type: Type | None) -> bool:
        if template.role == "address":
            return isinstance(tree, (text.Address, text.Subscript)) and self._parts_fit(template, tree)
        if template.role in ("returns", "arguments") or isinstance(tree, (text.Address, text.Arguments)):
            return template.role in ("returns", "arguments") and isinstance(tree, text.Arguments)
        if template.role in ("targets", "prototype"):
            table = self.scope.table(tree.text)
            return table is not None and isinstance(table, CallPrototype) == (template.role == "prototype")
        count = form.count(template, m) if template.vector else 0
        packs = count > 0 and _packs(form)
        if isinstance(tree, text.Vector) or (packs and self._length(tree)):
            return count > 0 and (count == self._length(tree) or (packs and self._length(tree) == 2))
        if packs:
            count = 0
        if isinstance(tree, text.Name) and (found := self.scope.find(tree.text)) and isinstance(found[0], Registers):
            registers = found[0]
            if (registers.vector if registers.vector > 1 else 0) != (count if count != 1 else 0):
                return False
            return self._width_fits(form, type, registers.type)
        if count:
            return isinstance(tree, text.Sink)
        if isinstance(tree, (text.Integer, text.Float)):
            return template.role not in ("write", "label", "function")
        return True

    def _width_fits(self, form: Form, type: Type | None, declared: Type) -> bool:
        if type is None:
            return True
        if (type.kind == "pred") != (declared.kind == "pred"):
            return False
        return type.width == declared.width or (form.instruction.relaxed and declared.width > type.width)

    def _parts_fit(self, template: Template, tree: text.Address | text.Subscript) -> bool:
        given = len(tree.parts) if isinstance(tree, text.Address) else 0
        return given == max(len(template.parts) - 1, 0)

    # Spaces.

    def place(self, m: Modifiers, form: Form, trees: Trees) -> Modifiers:
        """The modifiers with the space that holds the variable: parameters of calls lie in the frame.

        What reads no memory, as isspacep and cvta do, means the kernel's parameters wherever it stands (9.7.9.19).
        """
        space = m.values.get("space")
        if space not in ("param", "generic", None) or "space" not in m.values or "param::entry" in m.written:
            return m
        addresses = [t for t, o in zip(trees, form.operands, strict=True) if o.role == "address" and t is not None]
        if not addresses:
            return m
        variable = self._variable_of(addresses[0])
        if variable is not None and variable.space != space:
            return self.body.names.modifiers(m, variable.space)
        if variable is None and space == "param" and not self.body.entry:
            return self.body.names.modifiers(m, "frame")
        return m

    def selected(self, m: Modifiers, form: Form, trees: Trees) -> Modifiers:
        """The modifiers with what operands say of the form.

        These are the parts of registers, `a.b0` is `a_part == "b0"`, a minus, `-a` is `a_minus`, and the length of a
        list that is unpacked to.
        """
        said: dict[str, str | int] = {}
        for template, tree in zip(form.operands, trees, strict=True):
            if template.minus and isinstance(tree, text.Minus):
                said[f"{template.name}_minus"] = True
            tree = tree.operand if isinstance(tree, text.Minus) else tree
            if template.selectors and isinstance(tree, text.Selector):
                said[f"{template.name}_part"] = tree.field
        if _packs(form) and (length := self._length(trees[0])):
            said["elements"] = length
        return m.with_(**said) if said else m

    def _variable_of(self, tree: text.Operand | None) -> Variable | None:
        while isinstance(tree, (text.Address, text.Subscript, text.Sum, text.Selector)):
            tree = tree.base
        found = self.scope.find(tree.text) if isinstance(tree, text.Name) else None
        return found[0].variable if found and isinstance(found[0], Held) else None

    # Operands.

    def guard(self, guard: Guard | None) -> Reg | None:
        """The guard predicate as a register."""
        if guard is None:
            return None
        register = self._name(guard.name, TYPES["pred"])
        if not isinstance(register, Reg):
            raise UnboundError(f"`{guard.name.text}` is no predicate register")
        return Reg(register.index, register.width, guard.negated)

    def types(self, form: Form, m: Modifiers, trees: Trees) -> tuple[Type | None, ...]:
        """The type of each operand; of an element, where a list packs or unpacks a wider register."""
        types = form.types(m)
        if not _packs(form):
            return types
        lengths = [self._length(tree) for tree in trees]
        return tuple(
            TYPES[f"b{type.width // length}"] if type is not None and length else type
            for length, type in zip(lengths, types, strict=True)
        )

    def _length(self, tree: text.Operand | None) -> int:
        """How many elements a list or a whole vector register has; 0 of anything else."""
        if isinstance(tree, text.Vector):
            return len(tree.elements)
        found = self.scope.find(tree.text) if isinstance(tree, text.Name) else None
        registers = found[0] if found else None
        return registers.vector if isinstance(registers, Registers) and registers.vector > 1 else 0

    def operands(
        self, form: Form, m: Modifiers, trees: Trees, types: tuple[Type | None, ...]
    ) -> tuple[Operand | None, ...]:
        """All operands of an instruction."""
        if form.instruction.control == "call":
            self.callee = self._callee(form, trees)
        return tuple(
            self._operand(template, tree, type) if tree is not None else None
            for template, tree, type in zip(form.operands, trees, types, strict=True)
        )

    def _operand(self, template: Template, tree: text.Operand, type: Type | None) -> Operand:
        match template.role:
            case "label":
                position = self.scope.label(tree.text)
                if position is None:
                    raise UnboundError(f"no label `{tree.text}`")
                return Target(position)
            case "targets":
                return self._targets(tree)
            case "prototype":
                return self._prototype(tree)
            case "function" if isinstance(tree, text.Name) and self.scope.find(tree.text) is None:
                return self._function(tree.text)
            case "returns" | "arguments":
                elements = tree.elements if isinstance(tree, text.Arguments) else (tree,)
                return Arguments(self._arguments(elements, template.role))
            case _:
                return self.bind(tree, type)

    def bind(self, tree: text.Operand, type: Type | None) -> Operand:
        """One operand of the instruction type `type`; None for what the instruction doesn't give a type."""
        match tree:
            case text.Name():
                return self._name(tree, type)
            case text.Integer() | text.Float():
                return self._constant(tree, type)
            case text.Sink():
                return Sink()
            case text.Vector():
                return Vector(tuple(self.bind(element, type) for element in tree.elements))
            case text.Negated():
                return self._negated(tree, type)
            case text.Selector():
                return self._selector(tree)
            case text.Minus():  # what it does is among the modifiers: see `selected`
                return self.bind(tree.operand, type)
            case text.Address():
                return self._address(tree)
            case text.Subscript():
                return Address(self._subscript(tree)) if type is None else self._subscript(tree)
            case text.Sum():
                return self._sum(tree, type)
            case _:
                raise UnboundError(f"`{tree.text}` can't be executed yet")

    def _name(self, tree: text.Name, type: Type | None) -> Operand:
        found = self.scope.find(tree.text)
        if found is None:
            return self._elsewhere(tree, type)
        meaning, scope = found
        if isinstance(meaning, Held):
            return Symbol(meaning.variable)
        assert isinstance(meaning, Registers)
        registers = self.body.numbered(tree.text, scope, meaning)
        bound = tuple(Reg(register.index, register.type.width) for register in registers)
        return bound[0] if meaning.vector == 1 else Vector(bound)

    def _elsewhere(self, tree: text.Name, type: Type | None) -> Operand:
        if tree.text.startswith("%") and (special := SPECIAL_REGISTERS.get(tree.text[1:])) is not None:
            if special.vector:
                return Vector(tuple(Special(f"{special.name}.{c}", special.type.width) for c in "xyzw"))
            offset = self.body.names.reserved_offset(special.name)
            return Special(special.name, special.type.width) if offset is None else Imm(offset, special.type.width)
        if self.body.names.is_function(tree.text):
            return self._function(tree.text)
        raise UnboundError(f"no name `{tree.text}`")

    def _function(self, name: str) -> FunctionName:
        name = self.body.names.function_name(name)
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
            raise UnboundError(f"`{tree.text}` is no predicate")
        return Reg(inner.index, inner.width, not inner.negated)

    def _selector(self, tree: text.Selector) -> Operand:
        name = tree.base.text
        if name.startswith("%") and (special := SPECIAL_REGISTERS.get(name[1:])) is not None and special.vector:
            return Special(f"{special.name}.{'xyzw'[_FIELDS[tree.field]]}", special.type.width)
        base = self._name(tree.base, None)
        position = _FIELDS.get(tree.field)
        if isinstance(base, Reg):  # a part of a register, as video instructions have it: see `selected`
            return base
        if not isinstance(base, Vector) or position is None or position >= len(base.elements):
            raise UnboundError(f"`{tree.text}` selects nothing")
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
            raise UnboundError(f"`{tree.text}` is no address")
        return Address(base, offset, parts)

    def _sum(self, tree: text.Sum, type: Type | None) -> Symbol | Reg:
        base = self._name(tree.base, None)
        if isinstance(base, Reg) and (type is None or type.kind in "bsu"):
            return self._added(base, tree.offset.value)
        if not isinstance(base, Symbol):
            raise UnboundError(f"`{tree.text}` is no address")
        return Symbol(base.variable, tree.offset.value)

    def _subscript(self, tree: text.Subscript) -> Symbol | Reg:
        base = self._name(tree.base, None)
        if not isinstance(base, Symbol):
            raise UnboundError(f"`{tree.text}` is no array")
        variable = base.variable
        element = max(1, variable.type.width // 8) * variable.vector
        for length in variable.shape[1:]:
            element *= length
        if isinstance(tree.index, text.Integer):
            return Symbol(variable, tree.index.value * element)
        index = self.bind(tree.index, TYPES["u32"])
        if not isinstance(index, Reg):
            raise UnboundError(f"`{tree.text}`: the index is no register")
        return self._element(base, index, element)

    # What takes an instruction of its own, before the one that is bound.

    def _added(self, base: Reg, offset: int) -> Reg:
        """`a+4` as a value: the register's bits plus the constant."""
        sum = self.body.temporary(base.width)
        self.body.insert(f"add.u{base.width}", sum, base, Imm(offset & (1 << base.width) - 1, base.width))
        return sum

    def _element(self, base: Symbol, index: Reg, size: int) -> Reg:
        """`x[i]` as an address in the array's space; an index is unsigned and has 32 bits (measured)."""
        if index.width != 32:
            whole = index
            index = self.body.temporary(32)
            self.body.insert(f"cvt.u32.u{whole.width}", index, whole)
        start, place = self.body.temporary(64), self.body.temporary(64)
        self.body.insert("mov.u64", start, base)
        self.body.insert("mad.wide.u32", place, index, Imm(size, 32), start)
        return place

    # Calls and tables.

    def _arguments(self, trees: tuple[text.Operand, ...], role: str) -> tuple[Operand, ...]:
        """What a call hands over or gets back, vectors element by element, as `Function.parameters` has them."""
        header = self.callee
        found: list[Operand] = []
        formals = (header.parameters if role == "arguments" else header.returns) if header is not None else ()
        for tree, formal in zip_longest(trees, formals[: len(trees)]):
            type = TYPES[formal.type] if formal is not None and role == "arguments" else None
            bound = self.bind(tree, type)
            if isinstance(bound, Sink) and formal is not None and formal.space == "reg":
                found += [bound] * (formal.vector or 1)
            else:
                found += bound.elements if isinstance(bound, Vector) else (bound,)
        return tuple(found)

    def _callee(self, form: Form, trees: Trees) -> Function | CallPrototype | None:
        """What says how the function that is called takes its arguments."""
        for template, tree in zip(form.operands, trees, strict=True):
            if template.role == "prototype" and tree is not None:
                table = self.scope.table(tree.text)
                return table if isinstance(table, CallPrototype) else None
            if template.role == "function" and tree is not None and self.body.names.is_function(tree.text):
                return self.body.names.header(tree.text)
        return None

    def _targets(self, tree: text.Operand) -> Targets:
        table = self.scope.table(tree.text)
        if table is None:
            raise UnboundError(f"no table of targets `{tree.text}`")
        return Targets(*self.body.targets(table, self.scope))

    def _prototype(self, tree: text.Operand) -> Prototype | Targets:
        table = self.scope.table(tree.text)
        if isinstance(table, CallPrototype):
            return self.body.names.prototype(table)
        return self._targets(tree)
