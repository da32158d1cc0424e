"""Copies of interleaved tensors, and of elements that are converted on the way: tf32, f32.ftz."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from tensor_copy_kernels import Tensor, launched, loads, numbers

from openptx.errors import Fault

LOAD = "{}d.shared::cta.global.{}.mbarrier::complete_tx::bytes"


class Sliced(Tensor):
    """Images N, slices, [D, [H,]] W, whose pixels have `size` bytes of channels in a slice. A copy is of one (H200)."""

    def __init__(self, shape: tuple[int, ...], type: str, size: int, box: tuple[int, ...], **more) -> None:
        super().__init__(numbers((*shape, size // np.dtype(type).itemsize), type), box, **more)
        self.size, self.sizes, self.strides = size, shape[::-1], self.array.strides[-2::-1]
        self.counts = (*self.counts[:-2], 1, self.counts[-1])
        self.bytes = prod(self.counts) * size

    def fields(self) -> str:
        layout = "interleave_layout.shared::cta.b1024.b32 [m], "
        return super().fields().replace(f"{layout}0;", f"{layout}{self.size // 16};")

    def expected_box(self, at: tuple[int, ...]) -> np.ndarray:
        """N, one slice, [D, [H,]] W, channels of a slice."""
        box = np.zeros((*self.counts[::-1], self.array.shape[-1]), self.array.dtype)
        for index in np.ndindex(self.counts[::-1]):
            place = tuple(c + i * step for c, i, step in zip(at[::-1], index, self.steps[::-1], strict=True))
            if all(0 <= p < n for p, n in zip(place, self.sizes[::-1], strict=True)):
                box[index] = self.array[place]
        return box


# fmt: off
SLICED = [
    # N, slices, [D, [H,]] W   type  slice  box               at                 more
    ((3, 3, 8),                "f2", 16,    (8, 8, 2),        (3, 1, 1),         {}),
    ((3, 3, 8),                "f2", 16,    (8, 256, 2),      (-5, 2, -1),       {}),
    ((2, 3, 4, 12),            "f2", 16,    (8, 3, 64, 2),    (8, 1, 2, 1),      {}),
    ((2, 3, 4, 12),            "f4", 16,    (8, 3, 8, 2),     (2, 3, 1, 0),      {"swizzle": 2}),
    ((2, 2, 4, 9),             "f2", 32,    (8, 3, 32, 2),    (3, -1, 1, 0),     {"swizzle": 1}),
    ((2, 2, 4, 9),             "f4", 32,    (8, 4, 8, 1),     (1, 0, 0, 1),      {"swizzle": 3, "steps": (3, 2, 3, 1)}),
    ((2, 2, 4, 5, 9),          "u1", 32,    (16, 3, 2, 2, 1), (-8, 1, -1, 0, 1), {"swizzle": 1}),
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
@pytest.mark.parametrize(("shape", "type", "size", "box", "at", "more"), [SLICED[0], SLICED[3], SLICED[5]])
def test_a_box_of_slices_is_sent(shape, type, size, box, at, more, reduces) -> None:
    tensor = Sliced(shape, type, size, box, **more)
    given = numbers((tensor.bytes // np.dtype(type).itemsize,), type, 2)
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


@pytest.mark.parametrize(("number", "there"), [(1, True), (2, False)])
def test_a_column_is_of_one_slice(number: int, there: bool) -> None:
    """Pixels along W, then N; a slice that the tensor does not have is zeros."""
    tensor = Sliced((3, 2, 5), "f2", 16, (64, 6, 1))
    images = tensor.array[:, 1] if there else np.zeros_like(tensor.array[:, 1])
    column = np.array([images[1, w] for w in range(3, 5)] + [images[2, w] for w in range(4)])
    # No instruction makes such a map: the access mode is next to the rank, and corners of 0 follow the pixels.
    makes = "st.global.b32 [there+8], 65538; st.global.b32 [there+60], 0;"
    back = launched(tensor, makes + loads(6 * 16, LOAD.format(3, "im2col"), f"3, {number}, 1", ", {0}"))
    np.testing.assert_array_equal(back[: 6 * 16].view("f2").reshape(6, 8), column)
    assert set(back[6 * 16 :]) <= {0xA5}


def test_slices_have_three_dimensions() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    move = "tensormap.replace.tile.interleave_layout.global.b1024.b32 [there], 1;"
    with pytest.raises(Fault, match="fewer than three dimensions"):
        launched(tensor, move + loads(160, LOAD.format(2, "tile"), "0, 0"))


# fmt: off
#                    given       brought as tf32
CHANGES = np.array([(0x3F800FFF, 0x3F800000),   # below half
                    (0x3F801000, 0x3F800000),   # ties go to even
                    (0x3F803000, 0x3F804000),
                    (0x3F801001, 0x3F802000),
                    (0xBFFFFFFF, 0xC0000000),   # into the exponent
                    (0x7F7FFFFF, 0x7F800000),   # to infinity
                    (0xFF800000, 0xFF800000),
                    (0x7F800001, 0x7FFFE000),   # any NaN
                    (0xFFFFFFFF, 0x7FFFE000),
                    (0x00001001, 0x00002000),   # subnormal
                    (0x807FFFFF, 0x80800000),
                    (0x00000FFF, 0x00000000)], np.uint32)
# fmt: on


class Converted(Tensor):
    """A row of f32 with the element of a code."""

    def __init__(self, code: int, **more) -> None:
        super().__init__(np.resize(CHANGES[:, 0], (1, 12)).view(np.float32), (16, 1), **more)
        self.code = code

    def fields(self) -> str:
        element = "elemtype.shared::cta.b1024.b32 [m], "
        return super().fields().replace(f"{element}7;", f"{element}{self.code};")


@pytest.mark.parametrize(("code", "column"), [(11, 1), (12, 1), (8, 0)])
@pytest.mark.parametrize("fill", [0, 1])
def test_elements_change_on_their_way_to_shared_memory(code: int, column: int, fill: int) -> None:
    """As an H200 has it: `.ftz` flushes nothing here."""
    tensor = Converted(code, fill=fill)
    back = launched(tensor, loads(64, LOAD.format(2, "tile"), "0, 0"))[:64].view(np.uint32)
    np.testing.assert_array_equal(back[:12], CHANGES[:, column])
    assert set(back[12:].tolist()) == {0x7FF77FF7 if fill else 0}


TINY = np.array([0x00000001, 0x807FFFFF, 0x00400000, 0x00800000, 0x80800000, 0x3F800000] * 2, np.uint32)


@pytest.mark.parametrize(("code", "flushes"), [(7, False), (8, True), (11, False), (12, True)])
def test_elements_stay_on_their_way_back(code: int, flushes: bool) -> None:
    """As an H200 has it: sums keep subnormal numbers, but for `.ftz`."""
    tensor = Converted(code)
    given = CHANGES[::-1, 0].copy()
    move = "async.bulk.tensor.2d.global.shared::cta{}.bulk_group [there, {{0, 0}}], [box];"
    launched(tensor, "cp." + move.format(""), given)
    np.testing.assert_array_equal(tensor.array.view(np.uint32)[0], given)
    tensor = Converted(code)
    tensor.array.view(np.uint32)[0] = TINY
    launched(tensor, "cp.reduce." + move.format(".add"), np.full(12, 0x00000001, np.uint32))
    sums = TINY if flushes else np.array([2, 0x807FFFFE, 0x00400001, 0x00800001, 0x807FFFFF, 0x3F800000] * 2, np.uint32)
    expected = np.where(sums & 0x7F800000 == 0, sums & 0x80000000, sums) if flushes else sums
    expected[expected == 0x80000000] = 0  # -0 + 0
    np.testing.assert_array_equal(tensor.array.view(np.uint32)[0], expected)
