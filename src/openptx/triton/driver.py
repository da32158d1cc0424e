"""The driver that Triton uses while it is active: a device with a target, kernels, launches.

It has the methods of `triton.backends.driver.DriverBase`, by name, so that Triton need not be imported.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from openptx import memory
from openptx.errors import ArgumentError, Unsupported
from openptx.profile.occupancy import MOST_REGISTERS
from openptx.profile.registers import live_registers
from openptx.runtime import Kernel, LoadedModule, load
from openptx.runtime.parameters import Packed, pack
from openptx.source import File
from openptx.triton.capture import refuse_in_capture, take
from openptx.triton.devices import properties
from openptx.triton.packing import Signature
from openptx.triton.pointers import arrays_of

THREADS = 1024


class LaunchOptions(NamedTuple):
    """The options of a launch, as for a call of `openptx.Kernel`."""

    engine: str = "auto"
    workers: int | None = None
    timeout: float | None = None
    sanitize: str | None = None


class Driver:
    """A device of a compute capability, which is also its number in Triton."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.options = LaunchOptions()
        self.utils = Utilities(number)
        self.benchmarker = Once()

    @staticmethod
    def is_active() -> bool:
        """False: Triton must not choose this driver by itself."""
        return False

    def launcher_cls(self, source: Any, metadata: Any) -> Launcher:
        """The launcher of compiled kernels."""
        return Launcher(self, source, metadata)

    def get_current_target(self) -> Any:
        return import_module("triton.backends.compiler").GPUTarget("cuda", self.number, 32)

    def get_current_device(self) -> int:
        """Triton keeps compiled kernels by this number, so each capability has its own."""
        return self.number

    def set_current_device(self, device: int) -> None:
        """Does nothing: there is one device."""

    def get_current_stream(self, device: object = None) -> int:
        return 0

    def get_device_capability(self, device: object = None) -> tuple[int, int]:
        return divmod(self.number, 10)

    def get_active_torch_device(self) -> Any:
        """The device of tensors: the CPU."""
        return import_module("torch").device("cpu")

    def get_device_interface(self) -> type[DeviceInterface]:
        return DeviceInterface

    def get_benchmarker(self) -> Once:
        """The benchmark function of `triton.autotune`."""
        return self.benchmarker

    def get_empty_cache_for_benchmark(self) -> None:
        """A cache to be cleared between two measurements; there is none."""

    def clear_cache(self, cache: object) -> None:
        """Does nothing: there is no cache."""

    def assemble_tensormap_to_arg(self, tensormaps_info: object, args: object) -> object:
        return args

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: object) -> Any:
        return np.zeros(size, np.uint8)

    def map_python_to_cpp_type(self, ty: str) -> str:
        raise Unsupported("C launchers of Triton's ahead-of-time compiler")


class Once:
    """Runs each configuration of `triton.autotune` once, and reports times that prefer the first.

    Its speed here says nothing about a GPU, and the choice should not depend on the load of this computer.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, kernel_call: Callable[[], object], *, quantiles: Sequence[float] = (), **options: Any) -> Any:
        kernel_call()
        self.count += 1
        return [float(self.count)] * len(quantiles) if quantiles else float(self.count)


class Event:
    """A host time, used like `torch.cuda.Event` and `torch.Event`."""

    def __init__(self, device: object = None, **options: object) -> None:
        self.time = math.nan

    def record(self, stream: object = None) -> None:
        self.time = time.perf_counter()

    def elapsed_time(self, later: Event) -> float:
        """Milliseconds."""
        return max(1e3 * (later.time - self.time), 1e-6)

    def synchronize(self) -> None:
        """Launches run to their end."""
        refuse_in_capture("Event.synchronize")

    def wait(self, stream: object = None) -> None:
        """All submitted work has ended."""

    def query(self) -> bool:
        refuse_in_capture("Event.query")
        return True


class DeviceInterface:
    """The part of `torch.cuda` that `triton.testing` uses."""

    Event = Event

    @staticmethod
    def synchronize(device: object = None) -> None:
        """Launches run to their end."""

    @staticmethod
    def current_device() -> int:
        return 0


class Utilities:
    """Modules, and properties of the device."""

    def __init__(self, number: int) -> None:
        self.number = number

    def get_device_properties(self, device: object = None) -> dict[str, object]:
        return properties(self.number)

    def load_binary(self, name: str, binary: bytes, shared: int, device: object) -> tuple[object, ...]:
        """The module, the kernel, an estimate of its registers, spilled bytes, maximum threads per block."""
        module = load(File(f"{name}.ptx", binary.decode()))
        kernel = module[name]
        pressure = live_registers(kernel.function).pressure.values()
        return module, kernel, min(max(pressure, default=1), MOST_REGISTERS), 0, THREADS

    def unload_module(self, module: LoadedModule) -> None:
        """The module is unloaded with the last reference."""

    def set_printf_fifo_size(self, size: int) -> None:
        """The output of kernels is never truncated."""


def pointer_to(scratch: Any) -> bytes:
    return memory.address(scratch).to_bytes(8, "little")


class Launcher:
    """Launches one compiled kernel."""

    def __init__(self, driver: Driver, source: Any, metadata: Any) -> None:
        descriptors = getattr(metadata, "tensordesc_meta", None)
        self.driver, self.signature = driver, Signature(source.signature, descriptors or None)
        self.scratch = [int(getattr(metadata, f"{use}_scratch_size", 0) or 0) for use in ("global", "profile")]

    def __call__(
        self, x: int, y: int, z: int, stream: object, kernel: Kernel, kernel_metadata: Sequence[int],
        launch_metadata: object, enter: Callable[[Any], None] | None, leave: Callable[[Any], None] | None,
        *arguments: Any,
    ) -> None:  # fmt: skip
        """Launches like Triton's own launcher; `x`, `y` and `z` count blocks of the grid, or clusters if there are
        any."""
        if min(x, y, z) < 0:
            raise ArgumentError(f"the grid is ({x}, {y}, {z}): it cannot have a negative extent")
        if enter is not None:
            enter(launch_metadata)
        warps, ctas, shared = kernel_metadata[:3]
        if x * y * z:
            blocks = x * y * z * ctas
            scratch = [np.zeros(max(size, 1) * blocks, np.uint8) for size in self.scratch]
            given = [(f"argument `{name}`", data) for name, data in self.signature.values(arguments)]
            more = len(kernel.parameters) - len(given)  # memory that the compiler requested
            given += [("the kernel's scratch memory", pointer_to(each)) for each in scratch[:more]]
            data = pack(kernel.function, [data for _, data in given])
            packed = Packed(data, [name for name, _ in given], [a for each in arguments for a in arrays_of(each)])
            launch = partial(
                kernel, (x * ctas, y, z), (32 * warps, 1, 1), (packed,), shared_mem=shared,
                cluster=(ctas, 1, 1) if ctas > 1 else None, **self.driver.options._asdict(),
            )  # fmt: skip
            take(launch)
        if leave is not None:
            leave(launch_metadata)
