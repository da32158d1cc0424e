"""vmap, grad and functionalize wrap tensors in C++: a wrapper, and an unwrapped tensor, stay on the tensor's device."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from openptx.torch.placement import on_cuda, put_on_cuda

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
