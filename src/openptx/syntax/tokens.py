"""Tokens with offsets, and the cursor on them that the parser uses, one statement at a time."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, Diagnostic, Fix, Label
from openptx.diagnostics.kinds import DOTTED_NAME
from openptx.isa.directives import NAMES
from openptx.isa.types import FUNDAMENTAL
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.lexical import IDENTIFIER, NUMBER, STRING, TRIVIA

_TOKEN = rf"""
    (?P<number>{NUMBER})
  | (?P<word>{IDENTIFIER})
  | (?P<dot>\.(?![$%]){IDENTIFIER}(?:::\w++)*+)
  | (?P<string>{STRING})
  | (?P<op>&&|\|\||<<|>>|<=|>=|==|!=|@@|[-+*/%~!<>=&|^?:;,(){{}}\[\]@\#])
  | (?P<bad>[^\x00-\x7f]++|\x00++|.)
"""
TOKEN = pattern(rf"(?P<trivia>{TRIVIA}++)|{_TOKEN}", re.X | re.A | re.S)
_NEXT = pattern(rf"{TRIVIA}*+(?:(?P<end>\Z)|{_TOKEN})", re.X | re.A | re.S)
"""A token and what lies before it: both tile any text."""


DEPTH = 48


class Mistake(Exception):
    """The error in the statement being parsed. Raised by the parser, caught at statements.

    `recovered`: the cursor is already where parsing can continue.
    """

    recovered = False

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Cursor:
    """The current token of a span of a file: its `kind`, `word` and place; `last` is where the previous one ended.

    An operator's kind is `op`; after the last token the kind is `end` and the word is empty. `about` is the code of
    errors in the current construct.
    """

    __slots__ = ("_tokens", "about", "depth", "end", "file", "kind", "last", "limit", "start", "word")

    def __init__(self, file: File, start: int, end: int) -> None:
        self.file = file
        self.limit = end
        self.depth = 0
        self.about = "syntax"
        self.seek(start)

    def seek(self, offset: int) -> None:
        """Moves to the first token at or after an offset."""
        self._tokens = _NEXT.finditer(self.file.text, offset, self.limit)
        self.end = self.last = offset
        self.advance()

    def advance(self) -> None:
        """Moves to the next token."""
        self.last = self.end
        match = next(self._tokens, None)
        if match is not None and (group := match.lastindex or 0) > 1:
            self.kind, self.word = match.lastgroup or "", match[group]
            self.start, self.end = match.span(group)
            return
        self.kind, self.word, self.start, self.end = "end", "", self.limit, self.limit

    def peek(self) -> Cursor:
        """Another cursor, on the token after the current one."""
        return Cursor(self.file, self.end, self.limit)

    @property
    def new_line(self) -> bool:
        """Whether the current token is on a later line than the previous one."""
        return "\n" in self.file.text[self.last : self.start]

    @property
    def stands_alone(self) -> bool:
        """Whether the current token is the last one of its line."""
        ahead = self.peek()
        return ahead.kind == "end" or "\n" in self.file.text[self.end : ahead.start]

    @property
    def span(self) -> Span:
        """The position of the current token; after the last token, the last character."""
        return (self.start, self.end) if self.kind != "end" else (max(self.last - 1, 0), self.last)

    @property
    def described(self) -> str:
        """The current token as diagnostics call it."""
        if self.kind == "end":
            return "the end of the statement" if self.limit < len(self.file.text) else "the end of the file"
        return f"`{self.word}`"

    def at(self, *words: str) -> bool:
        """Whether the current token is one of these words."""
        return self.word in words and self.kind != "string"

    def take(self, word: str) -> bool:
        """Skips this word if it is the current token."""
        if self.word != word:
            return False
        self.advance()
        return True

    def expect(self, word: str, where: str) -> Span:
        """Skips this word, which must be the current token."""
        if self.word != word:
            raise self.expected(f"`{word}`", where, marks=word if len(word) == 1 else "")
        span = self.start, self.end
        self.advance()
        return span

    def name(self, what: str, where: str) -> tuple[str, Span]:
        """Skips an identifier."""
        if self.kind != "word":
            raise self.expected(what, where)
        found = self.word, (self.start, self.end)
        self.advance()
        return found

    def new_name(self, what: str, where: str, problems: list[Diagnostic] | None = None) -> tuple[str, Span]:
        """Skips an identifier that is declared here. One with dots is reported to `problems`, or raised."""
        if self.word == "_":
            help = "it is the sink for unused results"
            raise self.mistake("invalid-name", "`_` alone is not a name", self.span, help=help)
        found, span = self.name(what, where)
        if self.start == span[1] and self.word[:1] == "." and (mistake := self._rejected_dots(span)) is not None:
            if problems is None or mistake.diagnostic.kind != DOTTED_NAME:
                raise mistake
            problems.append(mistake.diagnostic)
            span = mistake.diagnostic.span
            found = self.file.text[slice(*span)]
        return found, span

    def _rejected_dots(self, span: Span) -> Mistake | None:
        """The error that `a.b` or `a.1` is no name, as in other assemblers and LLVM; skips the rest of it."""
        end = span[1]
        while self.start == end and self.word[:1] == "." and self.word not in NAMES:
            end = self.end
            self.advance()
        if end == span[1]:
            return None
        whole, text = (span[0], end), self.file.text[span[0] : end]
        if text.rpartition(".")[2] in FUNDAMENTAL:  # an instruction, after a comma that should be a semicolon
            comma = self.file.text.rfind(",", 0, span[0])
            fix = Fix((comma, comma + 1), ";", "end the declaration", SAFE) if comma >= 0 else None
            return self.mistake("syntax", f"expected a name, found the instruction `{text}`", whole, fix=fix)
        plain = text.replace(".", "_")
        fix = Fix(whole, plain, f"call it `{plain}`")
        help = "a name consists of letters, digits, `_` and `$`; rename every use of it as well"
        message = f"`{text}` is not a name: it has a dot"
        return self.mistake("invalid-name", message, whole, help=help, fix=fix, kind=DOTTED_NAME)

    def deeper(self) -> None:
        """Counts one level of nesting, and rejects depths that no program needs before Python's stack overflows."""
        self.depth += 1
        if self.depth > DEPTH:
            raise self.mistake("nesting-too-deep", f"this is nested more than {DEPTH} levels deep", self.span)

    def expected(
        self, what: str, where: str = "", *, about: str = "", help: str | None = None, labels: tuple[Label, ...] = (),
        marks: str = "",
    ) -> Mistake:  # fmt: skip
        """The error that the current token is not `what`; `marks` are those that it may be."""
        if self.kind == "bad" or self.word in ("%", "#", "@@"):
            return self.invalid_character()
        message = f"expected {what}{' ' if where else ''}{where}, found {self.described}"
        label = f"expected {what}"
        return self.mistake(
            about or self.about, message, self.span, label, help=help, labels=labels, kind=what, marks=marks
        )

    def expected_mark(
        self, marks: str, where: str = "", *, help: str | None = None, labels: tuple[Label, ...] = ()
    ) -> Mistake:
        """The error that the current token is none of these marks."""
        return self.expected(_either(marks), where, help=help, labels=labels, marks=marks)

    def invalid_character(self) -> Mistake:
        """The error that the current character cannot begin any token."""
        from openptx.syntax import characters, stray_marks

        if self.word == '"':
            end = self.file.text.find("\n", self.start, self.limit)
            span = self.start, end if end >= 0 else self.limit
            return self.mistake("unterminated-string", "this string has no closing quote", span, "starts here")
        if self.file.text.startswith("%%", self.start):
            return Mistake(stray_marks.doubled_percent_sign(self.file, self.start, self.limit))
        if self.word in ("%", "$"):
            help = f"a name that begins with `{self.word}` has at least one more letter or digit"
            return self.mistake("invalid-name", f"`{self.word}` alone is not a name", self.span, help=help)
        if self.word == ".":
            return Mistake(stray_marks.lone_dot(self.file, self.start, self.limit, self.about))
        if self.word == "'":
            return Mistake(stray_marks.character_constant(self.file, self.start, self.limit))
        if self.word == "#":
            error, comment_end = stray_marks.number_sign(self.file, self.start, self.limit)
            mistake = Mistake(error)
            if comment_end is not None:
                self.seek(comment_end)
                mistake.recovered = True
            return mistake
        if self.kind != "bad" or " " < self.word < "\x7f":
            return self.mistake("invalid-character", f"PTX has no use for `{self.word}` here", self.span)
        return Mistake(characters.in_code(self.file, self.start, self.limit))

    def mistake(
        self, about: str, message: str, span: Span, label: str = "", *, labels: tuple[Label, ...] = (),
        rule: str | None = None, help: str | None = None, fix: Fix | None = None, kind: str = "",
        marks: str = "",
    ) -> Mistake:  # fmt: skip
        """An error in this file; without a `label` its label says which `marks` were expected."""
        return Mistake(
            Diagnostic(
                about, message, self.file, span, label or (marks and f"expected {_either(marks)}"),
                labels=labels, rule=rule, help=help, fix=fix, kind=kind, marks=marks,
            )
        )  # fmt: skip


def _either(marks: str) -> str:
    return " or ".join(f"`{mark}`" for mark in marks)
