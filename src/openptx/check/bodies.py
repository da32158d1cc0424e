"""Lowers one function: names get registers or memory, labels positions, operands the places of a form."""

from __future__ import annotations

from dataclasses import replace

from openptx.check.binding import Binder, UnboundError, select
from openptx.check.layout import Frame, variable
from openptx.check.scopes import Held, Registers, Scope
from openptx.errors import Unsupported
from openptx.isa.notation import resolve
from openptx.isa.types import TYPES
from openptx.program import Function, Op, Reg, Register, Target, Targets
from openptx.syntax import tree
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import BranchTargets, CallPrototype, CallTargets, Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.lowering import Names
    from openptx.program import Operand, Variable
    from openptx.syntax.declarations import Declarator
    from openptx.syntax.directives import Directive

    Line = tuple[str, int, int] | None
    Placed = tuple[tree.Instruction, Scope, Line]


class Body:
    """A function being lowered: the frame and the registers fill up while its statements are read."""

    def __init__(self, names: Names, function: tree.Function) -> None:
        self.names = names
        self.function = function
        self.entry = function.kind == "entry"
        self.frame = Frame()
        self.window = Frame()
        self.registers: list[Register] = []
        self.local: list[Variable] = []
        self.shared: list[Variable] = []
        self.callees: set[str] = set()
        self.labels: dict[str, int] = {}
        self._numbers: dict[tuple[int, str], tuple[Register, ...]] = {}
        self._scopes: list[Scope] = []
        self.line: Line = None
        self._before: list[tuple[str, tuple[Operand, ...]]] = []

    def lower(self) -> Function:
        """The function as engines run it."""
        outer = self.open(self.names.scope)
        returns = tuple(part for p in self.function.returns for part in self.formal(p, outer))
        parameters = tuple(part for p in self.function.parameters for part in self.formal(p, outer))
        placed: list[Placed] = []
        self.collect(self.function.statements, self.open(outer), placed)
        code = self.code(placed)
        return Function(
            name=self.function.name.text,
            kind=self.function.kind,
            linkage=self.function.linkage,
            parameters=parameters,
            returns=returns,
            registers=tuple(self.registers),
            code=code,
            frame_size=self.frame.size,
            parameter_size=self.window.size,
            local=tuple(self.local),
            shared=tuple(self.shared),
            labels=self.labels,
            directives=directives_of(self.function.directives),
            callees=frozenset(self.callees),
            span=self.function.span,
            noreturn=self.function.noreturn,
        )

    def open(self, outer: Scope | None) -> Scope:
        """A scope inside another; kept, since registers are numbered by the identity of their scope."""
        scope = Scope(outer)
        self._scopes.append(scope)
        return scope

    # Declarations.

    def formal(self, declaration: Declaration, scope: Scope) -> tuple[Register, ...] | tuple[Variable]:
        """A parameter or a return of this function; the elements of a vector are one each."""
        declarator = declaration.names[0]
        name = declarator.name.text
        if declaration.space == "reg":
            registers = Registers(TYPES[declaration.type], declaration.vector or 1, None, declarator.name.span)
            scope.declare(name, registers)
            return self.numbered(name, scope, registers)
        space, frame = ("param", self.window) if self.entry else ("frame", self.frame)
        found = variable(declaration, declarator, space, frame)
        scope.declare(name, Held(found))
        return (found,)

    def declare(self, declaration: Declaration, declarator: Declarator, scope: Scope) -> None:
        """A declaration inside the body."""
        name = declarator.name.text
        if declaration.space == "reg":
            count = declarator.count.value if declarator.count is not None else None
            scope.declare(
                name, Registers(TYPES[declaration.type], declaration.vector or 1, count, declarator.name.span)
            )
        elif declaration.space in ("param", "local"):
            space = "frame" if declaration.space == "param" else "local"
            count = declarator.count.value if declarator.count is not None else None
            for i in [""] if count is None else range(count):
                found = variable(declaration, declarator, space, self.frame, f"{name}{i}")
                scope.declare(found.name, Held(found))
                if space == "local":
                    self.local.append(found)
        else:
            found = self.names.inner(declarator)
            scope.declare(name, Held(found))
            if found.space == "shared":
                self.shared.append(found)

    def collect(self, statements: list[tree.Statement], scope: Scope, placed: list[Placed]) -> None:
        """Declares what the statements declare and gives labels and instructions their positions."""
        for statement in statements:
            if isinstance(statement, tree.Instruction):
                placed.append((statement, scope, self.line))
            elif isinstance(statement, tree.Label):
                scope.labels[statement.name.text] = len(placed)
                self.labels.setdefault(statement.name.text, len(placed))
            elif isinstance(statement, Declaration):
                for declarator in statement.names:
                    self.declare(statement, declarator, scope)
            elif isinstance(statement, tree.Block):
                self.collect(statement.statements, self.open(scope), placed)
            elif isinstance(statement, Location):
                self.line = self.names.place(statement)
            elif isinstance(statement, (BranchTargets, CallTargets, CallPrototype)) and statement.label is not None:
                scope.tables[statement.label.text] = statement

    def numbered(self, name: str, scope: Scope, registers: Registers) -> tuple[Register, ...]:
        """The register of this name, or those of its elements; numbered when they are first used."""
        key = (id(scope), name)
        found = self._numbers.get(key)
        if found is None:
            first = len(self.registers)
            names = [name] if registers.vector == 1 else [f"{name}.{c}" for c in "xyzw"[: registers.vector]]
            if registers.vector > 4:
                names = [f"{name}.{i}" for i in range(registers.vector)]
            found = tuple(Register(n, registers.type, first + i) for i, n in enumerate(names))
            self.registers += found
            self._numbers[key] = found
        return found

    def temporary(self, width: int) -> Reg:
        """A register that the text does not have."""
        self.registers.append(Register(f"{len(self.registers)}", TYPES[f"b{width}"], len(self.registers)))
        return Reg(self.registers[-1].index, width)

    # Instructions.

    def code(self, placed: list[Placed]) -> tuple[Op, ...]:
        """All instructions; those that operands such as `x[i]` need stand before the one that has the operand."""
        places: list[int] = []
        code: list[Op] = []
        for each in placed:
            op = self.op(*each)
            places.append(len(code))
            code += [inserted(opcode, operands, op) for opcode, operands in self._before]
            code.append(op)
            self._before.clear()
        if len(code) == len(placed):
            return tuple(code)
        places.append(len(code))
        self.labels = {name: places[at] for name, at in self.labels.items()}
        return tuple(moved(op, places) for op in code)

    def insert(self, opcode: str, *operands: Operand) -> None:
        """Asks for an instruction before the one that is being bound."""
        self._before.append((opcode, operands))

    def op(self, instruction: tree.Instruction, scope: Scope, line: Line) -> Op:
        """One instruction, bound to the first form of its opcode that its operands fit."""
        file, span = instruction.file, instruction.span
        opcode = instruction.opcode
        binder = Binder(self, scope)
        chosen = select(resolve(opcode), instruction.operands, binder)
        if chosen is None:
            raise Unsupported(opcode, file=file, span=span)
        form, m, trees = chosen
        types = binder.types(form, m, trees)
        try:
            m = binder.selected(binder.place(m, form, trees), form, trees)
            operands = binder.operands(form, m, trees, types)
            guard = binder.guard(instruction.guard)
        except UnboundError as problem:
            raise Unsupported(f"{opcode}: {problem}", file=file, span=span) from None
        types = tuple(type if operand is not None else None for type, operand in zip(types, operands, strict=True))
        text = file.text[instruction.opcode_span[0] : span[1]].rstrip("; \t\r\n")
        return Op(form, m, guard, operands, types, span, text, line)

    def targets(self, table: Directive, scope: Scope) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Positions and functions that a `.branchtargets` or a `.calltargets` lists."""
        assert isinstance(table, BranchTargets)
        names = [
            n
            for t in table.targets
            for n in ([t.text] if t.count is None else [f"{t.text}{i}" for i in range(t.count)])
        ]
        if isinstance(table, CallTargets):
            functions = tuple(self.names.function_name(name) for name in names)
            self.callees.update(functions)
            return (), functions
        positions = [scope.label(name) for name in names]
        if None in positions:
            raise UnboundError(f"no label `{names[positions.index(None)]}`")
        return tuple(p for p in positions if p is not None), ()


def inserted(opcode: str, operands: tuple[Operand, ...], of: Op) -> Op:
    """An instruction that stands for a part of another."""
    form, m = resolve(opcode)[0]
    return Op(form, m, None, operands, form.types(m), of.span, of.text, of.line)


def moved(op: Op, places: list[int]) -> Op:
    """The instruction with its targets where they are now."""
    if not any(isinstance(operand, (Target, Targets)) for operand in op.operands):
        return op
    operands = tuple(
        Target(places[operand.pc])
        if isinstance(operand, Target)
        else Targets(tuple(places[pc] for pc in operand.pcs), operand.functions)
        if isinstance(operand, Targets)
        else operand
        for operand in op.operands
    )
    return replace(op, operands=operands)


def directives_of(directives: tuple[Directive, ...]) -> dict[str, tuple[int, ...]]:
    """The performance and cluster directives of a header, by name: `maxntid` is (256, 1, 1)."""
    return {directive.name: tuple(value.value for value in directive.values) for directive in directives}
