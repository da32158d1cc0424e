"""Checks declarations (manual 5.4) and declares their names."""

from __future__ import annotations

from openptx.check.availability import B128, UNSIZED, gate_problem
from openptx.check.names.body import declare_name, formal_space, local_space, memory_kind
from openptx.check.names.declared_types import OPAQUE, Misfit, plain_type, prototype_problem, reserved, type_problem
from openptx.check.names.linkage import symbols
from openptx.check.names.scopes import Memory, Registers
from openptx.check.sizes import shape_of
from openptx.diagnostics import SAFE, Diagnostic, Fix, Label
from openptx.isa.special_registers import is_predefined
from openptx.isa.targets import satisfied
from openptx.isa.types import TYPES
from openptx.late import late
from openptx.syntax.declarations import SymbolAddress
from openptx.syntax.operands import Integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from openptx.check.context import Context
    from openptx.check.names.initial_values import initial_problem, packed_problem
    from openptx.check.names.linkage import Linkage
    from openptx.check.names.predefined import predefined
    from openptx.check.names.scopes import Meaning, Scope
    from openptx.check.operand.kinds import Kind
    from openptx.diagnostics import Collector
    from openptx.diagnostics.diagnostic import Facts
    from openptx.source import File, Span
    from openptx.syntax import tree
    from openptx.syntax.declarations import Declarator
    from openptx.syntax.declarations import Variable as Declaration
    from openptx.syntax.directives import CallPrototype
else:
    initial_problem = late("openptx.check.names.initial_values", "initial_problem")
    packed_problem = late("openptx.check.names.initial_values", "packed_problem")
    predefined = late("openptx.check.names.predefined", "predefined")

_MOST_ALIGNED = 128  # bytes; measured, ptxas 13.5
_FEW = 64
"""A range of more variables than this is not a plain declaration."""


def _shape(
    declaration: Declaration, declarator: Declarator, space: str, unsized: bool
) -> tuple[object, ...] | None:  # fmt: skip
    """The key of a plain variable's declaration: all but its name. None for others."""
    if space == "reg":
        return None
    value = declarator.initialiser
    if declarator.count is not None or declarator.name.text == "_":
        return None
    if isinstance(value, SymbolAddress) and value.mask is None:
        written = SymbolAddress  # checked with its linkage
    elif value is None or (isinstance(value, Integer) and value.literal and not value.overflow):
        written = value and value.value
    else:
        return None
    return (
        space, declaration.space, declaration.type, declaration.vector, declaration.linkage, unsized,
        declaration.align and declaration.align.value, written,
        declaration.pointer and declaration.pointer.align and declaration.pointer.align.value,
        *[length and length.value for length in declarator.dimensions],
    )  # fmt: skip


class Declarations:
    """Declares names and checks their declarations."""

    def __init__(self, file: File, collector: Collector, context: Context, linkage: Linkage) -> None:
        self.file, self.collector, self.context, self.linkage = file, collector, context, linkage
        self.right: dict[object, Kind] = {}  # kinds of variables, by all accepted properties of their declaration

    def module_level(self, declaration: Declaration, scope: Scope) -> None:
        """A variable outside functions; `scope` is the module's."""
        if declaration.space != "global" and not all(each.dimensions for each in declaration.names):
            self._opaque(declaration)  # but arrays pass, as measured
        self._declare_all(declaration, scope, declaration.space)

    def header(self, function: tree.Function, scope: Scope) -> None:
        """The parameters and results of a function."""
        for parameter in (*function.returns, *function.parameters):
            self._parameter(parameter, function, scope)

    def _parameter(self, declaration: Declaration, function: tree.Function, scope: Scope) -> None:
        """A parameter or a return of a function."""
        space = formal_space(declaration, function)
        if function.kind == "entry" and declaration.space != "param":
            self.add(
                "parameter", "a parameter of a kernel must be in `.param`", declaration.space_span, "not `.param`",
                expected=".param", actual=f".{declaration.space}", rule="PTX ISA, Kernel Function Parameters (5.1.6.1)",
                fix=Fix(declaration.space_span, ".param", "declare it in `.param`", SAFE),
            )  # fmt: skip
        kernel = function.kind == "entry"
        # Without a body, the assembler reads the parameters like those of a prototype (measured, 13.5).
        declared = function.body is None and self.context.follows_ptxas
        unsized = not kernel and self._unsized(declaration, function.parameters)
        if not kernel:
            self._check_passed(declaration)
            self._check_named(declaration)
            if not declaration.names[0].dimensions:  # arrays pass, as measured
                self._opaque(declaration, "document-disagrees" if declared else "state-space-place")
            self._pointer(declaration)
            if not declared:
                self._check_aligned(declaration)
        self._declare_all(declaration, scope, space, unsized, declared)

    def _check_passed(self, declaration: Declaration) -> None:
        """Parameters and results of functions are in registers or in `.param`."""
        if declaration.space not in ("param", "reg"):
            self.add(
                "parameter", "a parameter or result of a function must be in `.param` or `.reg`",
                declaration.space_span, "neither", expected=".param or .reg", actual=f".{declaration.space}",
                rule="PTX ISA, Device Function Parameters (5.1.6.4)",
                fix=Fix(declaration.space_span, ".param", "write `.param`"),
            )  # fmt: skip

    def _check_named(self, declaration: Declaration) -> None:
        """Only kernels and prototypes may have unnamed parameters."""
        name = declaration.names[0].name
        if name.text == "_":
            self.add("invalid-name", "a parameter of a function must have a name", name.span, "`_` is not a name")

    def _opaque(self, declaration: Declaration, about: str = "state-space-place") -> None:
        """Textures, samplers and surfaces are in `.global`, or parameters of kernels."""
        if declaration.type in OPAQUE and declaration.space != "tex" and self.context.follows_ptxas:
            self.add(
                about, f"a `.{declaration.type}` must be a `.global` variable of the module or a parameter of a kernel",
                declaration.type_span, "not allowed in this place",
                rule="PTX ISA, Texture Sampler and Surface Types (5.3)",
            )  # fmt: skip

    def _pointer(self, declaration: Declaration) -> None:
        """Only kernels declare what their parameters point to."""
        pointer = declaration.pointer
        if pointer is not None:
            self.add(
                "parameter", "only a parameter of a kernel says what it points to", pointer.span, "not of a function",
                rule="PTX ISA, Kernel Function Parameter Attributes (5.1.6.2)",
                fix=Fix(pointer.span, "", "leave it out", SAFE),
            )  # fmt: skip

    def _check_aligned(self, declaration: Declaration) -> None:
        """Parameters and results of functions in `.param` are aligned to at most 128 bytes."""
        align = declaration.align
        if align is None or declaration.space != "param" or align.value & (align.value - 1):
            return
        if align.value > _MOST_ALIGNED:
            self.add(
                "alignment", f"a parameter of a function can be aligned to at most {_MOST_ALIGNED} bytes", align.span,
                "too much", expected="1, 2, 4, 8, 16, 32, 64 or 128", actual=str(align.value),
            )  # fmt: skip

    def _unsized(self, declaration: Declaration, parameters: tuple[Declaration, ...]) -> bool:
        """Whether this may be an array without a length: the last of a function's `parameters` (7.2)."""
        if not parameters or declaration is not parameters[-1]:
            return False
        context = self.context
        if shape_of(declaration.names[0]) == (0,) and context.target is not None:
            return satisfied(UNSIZED, context.version, context.target)
        return True

    def prototype(self, table: CallPrototype) -> None:
        """The types of parameters and results of a `.callprototype`."""
        for parameter in table.variables:
            self._check_passed(parameter)
            misfit = self._misfit_of_prototype(parameter, table)
            if misfit is not None:
                self._report(misfit, parameter, parameter.names[0])

    def _misfit_of_prototype(self, parameter: Declaration, table: CallPrototype) -> Misfit | None:
        return prototype_problem(parameter, self.context, self._unsized(parameter, table.parameters))

    def plain_prototype(self, table: CallPrototype) -> bool:
        """Whether there is no finding about the parameters and results of a `.callprototype`."""
        return all(
            parameter.space in ("param", "reg") and self._misfit_of_prototype(parameter, table) is None
            for parameter in table.variables
        )

    def local(self, declaration: Declaration, scope: Scope, own: bool) -> None:
        """A declaration in a body. `own`: its `.param` variables are the kernel's parameters."""
        self._opaque(declaration)
        self._check_aligned(declaration)
        self._declare_all(declaration, scope, local_space(declaration, own))
        for declarator in declaration.names:
            for address in symbols(declarator.initialiser):
                self.linkage.symbol(address, declaration, self._space_of(address.name.text, scope))

    def _space_of(self, name: str, scope: Scope) -> str | None:
        """The state space of a variable, register or function that a body can name; None if there is none yet."""
        found = scope.find(name)
        if found is None:
            return self.linkage.space_of(name)
        return "reg" if isinstance(found[0], Registers) else found[0].declared[0].space

    def plain(self, declaration: Declaration, space: str | None) -> list[tuple[str, Kind]] | None:
        """The names of a declaration of memory and their kinds; None if there is a finding about it."""
        found: list[tuple[str, Kind]] = []
        if declaration.type == "b128" and not plain_type("b128", 1, self.context):
            return None
        if declaration.align is not None and declaration.align.value > _MOST_ALIGNED:
            return None
        if declaration.type in OPAQUE or not declaration.names:
            return None
        for declarator in declaration.names:
            if type_problem(declaration, declarator, self.context) is not None:
                return None
            if (value := declarator.initialiser) is not None and (
                symbols(value) or initial_problem(declaration, declarator, shape_of(declarator))
            ):
                return None
            names = [declarator.name.text]
            if (count := declarator.count) is not None:  # `x<3>`
                if not 0 < count.value <= _FEW or declarator.dimensions or declarator.initialiser is not None:
                    return None
                names = [f"{names[0]}{i}" for i in range(count.value)]
            if any(map(reserved, names)):
                return None
            kind = memory_kind(declaration, declarator, space or declaration.space)
            found += [(name, kind) for name in names]
        return found

    def _declare_all(
        self, declaration: Declaration, scope: Scope, space: str, unsized: bool = False, declared: bool = False
    ) -> None:
        """Checks and declares names one by one; of one like an accepted one, only the name is checked."""
        reported = False
        if not declaration.names and declaration.type not in TYPES:  # `.global .foo;`
            self._of_nothing(declaration)
        for number, declarator in enumerate(declaration.names):
            key = _shape(declaration, declarator, space, unsized)
            if key is not None and (known := self.right.get(key)) is not None:
                self._declare_known(known, declaration, number, scope, declared)
                continue
            wrong = False
            misfit = None if reported else self._type_misfit(declaration, declarator, unsized, declared)
            if misfit is not None:
                self._report(packed_problem(declaration, declarator) or misfit, declaration, declarator)
                wrong, reported = True, misfit.at != "name"
            elif (
                declarator.initialiser is not None
                and declaration.type in TYPES  # else it was reported with an earlier name
                and (misfit := initial_problem(declaration, declarator, shape_of(declarator)))
            ):
                self._report(misfit, declaration, declarator)
                wrong = True
            elif declaration.type == "b128" and not declared:
                reported = self._b128(declaration, declarator) or reported
            if declarator.name.text != "_":
                self._report_duplicate(declarator.name.text, declarator, scope, declared)
                declare_name(declaration, number, scope, space)
            if key is not None and not (wrong or reported or declared):
                self.right[key] = memory_kind(declaration, declarator, space)

    def _declare_known(self, known: Kind, declaration: Declaration, number: int, scope: Scope, declared: bool) -> None:
        """Declares a name like an accepted one."""
        declarator = declaration.names[number]
        name = declarator.name.text
        self._report_duplicate(name, declarator, scope, declared)
        scope.declare(name, Memory(known, declaration, number))

    def _type_misfit(
        self, declaration: Declaration, declarator: Declarator, unsized: bool, declared: bool
    ) -> Misfit | None:
        misfit = type_problem(declaration, declarator, self.context, unsized)
        if misfit is None or not declared or misfit.about == "assembler-crash":
            return misfit
        misfit.about = "document-disagrees"
        return prototype_problem(declaration, self.context, unsized) or misfit

    def _of_nothing(self, declaration: Declaration) -> None:
        """An unknown type in a declaration without names, which is no error otherwise (measured, ptxas 13.5)."""
        rest = self.file.text[declaration.type_span[1] : declaration.span[1]]
        if not rest.strip("; \t\r\n"):  # else the parser reported what stands there
            message = f"there is no type `.{declaration.type}`"
            self.add(
                "register-type", message, declaration.type_span, "no type", expected="a fundamental type",
                actual=f".{declaration.type}", rule="PTX ISA, Fundamental Types (5.2.1)",
            )  # fmt: skip

    def _b128(self, declaration: Declaration, declarator: Declarator) -> bool:
        """Whether `.b128` is too new for the file. The assembler takes arrays of it in every file (13.5, measured)."""
        context = self.context
        if context.follows_ptxas and declarator.dimensions:
            return False
        if context.target is None or satisfied(B128, context.version, context.target):
            return False
        problem = gate_problem("`.b128`", B128, context)
        self.add(problem.about, problem.message, declaration.type_span, problem.label, expected=problem.expected,
                 actual=problem.actual, rule=problem.rule, help=problem.help)  # fmt: skip
        return True

    def _report(self, misfit: Misfit, declaration: Declaration, declarator: Declarator) -> None:
        span = misfit.span or (declaration.type_span if misfit.at == "type" else declarator.name.span)
        verb = "write" if misfit.span else "declare it"
        fix = Fix(span, misfit.replacement, f"{verb} `{misfit.replacement}`") if misfit.replacement else None
        self.add(misfit.about, misfit.message, span, misfit.label, expected=misfit.expected, actual=misfit.actual,
                 rule=misfit.rule, help=misfit.help, fix=fix)  # fmt: skip

    def _report_duplicate(self, name: str, declarator: Declarator, scope: Scope, declared: bool) -> None:
        """Reports a name that has a meaning already. `declared`: of a parameter of a function without a body, whose
        name the assembler does not look at (measured, 13.5)."""
        one = declarator.count is None or not self.context.follows_ptxas
        if name == "WARP_SZ" or (is_predefined(name) and one and not declared):
            hides = self.context.follows_ptxas and scope.outer is not None and name != "WARP_SZ"
            self.collector.add(predefined(self.file, name, declarator.name.span, hides))
            if not hides:
                return
        if declared:
            return
        if declarator.count is None:
            found = scope.names.get(name) or scope.numbered(name)
            if (first := scope.own_label(name)) is not None:
                self.add(
                    "duplicate-name", f"`{name}` is a label of this block too", declarator.name.span, "declared here",
                    labels=(Label(first, "the label"),),
                )  # fmt: skip
        else:
            found = scope.ranges.get(name) or scope.among(name, declarator.count.value)
        if found is None or scope.outer is None:  # what the module repeats is judged with its linkage
            return
        self.add(
            "duplicate-name", f"{_said(declarator, found)} is declared twice in this scope", declarator.name.span,
            "again", labels=(Label(found.span, "first declared here"),), help="leave one of them out, or rename it",
        )  # fmt: skip

    def add(self, about: str, message: str, span: Span, label: str = "", **facts: Unpack[Facts]) -> None:
        """Collects a finding."""
        self.collector.add(Diagnostic(about, message, self.file, span, label, **facts))


def _said(declarator: Declarator, first: Meaning) -> str:
    """The redeclared name, or the range that contains it."""
    name = f"`{declarator.name.text}`"
    if declarator.count is not None and not (isinstance(first, Registers) and first.count is not None):
        return f"one of {name[:-1]}<{declarator.count.value}>`"
    return name
