"""Tensors of torch as arguments: types that DLPack refuses, gradients, addresses that stay. A stand-in speaks as torch
does where torch is not installed; where it is, both are tried."""

from __future__ import annotations

import gc
import importlib.util
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TWICE = (
    HEAD
    + """
.visible .entry twice(.param .u64 p) {
    .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .b16 %h<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 2;
    add.s64 %rd2, %rd1, %rd2;
    ld.global.b16 %h1, [%rd2];
    fma.rn.bf16 %h1, %h1, %h2, %h1;
    st.global.b16 [%rd2], 0x4000;
    ret;
}
.visible .entry through(.param .u64 table) {
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [table];
    ld.global.u64 %rd2, [%rd1];
    st.global.b8 [%rd2], 7;
    ret;
}
"""
)


class Tensor:
    """What torch 2.13 does with DLPack, over an array of NumPy."""

    def __init__(self, data: Any, dtype: str, gradient: bool = False, device: int = 1) -> None:
        self.data, self.dtype, self.requires_grad, self.device = data, f"torch.{dtype}", gradient, device
        self.shape = data.shape

    def is_contiguous(self) -> bool:
        return self.data.flags.c_contiguous

    def detach(self) -> Tensor:
        return Tensor(self.data, self.dtype.removeprefix("torch."))

    def reshape(self, size: int) -> Tensor:
        return Tensor(self.data.reshape(size), self.dtype.removeprefix("torch."))

    def view(self, dtype: str) -> Tensor:
        return Tensor(self.data.view(dtype), dtype)

    def untyped_storage(self) -> Any:
        return types.SimpleNamespace(device=types.SimpleNamespace(type="cpu" if self.device == 1 else "cuda"))

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **options: Any) -> Any:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.data.dtype.isbuiltin != 1:
            raise RuntimeError("Unsupported dtype in DLTensor.")
        return self.data.__dlpack__(**options)


Make = Callable[..., Any]
LIBRARIES = ["stand-in", *(["torch"] if importlib.util.find_spec("torch") else [])]


@pytest.fixture(params=LIBRARIES)
def zeros(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a tensor of zeros: `zeros(shape, dtype, gradient=False)`."""
    if request.param == "torch":
        import torch

        return lambda shape, dtype, gradient=False: torch.zeros(
            shape, dtype=getattr(torch, dtype), requires_grad=gradient
        )
    module = types.ModuleType("torch")
    module.Tensor, module.uint8 = Tensor, "uint8"
    monkeypatch.setitem(sys.modules, "torch", module)

    def make(shape: Any, dtype: str, gradient: bool = False) -> Tensor:
        return Tensor(np.zeros(shape, getattr(ml_dtypes, dtype, None) or dtype), dtype, gradient)

    return make


def words(tensor: Any) -> list[int]:
    """The content as 16-bit integers."""
    if isinstance(tensor, Tensor):
        return tensor.data.reshape(-1).view(np.uint16).tolist()
    import torch

    return tensor.detach().reshape(-1).view(torch.int16).tolist()


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("bfloat16", (2, 2)), ("float16", 4), ("float8_e4m3fn", 8), ("float8_e5m2", (2, 4)), ("int16", 4)],
)
def test_tensors_are_written_in_place(zeros: Make, dtype: str, shape: Any) -> None:
    tensor = zeros(shape, dtype)
    openptx.load(TWICE)["twice"](1, 4, (tensor,), engine="interp")
    assert words(tensor) == [0x4000] * 4


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_tensors_that_need_gradients(zeros: Make, dtype: str) -> None:
    tensor = zeros(4, dtype, True)
    openptx.load(TWICE)["twice"](1, 4, (tensor,), engine="interp")
    assert words(tensor) == [0x4000] * 4


def test_bounds_of_a_tensor_are_known(zeros: Make) -> None:
    with pytest.raises(openptx.Fault, match="6 bytes"):
        openptx.load(TWICE)["twice"](1, 4, (zeros(3, "bfloat16"),), engine="interp")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_address_of_a_tensor_is_good_as_long_as_it_lives(zeros: Make, dtype: str) -> None:
    module, tensor = openptx.load(TWICE), zeros(4, dtype)
    table = np.array([module.address(tensor)], np.uint64)
    gc.collect()
    assert module.address(tensor) == table[0]
    for _ in range(2):
        module["through"](1, 1, (table,), engine="interp")
    assert words(tensor)[0] == 7
    dead = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert dead() is None
    with pytest.raises(openptx.Fault):
        module["through"](1, 1, (table,), engine="interp")


def test_a_tensor_that_is_not_contiguous(zeros: Make) -> None:
    tensor = zeros((4, 4), "bfloat16")
    part = tensor[:, ::2] if not isinstance(tensor, Tensor) else Tensor(tensor.data[:, ::2], "bfloat16")
    with pytest.raises(openptx.ArgumentError, match="not contiguous"):
        openptx.load(TWICE)["twice"](1, 4, (part,))


def test_memory_that_is_not_shared_or_not_here(zeros: Make) -> None:
    class Refuses:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **_: object) -> object:
            raise BufferError("Can't export tensors with the conjugate bit set")

    for argument, words in (
        (Refuses(), "the conjugate bit set"),
        (Tensor(np.zeros(4), "float64", device=2), "not in the memory of the CPU"),
    ):
        with pytest.raises(openptx.ArgumentError, match=words):
            openptx.load(TWICE)["twice"](1, 4, (argument,))


def test_address_of_what_is_no_memory() -> None:
    with pytest.raises(openptx.ArgumentError, match="`address` takes"):
        openptx.load(TWICE).address("x")


def test_addresses_of_views_are_good_as_long_as_their_storage_lives() -> None:
    """Tables of pointers to the rows of tensors are made of views that die at once."""
    torch = pytest.importorskip("torch")
    a, b = torch.zeros(2, 4), torch.zeros(2, 4)
    pointers = [openptx.memory.address(rows[n]) for n in range(2) for rows in (a, b)]
    module = openptx.load(TWICE)
    for pointer in pointers[1:]:
        module["through"](1, 1, (np.array([pointer], np.uint64),), engine="interp")
    assert [rows[n].view(torch.uint8)[0].item() for n in range(2) for rows in (a, b)] == [0, 7, 7, 7]
    rows = a[0]
    del a
    module["through"](1, 1, (np.array(pointers[:1], np.uint64),), engine="interp")
    assert rows.view(torch.uint8)[0] == 7
    del rows
    with pytest.raises(openptx.ArgumentError, match="outside of device memory"):
        openptx.memory.read(pointers[0], 1)
