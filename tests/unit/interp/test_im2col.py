"""Columns of pixels (5.5.4, 5.5.5): copies compared with a walk over the pixels, and a convolution by such copies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import openptx
from openptx import ArgumentError, Im2colMap, TensorMap

SHARED = 16384
HEAD = f""".version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 pgiven, .param .u64 pback) {{
.shared .align 1024 .b8 box[{SHARED}]; .shared .align 8 .b64 bar;
.reg .b64 m, given, back, state; .reg .pred ready; .reg .b16 c, d, e;
mov.b64 m, map; cvta.param.u64 m, m; ld.param.u64 given, [pgiven]; ld.param.u64 back, [pback];
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 state, [bar], {SHARED};
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [given], {SHARED}, [bar];
FIRST: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra FIRST;
"""
TAIL = f"""
cp.async.bulk.global.shared::cta.bulk_group [back], [box], {SHARED};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }}"""


def load(mode: str, at: tuple[int, ...], info: tuple[int, ...], bytes: int, to: str = "shared::cta") -> str:
    registers = "cde"[: len(info)]
    moves = " ".join(f"mov.b16 {r}, {n};" for r, n in zip(registers, info, strict=True))
    there = ", ".join(map(str, at))
    return f"""{moves} mbarrier.arrive.expect_tx.shared.b64 state, [bar], {bytes};
cp.async.bulk.tensor.{len(at)}d.{to}.global.{mode}.mbarrier::complete_tx::bytes
    [box], [m, {{{there}}}], [bar], {{{", ".join(registers)}}};
SECOND: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra SECOND;"""


def launched(tensor: TensorMap, moves: str, given: np.ndarray | None = None, engines=("interp", "native")):
    sent, before, found = np.full(SHARED, 0xA5, np.uint8), tensor.array.copy(), []
    if given is not None:
        sent[: given.nbytes] = given.reshape(-1).view(np.uint8)
    kernel = openptx.load(HEAD + moves + TAIL)["k"]
    for engine in engines:
        tensor.array[...], back = before, np.zeros(SHARED, np.uint8)
        kernel(1, 1, (tensor, sent, back), engine=engine)
        found.append((back, tensor.array.copy()))
    for back, array in found[1:]:
        np.testing.assert_array_equal(back, found[0][0])
        np.testing.assert_array_equal(array, found[0][1])
    return found[0][0]


def walk(at, shape, lower, upper, steps) -> Iterator[tuple[int, ...]]:
    """Pixels (n, [d, [h,]] w) from `at` on; corners of the last axes, the others stay. A transcription of 5.5.4.1."""
    position, fixed = list(at), len(at) - 1 - len(lower)
    while True:
        yield tuple(position)
        for axis in range(len(at) - 1, fixed, -1):
            i = axis - fixed - 1
            position[axis] += steps[i]
            if position[axis] <= shape[axis] - 1 + upper[i]:
                break
            position[axis] = lower[i]
        else:
            position[0] += 1


def column(array, pixels, offsets, channel, channels):
    """The elements of pixels, with zeros outside of the images."""
    found = np.zeros((len(pixels), channels), array.dtype)
    for row, pixel in zip(found, pixels, strict=True):
        place = (pixel[0], *(p + o for p, o in zip(pixel[1:], offsets, strict=True)))
        if all(0 <= i < n for i, n in zip(place, array.shape, strict=False)):
            end = max(min(channels, array.shape[-1] - channel), 0)
            row[:end] = array[place][channel : channel + end]
    return found


def numbers(shape: tuple[int, ...], type: str = "f2", seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 100, shape).astype(type)


# fmt: off
COLUMNS = [
    # the first three are the manual's examples, with fewer channels and images
    # images               lower         upper         steps       pixels ch  at (n, spatial)  offsets     channel
    ((10, 14, 9, 8),       (-1, -1),     (-1, -1),     (1, 1),     64,    8,  (7, 7, 4),       (0, 0),     0),
    ((10, 14, 9, 8),       (0, 0),       (-2, -2),     (1, 1),     64,    8,  (7, 7, 4),       (2, 2),     0),
    ((9, 14, 8, 16),       (-1, -1),     (-1, -1),     (2, 2),     32,    16, (7, 7, 5),       (1, 1),     0),
    ((2, 5, 6, 16),        (-1, -2),     (0, 1),       (1, 3),     40,    8,  (0, 1, -2),      (0, 3),     12),
    ((3, 11, 8),           (-2,),        (3,),         (1,),       30,    8,  (1, 9),          (5,),       0),
    ((2, 3, 4, 5, 8),      (-1, 0, -1),  (0, -1, 1),   (1, 2, 1),  60,    8,  (0, 1, 2, 3),    (1, 0, 2),  0),
]
# fmt: on


@pytest.mark.parametrize(("shape", "lower", "upper", "steps", "count", "channels", "at", "offsets", "first"), COLUMNS)
def test_a_column_is_brought(shape, lower, upper, steps, count, channels, at, offsets, first) -> None:
    """Coordinates and offsets of the instruction stand with the innermost dimension first."""
    array = numbers(shape)
    tensor = Im2colMap(array, lower, upper, channels=channels, pixels=count, steps=steps)
    size = count * channels * 2
    back = launched(tensor, load("im2col", (first, *at[::-1]), offsets[::-1], size))
    pixels = list(itertools.islice(walk(at, shape, lower, upper, steps), count))
    want = column(array, pixels, offsets, first, channels)
    np.testing.assert_array_equal(back[:size].view(array.dtype).reshape(count, channels), want)
    assert set(back[size:]) <= {0xA5}


NEWER = HEAD.replace(".version 9.0", ".version 9.5").replace("sm_100a", "sm_107a")
DISABLED, HERE = ".mbarrier::report::disabled", ".override::global_address"
MASKS = ("", ".multicast::cluster", ".multicast::cluster::32b")


@pytest.mark.parametrize("there", ["", HERE])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("report", ["", DISABLED])
def test_a_column_is_brought_with_a_report_a_mask_or_an_address(report: str, mask: str, there: str) -> None:
    """PTX ISA 9.4, 9.7.10.28: the address is the second image's."""
    array = numbers((4, 5, 6, 8))
    tensor = Im2colMap(array, (-1, -1), (0, 0), channels=8, pixels=40)
    moves = load("im2col", (0, 2, 1, 0), (0, 1), 640, "shared::cluster" if mask else "shared::cta")
    moves = moves.replace("complete_tx::bytes\n", f"complete_tx::bytes{mask}{report}{there}\n")
    if there:
        moves = ".reg .b64 there; ld.b64 there, [m]; add.s64 there, there, 480; " + moves.replace(
            "[m, {", "[m, there, {"
        )
    if mask:
        moves = moves.replace("{c, d};", "{c, d}, 1;")
    back = np.zeros(SHARED, np.uint8)
    sent = np.full(SHARED, 0xA5, np.uint8)
    openptx.load(NEWER + moves + TAIL)["k"](1, 1, (tensor, sent, back), engine="interp")
    pixels = list(itertools.islice(walk((0, 1, 2), array.shape, (-1, -1), (0, 0), (1, 1)), 40))
    want = column(array[1:] if there else array, pixels, (1, 0), 0, 8)
    np.testing.assert_array_equal(back[:640].view(array.dtype).reshape(40, 8), want)


def test_what_is_outside_is_nan_and_rows_are_swizzled() -> None:
    array = numbers((2, 4, 4, 32), "f2")
    tensor = Im2colMap(array, (-1, -1), (1, 1), channels=32, pixels=32, swizzle="64B", fill="nan")
    back = launched(tensor, load("im2col", (0, -1, -1, 0), (0, 0), 2048, "shared::cluster"))[:2048]
    chunks = np.arange(128)
    rows = back.reshape(-1, 16)[chunks ^ (chunks >> 3 & 3)].reshape(-1).view(np.uint16).reshape(32, 32)
    for row, (n, h, w) in zip(rows, walk((0, -1, -1), array.shape, (-1, -1), (1, 1), (1, 1)), strict=False):
        there = 0 <= h < 4 and 0 <= w < 4
        np.testing.assert_array_equal(row, array[n, h, w].view(np.uint16) if there else 0x7FF7)


@pytest.mark.parametrize("reduces", [False, True])
def test_a_column_is_sent(reduces: bool) -> None:
    """Pixels that lie outside of the images are dropped."""
    array, given = numbers((2, 5, 6, 8), "f2"), numbers((50, 8), "f2", 2)
    tensor = Im2colMap(array, (-1, -1), (0, 0), channels=8, pixels=50)
    want = array.copy()
    for pixel, value in zip(walk((0, 1, 2), array.shape, (-1, -1), (0, 0), (1, 1)), given, strict=False):
        if all(0 <= i < n for i, n in zip(pixel, array.shape, strict=False)):
            want[pixel] = want[pixel] + value if reduces else value
    opcode, operation = ("cp.reduce", ".add") if reduces else ("cp", "")
    move = f"{opcode}.async.bulk.tensor.4d.global.shared::cta{operation}.im2col_no_offs.bulk_group"
    launched(tensor, f"{move} [m, {{0, 2, 1, 0}}], [box];", given)
    np.testing.assert_array_equal(array, want)


# fmt: off
WIDE = [
    # the first four are examples of 5.5.5.3 and 5.5.5.4, with fewer channels
    # images            lower upper step  count  at (n, h, w)   halo  offset
    ((30, 7, 9, 8),     0,    0,    1,    128,   (7, 2, 3),     2,    0),
    ((30, 67, 9, 8),    -1,   0,    2,    128,   (7, 2, -1),    1,    0),
    ((30, 67, 9, 8),    -1,   0,    2,    128,   (7, 2, -1),    0,    1),
    ((70, 7, 7, 8),     -1,   -1,   3,    128,   (7, 2, -1),    0,    2),
    ((4, 7, 9, 8),      1,    -1,   1,    20,    (1, 2, -2),    3,    0),       # begins at the left of the box
]
# fmt: on


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("shape", "lower", "upper", "step", "count", "at", "halo", "offset"), WIDE)
def test_a_wide_column_is_brought(shape, lower, upper, step, count, at, halo, offset, grouped) -> None:
    array, mode = numbers(shape), "im2col::w::128" if grouped else "im2col::w"
    tensor = Im2colMap(array, (lower,), (upper,), channels=8, pixels=count, steps=(1, step), mode=mode)
    pixels = list(itertools.islice(walk(at, shape, (lower,), (upper,), (step,)), 512))
    if grouped:
        taken = [p for group in range(4) for p in pixels[32 * group : 32 * group + 32 + halo]]
    else:
        taken = pixels[: count + halo]
    size = len(taken) * 16
    back = launched(tensor, load(mode, (0, *at[::-1]), (halo, offset), size), engines=("interp",))
    want = column(array, taken, (0, offset), 0, 8)
    np.testing.assert_array_equal(back[:size].view(array.dtype).reshape(-1, 8), want)
    assert set(back[size:]) <= {0xA5}


def test_a_convolution() -> None:
    """3 x 3 filters over padded images: one column for each place of the filter, the copy being all that knows it."""
    images, filters = numbers((2, 5, 6, 8), "f4"), numbers((3, 3, 8, 4), "f4", 3)
    tensor = Im2colMap(images, (-1, -1), (-1, -1), channels=8, pixels=60)
    total = np.zeros((60, 4), np.float32)
    for r, s in itertools.product(range(3), repeat=2):
        back = launched(tensor, load("im2col", (0, -1, -1, 0), (s, r), 60 * 32), engines=("interp",))
        total += back[: 60 * 32].view(np.float32).reshape(60, 8) @ filters[r, s]
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    np.testing.assert_array_equal(total.reshape(2, 5, 6, 4), np.einsum("nhwcrs,rsck->nhwk", windows, filters))


REFUSED = {
    "outside of the bounding box": ("im2col", (0, 9, 0, 0), (0, 0), "im2col", 8),
    "made for another access mode": ("im2col::w", (0, 0, 0, 0), (0, 0), "im2col", 8),
    "a halo of 32 pixels": ("im2col::w::128", (0, 0, 0, 0), (32, 0), "im2col::w::128", 128),
    "an offset of 32 along W": ("im2col::w", (0, 0, 0, 0), (0, 32), "im2col::w", 8),
    "larger than shared memory": ("im2col::w", (0, 0, 0, 0), (511, 0), "im2col::w", 512),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_copy_refuses(what: str) -> None:
    mode, at, info, made, pixels = REFUSED[what]
    corners = ((0, 0), (0, 0)) if made == "im2col" else ((0,), (0,))
    tensor = Im2colMap(numbers((2, 5, 6, 256), "u1"), *corners, channels=256, pixels=pixels, mode=made)
    with pytest.raises(openptx.Fault, match=what):
        launched(tensor, load(mode, at, info, 16), engines=("interp",))


IMAGES = np.zeros((2, 5, 6, 8), np.float32)


@pytest.mark.parametrize(
    ("array", "lower", "upper", "options", "message"),
    [
        (IMAGES, (0,), (0,), {}, "there are 2 corners"),
        (IMAGES, (0, -129), (0, 0), {}, "corners are -128 to 127"),
        (IMAGES, (0, 0), (-5, 0), {}, "no pixel lies between"),
        (IMAGES, (0, 0), (0, 0), {"channels": 6}, "takes 24 bytes"),
        (IMAGES, (0, 0), (0, 0), {"channels": 257}, "1 to 256 elements"),
        (IMAGES, (0, 0), (0, 0), {"pixels": 1025}, "1 to 1024 pixels"),
        (IMAGES, (0,), (0,), {"pixels": 129, "mode": "im2col::w::128"}, "1 to 128 pixels"),
        (IMAGES, (0, 0), (0, 0), {"steps": (1, 9)}, "a step of 1 to 8"),
        (IMAGES, (0, 0), (0, 0), {"mode": "tile"}, "not 'tile'"),
        (IMAGES, (0, 0), (0, 0), {"swizzle": "16B"}, "not '16B'"),
        (IMAGES[0, 0], (), (), {}, "3 to 5 axes"),
        (IMAGES, (0.5, 0), (0, 0), {}, "whole numbers"),
    ],
)
def test_what_the_hardware_refuses(array, lower, upper, options, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        Im2colMap(array, lower, upper, **{"channels": 8, **options})


def test_its_name() -> None:
    tensor = Im2colMap(IMAGES, (0, 0), (0, 0), channels=4)
    assert repr(tensor) == "<tensor map of 2x5x6x8 float32, im2col, 128 pixels of 4>"
