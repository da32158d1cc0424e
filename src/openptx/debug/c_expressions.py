"""Expressions of C in Python's grammar: `a && !b` as `a and not b`, `(int)x` as `int ** x`, `p->x` as `p.x`.

A cast is an operator that binds as tightly as C's and, as there, is applied from the right: Python's power.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from openptx.errors import InputError

# fmt: off
TYPES = {
    "char": "s8", "signed char": "s8", "unsigned char": "u8", "bool": "u8", "short": "s16", "unsigned short": "u16",
    "int": "s32", "signed": "s32", "signed int": "s32", "unsigned": "u32", "unsigned int": "u32", "long": "s64",
    "unsigned long": "u64", "long long": "s64", "unsigned long long": "u64", "size_t": "u64", "float": "f32",
    "double": "f64", **{f"{u}int{n}_t": f"{u or 's'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
}
# fmt: on
"""Types of PTX by their names in C."""
_WORD = r"(?:(?:un)?signed|char|bool|short|int|long|float|double|size_t|u?int(?:8|16|32|64)_t)"
_TOKEN = re.compile(
    rf"(?P<cast>\(\s*{_WORD}(?:\s+{_WORD})*\s*(?P<pointer>\*+)?\s*\))"
    r"|(?P<number>0[fF][\da-fA-F]{8}\b|0[dD][\da-fA-F]{16}\b|0[xX][\da-fA-F]+|\d[\w.]*)"
    r"|(?P<name>(?:::)?[%$]?[_A-Za-z][\w$]*(?:(?:\.|->|::)[A-Za-z_]\w*)*|[%$][\w$]+)"
    r"|(?P<operator>&&|\|\||!=|->|[)\]]|\s+|.)",
    re.S,
)
_OPERATORS = {"&&": " and ", "||": " or ", "!": " not ", "->": "."}
_WORDS = frozenset(("and", "or", "not", "True", "False"))


def in_python(text: str, name: Callable[[str], str], type: Callable[[str], str]) -> str:
    """The expression in Python's grammar, with `name` for names and literals of PTX, and `type` for types of casts.

    Raises InputError for casts of pointers.
    """
    found, operand, at = list[str](), False, 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        assert token is not None
        word = token[0]
        if operand and word[0] == "%":  # a remainder, as no operand may follow one: `i %n`, else a register
            token, word = None, "%"
        at += len(word)
        if word.isspace():
            found.append(" ")
            continue
        kind = token.lastgroup if token is not None else "operator"
        if kind in ("cast", "pointer") and not operand:
            if token is not None and token["pointer"]:
                raise InputError(f"`{word}`: write TYPE[address], such as f32[p], to read what a pointer points to")
            found.append(f"{type(TYPES.get(' '.join(word.strip('() ').split()), ''))}**")
            continue
        if kind in ("cast", "pointer"):  # the arguments of a call
            raise InputError("functions cannot be called")
        if kind == "number" and word[:2].lower() not in ("0f", "0d"):
            found.append(word)
        elif kind in ("name", "number") and word not in _WORDS:
            found.append(name(word.replace("->", ".")))
        else:
            found.append(_OPERATORS.get(word, word))
        operand = (kind in ("name", "number") and word not in ("and", "or", "not")) or word in (")", "]")
    return "".join(found)
