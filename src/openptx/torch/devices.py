"""Makes the torch device `cuda` the CPU: device arguments are replaced before torch's functions see them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from openptx import memory

Function = Callable[..., Any]


def is_cuda(torch: Any, device: object) -> bool:
    """Whether a device is, or names, a CUDA device."""
    if isinstance(device, str):
        return device.partition(":")[0] == "cuda"
    return isinstance(device, torch.device) and getattr(device, "type", "") == "cuda"


def on_cpu(torch: Any, device: Any) -> Any:
    """The CPU for a CUDA device, other devices unchanged. A number is a CUDA device."""
    number = isinstance(device, int) and not isinstance(device, bool)
    return torch.device("cpu") if number or is_cuda(torch, device) else device


class Redirection:
    """Chooses the replacement of one function of torch."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        tensor = torch.Tensor

        def itself(x: Any, *device: object) -> Any:
            return x

        def is_there(x: Any) -> bool:
            return x.device.type == "cpu"

        def first(x: Any) -> int:
            return 0

        self.own: dict[Any, Function] = {
            tensor.cuda: copied, tensor.cpu: copied, tensor.to: self.to, tensor.pin_memory: itself,
            tensor.data_ptr: device_address, tensor.is_cuda.__get__: is_there, tensor.get_device: first,
        }  # fmt: skip

    def __call__(self, function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if "device" in options:
            options["device"] = on_cpu(self.torch, options["device"])
        options.pop("pin_memory", None)
        own = self.own.get(function)
        if own is not None:
            return own(*arguments, **options)
        if any(is_cuda(self.torch, one) for one in arguments):
            arguments = tuple(on_cpu(self.torch, one) if is_cuda(self.torch, one) else one for one in arguments)
        return function(*arguments, **options)

    def to(self, x: Any, *arguments: Any, **options: Any) -> Any:
        """A copy if a device is named, as between two devices."""
        names = any(isinstance(one, str | self.torch.device) for one in (*arguments[:1], options.get("device")))
        if names and len(arguments) < 4:
            options["copy"] = True
        return x.to(*(on_cpu(self.torch, one) if is_cuda(self.torch, one) else one for one in arguments), **options)


def copied(x: Any, *device: Any, memory_format: Any = None, **options: Any) -> Any:
    """The result of `cuda()` and `cpu()`."""
    return x.clone() if memory_format is None else x.clone(memory_format=memory_format)


def device_address(x: Any) -> int:
    """The pointer that programs store in memory: where kernels find the tensor."""
    return memory.address(x) if x.numel() and x.device.type == "cpu" else x.data_ptr()


def redirection(torch: Any) -> Any:
    """A mode of torch.overrides that calls a `Redirection` for each function of torch."""
    base: Any = import_module("torch.overrides").TorchFunctionMode
    redirect = Redirection(torch)

    def torch_function(self: Any, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not self.enabled:
            return function(*args, **(kwargs or {}))
        return redirect(function, args, dict(kwargs or {}))

    return type("CudaIsTheCpu", (base,), {"enabled": True, "__torch_function__": torch_function})()
