"""Directive statements (manual chapter 11): a class for each that consumers need."""

from __future__ import annotations

from openptx.isa.directives import NAMES
from openptx.syntax.statement import Statement

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.source import File, Span
    from openptx.syntax.declarations import Variable
    from openptx.syntax.operands import Integer, Name


class Directive(Statement):
    """`.name` with its values. This class itself is used for those of a function header (`.maxntid 16, 16`,
    `.noreturn`).

    `name` has no dot; `name_span` covers the dot too.
    """

    __slots__ = ("name", "name_span", "values")

    def __init__(self, file: File, span: Span, name: str, name_span: Span, values: tuple[Integer, ...] = ()) -> None:
        self.file, self.span, self.name, self.name_span, self.values = file, span, name, name_span, values


class Version(Directive):
    """`.version 9.1`."""

    __slots__ = ("major", "minor", "number_span")

    def __init__(self, file: File, span: Span, name_span: Span, major: int, minor: int, number_span: Span) -> None:
        super().__init__(file, span, "version", name_span)
        self.major, self.minor, self.number_span = major, minor, number_span


class Target(Directive):
    """`.target sm_90a, debug`."""

    __slots__ = ("targets",)

    def __init__(self, file: File, span: Span, name_span: Span, targets: tuple[Name, ...]) -> None:
        super().__init__(file, span, "target", name_span)
        self.targets = targets


class AddressSize(Directive):
    """`.address_size 64`; the size is `values[0]`."""

    __slots__ = ()


class Text:
    """A string literal: `value` is the text between the quotes, as written."""

    __slots__ = ("span", "value")

    def __init__(self, value: str, span: Span) -> None:
        self.value, self.span = value, span


class SourceFile(Directive):
    """`.file 1 "kernel.cu", 1339013327, 64118`; the timestamp and the size are in `values` after the index."""

    __slots__ = ("path",)

    def __init__(self, file: File, span: Span, name_span: Span, path: Text, values: tuple[Integer, ...]) -> None:
        super().__init__(file, span, "file", name_span, values)
        self.path = path

    @property
    def index(self) -> int:
        """The number by which `.loc` refers to this file."""
        return self.values[0].value


class Location(Directive):
    """`.loc 1 27 3`, with `, function_name label+4, inlined_at 1 21 3`: `values` are file, line and column."""

    __slots__ = ("function_name", "function_offset", "inlined_at")

    def __init__(
        self, file: File, span: Span, name_span: Span, values: tuple[Integer, ...], function_name: Name | None,
        function_offset: int, inlined_at: tuple[Integer, ...],
    ) -> None:  # fmt: skip
        super().__init__(file, span, "loc", name_span, values)
        self.function_name, self.function_offset, self.inlined_at = function_name, function_offset, inlined_at


class Pragma(Directive):
    """`.pragma "nounroll", "used_bytes_mask 255";`."""

    __slots__ = ("strings",)

    def __init__(self, file: File, span: Span, name_span: Span, strings: tuple[Text, ...]) -> None:
        super().__init__(file, span, "pragma", name_span)
        self.strings = strings

    def names(self, word: str) -> bool:
        """Whether one of the pragmas equals this one."""
        return any(string.value.split()[:1] == [word] for string in self.strings)


class Alias(Directive):
    """`.alias alias, aliasee;`."""

    __slots__ = ("alias", "aliasee")

    def __init__(self, file: File, span: Span, name_span: Span, alias: Name, aliasee: Name) -> None:
        super().__init__(file, span, "alias", name_span)
        self.alias, self.aliasee = alias, aliasee


class BranchTargets(Directive):
    """`label: .branchtargets L1, L2, N<4>;`. The label is part of this statement."""

    __slots__ = ("label", "targets")

    def __init__(
        self, file: File, span: Span, name_span: Span, label: Name | None, targets: tuple[Name, ...], name: str
    ) -> None:
        super().__init__(file, span, name, name_span)
        self.label, self.targets = label, targets


class CallTargets(BranchTargets):
    """`label: .calltargets f, g;`."""

    __slots__ = ()


class CallPrototype(Directive):
    """`label: .callprototype (.param .u32 _) _ (.param .f32 _) .noreturn;`."""

    __slots__ = ("directives", "label", "parameters", "returns")

    def __init__(
        self, file: File, span: Span, name_span: Span, label: Name | None, returns: tuple[Variable, ...],
        parameters: tuple[Variable, ...], directives: tuple[Directive, ...],
    ) -> None:  # fmt: skip
        super().__init__(file, span, "callprototype", name_span)
        self.label, self.returns, self.parameters, self.directives = label, returns, parameters, directives

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its results and its parameters."""
        return *self.returns, *self.parameters

    @property
    def noreturn(self) -> bool:
        """Whether it says `.noreturn`."""
        return any(directive.name == "noreturn" for directive in self.directives)


class Section(Directive):
    """`.section .debug_info { ... }`. The content of the braces is kept as a span, not parsed.

    `narrow`: each value certainly has few enough digits for its type.
    """

    __slots__ = ("body", "narrow", "section")

    def __init__(self, file: File, span: Span, name_span: Span, section: str, body: Span, narrow: bool) -> None:
        super().__init__(file, span, "section", name_span)
        self.section, self.body, self.narrow = section, body, narrow


class Dwarf(Directive):
    """A line `@@DWARF ...`, kept as it is."""

    __slots__ = ()


def nearest(name: str) -> str | None:
    """The directive with the most similar spelling, if there is one."""
    import difflib

    names = {
        ".constant": ".const", ".external": ".extern", ".function": ".func", ".kernel": ".entry",
        ".launch_bounds": ".maxntid", ".cluster_dims": ".reqnctapercluster",
        ".parameter": ".param", ".public": ".visible", ".register": ".reg",
        ".sreg": ".reg", ".export": ".visible", ".globl": ".visible",
        ".device": ".global", ".static": ".global",
    }  # fmt: skip
    near = difflib.get_close_matches(name, NAMES, 1, 0.6)
    return names.get(name) or (near[0] if near else None)
