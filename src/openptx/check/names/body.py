"""Resolves names: one walk through a body opens its scopes, declares its names and classifies its operands."""

from __future__ import annotations

from openptx.check.foreign_spellings import TYPES as FOREIGN
from openptx.check.names.scopes import Formal, Memory, Registers, Scope
from openptx.check.operand import kinds
from openptx.check.operand.kinds import kind_of, variable
from openptx.check.sizes import element_bytes, shape_of
from openptx.isa.special_registers import is_predefined
from openptx.isa.types import TYPES
from openptx.syntax import tree
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import BranchTargets, CallPrototype, Location, Pragma

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from openptx.check.names.scopes import Found
    from openptx.check.operand.kinds import Kind
    from openptx.check.problems import Key
    from openptx.syntax.declarations import Declarator
    from openptx.syntax.operands import Name

    Declare = Callable[[Declaration, Scope], object]


class ResolvedInstruction:
    """An instruction, its scope, and the meanings of its names. `key` is its opcode and the kinds of its operands,
    which determine its form; `location` is the `.loc` before it."""

    __slots__ = ("instruction", "key", "location", "names", "scope")

    def __init__(
        self, instruction: tree.Instruction, scope: Scope, functions: Mapping[str, Kind], location: Location | None
    ) -> None:
        self.instruction, self.scope, self.location = instruction, scope, location
        names: dict[str, Found | None] = {}
        self.names = names

        def known(name: str) -> Kind:
            found = names[name] = scope.find(name)
            return found[0].kind if found is not None else scope.kind(name, functions)

        self.key: Key = (instruction.opcode, *[kind_of(operand, known) for operand in instruction.operands])
        if (guard := instruction.guard) is not None:
            known(guard.name.text)


class ResolvedBody:
    """The instructions of a body with the meanings of their names. `walk` fills it, once.

    `labels` are names and the index of the instruction after each, by position in the text.
    """

    def __init__(self, header: Scope, functions: Mapping[str, Kind]) -> None:
        self.header = header  # of the parameters, which share a scope with the outermost block
        self.parameters = frozenset(header.names)
        self.functions = functions
        self.scopes: list[Scope] = []
        self.keeps = True
        self.instructions: list[ResolvedInstruction] = []  # if it `keeps` them
        self.labels: dict[int, tuple[str, int]] = {}
        self.rolled: list[int] = []  # the numbers of instructions that follow a `.pragma "nounroll"`
        self._location: Location | None = None

    def walk(
        self, statements: list[tree.Statement], scope: Scope, declare: Declare
    ) -> Iterator[tuple[tree.Statement | ResolvedInstruction, Scope]]:
        """Each statement with its scope, in text order; instructions are resolved.

        Labels are visible in their whole block; `declare` makes the names of a declaration visible after it.
        """
        waiting = [(self.open(statements, scope), scope)]  # blocks may be nested deeper than Python's recursion limit
        while waiting:
            rest, scope = waiting[-1]
            for statement in rest:
                if isinstance(statement, tree.Instruction):
                    resolved = ResolvedInstruction(statement, scope, self.functions, self._location)
                    if self.keeps:
                        self.instructions.append(resolved)
                    yield resolved, scope
                    continue
                yield statement, scope
                if (label := label_of(statement)) is not None:
                    scope.cover(label.text, self.functions)
                if isinstance(statement, Declaration):
                    declare(statement, scope)
                elif isinstance(statement, tree.Label):
                    self.labels[statement.name.span[0]] = statement.name.text, len(self.instructions)
                elif isinstance(statement, tree.Block):
                    inner = Scope(scope)
                    waiting.append((self.open(statement.statements, inner), inner))
                    break
                elif isinstance(statement, Location):
                    self._location = statement
                elif isinstance(statement, Pragma) and statement.names("nounroll"):
                    self.rolled.append(len(self.instructions))
            else:
                waiting.pop()

    def open(self, statements: list[tree.Statement], scope: Scope) -> Iterator[tree.Statement]:
        """The statements of a block, whose labels are known from its beginning."""
        self.scopes.append(scope)
        for statement in statements:
            if (label := label_of(statement)) is not None:
                scope.labels.setdefault(label.text, label.span[0])
                if isinstance(statement, (BranchTargets, CallPrototype)):
                    scope.tables[label.text] = statement
        return iter(statements)

    @property
    def variables(self) -> list[tuple[str, Memory]]:
        """The body's declarations of memory, in text order."""
        found = [
            (name, meaning)
            for scope in self.scopes
            for name, meaning in scope.names.items()
            if isinstance(meaning, Memory) and not (scope is self.header and name in self.parameters)
        ]
        return sorted(found, key=lambda each: each[1].declaration.span)


def label_of(statement: tree.Statement) -> Name | None:
    """The label that a statement is, or has."""
    if isinstance(statement, tree.Label):
        return statement.name
    return statement.label if isinstance(statement, (BranchTargets, CallPrototype)) else None


PARAMETER_LISTS = (1, 4)
"""The first version of PTX in which kernels have parameter lists. Before, they declare parameters in their bodies."""


def parameters_in_body(function: tree.Function, version: tuple[int, int]) -> bool:
    """Whether `.param` in the body of a function declares a kernel's parameters, not those of a call."""
    return function.kind == "entry" and version < PARAMETER_LISTS


def local_space(declaration: Declaration, own: bool) -> str:
    """The state space of a variable of a body, as operand kinds name it. `own`: its `.param` variables are the kernel's
    parameters."""
    return declaration.space if own or declaration.space != "param" else "frame"


def declare_local(declaration: Declaration, scope: Scope, own: bool = False) -> None:
    """Declares the names of a declaration in a body."""
    for number in range(len(declaration.names)):
        declare_name(declaration, number, scope, local_space(declaration, own))


def declare_name(declaration: Declaration, number: int, scope: Scope, space: str) -> None:
    """Declares one name of a declaration, or its range of names."""
    declarator = declaration.names[number]
    name = declarator.name.text
    if name in ("_", "WARP_SZ") or (scope.outer is None and is_predefined(name)):
        return
    count = declarator.count.value if declarator.count is not None else None
    if space == "reg":
        type = TYPES.get(declaration.type) or TYPES[FOREIGN.get(declaration.type, "b32")]
        align = declaration.align.value if declaration.align is not None else 0
        scope.declare(name, Registers(type, declaration.vector or 1, count, declarator.name.span, align))
        return
    kind = memory_kind(declaration, declarator, space)
    for i in [""] if count is None else range(count):
        scope.declare(f"{name}{i}", Memory(kind, declaration, number))


def header_scope(function: tree.Function, outer: Scope) -> Scope:
    """The scope in which the parameters of a function are declared."""
    scope = Scope(outer)
    for number, formal in enumerate((*function.returns, *function.parameters)):
        declarator, space = formal.names[0], formal_space(formal, function)
        if space == "reg":
            declare_name(formal, 0, scope, space)
        elif declarator.name.text != "_":
            scope.declare(declarator.name.text, Formal(memory_kind(formal, declarator, space), function, number))
    return scope


def formal_space(formal: Declaration, function: tree.Function) -> str:
    """The state space of a parameter or a result of a function, as operand kinds name it."""
    if formal.space == "reg":
        return "reg"
    if function.kind == "entry":
        return "param"
    return "result" if formal in function.returns else "argument"


def memory_kind(declaration: Declaration, declarator: Declarator, space: str) -> Kind:
    """The kind of a variable's name."""
    type = TYPES.get(declaration.type, TYPES["b32"])
    vector = declaration.vector or 1
    shape = shape_of(declarator)
    size = element = element_bytes(type) * vector
    for length in shape:
        size *= length
    align = declaration.align.value if declaration.align is not None else element
    text = f"the address of a `.{kinds.PARAMETERS.get(space, space)}` variable"
    return variable(type.name, space, size, align, shape, vector, text)
