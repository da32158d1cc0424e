"""Constant expressions have the values that the assembler stores in a cubin (13.5.37, sm_80)."""

from __future__ import annotations

import pytest

from openptx.source import File
from openptx.syntax.constants import constant
from openptx.syntax.literals import literal
from openptx.syntax.operands import Float, Integer
from openptx.syntax.tokens import Cursor, Mistake


def fold(text: str) -> Integer | Float:
    c = Cursor(File("expression", text), 0, len(text))
    found = constant(c)
    assert c.kind == "end"
    return found


# fmt: off
MEASURED = [
    ("1<<63",                                                 0x8000000000000000),
    ("1<<64",                                                 1),
    ("1<<65",                                                 2),
    ("1<<70",                                                 0x40),
    ("-1>>64",                                                0xFFFFFFFFFFFFFFFF),
    ("-1>>63",                                                0xFFFFFFFFFFFFFFFF),
    ("-1>>65",                                                0xFFFFFFFFFFFFFFFF),
    ("1>>64",                                                 1),
    ("(.u64)-1>>64",                                          0xFFFFFFFFFFFFFFFF),
    ("(-1 & -1)/2",                                           0),
    ("(-1 | -1)/2",                                           0),
    ("(-1 ^ 0)/2",                                            0),
    ("~0/2",                                                  0x7FFFFFFFFFFFFFFF),
    ("-1/2",                                                  0),
    ("(-7)/2",                                                0xFFFFFFFFFFFFFFFD),
    ("7 % -4",                                                7),
    ("-7 % 4",                                                1),
    ("(-7 % 4)/2",                                            0),
    ("(18446744073709551615 % 18446744073709551614 - 2)/2",   0x7FFFFFFFFFFFFFFF),
    ("(-7/2U)",                                               0x7FFFFFFFFFFFFFFC),
    ("-1 < 0U",                                               0),
    ("(-1U)/2",                                               0x7FFFFFFFFFFFFFFF),
    ("-9223372036854775808",                                  0x8000000000000000),
    ("-9223372036854775808/2",                                0x4000000000000000),
    ("9223372036854775808/2",                                 0x4000000000000000),
    ("18446744073709551616",                                  0),
    ("0x1ffffffffffffffff",                                   0xFFFFFFFFFFFFFFFF),
    ("0x123456789abcdef01",                                   0x23456789ABCDEF01),
    ("!5",                                                    0),
    ("!0",                                                    1),
    ("1&&2",                                                  1),
    ("0||0",                                                  0),
    ("((1==1)-2)/2",                                          0),
    ("((1U<2U)-2)/2",                                         0),
    ("((1U==2U)-2)/2",                                        0xFFFFFFFFFFFFFFFF),
    ("1.5<2.5",                                               1),
    ("(~0 < 0)",                                              0),
    ("1 << -1",                                               0x8000000000000000),
    ("1>>-1",                                                 0),
    ("-8 >> 1",                                               0xFFFFFFFFFFFFFFFC),
    ("(.s64)0xffffffffffffffff / 2",                          0),
    ("(.u64)-4/2",                                            0x7FFFFFFFFFFFFFFE),
    ("(-1<<1)/2",                                             0xFFFFFFFFFFFFFFFF),
    ("(-1U>>1)",                                              0x7FFFFFFFFFFFFFFF),
    ("5-3-1",                                                 1),
    ("2+3*4",                                                 0xE),
    ("1+1<<2",                                                8),
    ("7&3==3",                                                1),
    ("1^3&2",                                                 3),
    ("1?2:0?3:4",                                             2),
    ("0?1:0?3:4",                                             4),
    ("0x7fffffffffffffff+1",                                  0x8000000000000000),
    ("WARP_SZ",                                               0x20),
    ("1 - 2U < 0",                                            0),
    ("!0 - 2 < 0",                                            1),
    ("-1 >> 1U",                                              0xFFFFFFFFFFFFFFFF),
    ("(1U << 1) - 3 < 0",                                     0),
    ("((1||0)-2)/2",                                          0),
    ("07777777777777777777777",                               0xFFFFFFFFFFFFFFFF),
    ("02000000000000000000000",                               0),
    ("-5 % 3U",                                               2),
    ("((5 % 4) - 2)/2",                                       0x7FFFFFFFFFFFFFFF),
    ("((5U % 4U) - 2)/2",                                     0x7FFFFFFFFFFFFFFF),
    ("(1U == 1) - 2 < 0",                                     1),
    ("(~0 - 0)/2",                                            0x7FFFFFFFFFFFFFFF),
    ("((.s64)5U - 6)/2",                                      0),
    ("(1.5 < 2.5) - 2 < 0",                                   1),
    ("1 << 63 >> 63",                                         0xFFFFFFFFFFFFFFFF),
    ("(1U << 63) >> 63",                                      1),
    ("18446744073709551617",                                  1),
    ("0777",                                                  0x1FF),
    ("9999999999999999999",                                   0x8AC7230489E7FFFF),
    ("36893488147419103232",                                  0),
    ("(1 | 2 ^ 3 & 1)",                                       3),
    ("1 || 0 && 0",                                           1),
    ("5 > 3 == 1",                                            1),
    ("~5",                                                    0xFFFFFFFFFFFFFFFA),
    ("-(-42)",                                                0x2A),
]
# fmt: on


@pytest.mark.parametrize(("text", "value"), MEASURED)
def test_integers(text: str, value: int) -> None:
    found = fold(text)
    assert isinstance(found, Integer)
    assert found.value & (1 << 64) - 1 == value
    assert found.text == text
    assert found.span == (0, len(text))


# fmt: off
LONG = [
    ("0x11111111111111111111",         0x1111111111111111),
    ("0x" + "1" * 5000,                0x1111111111111111),
    ("0x7FFFFFFFFFFFFFFFF",            0xFFFFFFFFFFFFFFFF),
    ("0x80000000000000000",            None),
    ("0xF" + "1" * 16,                 None),
    ("92233720368547758079",           0xFFFFFFFFFFFFFFFF),
    ("92233720368547758080",           None),
    ("0b1" + "0" * 64,                 None),
    ("0b1" + "0" * 63,                 1 << 63),
    ("07777777777777777777777",        0xFFFFFFFFFFFFFFFF),
    ("02000000000000000000000",        0),
    ("010000000000000000000000",       None),
    ("0" * 5000 + "17",                15),
]
# fmt: on


@pytest.mark.parametrize(("text", "value"), LONG)
def test_numbers_of_more_digits_than_fit(text: str, value: int | None) -> None:
    """Measured: before each digit but the last, what is read so far must fit 63 bits, and only its low 64 are kept."""
    found = literal(text, (0, len(text)))
    assert (None if found is None else isinstance(found, Integer) and found.value) == value


def test_the_document_decides_about_the_type_of_a_conditional() -> None:
    """Manual 4.5.5: both results are converted alike. ptxas keeps the type of the chosen one, and divides to 0."""
    found = fold("(1 ? -1 : 0U) / 2")
    assert isinstance(found, Integer)
    assert found.value == (1 << 63) - 1


# fmt: off
@pytest.mark.parametrize(("text", "bits"), [
    ("1.5 + 0.25",            0x3FFC000000000000),
    ("-(1.0 / 3.0)",          0xBFD5555555555555),
    ("- 0d8000000000000000",  0x0000000000000000),
    ("2.0 * 0d3FF8000000000000", 0x4008000000000000),
    ("1 ? 1.0 : 2.0",         0x3FF0000000000000),
    ("1e308 * 10.0",          0x7FF0000000000000),
])  # fmt: skip
def test_doubles(text: str, bits: int) -> None:
    found = fold(text)
    assert isinstance(found, Float)
    assert (found.bits, found.width) == (bits, 64)


@pytest.mark.parametrize(("text", "code", "message"), [
    ("7 / 0",        "PTX0110", "the divisor of this constant expression is zero"),
    ("7 % (1 - 1)",  "PTX0110", "the modulus of this constant expression is zero"),
    ("1.0 / 0.0",    "PTX0110", "the divisor of this constant expression is zero"),
    ("1 + 1.0",      "PTX0110", "the operands of `+` are an integer and a floating-point constant"),
    ("1.0 % 2.0",    "PTX0110", "`%` takes integers, and this is a floating-point constant"),
    ("~1.0",         "PTX0110", "`~` takes integers, and this is a floating-point constant"),
    ("-0f3F800000",  "PTX0110", "`0f3F800000` can't be an operand of `-`"),
    ("-(0f3f800000)", "PTX0110", "`0f3F800000` can't be an operand of `-`"),
    ("1 +",          "PTX0110", "expected a constant, found the end of the file"),
    ("(1",           "PTX0101", "expected `)` to close the parenthesis, found the end of the file"),
    ("42u",          "PTX0004", "`42u` is not a number"),
    ("08",           "PTX0004", "`08` is not a number"),
    ("0x",           "PTX0004", "`0x` is not a number"),
    ("0b2",          "PTX0004", "`0b2` is not a number"),
    ("100000000000000000000", "PTX0004", "`100000000000000000000` is not a number"),
    ("0f3F80",       "PTX0005", "`0f3F80` is not a number"),
    ("1.0f",         "PTX0005", "`1.0f` is not a number"),
    ("1e999",        "PTX0005", "`1e999` is not a number"),
    ("1e-310",       "PTX0005", "`1e-310` is not a number"),
])  # fmt: skip
def test_mistakes(text: str, code: str, message: str) -> None:
    with pytest.raises(Mistake) as caught:
        fold(text)
    assert (caught.value.diagnostic.code, caught.value.diagnostic.message) == (code, message)


# fmt: off
@pytest.mark.parametrize(("text", "help"), [
    ("42u",      "the suffix of an unsigned integer is a capital letter: `42U`"),
    ("08",       "an integer that starts with 0 is octal, of the digits 0 to 7; in decimal it is `8`"),
    ("0f3F80",   "`0f` is followed by exactly 8 hexadecimal digits, the bits of an `.f32`; these are 4"),
    ("1.0f",     "a floating-point literal has no suffix: `1.0`"),
    ("-0f3F800000", "flip the sign bit instead: `0fBF800000`"),
])  # fmt: skip
def test_advice(text: str, help: str) -> None:
    with pytest.raises(Mistake) as caught:
        fold(text)
    assert caught.value.diagnostic.help == help


DEEP = (
    ("(", ")", 9_970, 9_990), ("-", "", 4_985, 4_996), ("~", "", 4_985, 4_996), ("!", "", 4_985, 4_996),
    ("+", "", 4_985, 4_996), ("-(", ")", 3_323, 3_331), ("(1+", ")", 3_323, 3_331), ("(.s64)", "", 2_492, 2_499),
    ("1?2:", "", 2_492, 2_499), ("1?", ":2", 4_984, 4_996), ("1+", "", 20_000, None), ("(1)+", "", 20_000, None),
)  # fmt: skip
"""What opens and closes a level, a number of levels that the assembler reads, and one that exhausts its parser."""


@pytest.mark.parametrize(("before", "after", "most", "too_many"), DEEP, ids=[row[0] for row in DEEP])
def test_expressions_nest_as_deep_as_the_assembler_reads(
    before: str, after: str, most: int, too_many: int | None
) -> None:
    assert isinstance(fold(before * most + "1" + after * most), Integer)
    if too_many:
        with pytest.raises(Mistake) as caught:
            fold(before * too_many + "1" + after * too_many)
        assert caught.value.diagnostic.name == "nesting-too-deep"


def test_deep_expressions_have_their_value() -> None:
    value = fold("(1+" * 3000 + "-(~(2*(3-" + "1" + ")))" + ")" * 3000)
    assert isinstance(value, Integer)
    assert value.value & (1 << 64) - 1 == (3000 + 5)
    chosen = fold("0?1:" * 1000 + "7")
    assert isinstance(chosen, Integer)
    assert chosen.value == 7


@pytest.mark.parametrize("text", ["(" * 100_000, "-" * 100_000 + "1", "1?" * 100_000, "!" * 100_000])
def test_hostile_nesting_is_refused(text: str) -> None:
    with pytest.raises(Mistake) as caught:
        fold(text)
    assert caught.value.diagnostic.name == "nesting-too-deep"
