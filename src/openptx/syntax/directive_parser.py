"""Parses directive statements and the headers of functions (manual chapter 11)."""

from __future__ import annotations

import re
from collections.abc import Callable

from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix
from openptx.isa.directives import NAMES
from openptx.late import late
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.declaration_parser import LINKAGE, attributes, count_of_names, integer, parameters
from openptx.syntax.declarations import Attribute, Variable
from openptx.syntax.directives import (
    AddressSize,
    Alias,
    BranchTargets,
    CallPrototype,
    CallTargets,
    Directive,
    Location,
    Pragma,
    SourceFile,
    Target,
    Text,
    Version,
)
from openptx.syntax.instruction_parser import missing_semicolon
from openptx.syntax.operands import Integer, Name
from openptx.syntax.sections import section
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import NO_NAME, Function, Lazy

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.syntax.header_mistakes import before_name, missing_body, second_name
    from openptx.syntax.tree import Details
else:
    before_name = late("openptx.syntax.header_mistakes", "before_name")
    missing_body = late("openptx.syntax.header_mistakes", "missing_body")
    second_name = late("openptx.syntax.header_mistakes", "second_name")

_LIST = pattern(r"[^;{}(),]*+(?:,(?!\s*\.(?:param|reg)\b)[^;{}(),]*+)*+[,)]")  # of parameters, not of registers
_VERSION = pattern(r"([0-9]{1,9})\.([0-9]{1,9})", re.A)

# fmt: off
# directive of a function       values it takes
TUNING = {
    ".maxnreg":              (1, 1),
    ".maxntid":              (1, 3),
    ".reqntid":              (1, 3),
    ".minnctapersm":         (1, 1),
    ".maxnctapersm":         (1, 1),
    ".noreturn":             (0, 0),
    ".abi_preserve":         (1, 1),
    ".abi_preserve_control": (1, 1),
    ".reqnctapercluster":    (1, 3),
    ".explicitcluster":      (0, 0),
    ".maxclusterrank":       (1, 1),
    ".blocksareclusters":    (0, 0),
}
# fmt: on


_FUNCTIONS_ONLY = (".noreturn", ".abi_preserve", ".abi_preserve_control")


class Header:
    """The header of a function, parsed up to its `{`, `;`, or whatever takes their place. Everything before an error is
    kept."""

    __slots__ = ("attributes", "directives", "kind", "linkage", "name", "parameters", "returns")

    def __init__(self) -> None:
        self.linkage = self.kind = ""
        self.name = Name(NO_NAME, (0, 0))
        self.attributes: tuple[Attribute, ...] = ()
        self.returns: tuple[Variable, ...] = ()
        self.parameters: tuple[Variable, ...] = ()
        self.directives: tuple[Directive, ...] = ()

    def read(self, c: Cursor, problems: list[Diagnostic]) -> None:
        """Parses it."""
        c.about = "invalid-directive"
        self._read_kind(c)
        if c.word == ".attribute" and self.kind == "func":
            self.attributes = attributes(c)
        if c.word == "(" and self.kind == "func":
            self.returns = parameters(c, problems)
        what = "kernel" if self.kind == "entry" else "function"
        if c.kind != "word" and (mistake := before_name(c, what)):
            raise mistake
        self.name = Name(*c.new_name(f"the name of the {what}", f"after `.{self.kind}`", problems))
        if c.kind == "word" and c.peek().word == "(":
            self.name = second_name(c, self.name, problems)
        self._read_parameters(c, problems)
        self.directives = tuning(c, self.kind == "entry")
        if self.directives and self.kind == "entry" and c.word == ";":
            missing_body(c, problems)

    def _read_kind(self, c: Cursor) -> None:
        if c.word in LINKAGE:
            self.linkage = c.word[1:]
            c.advance()
        if not c.at(".entry", ".func") or self.linkage == "common":
            what = "a variable" if self.linkage == "common" else "`.entry` or `.func`"
            raise c.expected(what, f"after `.{self.linkage}`")
        self.kind = c.word[1:]
        c.advance()

    def _read_parameters(self, c: Cursor, problems: list[Diagnostic]) -> None:
        """The parameters, also in braces, in one brace, or without a parenthesis before them."""
        if c.word == "{" and (braced := _BRACED.match(c.file.text, c.start)):
            meant = f"({braced[1].strip().rstrip(';')})"
            fix = Fix(braced.span(), meant, "write parentheses", SUGGESTION)
            problems.append(c.mistake("syntax", "parameters are in parentheses", braced.span(), fix=fix).diagnostic)
            c.seek(braced.end())
        if c.word == "{" and _HALF_BRACED.match(c.file.text, c.start):
            fix = Fix(c.span, "(", "write `(`", SAFE)
            problems.append(c.mistake("syntax", "`{` stands where `(` belongs", c.span, marks="(", fix=fix).diagnostic)
            c.advance()
            self.parameters = parameters(c, problems, opened=False)
        elif c.at("("):
            self.parameters = parameters(c, problems)
        elif c.at(".param", ".reg") and _LIST.match(c.file.text, c.start, c.limit):
            problems.append(c.expected_mark("(", "before the parameters").diagnostic)
            self.parameters = parameters(c, problems, opened=False)

    @property
    def details(self) -> Details:
        """What a function parses on demand: attributes, results, parameters and directives."""
        return self.attributes, self.returns, self.parameters, self.directives

    def function(self, file: File, start: int, body: Span | None, end: int, broken: bool) -> Function:
        """The function that begins with this header."""
        header = start, end if body is None else body[0]
        return Function(
            file, (start, end), kind=self.kind, linkage=self.linkage, name=self.name, details=self.details,
            header=header, body=body, broken=broken,
        )  # fmt: skip


_BRACED = pattern(r"\{(\s*\.(?:param|reg)\b[^;{}]*;?\s*)\}(?=\s*\{)", re.A)
_HALF_BRACED = pattern(r"\{\s*\.(?:param|reg)\b[^;{}()]*\)", re.A)
"""Parameters after a `{` that should be a `(`."""


def tuning(c: Cursor, kernel: bool = False) -> tuple[Directive, ...]:
    """Parses the directives of a function header or a prototype, as many as there are."""
    found: list[Directive] = []
    while c.kind == "dot":
        if c.word in TUNING and kernel == (c.word in _FUNCTIONS_ONLY):
            what = "a kernel can't have" if kernel else "only a kernel can have"
            raise c.mistake("misplaced-directive", f"{what} `{c.word}`", c.span, help=f"leave out `{c.word}`")
        if c.word == ".pragma" and kernel:  # after the declaration of a function, it is a statement of the module
            found.append(_pragma(c))
        elif c.word in TUNING:
            found.append(_tuning(c))
        else:
            break
    return tuple(found)


def _tuning(c: Cursor) -> Directive:
    start, name, name_span = c.start, c.word, c.span
    _, most = TUNING[name]
    c.advance()
    values: list[Integer] = []
    if most:
        values.append(integer(c, f"an integer after `{name}`"))
        while len(values) < most and c.take(","):
            values.append(integer(c, f"an integer after `{name}`"))
        if c.word == "," or c.kind == "number":
            raise _too_many_values(c, name, len(values) < most, most)
    return Directive(c.file, (start, c.last), name[1:], name_span, tuple(values))


def _too_many_values(c: Cursor, name: str, fewer: bool, most: int) -> Mistake:
    """The error that another value follows, without a comma or one too many."""
    if fewer:
        fix = Fix((c.last, c.last), ",", "insert a comma", SAFE)
        return c.mistake(c.about, f"the values of `{name}` are separated by commas", c.span, marks=",", fix=fix)
    help = "x, y and z of a block or a cluster" if most == 3 else None
    message = f"`{name}` takes {f'at most {most} values' if most > 1 else 'one value'}"
    return c.mistake(c.about, message, c.span, "leave the rest out", help=help)


def directive(c: Cursor) -> Directive | None:
    """Parses a directive statement; None if no directive has this name."""
    c.about = "invalid-directive"
    read = _READERS.get(c.word)
    if read is not None:
        return read(c)
    return _tuning(c) if c.word in TUNING else None


def _require_value(c: Cursor, name: Span, what: str) -> None:
    """Raises the error that a directive of the header lacks its value, if another directive follows its name."""
    if c.kind == "end" or (c.new_line and c.kind == "dot"):
        word = c.file.text[slice(*name)]
        mistake = c.mistake(
            c.about, f"`{word}` has no value", name, f"expected {what}", help=f"write {what} after it", kind=what
        )
        mistake.recovered = True
        raise mistake


def _another_target(c: Cursor) -> Mistake:
    """The error that a word follows a target without a comma."""
    first, comma = c.word.startswith("sm_"), (c.last, c.last)
    fix = Fix((c.last, c.end), "", f"remove `{c.word}`") if first else Fix(comma, ",", "write a comma", SAFE)
    if c.word in ("a", "f"):
        fix = Fix((c.last, c.start), "", f"join the `{c.word}` to the target before it", SAFE)
    mistake = c.mistake(c.about, f"expected `,` or the next line, found {c.described}", c.span, marks=",", fix=fix)
    c.advance()
    mistake.recovered = True
    return mistake


_DIGITS = str.maketrans("OolI", "0011")
"""Letters that look like digits."""


def _version(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    _require_value(c, name_span, "a version such as `8.5`")
    match = _VERSION.fullmatch(c.word)
    if match is None:
        help = "write its major and minor number, with a point between them"
        meant = c.word.translate(_DIGITS)
        fix = Fix(c.span, meant, f"write `{meant}`") if _VERSION.fullmatch(meant) else None
        mistake = c.expected("a version such as `8.5`", "after `.version`", help=help)
        mistake.diagnostic.fix = fix
        raise mistake
    number_span = c.span
    c.advance()
    return Version(c.file, (start, c.last), name_span, int(match[1]), int(match[2]), number_span)


def _target(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    _require_value(c, name_span, "a target such as `sm_90`")
    names = [Name(*c.name("a target such as `sm_90`", "after `.target`"))]
    while c.take(","):
        names.append(Name(*c.name("a target", "after the comma")))
    if c.kind == "word" and not c.new_line:
        raise _another_target(c)
    return Target(c.file, (start, c.last), name_span, tuple(names))


def _address_size(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    _require_value(c, name_span, "32 or 64")
    size = integer(c, "32 or 64")
    return AddressSize(c.file, (start, c.last), "address_size", name_span, (size,))


def _file(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    values = [integer(c, "the index of the file")]
    path = _string(c, "the file's name in quotes", 'a file has an index and a name: `.file 1 "a.cu"`')
    if c.take(","):
        values.append(integer(c, "a timestamp"))
        if c.take(","):
            values.append(integer(c, "the size of the file"))
    return SourceFile(c.file, (start, c.last), name_span, path, tuple(values))


def _loc(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    values = [integer(c, what) for what in ("the index of a file", "a line number", "a column")]
    function: Name | None = None
    offset = 0
    inlined: list[Integer] = []
    if c.take(","):
        c.expect("function_name", "after the comma")
        function = _label(c)
        if c.take("+"):
            offset = integer(c, "an offset in bytes").value
        c.expect(",", "after the name of the function")
        c.expect("inlined_at", "after the comma")
        inlined = [integer(c, what) for what in ("the index of a file", "a line number", "a column")]
    return Location(c.file, (start, c.last), name_span, tuple(values), function, offset, tuple(inlined))


def _label(c: Cursor) -> Name:
    if c.kind not in ("word", "dot"):
        raise c.expected("a label of the section `.debug_str`")
    found = Name(c.word, c.span)
    c.advance()
    return found


def _string(c: Cursor, what: str, help: str | None = None) -> Text:
    if c.kind != "string":
        mistake = c.expected(what, help=help)
        if c.kind == "word":
            mistake.diagnostic.fix = Fix(c.span, f'"{c.word}"', "write quotes", SAFE)
        raise mistake
    found = Text(c.word[1:-1], c.span)
    c.advance()
    return found


def _pragma(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    strings = [_string(c, "a string in quotes")]
    while c.take(","):
        strings.append(_string(c, "a string in quotes"))
    _end(c)
    return Pragma(c.file, (start, c.last), name_span, tuple(strings))


def _alias(c: Cursor) -> Directive:
    start, name_span = c.start, c.span
    c.advance()
    alias = Name(*c.name("the new name of a function", "after `.alias`"))
    c.expect(",", "after the new name")
    aliasee = Name(*c.name("the name of a function", "after the comma"))
    _end(c)
    return Alias(c.file, (start, c.last), name_span, alias, aliasee)


LABELLED = (".branchtargets", ".calltargets", ".callprototype")


def labelled(c: Cursor, problems: list[Diagnostic], label: Name, start: int) -> Directive:
    """Parses one of these, whose label has been parsed."""
    c.about = "invalid-directive"
    word, name_span = c.word, c.span
    c.advance()
    if word == ".callprototype":
        return _prototype(c, problems, label, start, name_span)
    names = [_target_name(c, word)]
    while c.take(","):
        names.append(_target_name(c, word))
    _end(c)
    kind = BranchTargets if word == ".branchtargets" else CallTargets
    return kind(c.file, (start, c.last), name_span, label, tuple(names), word[1:])


def _target_name(c: Cursor, directive: str) -> Name:
    what = "a label" if directive == ".branchtargets" else "a function"
    text, span = c.name(what, f"in `{directive}`")
    if c.word != "<":
        return Name(text, span)
    c.advance()
    count = count_of_names(c)
    return Name(text, (span[0], c.last), count.value)


def _prototype(c: Cursor, problems: list[Diagnostic], label: Name | None, start: int, name_span: Span) -> Directive:
    returns = parameters(c, problems) if c.word == "(" else ()
    c.expect("_", "in place of the function's name")
    taken = parameters(c, problems) if c.word == "(" else ()
    found = tuning(c)
    _end(c)
    return CallPrototype(c.file, (start, c.last), name_span, label, returns, taken, found)


def _end(c: Cursor) -> None:
    if not c.take(";"):
        another = "\n" in c.file.text[c.last : c.start] or c.word in NAMES
        raise missing_semicolon(c, c.last) if another else c.expected_mark(",;")


_READERS: dict[str, Callable[[Cursor], Directive]] = {
    ".version": _version,
    ".target": _target,
    ".address_size": _address_size,
    ".file": _file,
    ".loc": _loc,
    ".pragma": _pragma,
    ".alias": _alias,
    ".section": section,
}


def _details(file: File, start: int) -> Details:
    """The details of the header that begins at a position, known to be correct."""
    header = Header()
    header.read(Cursor(file, start, len(file.text)), [])
    return header.details


Lazy.header = _details
