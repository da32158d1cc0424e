"""`printf` of kernels prints the same as C's."""

import struct

import pytest

import openptx
from openptx.device.printf import read_format


def double(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


@pytest.mark.parametrize(
    ("template", "words", "text"),
    [
        ("plain 100%% %", [], "plain 100% %"),
        ("%d %i %u", [0xFFFFFFFF, 5, 0xFFFFFFFF], "-1 5 4294967295"),
        ("%5d|%-5d|%05d|%+d", [42, 42, 42, 42], "   42|42   |00042|+42"),
        ("%x %X %#x %o %#o", [255, 255, 255, 8, 8], "ff FF 0xff 10 010"),
        ("%lld %llu %ld", [(1 << 64) - 2, (1 << 64) - 1, 7], "-2 18446744073709551615 7"),
        ("%hhd %hd %hhu", [0x1FF, 0x18000, 0x1FF], "-1 -32768 255"),
        ("%f %.2f %8.3f|", [double(1.5), double(2.345), double(-1)], "1.500000 2.35   -1.000|"),
        ("%e %g %G", [double(12345.678), double(1e-10), double(1e20)], "1.234568e+04 1e-10 1E+20"),
        ("%f %F %e", [double(float("inf")), double(float("nan")), double(float("-inf"))], "inf NAN -inf"),
        ("%c%c", [72, 105], "Hi"),
        ("[%s] [%5s] [%-5s] [%.2s]", [1, 2, 2, 3], "[one] [  two] [two  ] [th]"),
        ("%*d %.*f %-*d|", [5, 42, 1, double(2.55), 4, 7], "   42 2.5 7   |"),
        ("%p", [0x1000], "0x1000"),
    ],
)
def test_format(template: str, words: list[int], text: str) -> None:
    strings = {1: "one", 2: "two", 3: "three"}
    assert read_format(template).render(words, strings.__getitem__) == text


@pytest.mark.parametrize("template", ["%999999999d", "%.999999999d", "%.2147483648f", f"%{'9' * 5000}s", "%*d", "%.*f"])
def test_fields_that_no_device_could_print(template: str) -> None:
    """They took minutes, all memory, or were a ValueError of Python's."""
    with pytest.raises(openptx.Unsupported, match="printf with a field of more than 1,048,576 characters"):
        read_format(template).render([0x7FFFFFFF, 7], lambda _: "")


def test_arguments_lie_aligned_to_their_size() -> None:
    assert read_format("%d %f %d %s").layout == ((0, 4), (8, 8), (16, 4), (24, 8))
