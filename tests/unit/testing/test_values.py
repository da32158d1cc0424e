"""Values of `// run:` lines: their bits, and comparison with results."""

from __future__ import annotations

import pytest

from openptx.errors import InputError
from openptx.testing.values import Tolerance, agrees, bits_of, format_bits


@pytest.mark.parametrize(
    ("text", "type", "bits"),
    [
        ("0", "u32", 0),
        ("42U", "u32", 42),
        ("017", "u32", 15),
        ("0x1F", "u8", 31),
        ("0b101", "b16", 5),
        ("-1", "s32", 0xFFFFFFFF),
        ("-1", "u32", 0xFFFFFFFF),
        ("4294967295", "u32", 0xFFFFFFFF),
        ("-128", "s8", 0x80),
        ("1", "pred", 1),
        ("true", "pred", 1),
        ("false", "pred", 0),
        ("0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "b128", (1 << 128) - 1),
        ("1.0", "f32", 0x3F800000),
        ("1", "f32", 0x3F800000),
        ("-0.0", "f32", 0x80000000),
        ("0.1", "f32", 0x3DCCCCCD),
        ("1e40", "f32", 0x7F800000),
        ("-inf", "f32", 0xFF800000),
        ("0f3F800000", "f32", 0x3F800000),
        ("0d3FF0000000000000", "f32", 0x3F800000),
        ("0f3F800000", "f64", 0x3FF0000000000000),
        ("0x3F800000", "f32", 0x3F800000),
        ("1.5", "f16", 0x3E00),
        ("70000.0", "f16", 0x7C00),
        ("1.5", "b32", 0x3FC00000),
        ("1.5", "b64", 0x3FF8000000000000),
        ("0x3C003C00", "f16x2", 0x3C003C00),
    ],
)
def test_bits(text: str, type: str, bits: int) -> None:
    assert bits_of(text, type) == bits


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("", "u32"),
        ("x", "u32"),
        ("08", "u32"),
        ("1.5", "u32"),
        ("256", "u8"),
        ("-129", "s8"),
        ("2", "pred"),
        ("true", "u32"),
        ("1.5", "b16"),
        ("0f3F800000", "u32"),
        ("1.5", "f16x2"),
    ],
)
def test_what_is_no_value(text: str, type: str) -> None:
    with pytest.raises(InputError):
        bits_of(text, type)


EXACT = Tolerance()


@pytest.mark.parametrize(
    ("bits", "text", "type", "tolerance", "yes"),
    [
        (0x3F800000, "1.0", "f32", EXACT, True),
        (0x3F800001, "1.0", "f32", EXACT, False),
        (0x80000000, "0.0", "f32", EXACT, False),
        (0x7FC00000, "nan", "f32", EXACT, True),
        (0xFFFFFFFF, "-nan", "f32", EXACT, True),
        (0x7F800000, "nan", "f32", EXACT, False),
        (0x3F800001, "1.0", "f32", Tolerance(ulps=1), True),
        (0x3F800002, "1.0", "f32", Tolerance(ulps=1), False),
        (0x80000001, "0f00000001", "f32", Tolerance(ulps=2), True),
        (0x7FC00000, "1.0", "f32", Tolerance(ulps=1 << 31), False),
        (0x3F800000, "1.001", "f32", Tolerance(absolute=0.01), True),
        (0x3F800000, "1.1", "f32", Tolerance(absolute=0.01), False),
        (7, "8", "u32", Tolerance(ulps=5), False),
        (0x7FFF, "nan", "u16", EXACT, False),
    ],
)
def test_agreement(bits: int, text: str, type: str, tolerance: Tolerance, yes: bool) -> None:
    assert agrees(bits, text, type, tolerance) is yes


def test_shown() -> None:
    assert format_bits(0x3F800000, "f32") == "0x3f800000 (1.0)"
    assert format_bits(0xFF, "s8") == "0xff (-1)"
    assert format_bits(0xFF, "u8") == "0xff (255)"
