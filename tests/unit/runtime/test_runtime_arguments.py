"""Arguments are converted to the declared type of the parameter, or refused with its name."""

import copy
import ctypes
import pickle
import re
import struct
from array import array as buffer_of
from decimal import Decimal

import numpy as np
import pytest

from openptx import Texture
from openptx.errors import ArgumentError, InputError
from openptx.runtime import Kernel, arguments, load

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry take(.param .u64 out, .param .u32 n, .param .f32 x, .param .b8 s[8]) {
    .reg .u64 o, w;
    .reg .u32 a, b;
    ld.param.u64 o, [out];
    ld.param.u32 a, [n];
    ld.param.b32 b, [x];
    ld.param.b64 w, [s];
    st.global.u32 [o], a;
    st.global.u32 [o+4], b;
    st.global.u64 [o+8], w;
    ret;
}
"""


@pytest.fixture
def kernel() -> Kernel:
    return load(TEXT)["take"]


def launched(kernel: Kernel, n: object, x: object, s: object) -> tuple[int, int, int]:
    out = np.zeros(16, np.uint8)
    kernel(1, 1, (out, n, x, s), engine="interp")
    return struct.unpack("<IIQ", out.tobytes())


def test_numbers_become_the_declared_type(kernel: Kernel) -> None:
    assert launched(kernel, 7, 1.5, b"12345678") == (7, 0x3FC00000, int.from_bytes(b"12345678", "little"))
    assert launched(kernel, -1, 1, bytes(8))[:2] == (0xFFFFFFFF, 0x3F800000)
    assert launched(kernel, np.int64(5), np.float64(0.1), np.arange(2, dtype=np.int32)) == (5, 0x3DCCCCCD, 1 << 32)
    assert launched(kernel, True, float("inf"), bytes(8))[:2] == (1, 0x7F800000)


TYPES = ("u64", "s64", "b64", "u32", "s32", "b32", "u16", "s16", "u8", "s8", "f16", "f32", "f64")
VALUES = (
    None, True, np.True_, 5, -3, 1.5, np.int8(-3), np.uint8(200), np.int16(-300), np.int32(-70000), np.uint32(1 << 31),
    np.int64(-1), np.uint64(1 << 63), np.float16(0.1), np.float32(0.1), np.float64(0.1), np.float64(1e300),
    np.longdouble(0.1), np.float32("nan"), np.float64("-inf"), np.array(7), "x",
)  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_arguments_with_a_quick_way_have_the_bytes_of_the_slow_one(name: str) -> None:
    kernel = load(f".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .{name} a) {{ ret; }}")["k"]
    memory, (place,), quick = kernel.module.image.memory, arguments.places(kernel.function), 0
    for value in VALUES:
        found = arguments.packed(kernel.function, (value,), memory)
        if found is not None:
            assert found.tobytes() == arguments.bytes_of(place, value, memory, []), value
            quick += 1
    assert quick >= 3


@pytest.mark.parametrize(
    ("n", "x", "s", "words"),
    [
        (1 << 32, 0.0, bytes(8), "argument 1 (`.u32 n`) takes -2147483648 to 4294967295"),
        (1.5, 0.0, bytes(8), "argument 1 (`.u32 n`) takes an integer"),
        (1, "x", bytes(8), "argument 2 (`.f32 x`)"),
        (1, 1e39, bytes(8), "would become infinite"),
        (1, 0.0, bytes(7), "argument 3 (`.b8 s[8]`) takes 8 bytes, not 7"),
        (1, 0.0, 5, "argument 3 (`.b8 s[8]`) takes 8 bytes, not int"),
        (np.zeros(3), 0.0, bytes(8), "argument 1 (`.u32 n`)"),
        (None, 0.0, bytes(8), "argument 1 (`.u32 n`) takes a number, not an array or None"),
        (np.zeros(0), 0.0, bytes(8), "a pointer parameter has 64 bits, this has 32"),
        (1, None, bytes(8), "argument 2 (`.f32 x`) is not a pointer"),
        (np.array(3), 0.0, bytes(8), "argument 1 (`.u32 n`) takes a number, not an array: pass `.item()`"),
        (1, np.array([1.5]), bytes(8), "argument 2 (`.f32 x`) takes a number, not an array: pass `.item()`"),
        (ctypes.c_int(3), 0.0, bytes(8), "argument 1 (`.u32 n`) takes a number, not c_int(3): pass `.value`"),
        (1, ctypes.c_float(3), bytes(8), "takes a number, not c_float(3.0): pass `.value`"),
        (Decimal(3), 0.0, bytes(8), "takes a number, not Decimal('3'): pass `int(...)`"),
        (1, Decimal("0.1"), bytes(8), "takes a number, not Decimal('0.1'): pass `float(...)`"),
    ],
)
def test_what_does_not_fit_is_named(kernel: Kernel, n: object, x: object, s: object, words: str) -> None:
    with pytest.raises(ArgumentError) as found:
        launched(kernel, n, x, s)
    assert words in str(found.value)


@pytest.mark.parametrize("given", [np.timedelta64(5, "s"), np.timedelta64(5, "ns")], ids=str)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_durations_are_no_numbers(kernel: Kernel, at: int, given: np.timedelta64) -> None:
    """NumPy's are integers by their class, which `int` converts for some units only."""
    values: list[object] = [np.zeros(16, np.uint8), 7, 1.5, bytes(8)]
    values[at] = given
    with pytest.raises(ArgumentError, match="takes a number, not a duration"):
        kernel(1, 1, tuple(values), engine="interp")


def test_a_pointer_of_ctypes_has_a_value(kernel: Kernel) -> None:
    with pytest.raises(ArgumentError, match=r"argument 0 \(`.u64 \w+`\) takes a number, not c_void_p.*: pass `.value`"):
        kernel(1, 1, (ctypes.c_void_p(16), 1, 0.0, bytes(8)))


def test_none_is_a_null_pointer_as_wide_as_addresses() -> None:
    text = ".version 8.0\n.target sm_80\n.address_size {}\n.visible .entry k(.param .{} p) {{ ret; }}"
    for size, type in (("64", "u64"), ("64", "b64"), ("32", "u32"), ("32", "u64")):
        kernel = load(text.format(size, type))["k"]
        for null in (None, np.zeros(0, np.float32)):
            found = arguments.marshal(kernel.function, (null,), kernel.module.image.memory)
            assert not found.buffer.any(), (size, type)
    with pytest.raises(
        ArgumentError, match=r"a pointer parameter has 64 bits, this has 32 \(the file may say `.address_size 32`\)"
    ):
        load(text.format("64", "b32"))["k"](1, 1, (None,))


def test_an_empty_string_is_no_path() -> None:
    for empty in ("", "  ", "\n"):
        with pytest.raises(InputError, match="an empty string is neither PTX text nor a path"):
            load(empty)


def test_arrays_that_can_not_be_memory(kernel: Kernel) -> None:
    for array, words in (
        (np.zeros((4, 4))[:, ::2], "not contiguous"),
        (np.array([{}]), "Python objects"),
        (np.zeros(4, ">f4"), "bytes are in another order"),
        (np.zeros(4, [("a", "u1"), ("b", ">u8")]), "bytes are in another order"),
    ):
        with pytest.raises(ArgumentError, match=words):
            kernel(1, 1, (array, 1, 1.0, bytes(8)), engine="interp")


def test_wrong_count(kernel: Kernel) -> None:
    with pytest.raises(ArgumentError, match=r"takes 4 arguments \(\.u64 out, \.u32 n, \.f32 x, \.b8 s\[8\]\), not 1"):
        kernel(1, 1, (1,))


@pytest.mark.parametrize(
    ("grid", "block", "words"),
    [
        (0, 1, "the grid's x is 1 to 2147483647, not 0"),
        ((1, 65536), 1, "the grid's y is 1 to 65535"),
        (1, (1024, 2), "at most 1024 threads, not 2048"),
        (1, 1025, "the block's x is 1 to 1024"),
        (1, (1, 1, 65), "the block's z is 1 to 64"),
        ("a", 1, "the grid is one to three integers"),
        ((1, 1, 1, 1), 1, "the grid is one to three integers"),
        (1, 1.5, "the block is one to three integers"),
    ],
)
def test_shapes_that_no_gpu_has(kernel: Kernel, grid: object, block: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        kernel(grid, block, ())


def test_both_shapes_of_a_launch(kernel: Kernel) -> None:
    out = np.zeros(16, np.uint8)
    kernel[1, 1](out, 3, 0.0, bytes(8))
    assert out[0] == 3
    with pytest.raises(ArgumentError, match="write `kernel"):
        kernel[1]


def test_a_kernel_that_is_not_there() -> None:
    with pytest.raises(ArgumentError, match="no kernel `x`: <string> has `take`"):
        load(TEXT)["x"]


WRONG: tuple[dict[str, object], ...] = (
    {"shape": "x"}, {"shape": (-1,)}, {"shape": (1 << 62,)}, {"shape": (1 << 70,)}, {"shape": (1 << 56,)},
    {"shape": (1.5,)}, {"shape": (1,) * 70}, {"strides": "x"}, {"strides": (1, 2, 3)}, {"strides": (-4,)},
    {"strides": (1 << 61,)}, {"strides": (0,)}, {"data": None}, {"data": (0, False)}, {"data": (-1, False)},
    {"data": (1 << 80, False)}, {"data": "x"}, {"data": (1,)}, {"data": (2, 3, 4)}, {"typestr": "nonsense"},
    {"typestr": None}, {"typestr": "<i0"}, {"typestr": "|O"}, {"typestr": "|V4", "descr": [("a", "<i9")]},
)  # fmt: skip


class Described:
    """What says of itself that it is an array."""

    def __init__(self, interface: object) -> None:
        self.__array_interface__ = interface


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_arrays_that_describe_themselves_wrongly_are_named(kernel: Kernel, wrong: dict[str, object]) -> None:
    kept = np.arange(16, dtype=np.uint8)
    refused(kernel, Described({**kept.__array_interface__, **wrong}))


@pytest.mark.parametrize("interface", [{}, None, 3], ids=str)
def test_objects_that_describe_nothing_are_named(kernel: Kernel, interface: object) -> None:
    refused(kernel, Described(interface))


def refused(kernel: Kernel, described: Described) -> None:
    with pytest.raises(ArgumentError, match=re.escape("argument 0 (`.u64 out`)")):
        kernel(1, 1, (described, 1, 1.0, bytes(8)), engine="interp")


def test_textures_of_them_are_refused() -> None:
    with pytest.raises(ArgumentError, match="a texture or surface"):
        Texture(Described({"shape": "x", "typestr": "|u1", "version": 3}))


def test_memory_of_the_buffer_protocol_is_written_in_place(kernel: Kernel) -> None:
    for memory in (buffer_of("B", bytes(16)), (ctypes.c_uint32 * 4)()):
        kernel(1, 1, (memory, 7, 1.0, b"abcdefgh"), engine="interp")
        assert bytes(memory) == struct.pack("<If", 7, 1.0) + b"abcdefgh"


def test_bytes_are_a_pointer_and_memory_with_a_content_is_an_array(kernel: Kernel) -> None:
    for content in (bytes(16), bytearray(16), memoryview(bytes(16))):
        with pytest.raises(ArgumentError, match=r"takes 8 bytes, not 16; .*numpy\.frombuffer"):
            kernel(1, 1, (content, 7, 1.0, b"abcdefgh"))


def test_kernels_and_modules_stay_in_their_process(kernel: Kernel) -> None:
    assert copy.deepcopy({"kernel": kernel})["kernel"] is kernel
    assert copy.copy(kernel.module) is kernel.module
    for handle in (kernel, kernel.module):
        with pytest.raises(TypeError, match=r"cannot be pickled: .*`openptx\.load`"):
            pickle.dumps(handle)
