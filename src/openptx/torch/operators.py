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
    operator: Any
    kernel: Kernel
    key: str
    """Of the CPU."""
    options: dict[str, Any]
    plain: bool
    """It is called as it is, whatever its arguments are."""

    def stands(self) -> bool:
        library = self.library()
        return library is not None and library.m is not None


class Double:
    """A kernel for CUDA in the place of the CPU's, registered apart from the program's library and ending with it."""

    def __init__(self, torch: Any, of: Registered, kernel: Kernel) -> None:
        library: Any = of.library()
        self.library = torch.library.Library(library.ns, "IMPL")
        operator = of.operator
        name = operator if isinstance(operator, str) else operator.name()
        with replacing():
            self.library.m.impl(name, of.key, kernel, *((True,) if of.options.get("with_keyset") else ()))
        handles = getattr(library, "_registration_handles", None)
        if handles is not None:  # torch 2.4 and later
            handles.append(self)

    def destroy(self) -> None:
        """Whatever was registered before it is in its place again."""
        self.library._destroy()


@contextmanager
def replacing() -> Generator[None]:
    """Without torch's warning that a kernel is replaced."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once for all operators", UserWarning)
        yield


class Operators:
    """The kernels that programs have registered for CUDA, and for the CPU, while `cuda` was the CPU."""

    def __init__(self) -> None:
        self.for_cuda: dict[Name, Registered] = {}
        self.for_cpu: dict[Name, Registered] = {}
        self.doubles: list[Double] = []

    def impl(
        self, torch: Any, native: Callable[..., None], mode: Callable[[], Any], fallthrough: object
    ) -> Callable[..., None]:
        """torch's `Library.impl`, which `torch.library.custom_op` and `torch.library.impl` call.

        `mode` makes a mode in which `cuda` is the CPU: torch puts the active one aside while it executes an operator.
        Kernels that are known from before `close` are called again.

        Of an operator with a kernel for each device, registered in any order, that for CUDA is called if one of the
        tensors stands for one of CUDA. An operator for which the program registers none for the CPU calls that for CUDA
        always: torch makes tensors in C++ of which nobody says where they are.
        """

        def double(name: Name) -> None:
            entry = self.for_cuda.get(name)
            if entry is not None and entry.stands():
                chosen = entry.kernel if entry.kernel is fallthrough else choice(name, entry.kernel)
                self.doubles.append(Double(torch, entry, chosen))

        def registered(library: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
            with replacing():
                native(library, op_name, fn, dispatch_key, **options)
            key = dispatch_key or library.dispatch_key
            cpu = CPU_KEYS.get(key, key)
            name = (library.ns, str(op_name).removeprefix(f"{library.ns}::").removesuffix(".default"), cpu)
            plain = bool(fn is fallthrough or options.get("with_keyset"))
            entry = Registered(weakref.ref(library), op_name, fn, cpu, options, plain)
            if key in CPU_KEYS:
                self.for_cuda[name] = entry
            elif key in CPU_KEYS.values():
                self.for_cpu[name] = entry
            else:
                return
            double(name)

        def choice(name: Name, kernel: Kernel) -> Kernel:
            """The kernel to be called for tensors of the CPU's memory."""

            @wraps(kernel)
            def call(*arguments: Any, **options: Any) -> Any:
                given = list(tensors_in(torch, (*arguments, *options.values())))
                cpu = self.for_cpu.get(name)
                if cpu is not None and cpu.stands() and not cpu.plain and not any(on_cuda(one) for one in given):
                    return cpu.kernel(*arguments, **options)
                with mode(), as_of_cuda(torch, given) as results:
                    result = kernel(*arguments, **options)
                    results.extend(tensors_in(torch, (result,)))
                    return result

            return call

        for name in self.for_cuda:
            double(name)
        return registered

    def close(self) -> None:
        """No kernel for CUDA is called for tensors of the CPU any more."""
        while self.doubles:
            self.doubles.pop().destroy()


@contextmanager
def as_of_cuda(torch: Any, given: list[Any]) -> Generator[list[Any]]:
    """While an operator's kernel for CUDA is executed, its arguments are on CUDA, except scalars among tensors.

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
