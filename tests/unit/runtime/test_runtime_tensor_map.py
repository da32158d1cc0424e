"""Tensor maps that the host creates, as a parameter of 128 bytes."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from ml_dtypes import bfloat16, float8_e4m3fn

import openptx
from openptx import ArgumentError, TensorMap, Unsupported, memory
from openptx.runtime.driver_tensor_map import DriverMap, encode

KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u32 bytes) {
.shared .align 1024 .b8 box[8192]; .shared .align 8 .b64 bar;
.reg .b64 a, b, state; .reg .b32 n; .reg .pred ready;
mov.b64 a, from; cvta.param.u64 a, a; mov.b64 b, to; cvta.param.u64 b, b; ld.param.u32 n, [bytes];
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 state, [bar], n;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [a, {-2, 3}], [bar];
AGAIN: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra AGAIN;
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [b, {16, 1}], [box];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }"""


@pytest.mark.parametrize("type", [np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64, bfloat16])
@pytest.mark.parametrize("options", [{}, {"swizzle": "64B"}, {"steps": (2, 1)}, {"swizzle": "128B_ATOM_32B"}])
def test_a_box_goes_from_one_array_to_another(type: type, options: dict[str, object]) -> None:
    source = np.arange(9 * 64).reshape(9, 64).astype(type)
    target = np.zeros_like(source)
    width = 32 // source.itemsize
    maps = [TensorMap(a, (4, width), **options) for a in (source, target)]
    rows = 2 if "steps" in options else 4
    openptx.load(KERNEL)["k"](1, 1, (*maps, rows * 32))
    expected, step = np.zeros_like(source), 4 // rows
    box = np.zeros((rows, width), type)
    box[:, 2:] = source[3 : 3 + 4 : step, : width - 2]
    expected[1 : 1 + 4 : step, 16 : 16 + width] = box
    np.testing.assert_array_equal(target, expected)


def test_what_is_outside_can_be_nan() -> None:
    source, target = np.ones((9, 64), np.float32), np.zeros((9, 64), np.float32)
    openptx.load(KERNEL)["k"](1, 1, (TensorMap(source, (1, 8), fill="nan"), TensorMap(target, (1, 8)), 32))
    np.testing.assert_array_equal(target[1, 16:24], [np.nan] * 2 + [1] * 6)
    assert set(target[1, 16:18].view(np.uint16).tolist()) == {0x7FF7}  # as an H100 has it


def test_a_map_of_parts_is_that_of_the_array() -> None:
    blocks = [memory.allocate(9 * 64 * 4) for _ in range(2)]
    source, target = (block.array(np.float32).reshape(9, 64) for block in blocks)
    source[:] = np.arange(9 * 64).reshape(9, 64)
    arrays = [TensorMap(a, (4, 8), swizzle="32B", fill="nan") for a in (source, target)]
    maps = [
        TensorMap.from_parts(one, (9, 64), [256], (4, 8), element="f32", swizzle="32B", fill="nan")
        for one in (blocks[0], blocks[1].address)
    ]
    assert [m.encoded(4096) for m in maps] == [a.encoded(4096) for a in arrays]
    assert repr(maps[0]) == "<tensor map of 9x64 f32, box 4x8>"
    openptx.load(KERNEL)["k"](1, 1, (*maps, 128))
    assert (target[1, 18:24] == source[3, :6]).all()
    for block in blocks:
        memory.free(block)
    with pytest.raises(openptx.Fault, match="freed"):
        openptx.load(KERNEL)["k"](1, 1, (*maps, 128))


def test_a_map_of_a_gpu_is_launched_with_memory_here() -> None:
    blocks = [memory.allocate(9 * 64 * 4) for _ in range(2)]
    source, target = (block.array(np.float32).reshape(9, 64) for block in blocks)
    source[:] = np.arange(9 * 64).reshape(9, 64)
    saved = encode(DriverMap(0x7F0000000000, (9, 64), (256,), (1, 4), "f32", (4, 8), promotion="256B"))
    maps = [TensorMap.from_bytes(data, block) for data, block in zip((saved, bytearray(saved)), blocks, strict=True)]
    parts = TensorMap.from_parts(blocks[0], (9, 64), [256], (4, 8), element="f32")
    assert maps[0].encoded(blocks[0].address) == parts.encoded(blocks[0].address)
    openptx.load(KERNEL)["k"](1, 1, (*maps, 128))
    assert (target[1:5, 18:24] == source[3:7, :6]).all()
    with pytest.raises(openptx.Fault, match="0x7f0000000300"):
        openptx.load(KERNEL)["k"](1, 1, (TensorMap.from_bytes(saved), maps[1], 128))
    with pytest.raises(ArgumentError, match="a number, not 'here'"):
        TensorMap.from_bytes(saved, "here")
    with pytest.raises(ArgumentError, match="a multiple of 16 bytes"):
        openptx.load(KERNEL)["k"](1, 1, (TensorMap.from_bytes(saved, blocks[0].address + 8), maps[1], 128))


def test_a_stride_of_zero_repeats_the_tensor() -> None:
    """As CUTLASS gives it to a batch of one; here each of five is the same."""
    source, target = memory.allocate(9 * 64 * 4), memory.allocate(2 * 9 * 64 * 4)
    source.array(np.float32)[:] = np.arange(9 * 64)
    maps = [
        TensorMap.from_parts(source, (5, 9, 64), [0, 256], (2, 4, 8), element="f32"),
        TensorMap.from_parts(target, (2, 9, 64), [9 * 256, 256], (2, 4, 8), element="f32"),
    ]
    text = KERNEL.replace("tensor.2d", "tensor.3d").replace("{-2, 3}", "{0, 3, 3}").replace("{16, 1}", "{0, 0, 0}")
    openptx.load(text)["k"](1, 1, (*maps, 256))
    found = target.array(np.float32).reshape(2, 9, 64)
    wanted = source.array(np.float32).reshape(9, 64)[3:7, :8]
    assert (found[:, :4, :8] == wanted).all()
    assert np.count_nonzero(found) == 2 * wanted.size
    for block in source, target:
        memory.free(block)


def test_an_interleaved_map_of_parts_copies_slices() -> None:
    """N, slices, W = 2, 2, 4 of f32 in slices of 8 channels, 32 bytes, from one tensor to another."""
    source, target = np.arange(128, dtype=np.float32).reshape(2, 2, 4, 8), np.zeros((2, 2, 4, 8), np.float32)
    blocks = [memory.allocate(a.nbytes) for a in (source, target)]
    blocks[0].array(np.float32)[:] = source.reshape(-1)
    maps = [
        TensorMap.from_parts(b, (2, 2, 4), [256, 128], (1, 16, 4), element="f32", interleave="32B", swizzle="32B")
        for b in blocks
    ]
    text = KERNEL.replace("tensor.2d", "tensor.3d").replace("{-2, 3}", "{1, 1, 1}").replace("{16, 1}", "{0, 0, 0}")
    openptx.load(text)["k"](1, 1, (*maps, 4 * 32))
    target[0, 0, :3] = source[1, 1, 1:]
    np.testing.assert_array_equal(blocks[1].array(np.float32), target.reshape(-1))
    assert maps[0].fidelity.kind == "exact"
    with pytest.raises(ArgumentError, match="a multiple of 32 bytes"):
        maps[0].encoded(4096 + 16)
    for block in blocks:
        memory.free(block)


def test_tf32_is_rounded_on_loads() -> None:
    source, target = np.full((9, 64), 1 + 2**-11 + 2**-20, np.float32), np.zeros((9, 64), np.float32)
    block = memory.allocate(source.nbytes)
    block.array(np.float32)[:] = source.reshape(-1)
    rounding = TensorMap.from_parts(block, (9, 64), [256], (4, 8), element="tf32")
    kernel = openptx.load(KERNEL)["k"]
    kernel(1, 1, (rounding, TensorMap(target, (4, 8)), 128))
    assert set(target[1, 18:24].tolist()) == {1 + 2**-10}
    memory.free(block)


IMAGES = {"shape": (2, 4, 16), "strides": [320, 160], "box": (1, 4, 8)}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"element": "b6p2x16"}, Unsupported, "tensor maps of .b6p2x16"),
        ({"element": "b4x16_p64", "box": (4, 128)}, ArgumentError, "has a multiple of 128 elements, not 64"),
        ({"element": "b4x16", "shape": (9, 33), "box": (4, 32)}, ArgumentError, "multiple of 2 elements, not 33"),
        (
            {"element": "b4x16_p64", "shape": (9, 128), "box": (4, 128), "swizzle": "128B_ATOM_64B"},
            ArgumentError,
            "swizzled by none or 128B or 128B_ATOM_32B, not 128B_ATOM_64B",
        ),
        (
            {"box": (4, 36), "swizzle": "128B_ATOM_64B"},
            ArgumentError,
            "144 bytes, more than swizzling by 128B_ATOM_64B",
        ),
        (
            {"element": "b6x16_p32", "shape": (64, 128), "box": (8, 64)},
            ArgumentError,
            "has 128 elements in a row, not 64",
        ),
        ({"element": "b4x16", "fill": "nan", "box": (8, 32)}, ArgumentError, "have no NaN"),
        ({"element": "f31"}, ArgumentError, "not 'f31'"),
        ({"interleave": "16B"}, ArgumentError, "has 3 to 5 axes, not 2"),
        ({**IMAGES, "interleave": "16B", "box": (1, 4, 6)}, ArgumentError, "24 bytes; it must be a multiple of 16"),
        ({**IMAGES, "interleave": "16B", "element": "b4x16"}, Unsupported, ".b4x16 that are interleaved"),
        ({**IMAGES, "interleave": "16B", "strides": [320, 100]}, ArgumentError, "must be a multiple of 16"),
        ({**IMAGES, "interleave": "32B", "swizzle": "32B", "strides": [320, 80]}, ArgumentError, "multiple of 32"),
        ({"interleave": "8B"}, ArgumentError, "not '8B'"),
        ({"strides": []}, ArgumentError, "has 1 strides"),
        ({"strides": [100]}, ArgumentError, "100 bytes apart"),
        ({"strides": [8]}, ArgumentError, "8 bytes apart"),
        ({"shape": (0, 64)}, ArgumentError, "1 to 4294967296 elements"),
        ({"shape": (1.5, 64)}, ArgumentError, "shape and strides are whole numbers"),
        ({"address": "here"}, ArgumentError, "is a number, not 'here'"),
    ],
)
def test_parts_that_are_no_tensor(changes: dict, error: type[Exception], message: str) -> None:
    given = {"address": 4096, "shape": (9, 64), "strides": [256], "box": (4, 8), "element": "f32", **changes}
    with pytest.raises(error, match=re.escape(message)):
        TensorMap.from_parts(**given)


F32 = np.zeros((8, 32), np.float32)


@pytest.mark.parametrize(
    ("array", "box", "options", "message"),
    [
        (F32, (4,), {}, "the array has 2 axes"),
        (F32, (4, 6), {}, "a row of the box takes 24 bytes"),
        (F32, (4, 0), {}, "1 to 256 elements"),
        (F32, (4, 257), {}, "1 to 256 elements"),
        (F32, (4, 16), {"swizzle": "32B"}, "more than swizzling by 32B allows"),
        (F32, (4, 8), {"swizzle": "96B"}, "not '96B'"),
        (F32, (4, 8), {"steps": (1, 2)}, "1 along the last axis"),
        (F32, (4, 8), {"fill": 0}, "not 0"),
        (np.zeros((8, 30), np.uint8), (4, 16), {}, "rows of the array are 30 bytes apart"),
        (np.zeros((8, 32), np.complex64), (4, 16), {}, "not complex64"),
        (np.zeros(()), (), {}, "1 to 5 axes"),
        (F32[:, ::2], (4, 8), {}, "not contiguous"),
        (np.asfortranarray(F32), (4, 8), {}, "its last axis is the innermost one"),
        (np.zeros((0, 32), np.float32), (4, 8), {}, "a tensor has elements"),
        (F32, (4, 8.5), {}, "whole numbers"),
        (F32, 8, {}, "whole numbers"),
        ([1, 2], (2,), {}, "not list"),
    ],
)
def test_what_the_hardware_refuses(array: object, box: tuple[int, ...], options: dict, message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        TensorMap(array, box, **options)


def test_where_it_is_no_argument() -> None:
    tensor = TensorMap(np.zeros((8, 32), float8_e4m3fn), (4, 16))
    assert repr(tensor) == "<tensor map of 8x32 float8_e4m3fn, box 4x16>"
    kernel = openptx.load(KERNEL)["k"]
    with pytest.raises(ArgumentError, match="takes 128 bytes"):
        kernel(1, 1, (tensor, F32, 4))
    with pytest.raises(ArgumentError, match="tensor map of 8x32 float8_e4m3fn, box 4x16> cannot be sent"):
        openptx.distribute(kernel, ThreadPoolExecutor(), 2, 1, (tensor, tensor, 4))
    odd = np.zeros(8 * 32 + 1, np.float32)[1:].reshape(8, 32)
    with pytest.raises(ArgumentError, match="begins at a multiple of 16 bytes"):
        kernel(1, 1, (TensorMap(odd, (4, 8)), TensorMap(F32, (4, 8)), 128))
