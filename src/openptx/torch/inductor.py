"""`torch.compile` with Triton's kernels on CPU tensors, by Inductor's support for a Triton CPU backend.

Inductor's `cpu_backend = "triton"` generates the kernels that it generates for a GPU, asks the device interface of the
CPU for properties, and compiles for Triton's backend `cpu`. All three can be set from outside, and so can the choice
among its templates for products.
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
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

    def properties(device: Any = None) -> Any:
        return known

    def compute_capability(device: Any = None) -> int:
        return number

    members = {
        "get_device_properties": staticmethod(properties), "get_compute_capability": staticmethod(compute_capability),
        "Worker": type("Worker", (base.Worker,), {"get_device_properties": staticmethod(properties)}),
    }  # fmt: skip
    return type("InterfaceOfTheCpu", (base,), members)


def operations() -> Any:
    """What Inductor writes into its code to use the CPU. Its own text for a stream has several lines, which it cannot
    insert into code that measures kernels."""
    base: Any = import_module("torch._inductor.codegen.cpu_device_op_overrides").CpuDeviceOpOverrides

    def import_get_raw_stream_as(self: Any, name: str) -> str:
        return f"{name} = lambda device: 0"

    return type("OperationsOfTheCpu", (base,), {"import_get_raw_stream_as": import_get_raw_stream_as})()


def first_template(choices: list[Any]) -> list[Any]:
    """Of what can compute a product, the first Triton template; speed here says nothing about a GPU."""
    template: Any = import_module("torch._inductor.ir").TritonTemplateCallerBase
    return [choice for choice in choices if isinstance(choice, template)][:1] or choices


class _State:
    undo: ExitStack | None = None


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
    put_back()
    undo = _State.undo = ExitStack()
    undo.callback(hints.DeviceProperties.create.cache_clear)
    backends: Any = import_module("triton.backends").backends
    undo.callback(put_entry, backends, NAME, backends.get(NAME))
    backends[NAME] = backend()
    undo.callback(interfaces.register_interface_for_device, NAME, interfaces.get_interface_for_device(NAME))
    interfaces.register_interface_for_device(NAME, interface(active_driver().number))
    code: Any = import_module("torch._inductor.codegen.common")
    undo.callback(code.register_device_op_overrides, NAME, code.get_device_op_overrides(NAME))
    code.register_device_op_overrides(NAME, operations())
    selection: Any = import_module("torch._inductor.select_algorithm")
    if hasattr(selection, "add_preprocessing_fn") and not options.get("every_configuration"):
        selection.add_preprocessing_fn(first_template)
        undo.callback(selection.get_algorithm_selector_cache().preprocessing_fns.remove, first_template)
    hints.DeviceProperties.create.cache_clear()
    undo.enter_context(config.patch(SETTINGS))


def put_back() -> None:
    """Restores `torch.compile`. Does nothing if it was not changed."""
    undo, _State.undo = _State.undo, None
    if undo is not None:
        undo.close()


def put_entry(table: dict[str, Any], name: str, entry: Any) -> None:
    """Sets an entry of a table, or deletes it for None."""
    if entry is None:
        del table[name]
    else:
        table[name] = entry
