"""Operators that a program registers for CUDA: torch's dispatcher finds them for tensors of the CPU too."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from openptx.torch.placement import on_cuda, put_on_cuda, take_from_cuda, tensors_in

CPU_KEYS = {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU"}
"""The dispatch key of a CPU tensor, by that of a CUDA tensor."""

Kernel = Callable[..., Any]
Name = tuple[str, str, str]
"""Namespace, operator, and the key of the CPU."""


class Registered(NamedTuple):
    """A kernel, and the library that registered it; it may have been destroyed."""

    library: weakref.ref[Any]
    kernel: Kernel

    def stands(self) -> bool:
        library = self.library()
        return library is not None and library.m is not None


def impl(torch: Any, native: Callable[..., None], mode: Callable[[], Any], fallthrough: object) -> Callable[..., None]:
    """torch's `Library.impl`, which `torch.library.custom_op` and `torch.library.impl` call.

    `mode` makes a mode in which `cuda` is the CPU: torch puts the active one aside while it executes an operator.

    Of an operator with a kernel for each device, registered in any order, that for CUDA is called if one of the tensors
    stands for one of CUDA. An operator for which the program registers none for the CPU calls that for CUDA always:
    torch makes tensors in C++ of which nobody says where they are.
    """
    for_cuda: dict[Name, Registered] = {}
    for_cpu: dict[Name, Registered] = {}

    def registered(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
        key = dispatch_key or self.dispatch_key
        name = (self.ns, str(op_name).removeprefix(f"{self.ns}::").removesuffix(".default"), CPU_KEYS.get(key, key))
        entry = Registered(weakref.ref(self), fn)
        plain = fn is fallthrough or not callable(fn) or options.get("with_keyset")
        if key in CPU_KEYS:
            native(self, op_name, fn, dispatch_key, **options)
            for_cuda[name] = entry
            chosen = fn if fn is fallthrough else choice(name, fn)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Warning only once for all operators", UserWarning)
                native(self, op_name, chosen, CPU_KEYS[key], **options)
        elif key in CPU_KEYS.values():
            if not plain:
                for_cpu[name] = entry
            if name not in for_cuda or not for_cuda[name].stands():
                native(self, op_name, fn, dispatch_key, **options)
            elif not plain:
                native(self, op_name, choice(name, fn), dispatch_key, **options)
        else:
            native(self, op_name, fn, dispatch_key, **options)

    def choice(name: Name, kernel: Kernel) -> Kernel:
        """The kernel to be called for tensors of the CPU's memory."""

        @wraps(kernel)
        def call(*arguments: Any, **options: Any) -> Any:
            given = list(tensors_in(torch, (*arguments, *options.values())))
            cuda, cpu = for_cuda.get(name), for_cpu.get(name)
            has_cuda = cuda is not None and cuda.stands()
            if cpu is not None and cpu.stands() and not (has_cuda and any(on_cuda(one) for one in given)):
                return cpu.kernel(*arguments, **options)
            with mode(), as_of_cuda(torch, given) as results:
                result = (cuda.kernel if cuda is not None and has_cuda else kernel)(*arguments, **options)
                results.extend(tensors_in(torch, (result,)))
                return result

        return call

    return registered


@contextmanager
def as_of_cuda(torch: Any, given: list[Any]) -> Generator[list[Any]]:
    """While an operator's kernel for CUDA is executed, its arguments are on CUDA, except a number beside tensors.

    Yields the list for its results: they are on CUDA afterwards if one of the arguments was before.
    """
    really = any(on_cuda(one) for one in given)
    arrays = [one for one in given if one.dim()] or given
    others = [one for one in arrays if not on_cuda(one)]
    results: list[Any] = []
    for one in others:
        put_on_cuda(one)
    try:
        yield results
    finally:
        for one in (*others, *(() if really else results)):
            take_from_cuda(one)
