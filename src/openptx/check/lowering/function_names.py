"""What the instructions of a function share while it is lowered: its registers, variables, labels and callees."""

from __future__ import annotations

from dataclasses import replace

from openptx.check.lowering.layout import Frame, variable
from openptx.check.names.scopes import Memory, Registers, canonical
from openptx.program import Reg, Register, Symbol, Vector
from openptx.syntax.directives import BranchTargets, CallTargets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.lowering.module_names import ModuleNames
    from openptx.check.names.body import ResolvedBody
    from openptx.check.names.scopes import Meaning, Scope
    from openptx.program import Operand, Variable
    from openptx.syntax.declarations import Variable as Declaration
    from openptx.syntax.directives import Directive


class UnboundError(Exception):
    """An operand that a Program cannot represent; the message says which."""


class FunctionNames:
    """The names of a function: the frame and the registers fill up while its instructions are bound."""

    def __init__(self, module: ModuleNames, resolved: ResolvedBody, kernel: bool) -> None:
        self.module = module
        self.resolved = resolved
        self.kernel = kernel
        self.frame = Frame()
        self.window = Frame()
        self.registers: list[Register] = []
        self.callees: set[str] = set()
        self.before: list[tuple[str, tuple[Operand, ...]]] = []
        """Instructions that the one which is being bound needs before it."""
        self._variables: dict[Memory, Variable] = {}
        self._operands: dict[tuple[Scope, str], Reg | Vector] = {}

    def formal(self, declaration: Declaration) -> tuple[Register, ...] | tuple[Variable]:
        """A parameter or a return of this function; the elements of a vector are one each."""
        declarator = declaration.names[0]
        scope = self.resolved.header
        meaning = scope.names.get(declarator.name.text)
        if isinstance(meaning, Registers):
            first = len(self.registers)
            self.register(declarator.name.text, scope, meaning)
            return tuple(self.registers[first:])
        space, frame = ("param", self.window) if self.kernel else ("frame", self.frame)
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

    def insert(self, opcode: str, *operands: Operand) -> None:
        """Emits an instruction before the one that is being bound."""
        self.before.append((opcode, operands))

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
