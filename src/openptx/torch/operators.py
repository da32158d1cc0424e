"""Operators that a program registers for CUDA: torch's dispatcher finds them for tensors of the CPU too."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any, NamedTuple

from openptx.torch.devices import in_mode
from openptx.torch.placement import on_cuda, put_on_cuda, take_from_cuda, tensors_in

CPU_KEYS = {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU"}
"""The dispatch key of a CPU tensor, by that of a CUDA tensor."""
ALL_DEVICES = ("", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
"""The keys of kernels for tensors of all devices; torch takes none for the last."""

Kernel = Callable[..., Any]
Name = tuple[str, str, str]
"""Namespace, operator, and the key of the CPU."""


class RegisteredKernel(NamedTuple):
    """A kernel, and the library that registered it; it may have been destroyed."""

    library: weakref.ref[Any]
    operator: Any
    kernel: Kernel
    key: str
    """Of the CPU."""
    options: dict[str, Any]
    plain: bool
    """A fallthrough, or a kernel with a key set as first argument: neither is called from Python."""

    def is_registered(self) -> bool:
        library = self.library()
        return library is not None and library.m is not None


class Double:
    """A kernel for CUDA that is registered in place of the CPU's, in a library that is destroyed with the program's."""

    def __init__(self, torch: Any, of: RegisteredKernel, kernel: Kernel) -> None:
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
        """Restores the kernel that was registered before."""
        self.library._destroy()


@contextmanager
def replacing() -> Generator[None]:
    """Without torch's warning that a kernel is replaced."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once for all operators", UserWarning)
        yield


class Operators:
    """The kernels that programs have registered while `cuda` was the CPU."""

    def __init__(self) -> None:
        self.mode: Callable[[], Any] = nullcontext
        """For kernels for all devices: what makes `cuda` the CPU, until `close`."""
        self.for_cuda: dict[Name, RegisteredKernel] = {}
        self.for_cpu: dict[Name, RegisteredKernel] = {}
        self.doubles: list[Double] = []

    def impl(
        self, torch: Any, native: Callable[..., None], mode: Callable[[], Any], fallthrough: object
    ) -> Callable[..., None]:
        """torch's `Library.impl`, which `torch.library.custom_op` and `torch.library.impl` call.

        `mode` makes a mode in which `cuda` is the CPU: torch suspends the active one while it executes an operator.
        Kernels that were registered before `close` are called again. Those for all devices are executed in the mode.

        If a program registers kernels for both devices, in any order, the one for CUDA is called if one of the tensors
        stands for a tensor of CUDA. If it registers none for the CPU, the one for CUDA is always called: tensors that
        torch makes in C++ have no mark.
        """

        def double(name: Name) -> None:
            entry = self.for_cuda.get(name)
            if entry is not None and entry.is_registered():
                chosen = entry.kernel if entry.kernel is fallthrough else choice(name, entry.kernel)
                self.doubles.append(Double(torch, entry, chosen))

        def register(library: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
            key = dispatch_key or library.dispatch_key
            plain = bool(fn is fallthrough or options.get("with_keyset"))
            if key in ALL_DEVICES and callable(fn) and not plain:
                fn = in_mode(fn, lambda: self.mode())
            with replacing():
                native(library, op_name, fn, dispatch_key, **options)
            cpu = CPU_KEYS.get(key, key)
            name = (library.ns, str(op_name).removeprefix(f"{library.ns}::").removesuffix(".default"), cpu)
            entry = RegisteredKernel(weakref.ref(library), op_name, fn, cpu, options, plain)
            if key in CPU_KEYS:
                self.for_cuda[name] = entry
            elif key in CPU_KEYS.values():
                self.for_cpu[name] = entry
            else:
                return
            double(name)

        def choice(name: Name, kernel: Kernel) -> Kernel:
            """The kernel that dispatches between that for the CPU and `kernel`, which is that for CUDA."""

            @wraps(kernel)
            def call(*arguments: Any, **options: Any) -> Any:
                tensors = list(tensors_in(torch, (*arguments, *options.values())))
                cpu = self.for_cpu.get(name)
                if cpu is not None and cpu.is_registered() and not cpu.plain and not any(on_cuda(t) for t in tensors):
                    return cpu.kernel(*arguments, **options)
                with mode(), as_of_cuda(tensors) as results:
                    result = kernel(*arguments, **options)
                    results.extend(tensors_in(torch, (result,)))
                    return result

            return call

        self.mode = mode
        for name in self.for_cuda:
            double(name)
        return register

    def close(self) -> None:
        """No kernel for CUDA is called for tensors of the CPU any more."""
        self.mode = nullcontext
        while self.doubles:
            self.doubles.pop().destroy()


@contextmanager
def as_of_cuda(tensors: list[Any]) -> Generator[list[Any]]:
    """While an operator's kernel for CUDA is executed, its arguments are on CUDA, except scalars among tensors.

    Yields the list for its results: they are on CUDA afterwards if one of the arguments was before.
    """
    any_on_cuda = any(on_cuda(tensor) for tensor in tensors)
    arrays = [tensor for tensor in tensors if tensor.dim()] or tensors
    others = [tensor for tensor in arrays if not on_cuda(tensor)]
    results: list[Any] = []
    for tensor in others:
        put_on_cuda(tensor)
    try:
        yield results
    finally:
        for tensor in (*others, *(() if any_on_cuda else results)):
            take_from_cuda(tensor)
