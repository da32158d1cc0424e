"""The functions of torch that take a device and are not called through a mode: those of files, the default device, and
those by which vmap, grad and functionalize wrap tensors in C++, so that both stay on the tensor's device."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from openptx.torch.devices import Redirection, is_cuda, on_cpu
from openptx.torch.placement import MARK, follow, on_cuda, put_on_cuda


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


def serialization(torch: Any) -> dict[str, Callable[..., Any]]:
    """The functions of `torch.serialization` that say where a storage is, in a file, and put it there."""
    module: Any = import_module("torch.serialization")
    tag, restore = module.location_tag, module.default_restore_location

    @wraps(tag)
    def location_tag(storage: Any) -> Any:
        return "cuda:0" if hasattr(getattr(storage, "_untyped_storage", storage), MARK) else tag(storage)

    @wraps(restore)
    def default_restore_location(storage: Any, location: Any) -> Any:
        if not is_cuda(torch, location):
            return restore(storage, location)
        setattr(getattr(storage, "_untyped_storage", storage), MARK, True)
        return storage

    return {"location_tag": location_tag, "default_restore_location": default_restore_location}


def cuda_storage(storage: Any, device: object = None, non_blocking: bool = False) -> Any:
    """`UntypedStorage.cuda`, which programs pass to `torch.load`."""
    if hasattr(storage, MARK):
        return storage
    copy = storage.clone()
    setattr(copy, MARK, True)
    return copy


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


def scripts(torch: Any) -> list[tuple[Any, dict[str, Any]]]:
    """The classes of TorchScript's functions and methods, whose operators call no function mode: a result is on CUDA if
    an argument is."""

    def calling(native: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(native)
        def call(self: Any, *arguments: Any, **options: Any) -> Any:
            result = native(self, *arguments, **options)
            follow(torch, result, (*arguments, *options.values()))
            return result

        return call

    classes = torch._C.ScriptFunction, torch._C.ScriptMethod
    return [(each, {"__call__": calling(each.__call__)}) for each in classes]
