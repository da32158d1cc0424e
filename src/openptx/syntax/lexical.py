r"""The lexical grammar (manual 4.2 to 4.5), defined once: patterns of identifiers, numbers, strings, blanks and
comments.

All other regular expressions for PTX are composed of these. They have no groups and are meant for `re.A`. Possessive
quantifiers keep hostile input linear, and character sets are written out, because `\w` costs the matcher half as much
again.
"""

from __future__ import annotations

import re

from openptx.patterns import pattern

LETTER = "[A-Za-z0-9_$]"
"""The characters of an identifier after the first."""

IDENTIFIER = rf"(?:[A-Za-z_]{LETTER}*+|[$%]{LETTER}++)"
NEW_NAME = rf"(?:[A-Za-z]{LETTER}*+|[_$%]{LETTER}++)"
"""An identifier that can be declared: `_` alone is the sink."""
WORD = rf"[A-Za-z_$%]{LETTER}*+"
"""An identifier in text known to be correct; elsewhere a lone `$` or `%` may be one, too."""
SECTION_NAME = rf"[.A-Za-z_$%]{LETTER}*+"
"""A label in a section of debug data, which may begin with a dot."""

DECIMAL_32 = "(?:0|[1-9][0-9]{0,8}+)"
DECIMAL_63 = "(?:0|[1-9][0-9]{0,17}+)"
"""Decimal integers with few enough digits to fit 32 and 63 bits. With leading zeros a number is octal."""
SMALL_INTEGER = rf"(?:-?{DECIMAL_63}|0[xX][0-9a-fA-F]{{1,15}}+)"
"""An integer that certainly fits 64 bits with its sign."""
_MOST_64 = str((1 << 64) - 1)
_TWENTY_DIGITS = "|".join(
    (*(rf"{_MOST_64[:i]}[0-{int(d) - 1}][0-9]{{{19 - i}}}" for i, d in enumerate(_MOST_64) if i and d != "0"), _MOST_64)
)
INITIAL_INTEGER = (
    r"(?:-(?:0|[1-8][0-9]{0,18}+|9(?:[01][0-9]{0,17}+|[2-9][0-9]{0,16}+)?+)"
    rf"|(?:0(?:[xX][0-9a-fA-F]{{1,16}}+)?+|[1-9][0-9]{{0,18}}+|{_TWENTY_DIGITS})U?+)"
)
"""An integer that certainly fits 64 bits, possibly unsigned: `7U`. A negative one has no suffix, because `-7U` is a
large number."""
FLOAT_BITS = "(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16})"
FLOAT = rf"(?:{FLOAT_BITS}|-?[0-9]{{1,9}}+\.[0-9]{{0,17}}+(?:[eE][-+]?+[0-9]{{1,2}}+)?+)"
"""A floating-point number that certainly fits a double, if it is decimal."""
NUMBER = r"(?:0[xXfFdDbB]\w*+|(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)\w*+"
"""Anything that begins with a digit is one token, however malformed, so that `42u` is one error."""

STRING = r'"[^"\n]*+"'
OPEN_STRING = r'"[^"\n]*+"?+'
"""A string, or an unterminated one, which extends to the end of its line."""
_LINE_MARKER = rf"\#[ \t]*+(?:line)?+[ \t]*+[0-9]++[ \t]++{STRING}(?:[ \t]++[0-9]*+)*+(?=\r?\n)"
COMMENTS = rf"/(?:/[^\n]*|\*(?>[^*]+|\*(?!/))*+(?:\*/|\Z))|{_LINE_MARKER}"
"""The alternatives of `COMMENT`, for patterns whose speed depends on one group less."""
COMMENT = f"(?:{COMMENTS})"
"""A comment, or a preprocessor's `# 1 "a.cu"` to the end of its line, which may stand wherever a comment may. An
unterminated comment extends to the end."""
TRIVIA = rf"(?>[ \t\r\n\f\x1a]+|{COMMENTS})"

words = pattern(WORD, re.A).findall
"""The identifiers in a text, or in a part of it: `words(text, start, end)`. It must not contain comments."""
