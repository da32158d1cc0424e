"""Parses the statements of a body: plain ones with the statement regex, all others with the instruction parser."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from sys import intern

from openptx.diagnostics import SAFE, Diagnostic, Fix
from openptx.diagnostics.kinds import NO_HEADER
from openptx.isa.directives import NAMES
from openptx.isa.types import FUNDAMENTAL
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.brace_matcher import closing, outside
from openptx.syntax.declaration_fast_parser import simple
from openptx.syntax.declaration_parser import LINKAGE, NO_LINKAGE, SPACES, declaration
from openptx.syntax.directive_parser import LABELLED, TUNING, Header, directive, labelled
from openptx.syntax.directives import Dwarf, nearest
from openptx.syntax.foreign import ASSIGNMENT, assigned, guard_reversed, unmarked_guard
from openptx.syntax.instruction_parser import begins_no_opcode, instruction, without_colon
from openptx.syntax.lexical import TRIVIA
from openptx.syntax.operands import Name
from openptx.syntax.recovery import recover
from openptx.syntax.statement_lexer import BRACE, DECLARATION, END, INSTRUCTION, LABEL, REGISTERS, STATEMENT, plain
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Block, Instruction, Label, Lazy, Statement, Unreadable

_HIDDEN = pattern(r"//[^\n]*;|/\*|\"[^\"\n]*;")
"""A `;` that may not end a statement."""
_LABELLED = pattern(rf"{TRIVIA}*+\.(?:branchtargets|calltargets|callprototype)\b")
_DWARF = pattern(r"@@DWARF[ \t]+\.[^\n]*+")
_MODULE_ONLY = (".version", ".address_size", ".file", ".section", *TUNING)
_FUNCTIONS = (".entry", ".func")
_BODY_ONLY = (".loc", *LABELLED, *TUNING)
BLOCKS = 1663
"""The nesting depth that ptxas 13.3 parses; one more level, and its parser runs out of memory."""


class _Places:
    """Selects the instructions that contain one of `places` (offsets in ascending order); all of them for None."""

    def __init__(self, text: str, body: Span, places: Collection[int] | None) -> None:
        self.text, self.selective = text, places is not None
        self.leaps = self.selective and _HIDDEN.search(text, *body) is None
        self.ahead = iter((*(places or ()), body[1]))
        self.next = next(self.ahead)

    def begin(self, offset: int) -> int:
        """Where to continue from a statement's start: at a later statement, if none before it is selected."""
        while self.next < offset:
            self.next = next(self.ahead)
        return max(offset, self.text.rfind(";", offset, self.next) + 1) if self.leaps else offset

    def holds(self, end: int) -> bool:
        """Whether the instruction that ends there is selected."""
        return not self.selective or self.next < end


def read_body(
    file: File, body: Span, places: Collection[int] | None = None
) -> tuple[list[Statement], list[Diagnostic]]:
    """The statements between two offsets, blocks nested, and their syntax errors.

    If `places` are given, in ascending order, plain instructions that contain none of them are omitted. Everything else
    must have a place, too (`landmarks`).

    Unmatched braces are tolerated, because the caller that found the span has reported them. What is nested too deep
    has an error and is left out: to look for a name takes a step for each block around it.
    """
    found: list[Statement] = []
    problems: list[Diagnostic] = []
    outer: list[tuple[int, list[Statement]]] = []
    too_many = 0  # blocks around that are nested too deep
    for piece in pieces(file, body, problems, places):
        if too_many or (len(outer) == BLOCKS and _level_change(piece) > 0):
            too_many += _level_change(piece)
        elif isinstance(piece, Statement):
            found.append(piece)
        elif piece.lastindex == INSTRUCTION:
            found.append(_plain_instruction(file, piece))
        elif piece.lastindex == LABEL:
            found.append(Label(file, (piece.end(1), piece.end()), Name(piece[5], piece.span(5))))
        elif piece[BRACE] == "{":
            outer.append((piece.end(1), found))
            found = []
        elif outer:
            start, inner = outer.pop()
            inner.append(Block(file, (start, piece.end()), found))
            found = inner
    while outer:
        start, inner = outer.pop()
        inner.append(Block(file, (start, body[1]), found))
        found = inner
    return found, problems


def _level_change(piece: re.Match[str] | Statement) -> int:
    """By how many levels a piece of a body nests what follows it deeper."""
    return 0 if isinstance(piece, Statement) or piece.lastindex != BRACE else 1 if piece[BRACE] == "{" else -1


def _plain_instruction(file: File, piece: re.Match[str]) -> Instruction:
    start, end = piece.end(1), piece.end()
    guard = piece.span(2) if piece[2] else (start, start)
    return Instruction(file, (start, end), guard, piece.span(3), piece.span(4), intern(piece[3]))


def pieces(
    file: File, body: Span, problems: list[Diagnostic], places: Collection[int] | None = None
) -> Iterator[re.Match[str] | Statement]:
    """The statements between two offsets, flat and without nodes for plain text: the fast path.

    Matches of `STATEMENT` are instructions with plain operands, labels and braces; all else becomes a statement, and
    errors go to `problems`. Braces are returned as written, because the caller that found the body has reported
    unmatched ones.
    """
    text, (offset, end), depth = file.text, body, 0
    selection = _Places(text, body, places)
    while match := STATEMENT.match(text, selection.begin(offset), end):
        kind, start, offset = match.lastindex, match.end(1), match.end()
        if kind == BRACE:
            depth += 1 if match[BRACE] == "{" else -1
            if depth == BLOCKS + 1 and match[BRACE] == "{":
                problems.append(too_deep(file, match.span(BRACE)))
            yield match
        elif kind == INSTRUCTION and not selection.holds(offset):
            continue
        elif (kind == INSTRUCTION and plain(match[4])) or (kind == LABEL and not _LABELLED.match(text, offset, end)):
            yield match
        elif kind == END:
            return
        elif kind in (REGISTERS, DECLARATION) and (variable := simple(file, start, offset)):
            if variable.linkage:
                problems.append(_misplaced(Cursor(file, start, end), NO_LINKAGE).diagnostic)
            yield variable
        else:
            found: list[Statement] = []
            offset = read_statements(Cursor(file, start, end), offset, found, problems, inside=True)
            yield from found


def too_deep(file: File, brace: Span) -> Diagnostic:
    """The error that a block is nested deeper than the assembler allows."""
    message = f"blocks are nested more than {BLOCKS} levels deep"
    return Diagnostic("nesting-too-deep", message, file, brace, rule="measured: ptxas ends with `memory exhausted`")


def read_statements(c: Cursor, until: int, found: list[Statement], problems: list[Diagnostic], inside: bool) -> int:
    """Parses the statements that begin before `until` and are neither blocks nor functions, and returns where the last
    one ends."""
    while True:
        _read(c, found, problems, inside)
        if c.kind == "end" or c.start >= until or c.word in ("{", "}"):
            return c.last
        if not inside and (c.word in LINKAGE or c.word in _FUNCTIONS):
            return c.last


def _read(c: Cursor, found: list[Statement], problems: list[Diagnostic], inside: bool) -> None:
    start = c.start
    try:
        statement = _statement(c, problems, inside)
        c.about = "syntax"
        found.append(statement)
    except Mistake as mistake:
        problems.append(mistake.diagnostic)
        if not mistake.recovered:
            recover(c, start)
        found.append(Unreadable(c.file, (start, c.last)))


def _statement(c: Cursor, problems: list[Diagnostic], inside: bool) -> Statement:
    if c.kind == "dot":
        return _directive(c, problems, inside)
    if c.word == "@@":
        return _dwarf(c, inside)
    if c.word == ";":
        fix = Fix(c.span, "", "remove it", SAFE)
        raise c.mistake("syntax", "this `;` ends no statement", c.span, help="remove it", fix=fix)
    if inside and c.word == ":":
        if c.stands_alone and not c.file.text[c.file.text.rfind("\n", 0, c.start) + 1 : c.start].strip():
            raise c.mistake("syntax", "this `:` ends no label", c.span, "expected a name before it")
        fix = Fix(c.span, "", "remove it", SAFE)
        raise c.mistake("syntax", "this `:` ends no label", c.span, help="remove it", fix=fix)
    if inside and c.kind == "number" and c.peek().word == ":":
        help = "a label begins with a letter, `$`, `%` or `_`, here and wherever it is branched to"
        raise c.mistake("invalid-name", f"`{c.word}` is a number, not a label", c.span, help=help)
    if c.kind == "word":
        return _label_or_instruction(c, problems, inside)
    if inside and c.word == "!" and c.peek().word == "@":
        raise guard_reversed(c)
    if not inside and c.word == "@":
        raise misplaced_statement(c)
    return instruction(c, problems)


def _label_or_instruction(c: Cursor, problems: list[Diagnostic], inside: bool) -> Statement:
    """A label or an instruction."""
    start, ahead = c.start, c.peek().word
    if "." + c.word in NAMES and (not inside or _declares(c)):
        raise without_dot(c)
    if inside and (assignment := ASSIGNMENT.match(c.file.text, c.start, c.limit)) is not None:
        raise assigned(c, assignment[1])
    if inside and c.word == "if" and ahead != "(" and (mistake := unmarked_guard(c)):
        raise mistake
    if not inside or (c.word in _WORDS_OF_C and c.word.startswith("__") and ahead != ":"):
        raise misplaced_statement(c, inside)
    name = Name(c.word, c.span)
    if ahead != ":":
        if begins_no_opcode(c) and c.stands_alone:
            c.advance()
            problems.append(without_colon(c, name.span).diagnostic)
            return Label(c.file, (start, c.last), name)
        return instruction(c, problems)
    c.advance()
    c.advance()
    if c.word in LABELLED:
        return labelled(c, problems, name, start)
    return Label(c.file, (start, c.last), name)


def _directive(c: Cursor, problems: list[Diagnostic], inside: bool) -> Statement:
    word = c.word
    if word in LINKAGE or word in _FUNCTIONS:
        ahead = c if word not in LINKAGE else c.peek()
        if inside:
            if ahead.word in _FUNCTIONS:
                return _declared_function(c, problems)
            raise _misplaced(c, NO_LINKAGE)
        if ahead.kind == "dot" and ahead.word not in (*SPACES, *_FUNCTIONS, ".align", ".attribute"):
            if ahead.word not in NAMES:
                raise unknown_directive(ahead)
            raise ahead.expected("a state space, `.entry` or `.func`")
    if not inside and word == ".param" and (lost := _HEADER_LOST.match(c.file.text, c.start, c.limit)):
        raise _headerless(c, lost.end())
    if word in SPACES and not inside and c.peek().at(*_FUNCTIONS):
        fix = Fix((c.start, c.peek().start), "", "remove it")
        raise c.mistake("syntax", f"`{word}` stands before variables, not before functions", c.span, fix=fix)
    if word in SPACES or word in LINKAGE or word in (".align", ".attribute"):
        return declaration(c, problems)
    _refuse_misplaced(c, inside)
    found = directive(c)
    if found is None:
        raise unknown_directive(c)
    return found


def _refuse_misplaced(c: Cursor, inside: bool) -> None:
    """Raises the error that a directive is misplaced."""
    word = c.word
    if inside and word in _MODULE_ONLY:
        help = "it stands between the parameters and the `{` of a function" if word in TUNING else None
        raise _misplaced(c, f"`{word}` is not allowed inside the body of a function", help)
    if not inside and word in _BODY_ONLY:
        where = "the header of a function" if word in TUNING else "the body of a function"
        help = (
            f"it stands between the parameters and the body: `.entry k() {word} 1 {{ ... }}`"
            if word in TUNING
            else None
        )
        raise _misplaced(c, f"`{word}` is only allowed in {where}", help)
    if word in LABELLED:
        raise _misplaced(c, f"`{word}` needs a label before it: `targets: {word} ...`")


def _declares(c: Cursor) -> bool:
    """Whether a state space without its dot begins here: `reg .pred p;`. `tex` is also an instruction."""
    return c.word != "tex" and f".{c.word}" in SPACES and c.peek().kind == "dot"


def without_dot(c: Cursor) -> Mistake:
    """The error that a directive lacks its dot."""
    fix = Fix((c.start, c.start), ".", "begin the directive with its dot", SAFE)
    return c.mistake("syntax", f"expected `.{c.word}`, found `{c.word}`", c.span, "the dot is missing", fix=fix)


_WORDS_OF_C = frozenset((
    "__global__", "__device__", "__shared__", "__constant__", "__host__", "__kernel", "char", "class", "const",
    "double", "enum", "float", "int", "kernel", "long", "namespace", "short", "static", "struct", "template", "typedef",
    "union", "unsigned", "using", "void",
))  # fmt: skip


_TARGET = pattern(r"((?:sm|compute)_[0-9]+[af]?)\b(?:[ \t]+\.?target\b)?", re.A)


def misplaced_statement(c: Cursor, inside: bool = False) -> Mistake:
    """The error that instructions are outside every function: one error, however many there are. `inside`: that C
    stands in the body of a function."""
    message = "an instruction is only allowed inside the body of a function"
    help = None
    if c.word in _WORDS_OF_C:
        message = f"`{c.word}` is a word of C, not of PTX"
        help = "a kernel is `.visible .entry name(.param .u64 a) { ... }`, a variable `.global .u32 name;`"
    label = "no function is open here" if not inside else "not a statement"
    if not inside and (target := _TARGET.match(c.file.text, c.start, c.limit)) is not None:
        fix = Fix(target.span(), f".target {target[1]}", f"write `.target {target[1]}`")
        mistake = c.mistake("syntax", f"expected `.target {target[1]}`, found {c.described}", target.span(), fix=fix)
        c.seek(target.end())
        mistake.recovered = True
        return mistake
    mistake = c.mistake("misplaced-statement", message, c.span, label, help=help)
    if inside:
        _skip_function(c)
    else:
        c.seek(outside(c.file.text, c.start))
    mistake.recovered = True
    return mistake


_HEADER_LOST = pattern(r"[^;{}()]*\)[^;{}()]*\{")


def _headerless(c: Cursor, body: int) -> Mistake:
    """The error that the first line of a function is missing, so that parameters begin it. Its body is skipped."""
    help = "put `.visible .entry name(` before them, or `.func name(`"
    message = "these parameters belong to no function"
    mistake = c.mistake("syntax", message, c.span, "no header before", help=help, kind=NO_HEADER)
    close = closing(c.file.text, body, c.limit)
    c.seek(c.limit if close is None else close + 1)
    mistake.recovered = True
    return mistake


def _skip_function(c: Cursor) -> None:
    """Skips a function up to the end of its body."""
    while c.kind != "end" and c.word not in ("{", ";"):
        c.advance()
    close = closing(c.file.text, c.end, c.limit) if c.word == "{" else None
    c.seek(c.end if close is None else close + 1)


def _misplaced(c: Cursor, message: str, help: str | None = None) -> Mistake:
    return c.mistake("misplaced-directive", message, c.span, help=help)


def _declared_function(c: Cursor, problems: list[Diagnostic]) -> Statement:
    """`.extern .func f();` inside a body."""
    start, header = c.start, Header()
    word = c.span
    header.read(c, problems)
    if c.word == "{":
        help = "define it before or after this one; inside a body it can only be declared"
        mistake = c.mistake("misplaced-directive", "a function can't be defined inside another", word, help=help)
        _skip_function(c)
        mistake.recovered = True
        raise mistake
    c.expect(";", "after a declaration inside a body")
    return header.function(c.file, start, None, c.last, broken=False)


def unknown_directive(c: Cursor) -> Mistake:
    """The error that no directive has this name."""
    near = nearest(c.word)
    if c.peek().word == ":":
        meant = c.word.replace(".", "$")
        help = f"a label has no dot: `{meant}:`, here and wherever it is branched to"
        fix = Fix(c.span, meant, f"call it `{meant}`")
        return c.mistake("invalid-name", f"`{c.word}` is not a label: it begins with a dot", c.span, help=help, fix=fix)
    help = f"did you mean `{near}`?" if near else None
    if c.word[1:] in FUNDAMENTAL:
        help = f"a declaration begins with its state space: `.reg {c.word} ...`"
    return c.mistake("unknown-directive", f"there is no directive `{c.word}`", c.span, help=help)


def _dwarf(c: Cursor, inside: bool) -> Statement:
    """`@@DWARF ...` extends to the end of its line."""
    match = _DWARF.match(c.file.text, c.start, c.limit)
    if match is None:
        raise c.invalid_character()
    if inside:
        raise _misplaced(c, "`@@DWARF` is not allowed inside the body of a function")
    span, name_span = match.span(), c.span
    c.seek(span[1])
    return Dwarf(c.file, span, "dwarf", name_span)


Lazy.body = read_body
