"""Operators that a program registers for CUDA: torch's dispatcher finds them for tensors of the CPU too."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any

CPU_KEYS = {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU"}
"""The dispatch key of a CPU tensor, by that of a CUDA tensor."""


def impl(native: Callable[..., None], mode: Callable[[], Any], fallthrough: object) -> Callable[..., None]:
    """torch's `Library.impl`, which `torch.library.custom_op` and `torch.library.impl` call.

    `mode` makes a mode in which `cuda` is the CPU: torch puts the active one aside while it executes an operator.

    Of an operator with a kernel for each device the one for CUDA stands, in whatever order they are registered.
    """
    taken: dict[tuple[str, str, str], weakref.ref[Any]] = {}
    """By namespace, operator and key, the library that registered CUDA's kernel; it may have been destroyed."""

    def stands(name: tuple[str, str, str]) -> bool:
        library = taken[name]() if name in taken else None
        return library is not None and library.m is not None

    def registered(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
        key = dispatch_key or self.dispatch_key
        name = (self.ns, str(op_name).removeprefix(f"{self.ns}::").removesuffix(".default"), CPU_KEYS.get(key, key))
        if key not in CPU_KEYS:
            if not stands(name):
                native(self, op_name, fn, dispatch_key, **options)
            return
        native(self, op_name, fn, dispatch_key, **options)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Warning only once for all operators", UserWarning)
            native(self, op_name, fn if fn is fallthrough else within(mode, fn), CPU_KEYS[key], **options)
        taken[name] = weakref.ref(self)

    return registered


def within(mode: Callable[[], Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an operator, executed in a mode of its own."""

    @wraps(kernel)
    def call(*arguments: Any, **options: Any) -> Any:
        with mode():
            return kernel(*arguments, **options)

    return call
