"""What the functions of a module share while they are lowered: its variables, functions, aliases and files."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from openptx.check.lowering.layout import variable
from openptx.isa.semantics.matrix.generations import generation
from openptx.isa.special_registers import RESERVED_OFFSETS, RESERVED_SHARED
from openptx.isa.targets import target
from openptx.isa.types import TYPES
from openptx.patterns import pattern
from openptx.program import Prototype, Register
from openptx.syntax import tree
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import AddressSize, Alias, Pragma, SourceFile, Target, Version
from openptx.syntax.statement_lexer import landmarks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from openptx.check.checked import CheckedModule
    from openptx.program import Variable
    from openptx.syntax.declarations import Declarator
    from openptx.syntax.directives import CallPrototype, Location

# A state space of a declaration, not part of an opcode.
_DECLARES = pattern(r"(?<![\w:])\.(?:shared|global|const|tex)\b(?!\.|::)")
_RESERVED = "%reserved_smem_offset_"


class ModuleNames:
    """The names of a module, and what they denote."""

    def __init__(self, resolved: CheckedModule) -> None:
        self.resolved = resolved
        self.module = module = resolved.tree
        self.variables: dict[str, Variable] = {}
        self.headers: dict[str, tree.Function] = {}
        self.files: dict[int, str] = {}
        self.aliases: dict[str, str] = {}
        self.version, self.target, self.address_size = (1, 0), "", 64
        self.debug = False
        self.rolls = False  # a `.pragma "nounroll"` outside of functions, at any position, applies to all functions
        self._inner: dict[tuple[int, int], Variable] = {}
        for item in module.items:
            self._take(item)
        self.variables = {name: defined(found) for name, found in self.variables.items()}
        for header in self.headers.values():
            if header.body is not None and _DECLARES.search(module.file.text, *header.body):
                self._take_inner(header)
        self.generation = generation(resolved.header.target or target(self.target))
        self.reserved_shared = RESERVED_SHARED if _RESERVED in module.file.text else 0

    def _take(self, item: tree.Statement) -> None:
        match item:
            case Version():
                self.version = item.major, item.minor
            case Target():
                known = [found.name for name in item.targets if (found := target(name.text)) is not None]
                self.target = known[-1] if known else ""
                self.debug = any(name.text == "debug" for name in item.targets)
            case AddressSize():
                self.address_size = item.values[0].value
            case SourceFile():
                self.files[item.index] = item.path.value
            case Alias():
                self.aliases[item.alias.text] = item.aliasee.text
            case Pragma():
                self.rolls = self.rolls or item.names("nounroll")
            case tree.Function():
                name = item.name.text
                if name not in self.headers or self.headers[name].body is None:
                    self.headers[name] = item
            case Declaration():
                for declarator in item.names:
                    self._take_variable(item, declarator)
            case _:
                pass

    def _take_variable(self, declaration: Declaration, declarator: Declarator) -> None:
        name = declarator.name.text
        count = declarator.count.value if declarator.count is not None else None
        if declaration.space == "reg":
            return
        for i in [""] if count is None else range(count):
            self._add(self._variable(declaration, declarator, f"{name}{i}"))

    def _add(self, found: Variable) -> None:
        known = self.variables.get(found.name)
        if known is None or (known.linkage == "extern" and found.linkage != "extern"):
            self.variables[found.name] = found

    def _variable(self, declaration: Declaration, declarator: Declarator, name: str) -> Variable:
        return variable(
            declaration, declarator, "global" if declaration.space == "tex" else declaration.space, None, name
        )

    def _take_inner(self, header: tree.Function) -> None:
        """Variables that a body declares but that live as long as the module, or the CTA. Instructions are skipped."""
        for statement in declarations(header):
            if statement.space not in ("reg", "param", "local"):
                for declarator in statement.names:
                    if statement.space == "shared":
                        found = self._variable(statement, declarator, declarator.name.text)
                        self._inner[declarator.name.span] = defined(found)
                    else:
                        self._inner[declarator.name.span] = self._own(statement, declarator, header)

    def _own(self, declaration: Declaration, declarator: Declarator, header: tree.Function) -> Variable:
        """Module-level memory that only one body can name, under a unique name."""
        name = declarator.name.text
        if name in self.variables:
            name = f"{header.name.text}::{name}::{declarator.span[0]}"
        self.variables[name] = found = self._variable(declaration, declarator, name)
        return found

    def reserved_offset(self, name: str) -> int | None:
        """The value of `%reserved_smem_offset_begin` and similar; None for other special registers."""
        _, found, which = f"%{name}".partition(_RESERVED)
        if not found:
            return None
        return RESERVED_OFFSETS[which]

    # Used by bodies.

    @cached_property
    def longest_argument(self) -> int:
        """The size in bytes of the longest parameter variable of a body: room for what any call passes to a parameter
        without a length, which takes the other arguments of a variadic function."""
        bodies = [header for header in self.headers.values() if header.body is not None]
        return max(
            (
                variable(statement, declarator, "frame", None).size
                for header in bodies
                for statement in declarations(header)
                if statement.space == "param"
                for declarator in statement.names
            ),
            default=0,
        )

    def inner(self, declarator: Declarator) -> Variable:
        """A shared, global or const variable that a function's body declares: created when the module was read."""
        return self._inner[declarator.name.span]

    def place(self, location: Location) -> tuple[str, int, int]:
        """File, line and column of a `.loc`."""
        index, line, column = (value.value for value in location.values[:3])
        return self.files.get(index, ""), line, column

    def is_function(self, name: str) -> bool:
        """Whether the module declares a function of this name."""
        return name in self.headers or name in self.aliases

    def function_name(self, name: str) -> str:
        """The function that a name denotes, through aliases."""
        seen = {name}
        while name in self.aliases and self.aliases[name] not in seen:
            name = self.aliases[name]
            seen.add(name)
        return name

    def header(self, name: str) -> tree.Function | None:
        """The declaration of a function, through aliases."""
        return self.headers.get(self.function_name(name))

    def prototype(self, table: CallPrototype) -> Prototype:
        """The signature of an indirect call."""
        return Prototype(signature(table.returns), signature(table.parameters), table.noreturn)


def declarations(header: tree.Function) -> Iterator[Declaration]:
    """The variables that a body declares. Instructions are skipped."""
    places = landmarks(header.file.text, header.body or header.span)
    for statement in tree.walk(header.read(list(places))[0]):
        if isinstance(statement, Declaration):
            yield statement


def defined(found: Variable) -> Variable:
    """The variable as ptxas compiles it in a whole program: `.extern` is ignored where nothing defines the name.

    ptxas warns of an "Unresolved extern variable in whole program compilation" and allocates it. An array without a
    length stays as it is: in shared memory it is the memory that a launch requests.
    """
    return replace(found, linkage="visible") if found.linkage == "extern" and found.size else found


def signature(declarations: Sequence[Declaration]) -> tuple[Register | Variable, ...]:
    """Parameters as types and sizes, vectors element by element: their offsets are not those of real parameters."""
    found: list[Register | Variable] = []
    for declaration in declarations:
        declarator = declaration.names[0]
        if declaration.space == "reg":
            for _ in range(declaration.vector or 1):
                found.append(Register(declarator.name.text, TYPES[declaration.type], len(found)))
        else:
            found.append(variable(declaration, declarator, "frame", None))
    return tuple(found)
