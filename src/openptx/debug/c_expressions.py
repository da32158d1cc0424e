"""Expressions of C in Python's grammar: `a && b` as `a and b`, `p->x` as `p.x`, `*(int*)x` as `deref ** cast ** x`.

C's prefix operators and casts bind as tightly, and are applied from the right, as the right operands of Python's power.
`x@4`, of gdb, binds more loosely than arithmetic: its operands are put in parentheses. `a ? b : c` is `b if a else c`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from openptx.debug.c_types import NUMBERS
from openptx.errors import InputError

_WORDS_OF_TYPES = sorted({word for name in NUMBERS for word in name.split()})
_WORD = rf"(?:{'|'.join(_WORDS_OF_TYPES)})\b"
_NAME = r"\.?[A-Za-z_][\w:]*(?:<[^()]*>)?"
_TOKEN = re.compile(
    rf"(?P<cast>\(\s*{_WORD}(?:\s+{_WORD})*\s*\)|\(\s*(?:struct|union|class|enum)\s+{_NAME}\s*\)"
    rf"|\((?:\s*@\s*\w+)?\s*{_NAME}(?:\s+{_NAME})*(?:\s*(?:@\s*\w+|const\b|volatile\b|__restrict__))*\s*\*"
    r"(?:\s*(?:@\s*\w+|const\b|volatile\b|__restrict__|\*))*\s*\))"
    r"|(?P<number>0[fF][\da-fA-F]{8}\b|0[dD][\da-fA-F]{16}\b|0[xX][\da-fA-F]+|\d[\w.]*)"
    r"|(?P<name>(?:::)?[%$]?[_A-Za-z][\w$]*(?:(?:\.|->|::)[A-Za-z_]\w*)*|[%$][\w$]+)"
    r"|(?P<operator>&&|\|\||[!=<>]=|<<|>>|//|->|\s+|.)",
    re.S,
)
_OPERATORS = {"&&": " and ", "||": " or ", "->": ".", **{word: f" {word} " for word in ("and", "or", "not")}}
_WORDS = frozenset(("and", "or", "not", "True", "False"))
_PREFIXES = frozenset("*&!")
SIZEOF = "sizeof"


def in_python(text: str, name: Callable[[str], str]) -> str:
    """The expression in Python's grammar, with `name` for names, literals of PTX, casts and prefix operators.

    Raises InputError for calls of functions.
    """
    found, depth, repeated, sized = list[str](), 0, False, False
    for kind, word, follows in tokens(text):
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if word == "@" and depth == 0 and not repeated:
            found.append(")@(")
            repeated = True
        else:
            found.append(_token_in_python(kind, word, follows, sized, name))
        sized = word == SIZEOF or (sized and word.isspace())
    python = _with_conditions(found).strip()
    return f"({python})" if repeated else python


def _token_in_python(kind: str, word: str, follows: bool, sized: bool, name: Callable[[str], str]) -> str:
    """A token in Python's grammar; it `follows` an operand, or is what `sizeof` measures."""
    if kind == "cast" and follows:  # the arguments of a call
        raise InputError("functions cannot be called")
    if kind == "cast":
        return name(word) if sized else f"{name(word)}**"
    if word == SIZEOF or (word in _PREFIXES and not follows):
        return f"{name(word)}**"
    if kind == "number" and word[:2].lower() not in ("0f", "0d"):
        return word
    if kind in ("name", "number") and word not in _WORDS:
        return name(word.replace("->", "."))
    return " " if word.isspace() else _OPERATORS.get(word, word)


def _with_conditions(parts: list[str]) -> str:
    """The parts as one text, with Python's conditional expressions."""
    levels: list[list[str]] = [[]]
    for part in parts:
        if part in ("(", "["):
            levels.append([part])
        elif part in (")", "]") and len(levels) > 1:
            opening, *inner = levels.pop()
            levels[-1].append(f"{opening}{_condition(inner)}{part}")
        else:
            levels[-1].append(part)
    return "".join(map(_condition, levels))


def _condition(parts: list[str]) -> str:
    """`a ? b : c` as `b if a else c`, of parts between the same parentheses."""
    if "?" not in parts:
        return "".join(parts)
    first, open_conditions = parts.index("?"), 0
    for i in range(first + 1, len(parts)):
        open_conditions += (parts[i] == "?") - (parts[i] == ":")
        if open_conditions < 0:
            chosen, other = _condition(parts[first + 1 : i]), _condition(parts[i + 1 :])
            return f"(({chosen}) if ({''.join(parts[:first])}) else ({other}))"
    raise InputError("`a ? b : c` lacks its `:`")


def tokens(text: str) -> Iterator[tuple[str, str, bool]]:
    """The tokens of an expression: their kinds, their texts, and whether they follow an operand."""
    at, operand, sized = 0, False, False
    while at < len(text):
        token = _TOKEN.match(text, at)
        assert token is not None
        word, kind = token[0], token.lastgroup or ""
        if operand and word[0] == "%":  # a remainder, as no operand may follow one: `i %n`, else a register
            word, kind = "%", "operator"
        at += len(word)
        yield kind, word, operand
        if not word.isspace():
            of_type = sized and kind == "cast"  # `sizeof(int)` is an operand, `(int)` alone is not
            sized = word == SIZEOF
            named = kind in ("name", "number") and word not in ("and", "or", "not", SIZEOF)
            operand = named or of_type or word in (")", "]")
