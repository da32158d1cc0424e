"""`torch.cuda.FloatTensor` and its relatives: the older names of a device and a type of numbers in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openptx.torch.devices import Redirection
from openptx.torch.placement import on_cuda, put_on_cuda

PREFIX = "torch.cuda."


class CudaTensorType(type):
    """The class of those classes: they make tensors, and tensors are their instances, though none is made of them."""

    native: Any
    """The class of the same numbers on the CPU."""

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        result = cls.native(*arguments, **options)
        put_on_cuda(result)
        return result

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.native) and on_cuda(instance)


def tensor_types(torch: Any) -> dict[str, CudaTensorType]:
    """By name, for each class of `torch.cuda`."""
    names = [name for name in dir(torch.cuda) if name.endswith("Tensor")]
    return {name: tensor_type(getattr(torch.cuda, name), getattr(torch, name)) for name in names}


def tensor_type(replaced: Any, native: Any) -> CudaTensorType:
    members = {"__module__": "torch.cuda", "native": native, "dtype": replaced.dtype, "is_cuda": True}
    return CudaTensorType(replaced.__name__, (), members)


def of_a_type(redirect: Redirection) -> Callable[..., Any]:
    """`Tensor.type`, which names the type of a tensor, or converts it to another, maybe on the other device."""
    torch = redirect.torch

    def convert(x: Any, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        if dtype is None:
            name = x.type()
            return name.replace("torch.", PREFIX, 1) if on_cuda(x) else name
        if isinstance(dtype, torch.dtype):
            return redirect.to(x, dtype, non_blocking)
        name = dtype if isinstance(dtype, str) else f"{dtype.__module__}.{dtype.__name__}"
        device = "cuda" if name.startswith(PREFIX) else "cpu"
        return redirect.to(x, device, getattr(torch, name.rpartition(".")[2]).dtype, non_blocking)

    return convert
