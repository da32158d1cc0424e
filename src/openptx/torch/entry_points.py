"""The functions of torch that take a device and are not called through a mode: `torch.load`, the default device, and
those by which vmap, grad and functionalize wrap tensors in C++, so that both stay on the tensor's device."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from openptx.torch.devices import Redirection, is_cuda, is_number, on_cpu
from openptx.torch.placement import MARK, on_cuda, put_on_cuda


def default_device(redirect: Redirection) -> dict[str, Callable[..., Any]]:
    """The functions of torch that set and get the device of tensors that are made without one."""
    torch = redirect.torch
    native = torch.set_default_device

    def set_default_device(device: Any) -> None:
        native(on_cpu(torch, device))
        redirect.default = device

    def get_default_device() -> Any:
        return torch.empty(0).device

    return {"set_default_device": set_default_device, "get_default_device": get_default_device}


def load(torch: Any) -> Callable[..., Any]:
    """`torch.load`, which puts storages on CUDA where `map_location` says so."""
    native = torch.load

    def mark_as_cuda(storage: Any, location: str) -> Any:
        setattr(getattr(storage, "_untyped_storage", storage), MARK, True)
        return storage

    @wraps(native)
    def load_on_cpu(f: Any, map_location: Any = None, *arguments: Any, **options: Any) -> Any:
        places: Any = map_location

        def map_storage(storage: Any, location: str) -> Any:
            named = places.get(location)
            return mark_as_cuda(storage, location) if is_cuda(torch, named) else storage

        if is_number(map_location) or is_cuda(torch, map_location):
            map_location = mark_as_cuda
        elif isinstance(map_location, dict) and any(is_cuda(torch, place) for place in places.values()):
            map_location = map_storage
        return native(f, map_location, *arguments, **options)

    return load_on_cpu


WRAPPING = {
    "torch._functorch.vmap": ("_add_batch_dim", "_remove_batch_dim"),
    "torch._functorch.eager_transforms": (
        "_wrap_for_grad", "_unwrap_for_grad", "_wrap_functional_tensor", "_unwrap_functional_tensor",
    ),
}  # fmt: skip
"""By module: functions that wrap their first argument or unwrap it. No function mode sees them."""


def transforms() -> list[tuple[Any, dict[str, Any]]]:
    """The replacements of those that this torch has, by module."""
    found: list[tuple[Any, dict[str, Any]]] = []
    for name, functions in WRAPPING.items():
        module: Any = import_module(name)
        found.append((module, {each: carrying(getattr(module, each)) for each in functions if hasattr(module, each)}))
    return found


def carrying(native: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose result is on CUDA if its first argument is."""

    @wraps(native)
    def call(tensor: Any, *arguments: Any, **options: Any) -> Any:
        result = native(tensor, *arguments, **options)
        if on_cuda(tensor):
            put_on_cuda(result)
        return result

    return call
