"""Copies of interleaved tensors, and of elements that change on their way: tf32, f32.ftz."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from tensor_copy_kernels import Tensor, launched, loads, numbers

from openptx.errors import Fault

LOAD = "{}d.shared::cta.global.{}.mbarrier::complete_tx::bytes"


class Sliced(Tensor):
    """Images N, [D, [H,]] W, C whose channels lie in slices of so many bytes; box and places as without slices."""

    def __init__(self, shape: tuple[int, ...], type: str, size: int, box: tuple[int, ...], **more) -> None:
        n, *pixels, c = shape
        self.size, self.per = size, size // np.dtype(type).itemsize
        stored = numbers((n, -(-c // self.per), *pixels, self.per), type)
        super().__init__(stored, box, **more)
        self.sizes = shape[::-1]
        slices, *outer = stored.strides[1], *stored.strides[2:-2][::-1], stored.strides[0]
        self.strides = (0, slices, *outer)

    def fields(self) -> str:
        layout = "interleave_layout.shared::cta.b1024.b32 [m], "
        return super().fields().replace(f"{layout}0;", f"{layout}{self.size // 16};")

    def images(self) -> np.ndarray:
        """As without slices: N, [D, [H,]] W, C."""
        return np.moveaxis(self.array, 1, -2).reshape(*self.sizes[:0:-1], -1)

    def expected_box(self, at: tuple[int, ...]) -> np.ndarray:
        """N, slices, [D, [H,]] W, channels of a slice."""
        images, counts = self.images(), self.counts[::-1]
        box = np.zeros(counts, images.dtype)
        for index in np.ndindex(counts):
            place = tuple(c + i * step for c, i, step in zip(at[::-1], index, self.steps[::-1], strict=True))
            if all(0 <= p < n for p, n in zip(place, self.sizes[::-1], strict=True)):
                box[index] = images[place]
        return np.moveaxis(box.reshape(*counts[:-1], -1, self.per), -2, 1)


# fmt: off
SLICED = [
    # N, [D, [H,]] W, C    type  slice  box               at                 more
    ((3, 5, 24),           "f2", 16,    (16, 4, 2),       (8, 3, -1),        {}),
    ((3, 5, 24),           "f2", 16,    (16, 4, 2),       (16, -2, 2),       {}),
    ((2, 4, 5, 24),        "f2", 16,    (24, 3, 2, 2),    (-8, 1, 3, 0),     {}),
    ((2, 4, 5, 20),        "f4", 16,    (8, 3, 2, 2),     (16, 1, 1, 1),     {"swizzle": 2}),
    ((2, 4, 5, 32),        "f2", 32,    (32, 3, 2, 2),    (16, 3, -1, 0),    {"swizzle": 1}),
    ((2, 4, 5, 32),        "f4", 32,    (16, 5, 4, 1),    (8, 0, 0, 1),      {"swizzle": 1, "steps": (1, 2, 3, 1)}),
    ((2, 2, 4, 5, 64),     "u1", 32,    (64, 3, 2, 2, 1), (32, 1, -1, 0, 1), {"swizzle": 1}),
]
# fmt: on


@pytest.mark.parametrize(("shape", "type", "size", "box", "at", "more"), SLICED)
def test_a_box_of_slices_is_brought(shape, type, size, box, at, more) -> None:
    tensor = Sliced(shape, type, size, box, **more)
    back = launched(tensor, loads(tensor.bytes, LOAD.format(len(box), "tile"), ", ".join(map(str, at))))
    expected = tensor.swizzled(tensor.expected_box(at).reshape(-1))
    np.testing.assert_array_equal(back[: tensor.bytes], expected)
    assert set(back[tensor.bytes :]) <= {0xA5}


@pytest.mark.parametrize("reduces", [False, True])
@pytest.mark.parametrize(("shape", "type", "size", "box", "at", "more"), [SLICED[0], SLICED[3], SLICED[4]])
def test_a_box_of_slices_is_sent(shape, type, size, box, at, more, reduces) -> None:
    tensor = Sliced(shape, type, size, box, **more)
    given = numbers((prod(tensor.counts),), type, 2)
    before = tensor.array.copy()
    opcode, modifiers = ("cp.reduce", ".add") if reduces else ("cp", "")
    there = f"[there, {{{', '.join(map(str, at))}}}]"
    move = f"{opcode}.async.bulk.tensor.{len(box)}d.global.shared::cta{modifiers}.bulk_group {there}, [box];"
    launched(tensor, move, tensor.swizzled(given))
    # Where each byte of the box belongs: what a load would bring of places that are numbered.
    after, tensor.array = tensor.array, np.arange(1, before.size + 1, dtype=np.uint32).reshape(before.shape)
    numbered = tensor.expected_box(at).reshape(-1)
    expected = before.reshape(-1).copy()
    for number, value in zip(numbered, given, strict=True):
        if number:
            expected[number - 1] = expected[number - 1] + value if reduces else value
    np.testing.assert_array_equal(after.reshape(-1), expected)


def test_a_column_of_slices_is_brought() -> None:
    """A slice has all pixels of the column, then the next one has."""
    tensor = Sliced((3, 5, 24), "f2", 16, (16, 6, 1))
    images = tensor.images()
    column = np.array([images[1, w, 8:] for w in range(3, 5)] + [images[2, w, 8:] for w in range(4)])
    # No instruction makes such a map: the access mode stands beside the rank, and corners of 0 behind the pixels.
    makes = "st.global.b32 [there+8], 65538; st.global.b32 [there+60], 0;"
    back = launched(tensor, makes + loads(6 * 32, LOAD.format(3, "im2col"), "8, 3, 1", ", {0}"))
    expected = np.moveaxis(column.reshape(6, 2, 8), 1, 0)
    np.testing.assert_array_equal(back[: 6 * 32].view("f2").reshape(2, 6, 8), expected)


@pytest.mark.parametrize(
    ("tensor", "at", "words"),
    [
        (Sliced((3, 5, 24), "f2", 16, (16, 4, 2)), "4, 0, 0", "not of whole slices"),
        (Sliced((3, 5, 32), "f2", 32, (24, 4, 2)), "0, 0, 0", "not of whole slices"),
    ],
)
def test_slices_are_whole(tensor: Tensor, at: str, words: str) -> None:
    with pytest.raises(Fault, match=words):
        launched(tensor, loads(tensor.bytes, LOAD.format(3, "tile"), at))


def test_slices_have_three_dimensions() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    move = "tensormap.replace.tile.interleave_layout.global.b1024.b32 [there], 1;"
    with pytest.raises(Fault, match="fewer than three dimensions"):
        launched(tensor, move + loads(160, LOAD.format(2, "tile"), "0, 0"))


# fmt: off
#                    given       tf32        tf32.ftz    f32.ftz
CHANGES = np.array([(0x3F800FFF, 0x3F800000, 0x3F800000, 0x3F800FFF),   # below half
                    (0x3F801000, 0x3F800000, 0x3F800000, 0x3F801000),   # ties go to even
                    (0x3F803000, 0x3F804000, 0x3F804000, 0x3F803000),
                    (0x3F801001, 0x3F802000, 0x3F802000, 0x3F801001),
                    (0xBFFFFFFF, 0xC0000000, 0xC0000000, 0xBFFFFFFF),   # into the exponent
                    (0x7F7FFFFF, 0x7F800000, 0x7F800000, 0x7F7FFFFF),   # to infinity
                    (0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000),
                    (0x7F800001, 0x7F800001, 0x7F800001, 0x7F800001),   # NaN stays, also a signalling one
                    (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
                    (0x00001001, 0x00002000, 0x00000000, 0x00000000),   # subnormal
                    (0x807FFFFF, 0x80800000, 0x80000000, 0x80000000),
                    (0x00000FFF, 0x00000000, 0x00000000, 0x00000000)], np.uint32)
# fmt: on


class Converted(Tensor):
    """A row of f32 with the element of a code."""

    def __init__(self, code: int, **more) -> None:
        super().__init__(np.resize(CHANGES[:, 0], (1, 12)).view(np.float32), (16, 1), **more)
        self.code = code

    def fields(self) -> str:
        element = "elemtype.shared::cta.b1024.b32 [m], "
        return super().fields().replace(f"{element}7;", f"{element}{self.code};")


@pytest.mark.parametrize(("code", "column"), [(11, 1), (12, 2), (8, 3)])
@pytest.mark.parametrize("fill", [0, 1])
def test_elements_change_on_their_way_to_shared_memory(code: int, column: int, fill: int) -> None:
    tensor = Converted(code, fill=fill)
    back = launched(tensor, loads(64, LOAD.format(2, "tile"), "0, 0"))[:64].view(np.uint32)
    np.testing.assert_array_equal(back[:12], CHANGES[:, column])
    assert set(back[12:].tolist()) == {0x7FF77FF7 if fill else 0}


@pytest.mark.parametrize("code", [8, 11, 12])
def test_elements_stay_on_their_way_back(code: int) -> None:
    tensor = Converted(code)
    given = CHANGES[::-1, 0].copy()
    move = "async.bulk.tensor.2d.global.shared::cta{}.bulk_group [there, {{0, 0}}], [box];"
    launched(tensor, "cp." + move.format(""), given)
    np.testing.assert_array_equal(tensor.array.view(np.uint32)[0], given)
    tensor = Converted(code)
    tensor.array[...] = 1.0
    launched(tensor, "cp.reduce." + move.format(".add"), np.full(12, 2**-20, np.float32))
    assert set(tensor.array[0].tolist()) == {1 + 2**-20}
