"""Checks how module-level names are declared, defined, repeated and aliased (manual 5.4, 11.3, 11.6; measured)."""

from __future__ import annotations

from openptx.check.sizes import element_bytes, shape_of
from openptx.diagnostics import Collector, Diagnostic, Fix, Label
from openptx.isa.notation.gates import Version
from openptx.isa.types import TYPES
from openptx.late import late
from openptx.source import Span
from openptx.syntax.declarations import Declarator, InitialiserList, SymbolAddress
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.directives import Alias
from openptx.syntax.tree import Function, HeaderForm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.spelling import nearest
else:
    nearest = late("openptx.check.spelling", "nearest")

_SEARCHES = 100
"""Findings of a file before those that get no search for the name that was meant."""

_RULE = "PTX ISA, Linking Directives (11.6)"
_PLACES = {
    "reg": "a register belongs to a function",
    "local": "local memory belongs to a function",
    "param": "a parameter belongs to a function",
}
_ABI = 3, 0  # before it, registers and local memory can belong to the module (measured, ptxas 13.5)


class Linkage:
    """The module-level names of one file, in text order."""

    def __init__(self, collector: Collector, version: Version) -> None:
        self.collector = collector
        self.version = version
        self.variables: dict[str, Declaration] = {}  # a range `a<3>` by `a<`
        self.aliases: dict[str, Alias] = {}
        self.numbered: dict[str, Declaration] = {}  # the names of ranges: `a0`, `a1`, `a2`
        self.functions: dict[str, Function] = {}
        self.alike: set[tuple[HeaderForm | None, HeaderForm | None]] = set()  # forms of headers without difference

    def new(self, name: str) -> bool:
        """Whether this name has not been declared before."""
        return name not in self.variables and name not in self.functions and name not in self.numbered

    def variable(self, declaration: Declaration) -> None:
        """A variable of the module: where it is declared, and whether it may be redeclared."""
        if declaration.space in _PLACES and (self.version >= _ABI or declaration.space == "param"):
            message = f"{_PLACES[declaration.space]}; the ABI has no `.{declaration.space}` outside of functions"
            self._add(
                "state-space-place", message, declaration, declaration.space_span, "not in a function", "PTX ISA, 5.1"
            )
        if declaration.linkage == "common" and declaration.space != "global":
            message = f"`.common` is for `.global` variables, and this one is in `.{declaration.space}`"
            self._add("linkage", message, declaration, declaration.space_span, "not `.global`", _RULE)
        for declarator in declaration.names:
            name = _key(declarator)
            if name in self.functions:
                first = self.functions[name].name.span
                self._add_duplicate(declaration, declarator.name.span, first, f"`{name}` is a function already")
                continue
            known = self.variables.get(name)
            if known is not None:
                self._redeclared_variable(declaration, declarator, known)
            elif declarator.count is not None:
                self._range(declaration, declarator, declarator.count.value)
            elif name in self.numbered and not self.numbered[name].linkage:
                first = _declarator(self.numbered[name], f"{name.rstrip('0123456789')}<").name.span
                self._add_duplicate(
                    declaration, declarator.name.span, first, f"`{name}` is in a range that is declared"
                )
            if known is None or known.linkage == "extern":
                self.variables[name] = declaration

    def _range(self, declaration: Declaration, declarator: Declarator, count: int) -> None:
        """The names of a range. None of them may be a variable without linkage (measured, ptxas 13.5)."""
        prefix, span = declarator.name.text, declarator.name.span
        for name in (f"{prefix}{i}" for i in range(count) if not prefix[-1].isdecimal()):
            known = self.variables.get(name)
            if known is not None and not known.linkage:
                self._add_duplicate(
                    declaration, span, _declarator(known, name).name.span, f"`{name}` is declared twice"
                )
                return
            self.numbered.setdefault(name, declaration)

    def _redeclared_variable(self, declaration: Declaration, declarator: Declarator, first: Declaration) -> None:
        name, span = declarator.name.text, declarator.name.span
        known = _declarator(first, _key(declarator))
        before = known.name.span
        links = {first.linkage, declaration.linkage}
        if "extern" not in links:
            self._add_duplicate(declaration, span, before, f"`{name}` is declared twice")
        elif not (links == {"extern"} or declaration.linkage == "extern" or links & {"visible", "weak", "common"}):
            self._add(
                "declaration-mismatch", f"`{name}` is `.extern` in one place and not `.visible` in the other",
                declaration, span, "not the same", _RULE, before,
            )  # fmt: skip
        elif (first.type, first.space, first.vector) != (declaration.type, declaration.space, declaration.vector) or (
            len(shape_of(known)) != len(shape_of(declarator))
        ):
            self._add(
                "declaration-mismatch", f"the two declarations of `{name}` differ", declaration, span, "another type",
                _RULE, before,
            )  # fmt: skip

    def function(self, function: Function) -> None:
        """A function: whether it agrees with its earlier declarations."""
        name, span = function.name.text, function.name.span
        if function.linkage == "extern" and function.body is not None:
            self._add(
                "linkage", f"`{name}` is `.extern`, that is, defined elsewhere, but has a body", function, span,
                "has a body", _RULE, help="leave out `.extern`, or write `.visible`",
            )  # fmt: skip
        if name in self.variables:
            first = _declarator(self.variables[name], name).name.span
            self._add_duplicate(function, span, first, f"`{name}` is a variable already")
            return
        known = self.functions.get(name)
        if known is None:
            self.functions[name] = function
            return
        if known.kind != function.kind:
            self._add_duplicate(function, span, known.name.span, f"`{name}` is a kernel and a function")
        elif known.body is not None:
            self._add_duplicate(function, span, known.name.span, f"`{name}` is defined already")
        elif (known.form, function.form) not in self.alike and (difference := _difference(known, function)) is not None:
            self._add(
                "declaration-mismatch", f"`{name}` was declared with {difference}", function, span, "not the same",
                "PTX ISA, Function Declarations and Definitions (7.1)", known.name.span, help=_lacking(known, function),
            )  # fmt: skip
        elif known.form is not None and function.form is not None:
            self.alike.add((known.form, function.form))
        self.functions[name] = function

    def alias(self, alias: Alias) -> None:
        """`.alias a, b`: b must be a function defined in this file (11.6.5)."""
        target = self.functions.get(alias.aliasee.text)
        name = alias.alias.text
        known = self.functions.get(name)
        if (first := self.aliases.setdefault(name, alias)) is not alias:
            self._add_duplicate(alias, alias.alias.span, first.alias.span, f"`{name}` is an alias already")
        elif target is not None and target.kind == "func" and (known is None or known.kind != "func"):
            self._add(
                "unknown-function", f"`{name}` must be declared before it is an alias", alias, alias.alias.span,
                "no declaration", "PTX ISA, .alias", help=f"declare it first, as `{alias.aliasee.text}` is",
            )  # fmt: skip
        elif target is not None and known is not None and target.kind == "func":
            self._alike(alias, known, target)
        elif target is None or target.kind != "func":
            others = [each for each in self.functions if each != name] if len(self.collector) < _SEARCHES else ()
            guess = nearest(alias.aliasee.text, others)
            self._add(
                "unknown-function", f"there is no function `{alias.aliasee.text}`", alias,
                alias.aliasee.span, "no such function", "PTX ISA, .alias",
                help=f"did you mean `{guess}`?" if guess else None,
                fix=Fix(alias.aliasee.span, guess, f"write `{guess}`") if guess else None,
            )  # fmt: skip

    def _alike(self, alias: Alias, known: Function, target: Function) -> None:
        """The alias must be declared like the function it denotes, without a body; that function must be another one,
        and neither weak nor external (measured)."""
        one, other = alias.alias.text, alias.aliasee.text
        message = ""
        if known.body is not None:
            message = f"`{one}` has a body, so it can't be an alias"
        elif one == other:
            message = f"`{one}` can't be an alias of itself"
        elif target.linkage in ("weak", "extern"):
            message = f"`{other}` is `.{target.linkage}`, and can't have an alias"
        elif (difference := shape_difference(known, target)) is not None:
            message = f"`{one}` was declared with {difference}, unlike `{other}`"
        if message:
            self._add(
                "declaration-mismatch", message, alias, alias.alias.span, "no alias", "PTX ISA, .alias",
                known.name.span,
            )  # fmt: skip

    def space_of(self, name: str) -> str | None:
        """The state space of a variable or function of the module; None if there is none yet."""
        if (variable := self.variables.get(name) or self.numbered.get(name)) is not None:
            return variable.space
        return "global" if name in self.functions else None

    def symbol(self, address: SymbolAddress, declaration: Declaration, space: str | None) -> None:
        """A name in an initial value: a variable or function, which must have been declared before, in `space`."""
        name = address.name.text
        if space is None:
            known = (*self.variables, *self.functions) if len(self.collector) < _SEARCHES else ()
            guess = nearest(name, known)
            self._add(
                "unknown-name", f"`{name}` is not declared before it is used in an initial value", declaration,
                address.name.span, "no such name before", "PTX ISA, Initializers (5.4.4)",
                help=f"did you mean `{guess}`?" if guess else "declare it before this one",
                fix=Fix(address.name.span, guess, f"write `{guess}`") if guess else None, cause=("unknown-name", name),
            )  # fmt: skip
        elif space not in ("global", "const"):
            self._add(
                "initializer", f"`{name}` is in `.{space}`, and has no address before the kernel runs", declaration,
                address.name.span, "not in `.global` or `.const`", "PTX ISA, Initializers (5.4.4)", subject=name,
            )  # fmt: skip
        elif name in self.functions and moves(declaration.file.text[slice(*address.span)]):
            self._add(
                "initializer", f"`{name}` is a function, whose address is an initial value only by itself", declaration,
                address.span, "no generic address, and nothing is added", "PTX ISA, Initializers (5.4.4)",
                help=f"write `{name}`", subject=name,
            )  # fmt: skip

    def _add_duplicate(self, where: Declaration | Function | Alias, span: Span, first: Span, message: str) -> None:
        self._add("duplicate-name", message, where, span, "again", _RULE, first, "leave one of them out, or rename it")

    def _add(
        self, about: str, message: str, where: Declaration | Function | Alias, span: Span, label: str, rule: str,
        first: Span | None = None, help: str | None = None, fix: Fix | None = None, subject: str = "",
        cause: object = None,
    ) -> None:  # fmt: skip
        labels = (Label(first, "first declared here"),) if first is not None else ()
        self.collector.add(
            Diagnostic(
                about, message, where.file, span, label, labels=labels, rule=rule, help=help, fix=fix, subject=subject
            ),
            cause,
        )


def _key(declarator: Declarator) -> str:
    """The name by which a variable or a range is known to the linkage."""
    return declarator.name.text if declarator.count is None else f"{declarator.name.text}<"


def _declarator(declaration: Declaration, key: str) -> Declarator:
    """The declaration of this name or range."""
    return next(declarator for declarator in declaration.names if _key(declarator) == key)


def moves(text: str) -> bool:
    """Whether an initial value is not the plain address of a name: it is made generic, or a constant is added."""
    return "+" in text or "generic" in text


def symbols(value: object) -> list[SymbolAddress]:
    """The addresses in an initial value."""
    if isinstance(value, SymbolAddress):
        return [value]
    if not isinstance(value, InitialiserList) or value.numeric:
        return []
    return [found for element in value.elements for found in symbols(element)]


def shape_difference(one: Function, other: Function) -> str | None:
    """The difference between the parameters and results of two declarations."""
    for what, a, b in (("results", one.returns, other.returns), ("parameters", one.parameters, other.parameters)):
        if len(a) != len(b):
            counted = f"{len(a)} {what}" if len(a) != 1 else f"1 {what[:-1]}"
            return f"{counted}, not {len(b)}"
        for x, y in zip(a, b, strict=True):
            if (x.type, x.space, shape_of(x.names[0])) != (y.type, y.space, shape_of(y.names[0])):
                return f"{_shown(x)} for `{x.names[0].name.text}`, not {_shown(y)}"
            if x.space == "param" and _aligned(x) != _aligned(y):
                return f"`.align {_aligned(x)}` for `{x.names[0].name.text}`, not `.align {_aligned(y)}`"
    return None


def _shown(formal: Declaration) -> str:
    """The state space, type and size of a parameter or a result."""
    size = "".join(f"[{length or ''}]" for length in shape_of(formal.names[0]))
    return f"`.{formal.space} .{formal.type}{size}`"


def _lacking(first: Function, second: Function) -> str | None:
    """The parameters that one of two declarations has besides those of the other."""
    one, two = ({each.names[0].name.text: None for each in function.parameters} for function in (first, second))
    more, less, lacks = (one, two, "this") if len(one) > len(two) else (two, one, "the first one")
    lost = [name for name in more if name not in less]
    return f"{lacks} lacks `{'`, `'.join(lost)}`" if lost and less.keys() <= more.keys() else None


def _difference(one: Function, other: Function) -> str | None:
    """The difference between two declarations of a function."""
    if (difference := shape_difference(one, other)) is not None:
        return difference
    if one.noreturn != other.noreturn:
        return "`.noreturn`, and this lacks it" if one.noreturn else "no `.noreturn`, and this has it"
    if one.linkage != other.linkage and not (one.linkage in ("visible", "weak") and other.linkage == ""):
        return f"linkage {_linkage(one)}, not {_linkage(other)}"
    return None


def _aligned(declaration: Declaration) -> int:
    """The alignment of a parameter: as written, or that of its elements."""
    if declaration.align is not None:
        return declaration.align.value
    type = TYPES.get(declaration.type)
    return element_bytes(type) * max(1, declaration.vector) if type is not None else 0


def _linkage(function: Function) -> str:
    return f"`.{function.linkage}`" if function.linkage else "static"
