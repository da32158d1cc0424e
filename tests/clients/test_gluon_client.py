"""Tensor descriptors of Gluon, Triton's lower-level language, that the host creates: im2col."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
import pytest

import openptx.triton
from openptx import memory


class Images:
    """An array as Gluon's descriptors want to see it."""

    def __init__(self, array: Any) -> None:
        self.base, self.dtype = array, array.dtype

    def data_ptr(self) -> int:
        return memory.address(self.base)


pytest.importorskip("triton.experimental.gluon")

KERNEL = """
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def column(images, out, n, h, w, c, dh: ttgl.constexpr, dw: ttgl.constexpr):
    shared = ttgl.allocate_shared_memory(images.dtype, images.block_type.shape, images.layout)
    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, images.block_type.nbytes)
    tma.async_load_im2col(images, [n, h, w, c], [dh, dw], bar, shared)
    mbarrier.wait(bar, 0)
    layout: ttgl.constexpr = ttgl.BlockedLayout([1, 1], [4, 8], [4, 1], [1, 0])
    values = shared.load(layout)
    rows = ttgl.arange(0, images.block_type.shape[0], ttgl.SliceLayout(1, layout))
    columns = ttgl.arange(0, images.block_type.shape[1], ttgl.SliceLayout(0, layout))
    ttgl.store(out + rows[:, None] * images.block_type.shape[1] + columns[None, :], values)
"""
LOWER, UPPER, STEPS = (-1, -2), (-2, 1), [1, 2, 1, 1]


@pytest.fixture(scope="module")
def column(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The kernel, from a file, where Triton reads its text. It goes before the driver does, as Triton wants it."""
    openptx.triton.activate("sm_90")
    file = tmp_path_factory.mktemp("gluon") / "columns_of_pixels.py"
    file.write_text(KERNEL)
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.column
    module.column.device_caches.clear()
    openptx.triton.deactivate()


def expected(x: Any, first: tuple[int, int, int, int], offsets: tuple[int, int], pixels: int, n: int) -> Any:
    """5.5.4: the first place of the filter moves through the box between the corners, W first, in steps."""
    image, h, w, channel = first
    out = np.zeros((pixels, n), x.dtype)
    for row in out:
        y, z = h + offsets[0], w + offsets[1]
        if 0 <= image < x.shape[0] and 0 <= y < x.shape[1] and 0 <= z < x.shape[2]:
            row[:] = x[image, y, z, channel : channel + n]
        w += STEPS[2]
        if w > x.shape[2] - 1 + UPPER[1]:
            w, h = LOWER[1], h + STEPS[1]
        if h > x.shape[1] - 1 + UPPER[0]:
            h, image = LOWER[0], image + 1
    return out


@pytest.mark.sweep
@pytest.mark.parametrize(("first", "offsets"), [((0, -1, -2, 0), (1, 2)), ((1, 3, 4, 16), (0, 1))])
def test_columns_of_pixels(first: tuple[int, int, int, int], offsets: tuple[int, int], column: Any) -> None:
    gluon: Any = import_module("triton.experimental.gluon.language")
    hopper: Any = import_module("triton.experimental.gluon.nvidia.hopper")
    if not hasattr(hopper, "TensorDescriptorIm2Col"):
        pytest.skip("this version of Triton has no TensorDescriptorIm2Col: 3.8 is the first")
    x = np.random.default_rng(0).normal(size=(3, 9, 8, 32)).astype(np.float16)
    strides = [n // x.itemsize for n in x.strides]
    layout = gluon.NVMMASharedLayout(32, 16, 2)
    images = hopper.TensorDescriptorIm2Col(
        Images(x), list(x.shape), strides, [32, 16], layout, element_strides=STEPS,
        pixel_box_lower_corner=list(LOWER), pixel_box_upper_corner=list(UPPER),
    )  # fmt: skip
    out = np.zeros((32, 16), np.float16)
    column[(1,)](images, out, *first, *offsets, num_warps=4)
    np.testing.assert_array_equal(out, expected(x, first, offsets, 32, 16))
