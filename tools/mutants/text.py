"""The tokens and statements of a PTX file as mutation rules see them: spans of text without meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_TOKEN = re.compile(
    r'"[^"\n]*"|0[fFdD][0-9a-fA-F]+|\d[\w.]*|[.%]?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z0-9_][\w:]*)*|%\w+|\S'
)
_RANGE = re.compile(r"\.reg\s+(?:\.v[24]\s+)?\.(\w+)\s+([^;{}]+);")
_REGISTER = re.compile(r"([%\w$]+?)<(\d+)>|([%\w$]+)")
_LABEL = re.compile(r"^\s*([$\w%]+):(?!:)", re.M)
_DEBUG = re.compile(r"\.section\s+\.debug[^{]*\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a file."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Statement:
    """An instruction with its guard, from its first token to the semicolon."""

    tokens: tuple[Token, ...]
    opcode: int
    """Which token is the opcode."""

    @property
    def name(self) -> str:
        return self.tokens[self.opcode].text

    @property
    def mnemonic(self) -> str:
        return self.name.partition(".")[0]

    @property
    def operands(self) -> tuple[Token, ...]:
        """The tokens between the opcode and the semicolon."""
        return self.tokens[self.opcode + 1 : -1]


@dataclass(frozen=True)
class Source:
    """A file that compilers made."""

    name: str
    text: str
    tokens: tuple[Token, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        plain = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), self.text)
        plain = _DEBUG.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), plain)
        object.__setattr__(self, "tokens", tuple(Token(m[0], m.start()) for m in _TOKEN.finditer(plain)))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The instructions of all bodies."""
        found: list[Statement] = []
        begin, braces = 0, 0
        for i, token in enumerate(self.tokens):
            if token.text == "{" and braces == 0 and begin < i and self.tokens[begin].text[0] not in "@.":
                braces = int(self.tokens[begin].text[:1].isalpha())
            if braces and token.text == "}":
                braces = 0
            elif token.text in ("{", "}", ":") and not braces:
                begin = i + 1
            elif token.text == ";":
                if (statement := _instruction(self.tokens[begin : i + 1])) is not None:
                    found.append(statement)
                begin, braces = i + 1, 0
        return tuple(found)

    @cached_property
    def registers(self) -> dict[str, str]:
        """The type of each register that is declared by its name, and of each range by its prefix."""
        found: dict[str, str] = {}
        for type, names in _RANGE.findall(self.text):
            for prefix, _, name in _REGISTER.findall(names):
                found[prefix or name] = type
        return found

    def type_of(self, register: str) -> str | None:
        """What a register is declared as."""
        return self.registers.get(register) or self.registers.get(register.rstrip("0123456789"))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(_LABEL.findall(self.text))

    @cached_property
    def directives(self) -> tuple[Token, ...]:
        """All tokens outside of instructions."""
        inside = {token for statement in self.statements for token in statement.tokens}
        return tuple(token for token in self.tokens if token not in inside)

    def line(self, place: int) -> int:
        """The line of a place in the text, from 1."""
        return self.text.count("\n", 0, place) + 1


def _instruction(tokens: tuple[Token, ...]) -> Statement | None:
    opcode = 0
    if tokens[0].text == "@":
        opcode = 3 if tokens[1].text == "!" else 2
    if len(tokens) <= opcode + 1 or not tokens[opcode].text[0].isalpha():
        return None
    return Statement(tokens, opcode)
