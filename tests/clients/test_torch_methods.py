"""Methods that depend on the device, where the CPU stands for `cuda`: types, texts, pinned memory, attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import openptx

torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
pytest.importorskip("triton", reason="Triton is not installed: make clients")

pytestmark = pytest.mark.usefixtures("cuda_is_the_cpu")


def test_types_that_name_a_device() -> None:
    x = torch.cuda.HalfTensor([1, 2])
    assert (x.is_cuda, x.dtype, x.tolist(), x.type()) == (True, torch.half, [1, 2], "torch.cuda.HalfTensor")
    assert torch.cuda.LongTensor(2, 3).shape == (2, 3)
    assert isinstance(x, torch.cuda.HalfTensor)
    assert not isinstance(x.cpu(), torch.cuda.HalfTensor)
    assert not isinstance(x.float(), torch.cuda.HalfTensor)


def test_conversions_to_a_type() -> None:
    x = torch.ones(2)
    for name in "torch.cuda.IntTensor", torch.cuda.IntTensor:
        assert x.type(name).type() == "torch.cuda.IntTensor"
    assert x.cuda().type(torch.IntTensor).type() == "torch.IntTensor"
    assert x.cuda().type(torch.int32).type() == "torch.cuda.IntTensor"
    assert x.type_as(x.cuda().half()).type() == "torch.cuda.HalfTensor"
    assert x.type_as(x.cuda()).is_cuda


def test_tensors_print_where_they_are() -> None:
    x = torch.ones(2, device="cuda")
    assert repr(x) == "tensor([1., 1.], device='cuda:0')"
    assert repr(torch.nn.Parameter(x)).endswith("tensor([1., 1.], device='cuda:0', requires_grad=True)")
    assert repr(x.cpu()) == "tensor([1., 1.])"


def test_the_array_interface() -> None:
    x = torch.arange(6, dtype=torch.int16, device="cuda").view(2, 3)
    found = x.T.__cuda_array_interface__
    assert (found["shape"], found["strides"], found["typestr"]) == ((3, 2), (2, 6), "<i2")
    assert found["data"] == (openptx.memory.address(x), False)
    assert x.bfloat16().__cuda_array_interface__["typestr"] == "<V2"
    assert not hasattr(x.cpu(), "__cuda_array_interface__")
    trained = x.float().requires_grad_()
    with pytest.raises(RuntimeError, match="requires grad"):
        _ = trained.__cuda_array_interface__
    assert openptx.memory.address(trained) == trained.detach().__cuda_array_interface__["data"][0]


def test_pinned_memory() -> None:
    x = torch.arange(3)
    y = x.pin_memory()
    assert (x.is_pinned(), y.is_pinned(), y.tolist()) == (False, True, [0, 1, 2])
    assert y.pin_memory() is y
    assert y.view(3, 1).is_pinned()
    assert torch.empty(3, pin_memory=True).is_pinned()
    assert torch.tensor([1], pin_memory=True).is_pinned()
    assert not y.cuda().is_pinned()


@pytest.mark.parametrize("name", ["FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "MATH"])
def test_attention_of_any_back_end(name: str) -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    attention = torch.nn.functional.scaled_dot_product_attention
    q = torch.rand(1, 2, 8, 4, device="cuda")
    with sdpa_kernel(getattr(SDPBackend, name)):
        result = attention(q, q, q)
    assert result.is_cuda
    np.testing.assert_allclose(result.cpu(), attention(*[q.cpu()] * 3), rtol=1e-5)


def test_lengths_of_packed_sequences_are_on_the_cpu() -> None:
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    packed = pack_padded_sequence(torch.rand(3, 2, 4, device="cuda"), [3, 2])
    padded, lengths = pad_packed_sequence(torch.nn.GRU(4, 5).cuda()(packed)[0])
    assert (padded.is_cuda, lengths.is_cuda, lengths.tolist()) == (True, False, [3, 2])


def test_saved_tensors_are_moved_by_hooks() -> None:
    x = torch.tensor([2.0, 3.0], device="cuda", requires_grad=True)
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [4, 6]


def test_histograms_of_integers() -> None:
    x = torch.tensor([0, 3, 3, 4, 9, 10, -1, 7], dtype=torch.int32, device="cuda")
    counted = torch.histc(x, bins=5, min=0, max=10)
    assert (counted.tolist(), counted.dtype, counted.is_cuda) == ([1, 2, 1, 1, 2], torch.int32, True)
    assert x.histc(3).tolist() == [2, 3, 3]  # from the least to the largest
    assert torch.full((4,), 7, device="cuda").histc(2).tolist() == [0, 4]
    assert x[:0].histc(2).tolist() == [0, 0]
    assert x.float().histc(5, 0, 10).tolist() == [1, 2, 1, 1, 2]
    with pytest.raises(NotImplementedError):
        torch.histc(x.cpu())
