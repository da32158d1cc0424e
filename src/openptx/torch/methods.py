"""Methods and functions of torch that mean something else for tensors of CUDA, beside those that move tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openptx.torch.devices import Redirection, device_address, within
from openptx.torch.placement import follow, holder, on_cuda, put_on_cuda
from openptx.torch.tensor_types import of_a_type

PINNED = "_openptx_is_pinned"
"""The mark of a storage that stands for pinned memory."""


def is_pinned(x: Any, device: object = None) -> bool:
    return hasattr(holder(x), PINNED)


def pin(x: Any, device: object = None) -> Any:
    """`Tensor.pin_memory`: a copy, or the tensor itself if it is pinned."""
    return x if is_pinned(x) or on_cuda(x) else as_pinned(x.clone())


def as_pinned(x: Any) -> Any:
    setattr(holder(x), PINNED, True)
    return x


def integers_in_bins(torch: Any, x: Any, bins: int, low: int, high: int) -> Any:
    """The numbers of elements in bins of equal widths between two integers, both included, as torch's kernel for CUDA
    counts them: in integers. If the two are equal, all elements are counted."""
    values = x.reshape(-1).long()
    if low == high and len(values):
        low, high = int(values.min()), int(values.max())
    if low == high:
        low, high = low - 1, high + 1
    values = values[(low <= values) & (values <= high)]
    places = ((values - low) * bins // (high - low)).clamp(max=bins - 1)
    return torch.bincount(places, minlength=bins).to(x.dtype)


def methods(redirect: Redirection) -> dict[Any, Callable[..., Any]]:
    """By function of torch, for `Redirection.own`."""
    torch = redirect.torch
    tensor = torch.Tensor

    def text(x: Any, **options: Any) -> str:
        with within(redirect):
            return torch._tensor_str._str(x, **options)

    def interface(x: Any) -> dict[str, Any]:
        """`Tensor.__cuda_array_interface__`."""
        if not on_cuda(x) or x.layout != torch.strided:
            return tensor.__cuda_array_interface__.__get__(x)  # raises the error of a tensor that has none
        if x.requires_grad:
            raise RuntimeError("__cuda_array_interface__ of a tensor that requires grad: call its `detach()` first")
        strides = None if x.is_contiguous() else tuple(n * x.element_size() for n in x.stride())
        typestr = "<V2" if x.dtype == torch.bfloat16 else torch.empty(0, dtype=x.dtype).numpy().dtype.str
        place = device_address(x) if x.numel() else 0, False
        return {"typestr": typestr, "shape": tuple(x.shape), "strides": strides, "data": place, "version": 2}

    def attention(query: Any, *arguments: Any, **options: Any) -> Any:
        """The back ends that a program chooses among are a GPU's: the CPU's `math` stands in for all."""
        native = torch.nn.functional.scaled_dot_product_attention
        chosen = torch._C._get_math_sdp_enabled()
        torch._C._set_sdp_use_math(chosen or on_cuda(query))
        try:
            result = native(query, *arguments, **options)
        finally:
            torch._C._set_sdp_use_math(chosen)
        follow(torch, result, (query,))
        return result

    def histogram(native: Callable[..., Any]) -> Callable[..., Any]:
        """`histc`, which takes integers on CUDA alone."""

        def call(x: Any, bins: int = 100, min: float = 0, max: float = 0, **options: Any) -> Any:
            if on_cuda(x) and not x.is_floating_point() and not options:
                result = integers_in_bins(torch, x, bins, int(min), int(max))
            else:
                result = native(x, bins, min, max, **options)
            follow(torch, result, (x,))
            return result

        return call

    def packed(function: Callable[..., Any]) -> Callable[..., Any]:
        """A function on sequences, whose second result, their lengths, is on the CPU."""

        def call(data: Any, *arguments: Any, **options: Any) -> Any:
            result = function(data, *arguments, **options)
            if on_cuda(data):
                put_on_cuda(result[0])
            return result

        return call

    sequences = torch._VF._pack_padded_sequence, torch._VF._pad_packed_sequence
    return {
        tensor.__repr__: text, tensor.type: of_a_type(redirect), tensor.type_as: redirect.to,
        tensor.pin_memory: pin, tensor.is_pinned: is_pinned, tensor.__cuda_array_interface__.__get__: interface,
        torch.nn.functional.scaled_dot_product_attention: attention,
        torch.histc: histogram(torch.histc), tensor.histc: histogram(tensor.histc),
        **{function: packed(function) for function in sequences},
    }  # fmt: skip
