"""Gates of everything that is not an instruction: directives, attributes, parameters, initial values (5.4, 11)."""

from __future__ import annotations

from openptx.check.availability import KERNEL_ADDRESS, TYPES_SINCE, WITHDRAWN, gate_problem
from openptx.check.debug_info import POSITIONS_SINCE, section_features
from openptx.check.names.declared_types import OPAQUE
from openptx.check.sizes import bytes_of, element_bytes, rounded_up, shape_of
from openptx.diagnostics import Diagnostic
from openptx.isa.directives import ATTRIBUTES, DIRECTIVES, PRAGMAS, pragma_in
from openptx.isa.notation.gates import gate
from openptx.isa.targets import satisfied
from openptx.isa.types import TYPES
from openptx.late import late
from openptx.patterns import pattern
from openptx.syntax.declarations import InitialiserList, MaskedInteger, SymbolAddress
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import Alias, BranchTargets, CallPrototype, Directive, Dwarf, Pragma, Section, SourceFile
from openptx.syntax.operands import Integer
from openptx.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from openptx.check.attributes import attribute_problems
    from openptx.check.context import Context
    from openptx.check.names.linkage import Linkage
    from openptx.check.problems import Problem
    from openptx.diagnostics import Collector
    from openptx.isa.notation.gates import Gate
    from openptx.source import Span
    from openptx.syntax.declarations import Attribute, Initialiser
    from openptx.syntax.tree import Statement, SyntaxTree

    Requirement = tuple[str, Gate, Span]  # what it is, what it requires, where it is
else:
    attribute_problems = late("openptx.check.attributes", "attribute_problems")

# fmt: off
#                        measured, ptxas 13.5; the manual's own gates of directives are in `isa/directives.py`
KERNEL_DECLARATION     = gate("PTX 3.0")
KERNEL_PARAMETER       = gate("PTX 1.4")
FUNCTION_PARAMETER     = gate("PTX 2.0, sm_20")
BODY_PARAMETER         = gate("PTX 2.0")
POINTER                = gate("PTX 2.2")
OPAQUE_POINTER         = gate("PTX 4.3")
CONSTANT_BANK          = gate("PTX 1.2 to 2.1")
EXTERNAL_BANK          = gate("PTX 1.5 to 2.1")
TEXTURE_SPACE          = gate("PTX 1.0 to 1.4")
DWARF_LINES            = gate("PTX 1.0 to 1.5")
TIMESTAMP              = gate("PTX 3.2")
INLINED                = gate("PTX 7.0")
ADDRESS_VALUE          = gate("PTX 2.1")
FUNCTION_VALUE         = gate("PTX 2.1, sm_20")
GENERIC_VALUE          = gate("PTX 3.1")
MASKED_VALUE           = gate("PTX 7.1")
MASKED_INTEGER         = gate("PTX 7.2")
LARGE_PARAMETERS       = gate("PTX 8.1, sm_70")
MEASURED               = {  # where the assembler's gate differs from the manual's
    "branchtargets":        gate("PTX 6.0, sm_30"),
    "common":               gate("PTX 5.0"),
    "maxnctapersm":         gate("PTX 1.3 to 2.0"),
    "nounroll":             gate("PTX 2.0"),
    "enable_smem_spilling": gate("PTX 8.7, sm_75"),
}
# fmt: on

_OF_COMMON = (
    KERNEL_DECLARATION, FUNCTION_PARAMETER, BODY_PARAMETER, POINTER, ADDRESS_VALUE, FUNCTION_VALUE, GENERIC_VALUE,
    *TYPES_SINCE.values(), MASKED_VALUE, MASKED_INTEGER,
)  # fmt: skip
"""The gates of common declarations: if a file meets all of them, these need no checks one by one. A file that does is
also of PTX 7.0 or newer, so bodies are not searched for newer features."""

_POSITIVE = frozenset(("maxntid", "reqntid", "maxnreg", "minnctapersm"))

_OF_CLUSTERS = frozenset(("reqnctapercluster", "maxclusterrank"))

_FUNCTIONS_ONLY = frozenset(("noreturn", "abi_preserve", "abi_preserve_control"))

_PREDICATES = 11
"""The maximum value of `.abi_preserve_control`, on every target (measured, ptxas 13.5)."""

_EXCLUSIVE = (("maxntid", "reqntid"), ("reqnctapercluster", "maxclusterrank"))

_INLINED = pattern(r"\.loc\b[^\n;]*\bfunction_name\b")
_RULE = "PTX ISA, Kernel Function Parameters (5.1.6.1)"


class DirectiveAvailability:
    """Checks the gates of the items of one file. `linkage` knows the functions that initial values may name."""

    def __init__(self, module: SyntaxTree, context: Context, collector: Collector, linkage: Linkage) -> None:
        self.file, self.context, self.collector, self.linkage = module.file, context, collector, linkage
        target, version = context.target, context.version
        self.modern = target is not None and all(satisfied(wanted, version, target) for wanted in _OF_COMMON)

    def check(self, statement: Statement) -> None:
        """Reports what a directive, a declaration or the header of a function may not contain in this file."""
        for span, problem in () if self.modern and _common(statement) else self.unmet(statement):
            found = Diagnostic(
                problem.about, problem.message, self.file, span, problem.label, expected=problem.expected,
                actual=problem.actual, rule=problem.rule, help=problem.help,
            )  # fmt: skip
            self.collector.add(found)
        if isinstance(statement, Function):
            if statement.kind == "entry" and (statement.body is not None or not self.context.follows_ptxas):
                self.room(statement, statement.parameters)
                for parameter in statement.parameters:
                    self._sampler(parameter)
            self._header_pragmas(statement)
            self._limits(statement)
        if isinstance(statement, Function | CallPrototype):
            self._conventions(statement)
        if isinstance(statement, Declaration | Function) and statement.attributes:
            self.collector.extend(list(attribute_problems(statement, self.context.follows_ptxas)))

    def _conventions(self, statement: Function | CallPrototype) -> None:
        """How a function or a prototype passes results, and which registers it preserves (measured, ptxas 13.5)."""
        in_memory = [result for result in statement.returns if result.space == "param"]
        if in_memory and len(statement.returns) > 1:
            found = Diagnostic(
                "parameter", "several results must be registers", self.file, in_memory[0].space_span,
                "one of several results", expected="`.reg`", actual="`.param`", rule="PTX ISA, .func (11.2.2)",
            )  # fmt: skip
            self.collector.add(found)
        before: set[str] = set()
        for directive in statement.directives:
            if directive.name not in _FUNCTIONS_ONLY:
                continue
            if directive.name == "noreturn" and statement.returns:
                self._misplaced(directive, "a function that never returns has no result", "not both")
            if directive.name in before:
                self._misplaced(directive, f"`.{directive.name}` occurs twice", "the second one")
            elif directive.name == "noreturn" and before:
                self._misplaced(directive, f"`.noreturn` must come before `.{min(before)}`", "out of order")
            before.add(directive.name)
            most = _PREDICATES if directive.name == "abi_preserve_control" else (1 << 32) - 1
            for value in directive.values:
                if value.value > most:
                    found = Diagnostic(
                        "invalid-directive", f"`.{directive.name}` takes at most {most}, not {value.value}", self.file,
                        value.span, "too large", expected=f"at most {most}", actual=value.text,
                        rule="PTX ISA, Performance-Tuning Directives (11.4)",
                    )  # fmt: skip
                    self.collector.add(found)

    def _limits(self, function: Function) -> None:
        """A limit on threads, registers or blocks must be positive (11.4; measured)."""
        for directive in function.directives:
            least = 1 if directive.name in _POSITIVE else 0
            for value in directive.values if least or directive.name in _OF_CLUSTERS else ():
                if not least <= value.value < 1 << 32:
                    found = Diagnostic(
                        "invalid-directive", f"`.{directive.name}` takes {least} to {(1 << 32) - 1}, not {value.value}",
                        self.file, value.span, "not positive" if value.value <= 0 else "too large",
                        expected="a positive integer" if least else "an integer of 32 bits",
                        actual=value.text, rule="PTX ISA, Performance-Tuning Directives (11.4)",
                    )  # fmt: skip
                    self.collector.add(found)
        named = {directive.name: directive for directive in function.directives}
        for one, other in _EXCLUSIVE:
            if one in named and other in named:
                self._misplaced(named[other], f"`.{one}` and `.{other}` exclude each other", "leave out one of them")
        clusters = named.get("blocksareclusters")
        if clusters is not None and not {"reqntid", "reqnctapercluster"} <= named.keys():
            self._misplaced(clusters, "`.blocksareclusters` needs `.reqntid` and `.reqnctapercluster`", "alone here")

    def _misplaced(self, directive: Directive, message: str, label: str) -> None:
        rule = "PTX ISA, Performance-Tuning Directives (11.4)"
        self.collector.add(Diagnostic("invalid-directive", message, self.file, directive.name_span, label, rule=rule))

    def module_level(self, declaration: Declaration) -> None:
        """A variable outside functions."""
        self.check(declaration)
        self._sampler(declaration)
        self._bank(declaration)

    def unmet(self, statement: Statement) -> Iterator[tuple[Span, Problem]]:
        """The gates of a statement that the file's version and target do not satisfy."""
        target = self.context.target
        if target is None:
            return
        for what, wanted, span in self._requirements(statement):
            if not satisfied(wanted, self.context.version, target):
                yield span, gate_problem(what, wanted, self.context)

    def _requirements(self, statement: Statement) -> Iterator[Requirement]:
        match statement:
            case Function():
                yield from self._function(statement)
            case Declaration():
                yield from self._variable(statement)
            case Dwarf():
                yield "`@@DWARF`", DWARF_LINES, statement.span
            case Alias():
                yield "`.alias`", self._since("alias"), statement.name_span
            case CallPrototype() | BranchTargets():
                yield f"`.{statement.name}`", self._since(statement.name), statement.name_span
                if isinstance(statement, CallPrototype):
                    yield from self._tuning(statement.directives)
                    for parameter in statement.variables:
                        yield from _type_since(parameter)
            case SourceFile() if len(statement.values) > 1:
                yield "the timestamp of `.file`", TIMESTAMP, statement.values[1].span
            case Section():
                yield "`.section`", self._since("section"), statement.name_span
                yield from section_features(self.file, statement, self.context.version)
            case Pragma():
                yield "`.pragma`", self._since("pragma"), statement.name_span
                for string in statement.strings:
                    word = pragma_in(string.value)
                    if word and self.context.version >= (2, 0):
                        yield f"the pragma `{word}`", self._since(word), string.span
            case Directive() if statement.name in DIRECTIVES:
                yield f"`.{statement.name}`", self._since(statement.name), statement.name_span
            case _:
                return

    def _function(self, function: Function) -> Iterator[Requirement]:
        yield from self._linkage(function)
        yield from _attributes(function.attributes)
        if function.kind == "entry" and function.body is None and not function.broken:
            yield "a kernel without a body", KERNEL_DECLARATION, function.name.span
        if function.kind == "entry" and function.parameters:
            yield "a kernel's list of parameters", KERNEL_PARAMETER, function.parameters[0].space_span
        for parameter in (*function.returns, *function.parameters):
            if function.kind == "func" and parameter.space == "param":
                yield "a `.param` parameter of a function", FUNCTION_PARAMETER, parameter.space_span
            if parameter.pointer is not None:
                kind = parameter.pointer.space
                yield "`.ptr`", POINTER, parameter.pointer.span
                if kind in OPAQUE:
                    yield f"`.ptr .{kind}`", OPAQUE_POINTER, parameter.pointer.span
            yield from _type_since(parameter)
        yield from self._tuning(function.directives)
        body = function.body if POSITIONS_SINCE <= self.context.version < (7, 0) else None  # newer: not searched
        if body is not None and (place := _INLINED.search(self.file.text, *body)):
            yield "`function_name` of `.loc`", INLINED, place.span()

    def _variable(self, declaration: Declaration) -> Iterator[Requirement]:
        yield from self._linkage(declaration)
        yield from _attributes(declaration.attributes)
        if declaration.bank is not None:
            external = declaration.bank.value > 0
            yield "a constant bank", EXTERNAL_BANK if external else CONSTANT_BANK, declaration.bank.span
        if declaration.space == "tex":
            yield "`.tex`", TEXTURE_SPACE, declaration.space_span
        if declaration.space == "param":
            yield "`.param` in a body", BODY_PARAMETER, declaration.space_span
        yield from _type_since(declaration)
        for declarator in declaration.names:
            if declarator.initialiser is not None:
                yield from self._value(declarator.initialiser)

    def _since(self, name: str) -> Gate:
        """The gate of a directive or a pragma."""
        if self.context.follows_ptxas and name in MEASURED:
            return MEASURED[name]
        return DIRECTIVES[name].gate if name in DIRECTIVES else PRAGMAS[name]

    def _linkage(self, item: Function | Declaration) -> Iterator[Requirement]:
        start = item.span[0]
        if item.linkage in ("weak", "common"):
            yield f"`.{item.linkage}`", self._since(item.linkage), (start, start + len(item.linkage) + 1)

    def _tuning(self, directives: tuple[Directive, ...]) -> Iterator[Requirement]:
        for directive in directives:
            if isinstance(directive, Pragma):
                yield "`.pragma`", self._since("pragma"), directive.name_span
            elif directive.name in DIRECTIVES:
                yield f"`.{directive.name}`", self._since(directive.name), directive.name_span

    def _value(self, value: Initialiser) -> Iterator[Requirement]:
        if isinstance(value, InitialiserList) and not value.numeric:
            for element in value.elements:
                yield from self._value(element)
        if isinstance(value, SymbolAddress):
            yield "an address as an initial value", ADDRESS_VALUE, value.span
            if (function := self.linkage.functions.get(value.name.text)) is not None:
                yield "a function as an initial value", FUNCTION_VALUE, value.span
                if function.kind == "entry":
                    yield "a kernel as an initial value", KERNEL_ADDRESS, value.span
                if function.body is None and function.name.text in WITHDRAWN and self.context.follows_ptxas:
                    yield f"`{function.name.text}`", WITHDRAWN[function.name.text], value.span
            if value.generic:
                yield "`generic()`", GENERIC_VALUE, value.span
            if value.mask is not None:
                yield "a mask of an address", MASKED_VALUE, value.mask.span
        elif isinstance(value, MaskedInteger):
            yield "a mask of an integer", MASKED_INTEGER, value.mask.span

    def room(self, kernel: Function, parameters: Sequence[Declaration]) -> None:
        """The parameters of a kernel have at most 4352 bytes in total; 32764 since PTX 8.1 and sm_70, 256 before PTX
        1.5."""
        context, size = self.context, 0
        if len(parameters) <= 16 and not any(p.names[0].dimensions or p.align for p in parameters):
            return  # each takes at most 16 bytes
        for parameter in parameters:
            type = TYPES.get(parameter.type)
            if type is None:
                return
            if type.kind == "opaque" and context.follows_ptxas:  # takes no room (measured)
                continue
            element = element_bytes(type) * max(1, parameter.vector)
            align = parameter.align.value if parameter.align is not None else element
            size = rounded_up(size, max(1, align)) + bytes_of(parameter)
        large = context.target is not None and satisfied(LARGE_PARAMETERS, context.version, context.target)
        room = 32764 if large else 4352 if context.version >= (1, 5) else 256
        if size > room:
            message = f"the parameters of `{kernel.name.text}` take {size} bytes, and the limit is {room}"
            self.collector.add(Diagnostic(
                "parameter", message, self.file, kernel.name.span, "too many", expected=f"at most {room} bytes",
                actual=f"{size} bytes", rule=_RULE,
            ))  # fmt: skip

    def _sampler(self, declaration: Declaration) -> None:
        """Separate samplers belong to one of the two texturing modes (5.3), but arrays of them pass (measured)."""
        plain = declaration.type == "samplerref" and not all(declarator.dimensions for declarator in declaration.names)
        if not plain or self.context.independent_textures or not self.context.follows_ptxas:
            return
        found = Diagnostic(
            "target-conflict", "a `.samplerref` needs independent textures and samplers", self.file,
            declaration.type_span, "not in unified mode", rule="PTX ISA, Texture Sampler and Surface Types (5.3)",
            help="add `texmode_independent` to `.target`",
        )  # fmt: skip
        self.collector.add(found)

    def _bank(self, declaration: Declaration) -> None:
        """Constant banks other than the first hold data of the driver (5.1.3)."""
        bank = declaration.bank
        if bank is None or not bank.value:
            return
        if declaration.linkage != "extern" or any(shape_of(declarator) != (0,) for declarator in declaration.names):
            found = Diagnostic(
                "linkage", f"constant bank {bank.value} is for `.extern` arrays of open length", self.file, bank.span,
                "not bank 0", rule="PTX ISA, Banked Constant State Space (5.1.3.1)",
            )  # fmt: skip
            self.collector.add(found)

    def _header_pragmas(self, function: Function) -> None:
        """Pragmas of a whole function: those about the code that follows them belong into its body (chapter 12)."""
        for pragma in function.directives:
            if isinstance(pragma, Pragma):
                self.outside_of_bodies(pragma, "not in the header")

    def outside_of_bodies(self, pragma: Pragma, place: str) -> None:
        """A pragma of the module, or of a header (measured, ptxas 13.5)."""
        for string in pragma.strings:
            word = pragma_in(string.value)
            if word not in ("", "nounroll"):
                message = f"the pragma `{word}` belongs in the body of a function"
                self.collector.add(Diagnostic("misplaced-directive", message, self.file, string.span, place))


def _common(statement: Statement) -> bool:
    """Whether a statement needs only common features: none, or those that `_OF_COMMON` lists."""
    if isinstance(statement, Function):
        return not (statement.attributes or statement.directives or statement.linkage in ("weak", "common"))
    if not isinstance(statement, Declaration):
        return isinstance(statement, SourceFile)
    given = statement.attributes or statement.bank or statement.linkage in ("weak", "common")
    return (
        not given
        and statement.space != "tex"
        and all(
            (value := declarator.initialiser) is None
            or isinstance(value, (Integer, SymbolAddress))
            or (isinstance(value, InitialiserList) and value.plain)
            for declarator in statement.names
        )
    )


def _type_since(declaration: Declaration) -> Iterator[Requirement]:
    """The gate of a declared type, which vectors of pairs and arrays of textures do not have (measured, ptxas 13.5)."""
    type = declaration.type
    arrays = type in OPAQUE and all(declarator.dimensions for declarator in declaration.names)
    if type in TYPES_SINCE and not arrays and not (type == "f16x2" and declaration.vector > 1):
        yield f"`.{type}`", TYPES_SINCE[type], declaration.type_span


def _attributes(attributes: tuple[Attribute, ...]) -> Iterator[Requirement]:
    for attribute in attributes:
        if attribute.name in ATTRIBUTES:
            yield f"`.{attribute.name}`", ATTRIBUTES[attribute.name], attribute.span
