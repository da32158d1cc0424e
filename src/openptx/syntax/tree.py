"""The tree of a module: statements with their position in the text. Instructions parse their operands on demand.

Every statement has `file`, `span` (from its first token to the end of its last) and `text`. Only blanks and comments
lie between statements; `str(module)` is the text of the file.
"""

from __future__ import annotations

from openptx.syntax.statement import Statement

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import ClassVar

    from openptx.diagnostics import Diagnostic
    from openptx.source import File, Span
    from openptx.syntax.declarations import Attribute, Variable
    from openptx.syntax.directives import Directive
    from openptx.syntax.operands import Name, Operand

    # What is parsed on demand of a header: attributes, results, parameters, directives.
    Details = tuple[tuple[Attribute, ...], tuple[Variable, ...], tuple[Variable, ...], tuple[Directive, ...]]


def text_of(module: SyntaxTree) -> str:
    """The text of a module, assembled from its items."""
    text, pieces, last = module.file.text, list[str](), 0
    for item in module.items:
        start, end = item.span
        pieces += text[last:start], item.text
        last = end
    return "".join(pieces) + text[last:]


class Lazy:
    """Parsers of the parts of a tree that are parsed on demand. The parser's modules, which import this one, set
    them."""

    if TYPE_CHECKING:
        guard: ClassVar[Callable[[File, Span], Guard]]
        operands: ClassVar[Callable[[File, Span, str], tuple[tuple[Operand, ...], Diagnostic | None]]]
        body: ClassVar[Callable[[File, Span, Collection[int] | None], tuple[list[Statement], list[Diagnostic]]]]
        header: ClassVar[Callable[[File, int], Details]]


class Guard:
    """`@p` or `@!p` before an instruction."""

    __slots__ = ("name", "negated", "span")

    def __init__(self, name: Name, negated: bool, span: Span) -> None:
        self.name, self.negated, self.span = name, negated, span


class Instruction(Statement):
    """`@!p add.s32 d, a, b;`.

    `opcode` is the mnemonic with its modifiers, without the blanks and comments that may stand before a dot.
    """

    __slots__ = ("_guard", "_read", "guard_span", "opcode", "opcode_span", "operands_span")

    def __init__(
        self, file: File, span: Span, guard_span: Span, opcode_span: Span, operands_span: Span, opcode: str
    ) -> None:
        self.file, self.span, self.opcode = file, span, opcode
        self.guard_span, self.opcode_span, self.operands_span = guard_span, opcode_span, operands_span
        self._guard: Guard | None = None
        self._read: tuple[tuple[Operand, ...], Diagnostic | None] | None = None

    @property
    def mnemonic(self) -> str:
        """The opcode up to its first dot."""
        return self.opcode.partition(".")[0]

    @property
    def splits_opcode(self) -> bool:
        """Whether blanks or comments stand in the opcode."""
        return self.opcode_span[1] - self.opcode_span[0] != len(self.opcode)

    @property
    def modifiers(self) -> tuple[str, ...]:
        """The modifiers of the opcode, each with its dot."""
        return tuple("." + modifier for modifier in self.opcode.split(".")[1:])

    @property
    def guarded(self) -> bool:
        """Whether there is a guard."""
        return self.guard_span[0] < self.guard_span[1]

    @property
    def guard(self) -> Guard | None:
        """The guard predicate."""
        if self._guard is None and self.guard_span[0] < self.guard_span[1]:
            self._guard = Lazy.guard(self.file, self.guard_span)
        return self._guard

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The operands; empty if they cannot be parsed (see `problem`)."""
        return (self._read or self._operands())[0]

    @property
    def problem(self) -> Diagnostic | None:
        """The syntax error in the operands, if any."""
        return (self._read or self._operands())[1]

    def remember(self, operands: tuple[Operand, ...]) -> None:
        """Sets operands that have been parsed already."""
        self._read = operands, None

    def forget(self) -> None:
        """Releases guard and operands, which are most of a tree; they are parsed again on the next access."""
        self._guard = self._read = None

    def _operands(self) -> tuple[tuple[Operand, ...], Diagnostic | None]:
        if self._read is None:
            self._read = Lazy.operands(self.file, self.operands_span, self.mnemonic)
        return self._read


class Label(Statement):
    """`name:`."""

    __slots__ = ("name",)

    def __init__(self, file: File, span: Span, name: Name) -> None:
        self.file, self.span, self.name = file, span, name


class Block(Statement):
    """`{ ... }`: a scope inside a body."""

    __slots__ = ("statements",)

    def __init__(self, file: File, span: Span, statements: list[Statement]) -> None:
        self.file, self.span, self.statements = file, span, statements


class Unreadable(Statement):
    """Text that cannot be parsed; a diagnostic says why."""

    __slots__ = ()

    def __init__(self, file: File, span: Span) -> None:
        self.file, self.span = file, span


class HeaderForm:
    """The header of a function, except the names in it: that of the function comes after those of its `results`."""

    __slots__ = ("kind", "linkage", "results")

    def __init__(self, kind: str, linkage: str, results: int) -> None:
        self.kind, self.linkage, self.results = kind, linkage, results


NO_NAME = "?"
"""The name of a function whose header lacks a name."""


class Function(Statement):
    """A kernel (`kind` "entry") or device function ("func"): its header is parsed, its body is parsed on demand.

    `body` is the span between the braces, None for a declaration without one. `span` includes the closing brace or the
    `;`. `linkage` is "visible", "extern", "weak", "common" or "". `broken`: its braces do not match (reported already).

    A function whose header differs from an earlier one only in names has a `form`, and `formals` are the names of its
    results and parameters, which are parsed on demand, too.
    """

    __slots__ = (
        "_parsed", "body", "broken", "form", "formals", "header", "kind", "linkage", "name",
    )  # fmt: skip

    def __init__(
        self, file: File, span: Span, *, kind: str, linkage: str, name: Name, details: Details, header: Span,
        body: Span | None, broken: bool,
    ) -> None:  # fmt: skip
        self.file, self.span, self.kind, self.linkage, self.name = file, span, kind, linkage, name
        self._parsed: Details | None = details
        self.header, self.body, self.broken = header, body, broken
        self.form: HeaderForm | None = None
        self.formals: list[str] = []

    @classmethod
    def from_memo(
        cls, file: File, span: Span, form: HeaderForm, name: Name, formals: list[str], body: Span | None, broken: bool
    ) -> Function:
        """A function whose header differs from an earlier one only in names."""
        function = cls.__new__(cls)
        function.file, function.span, function.form, function.name = file, span, form, name
        function.formals, function._parsed = formals, None
        function.kind, function.linkage = form.kind, form.linkage
        function.header, function.body, function.broken = (span[0], span[1] if body is None else body[0]), body, broken
        return function

    @property
    def nameless(self) -> bool:
        """Whether the header lacks a name, which is reported."""
        return self.name.text == NO_NAME

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The `.attribute(...)` of the function."""
        return self._details()[0]

    @property
    def returns(self) -> tuple[Variable, ...]:
        """The function's results."""
        return self._details()[1]

    @property
    def parameters(self) -> tuple[Variable, ...]:
        """The function's parameters, without results."""
        return self._details()[2]

    @property
    def directives(self) -> tuple[Directive, ...]:
        """What the header says after the parameters, such as `.maxntid`."""
        return self._details()[3]

    def _details(self) -> Details:
        if self._parsed is None:
            self._parsed = Lazy.header(self.file, self.span[0])
        return self._parsed

    @property
    def noreturn(self) -> bool:
        """Whether the header says `.noreturn`."""
        return any(directive.name == "noreturn" for directive in self.directives)

    @property
    def cut_off(self) -> bool:
        """Whether the file ends inside the body: what is missing after its end is not a further error."""
        return self.broken and self.span[1] == len(self.file.text)

    @property
    def statements(self) -> list[Statement]:
        """The statements of the body, blocks nested; parsed from the text at every call."""
        return self.read()[0]

    def read(self, places: Collection[int] | None = None) -> tuple[list[Statement], list[Diagnostic]]:
        """The statements of the body and its syntax errors; see `read_body` for `places`."""
        if self.body is None:
            return [], []
        statements, problems = Lazy.body(self.file, self.body, places)
        if self.cut_off:  # one error, which has been reported
            end = len(self.file.text.rstrip())
            problems = [problem for problem in problems if problem.span[1] < end]
        return statements, problems

    def walk(self) -> Iterator[Statement]:
        """All statements of the body, including those inside blocks, each block before its contents."""
        return walk(self.statements)


class SyntaxTree:
    """A whole file: `items` in order. Lossless: `str(module)` is the text.

    `problems` are the syntax errors outside of function bodies and in braces, `diagnostics` all syntax errors. `plain`
    is True if the code contains only whitespace that PTX defines; `\\s` and `str.strip` match other characters, too.
    """

    __slots__ = ("_diagnostics", "file", "items", "plain", "problems")

    def __init__(self, file: File, items: list[Statement], problems: list[Diagnostic], plain: bool = True) -> None:
        self.file, self.items, self.problems, self.plain = file, items, problems, plain
        self._diagnostics: list[Diagnostic] | None = None

    @property
    def functions(self) -> list[Function]:
        """The functions, with and without a body."""
        return [item for item in self.items if isinstance(item, Function)]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All syntax errors of the file, in text order. Parses all bodies once."""
        if self._diagnostics is None:
            found = [*self.problems, *(problem for function in self.functions for problem in function.read()[1])]
            self._diagnostics = sorted(found, key=lambda diagnostic: diagnostic.span)
        return self._diagnostics

    def walk(self) -> Iterator[Statement]:
        """All statements, each function and block before its contents."""
        for item in self.items:
            yield item
            if isinstance(item, Function):
                yield from item.walk()

    def __str__(self) -> str:

        return text_of(self)


def walk(statements: list[Statement]) -> Iterator[Statement]:
    """These statements and those inside their blocks. Blocks may be nested deeper than Python's recursion limit."""
    waiting = [iter(statements)]
    while waiting:
        for statement in waiting[-1]:
            yield statement
            if isinstance(statement, Block):
                waiting.append(iter(statement.statements))
                break
        else:
            waiting.pop()
