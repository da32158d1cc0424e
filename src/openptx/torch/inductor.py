"""`torch.compile` with Triton's kernels on CPU tensors, by Inductor's support for a Triton CPU backend.

Inductor's `cpu_backend = "triton"` generates the kernels that it generates for a GPU, asks the device interface of the
CPU for properties, and compiles for Triton's backend `cpu`. All three can be set from outside.
"""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from openptx.errors import ArgumentError
from openptx.torch.cuda_functions import facts
from openptx.triton.activation import activate, active_driver
from openptx.triton.driver import Driver

NAME = "cpu"


class CpuDriver(Driver):
    """Created by Inductor as Triton's CPU driver: the active driver, with another name."""

    def __init__(self) -> None:
        found = active_driver()
        super().__init__(found.number)
        self.options = found.options


def backend() -> Any:
    """Triton's backend `cpu`, which compiles like NVIDIA's."""
    backends: Any = import_module("triton.backends")
    target: Any = import_module("triton.backends.compiler").GPUTarget
    nvidia: Any = backends.backends["nvidia"].compiler

    def supports_target(requested: Any) -> bool:
        return requested.backend == NAME

    def accepts(requested: Any) -> bool:
        return True

    def begin(self: Any, requested: Any) -> None:
        self.supports_target = accepts  # the target it was chosen for, and the current one
        nvidia.__init__(self, target("cuda", requested.arch, 32))

    made = type("CpuCompiler", (nvidia,), {"__init__": begin, "supports_target": staticmethod(supports_target)})
    return backends.Backend(compiler=made, driver=CpuDriver)


def interface(number: int) -> Any:
    """Inductor's device interface of the CPU, with the properties of a GPU."""
    base: Any = import_module("torch._dynamo.device_interface").CpuInterface
    known: Any = facts(number)
    known = SimpleNamespace(**vars(known), max_threads_per_block=1024)

    def properties(device: Any = None) -> Any:
        return known

    def compute_capability(device: Any = None) -> int:
        return number

    members = {
        "get_device_properties": staticmethod(properties), "get_compute_capability": staticmethod(compute_capability),
        "Worker": type("Worker", (base.Worker,), {"get_device_properties": staticmethod(properties)}),
    }  # fmt: skip
    return type("InterfaceOfTheCpu", (base,), members)


class _State:
    before: tuple[Any, Any, dict[str, Any]] | None = None


SETTINGS: dict[str, Any] = {"cpu_backend": "triton", "compile_threads": 1, "force_disable_caches": True}
"""Inductor's settings. Its compile processes do not know our backend, and its caches not the target."""


def compile_with_triton(target: str = "sm_90", **options: Any) -> None:
    """From now on `torch.compile` makes Triton kernels for `target` of code on CPU tensors, and they run here.

    `options` are those of `openptx.triton.activate`, which is called. Operations that Inductor leaves to libraries,
    such as a matrix product without `mode="max-autotune"`, are computed by torch. Calling it again changes the target
    for later compilations.

    Raises ArgumentError if torch or Triton is not installed or too old, and for an invalid target.
    """
    try:
        config: Any = import_module("torch._inductor.config")
        interfaces: Any = import_module("torch._dynamo.device_interface")
        hints: Any = import_module("torch._inductor.runtime.hints")
    except ImportError as error:
        raise ArgumentError(f"torch is needed, with torch.compile: `pip install torch` ({error})") from error
    if not all(hasattr(config, name) for name in SETTINGS):
        raise ArgumentError("this torch does not compile for Triton on a CPU: install 2.6 or later")
    activate(target, **options)
    backends: Any = import_module("triton.backends").backends
    if _State.before is None:
        saved = {name: getattr(config, name) for name in SETTINGS}
        _State.before = interfaces.get_interface_for_device(NAME), backends.get(NAME), saved
    backends[NAME] = backend()
    interfaces.register_interface_for_device(NAME, interface(active_driver().number))
    hints.DeviceProperties.create.cache_clear()
    for name, value in SETTINGS.items():
        setattr(config, name, value)


def put_back() -> None:
    """Restores `torch.compile`. Does nothing if it was not changed."""
    before, _State.before = _State.before, None
    if before is None:
        return
    backends: Any = import_module("triton.backends").backends
    interfaces: Any = import_module("torch._dynamo.device_interface")
    interfaces.register_interface_for_device(NAME, before[0])
    if before[1] is None:
        backends.pop(NAME, None)
    else:
        backends[NAME] = before[1]
    for name, value in before[2].items():
        setattr(import_module("torch._inductor.config"), name, value)
    hints: Any = import_module("torch._inductor.runtime.hints")
    hints.DeviceProperties.create.cache_clear()
