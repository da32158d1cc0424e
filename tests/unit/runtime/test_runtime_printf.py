"""`printf` of kernels prints the same as C's."""

import ctypes
import itertools
import platform
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
        ("%#x %#X %#o [%.0d] [%5.0u]", [0, 0, 0, 0, 0], "0 0 0 [] [     ]"),
        ("%08.3d %+x %#.3o %#.1o %#08o", [5, 5, 8, 8, 8], "     005 5 010 010 00000010"),
        (
            "%a %a %A %a",
            [double(0), double(1.5), double(-2.25), 1],
            "0x0p+0 0x1.8p+0 -0X1.2P+1 0x0.0000000000001p-1022",
        ),
        (
            "%.2a %.0a %#.0a %010a",
            [double(0.1), double(1.96875), double(1), double(1.5)],
            "0x1.9ap-4 0x2p+0 0x1.p+0 0x001.8p+0",
        ),
        (
            "%06f %-6f| %+F %f",
            [double(float("inf")), double(float("inf")), double(float("nan")), 0xFFF8 << 48],
            "   inf inf   | +NAN -nan",
        ),
    ],
)
def test_format(template: str, words: list[int], text: str) -> None:
    strings = {1: "one", 2: "two", 3: "three"}
    assert read_format(template).render(words, strings.__getitem__) == text


NUMBERS = (0, 1, -1, 8, 255, 123456, -(1 << 31), (1 << 31) - 1)
FLOATS = (
    0.0,
    -0.0,
    1.0,
    -2.25,
    0.1,
    9.9999995,
    1e300,
    -1e-300,
    5e-324,
    99999.5,
    float("inf"),
    -float("inf"),
    float("nan"),
)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="C libraries differ in `%a`")
@pytest.mark.parametrize("kind", "diuxXocfFeEgGaA")
def test_all_flags_are_those_of_the_c_library(kind: str) -> None:
    snprintf = ctypes.CDLL(None).snprintf
    floats, buffer = kind in "fFeEgGaA", ctypes.create_string_buffer(1000)
    flags = ["".join(chosen) for n in range(4) for chosen in itertools.combinations("-+ #0", n)]
    if kind in "c":  # no other flag is defined for it
        flags = ["", "-"]
    for flag, width, exact in itertools.product(
        flags, ("", "1", "12"), ("", ".0", ".3", ".15") if kind != "c" else ("",)
    ):
        template = f"[%{flag}{width}{exact}{kind}]"
        for number in FLOATS if floats else NUMBERS[1:5] if kind == "c" else NUMBERS:
            given = ctypes.c_double(number) if floats else ctypes.c_int(int(number))
            snprintf(buffer, 1000, template.encode(), given)
            word = double(number) if floats else int(number) & 0xFFFFFFFF
            text = read_format(template).render([word], str)
            assert text.encode("latin-1") == buffer.value, (template, number)


@pytest.mark.parametrize("template", ["%999999999d", "%.999999999d", "%.2147483648f", f"%{'9' * 5000}s", "%*d", "%.*f"])
def test_fields_that_no_device_could_print(template: str) -> None:
    """They took minutes, all memory, or were a ValueError of Python's."""
    with pytest.raises(openptx.Unsupported, match="printf with a field of more than 1,048,576 characters"):
        read_format(template).render([0x7FFFFFFF, 7], lambda _: "")


def test_arguments_lie_aligned_to_their_size() -> None:
    assert read_format("%d %f %d %s").layout == ((0, 4), (8, 8), (16, 4), (24, 8))


PRINTS = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[] = {"%1048577d"};
.visible .entry k() {
    .local .align 8 .b8 values[8];
    .reg .b64 %rd<3>;
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    mov.u64 %rd2, values;
    cvta.local.u64 %rd2, %rd2;
    {
        .param .b64 a;
        .param .b64 b;
        .param .b32 r;
        st.param.b64 [a], %rd1;
        st.param.b64 [b], %rd2;
        call (r), vprintf, (a, b);
    }
    ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native", "auto"])
def test_what_printf_cannot_do_is_reported_at_its_call(engine: str) -> None:
    """The native engine named neither the instruction nor the line."""
    text = PRINTS.replace('"%1048577d"', ", ".join(map(str, b"%1048577d\0")))
    with pytest.raises(openptx.Unsupported) as caught:
        openptx.load(text)["k"](1, 1, (), engine=engine)
    assert caught.value.form == "call: printf with a field of more than 1,048,576 characters"
    assert "call (r), vprintf, (a, b);" in str(caught.value)
