"""Lowers one function: names become registers or memory, labels positions, operands the operands of a form."""

from __future__ import annotations

from dataclasses import replace

from openptx.check.lowering.bound_form import bound_form
from openptx.check.lowering.layout import Frame, variable
from openptx.check.lowering.operands import Binder, UnboundError
from openptx.check.names.scopes import Memory, Registers, canonical
from openptx.control_flow import retarget
from openptx.errors import Unsupported
from openptx.isa.notation import resolve
from openptx.program import Function, Op, Reg, Register, Symbol, Vector
from openptx.syntax.directives import BranchTargets, CallTargets, Pragma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.forms.verdicts import Verdicts
    from openptx.check.lowering.module import ModuleLowering
    from openptx.check.names.body import ResolvedBody, ResolvedInstruction
    from openptx.check.names.scopes import Meaning, Scope
    from openptx.program import Operand, Variable
    from openptx.syntax import tree
    from openptx.syntax.declarations import Variable as Declaration
    from openptx.syntax.directives import Directive


class FunctionLowering:
    """A function being lowered: the frame and the registers fill up while its instructions are bound."""

    def __init__(
        self, module: ModuleLowering, function: tree.Function, resolved: ResolvedBody, verdicts: Verdicts
    ) -> None:
        self.module = module
        self.function = function
        self.resolved = resolved
        self.verdicts = verdicts
        self.frame = Frame()
        self.window = Frame()
        self.registers: list[Register] = []
        self.callees: set[str] = set()
        self._variables: dict[Memory, Variable] = {}
        self._operands: dict[tuple[Scope, str], Reg | Vector] = {}
        self._before: list[tuple[str, tuple[Operand, ...]]] = []

    def lower(self) -> Function:
        """The function as engines execute it."""
        returns = tuple(part for p in self.function.returns for part in self.formal(p))
        listed = tuple(part for p in self.function.parameters for part in self.formal(p))
        variables = [self.place(name, memory) for name, memory in self.resolved.variables]
        code, places = self.code()
        labels: dict[str, int] = {}
        for name, number in self.resolved.labels.values():
            labels.setdefault(name, places[number])
        return Function(
            name=self.function.name.text,
            kind=self.function.kind,
            linkage=self.function.linkage,
            parameters=(*listed, *(found for found in variables if found.space == "param")),
            returns=returns,
            registers=tuple(self.registers),
            code=code,
            frame_size=self.frame.size,
            parameter_size=self.window.size,
            local=tuple(found for found in variables if found.space == "local"),
            shared=tuple(found for found in variables if found.space == "shared"),
            labels=labels,
            directives=directives_of(self.function.directives),
            callees=frozenset(self.callees),
            span=self.function.span,
            noreturn=self.function.noreturn,
            rolled=frozenset(range(len(code)) if self.rolls() else (places[number] for number in self.resolved.rolled)),
        )

    def rolls(self) -> bool:
        """Whether no loop of the function is unrolled."""
        return self.module.rolls or any(
            isinstance(each, Pragma) and each.names("nounroll") for each in self.function.directives
        )

    # Names.

    def formal(self, declaration: Declaration) -> tuple[Register, ...] | tuple[Variable]:
        """A parameter or a return of this function; the elements of a vector are one each."""
        declarator = declaration.names[0]
        scope = self.resolved.header
        meaning = scope.names.get(declarator.name.text)
        if isinstance(meaning, Registers):
            first = len(self.registers)
            self.register(declarator.name.text, scope, meaning)
            return tuple(self.registers[first:])
        space, frame = ("param", self.window) if self.function.kind == "entry" else ("frame", self.frame)
        found = variable(declaration, declarator, space, frame)
        if not found.size:  # `.b8 rest[]`
            size = self.module.longest_argument
            found = replace(found, size=size, offset=frame.place(size, found.align))
        if meaning is not None:
            self._variables[meaning] = found
        return (found,)

    def place(self, name: str, memory: Memory) -> Variable:
        """A variable of the body; those that outlive its call were placed with the module."""
        declaration, declarator = memory.declared
        if declaration.space in ("param", "local"):
            space = memory.kind.space
            found = variable(declaration, declarator, space, self.window if space == "param" else self.frame, name)
        else:
            found = self.module.inner(declarator)
        self._variables[memory] = found
        return found

    def operand(self, name: str, meaning: Meaning, scope: Scope) -> Reg | Vector | Symbol:
        """A declared name as an operand."""
        if isinstance(meaning, Registers):
            name = name if meaning.count is None else canonical(name)
            return self._operands.get((scope, name)) or self.register(name, scope, meaning)
        return Symbol(self._variables.get(meaning) or self.module.variables[name])

    def register(self, name: str, scope: Scope, meaning: Registers) -> Reg | Vector:
        """The register of this name, or those of its elements; numbered on first use."""
        first = len(self.registers)
        names = [name]
        if meaning.vector > 1:
            elements = "xyzw" if meaning.vector <= 4 else range(meaning.vector)
            names = [f"{name}.{element}" for _, element in zip(range(meaning.vector), elements, strict=False)]
        self.registers += [Register(each, meaning.type, number) for number, each in enumerate(names, first)]
        found = [Reg(number, meaning.type.width) for number in range(first, len(self.registers))]
        bound = self._operands[scope, name] = found[0] if meaning.vector == 1 else Vector(tuple(found))
        return bound

    # Instructions.

    def code(self) -> tuple[tuple[Op, ...], list[int]]:
        """All instructions, and the position of each, the end included.

        Instructions that an operand such as `x[i]` needs precede the one with the operand.
        """
        places: list[int] = []
        code: list[Op] = []
        for resolved in self.resolved.instructions:
            op = self.op(resolved)
            places.append(len(code))
            if self._before:
                code += [inserted(opcode, operands, op) for opcode, operands in self._before]
                self._before.clear()
            code.append(op)
        places.append(len(code))
        return tuple(code if len(code) < len(places) else [retarget(op, places) for op in code]), places

    def insert(self, opcode: str, *operands: Operand) -> None:
        """Emits an instruction before the one that is being bound."""
        self._before.append((opcode, operands))

    def op(self, resolved: ResolvedInstruction) -> Op:
        """One instruction, bound to its form."""
        instruction = resolved.instruction
        file, span = instruction.file, instruction.span
        bound = bound_form(self.verdicts, resolved.key)
        if bound is None:
            raise Unsupported(resolved.key[0], file=file, span=span)
        binder = Binder(self, resolved)
        try:
            operands = binder.operands(bound, instruction.operands)
            guard = binder.guard(instruction.guard)
        except UnboundError as problem:
            raise Unsupported(f"{resolved.key[0]}: {problem}", file=file, span=span) from None
        text = file.text[instruction.opcode_span[0] : span[1]].rstrip("; \t\r\n")
        location = resolved.location
        line = self.module.place(location) if location is not None else None
        m = bound.m
        if bound.form.instruction.by_generation:
            m = m.with_(generation=self.module.generation)
        return Op(bound.form, m, guard, operands, bound.types, span, text, line)

    def position(self, label: str, scope: Scope) -> int:
        """The number of the instruction that a label marks."""
        place = scope.label(label)
        if place is None or place not in self.resolved.labels:
            raise UnboundError(f"no label `{label}`")
        return self.resolved.labels[place][1]

    def targets(self, table: Directive, scope: Scope) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The positions or functions that a `.branchtargets` or a `.calltargets` lists."""
        assert isinstance(table, BranchTargets)
        names = [
            n
            for t in table.targets
            for n in ([t.text] if t.count is None else [f"{t.text}{i}" for i in range(t.count)])
        ]
        if isinstance(table, CallTargets):
            functions = tuple(self.module.function_name(name) for name in names)
            self.callees.update(functions)
            return (), functions
        return tuple(self.position(name, scope) for name in names), ()


def inserted(opcode: str, operands: tuple[Operand, ...], of: Op) -> Op:
    """An instruction that computes a part of another."""
    form, m = resolve(opcode)[0]
    return Op(form, m, None, operands, form.types(m), of.span, of.text, of.line)


def directives_of(directives: tuple[Directive, ...]) -> dict[str, tuple[int, ...]]:
    """The performance and cluster directives of a header, by name: `maxntid` is (256, 1, 1)."""
    return {directive.name: tuple(value.value for value in directive.values) for directive in directives}
