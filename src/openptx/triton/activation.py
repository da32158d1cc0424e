"""Makes Triton compile for a target and launch on OpenPTX, and restores it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, cast

from openptx.errors import ArgumentError, require_flags
from openptx.runtime.options import require_for_all
from openptx.triton.autotuning import Autotuning, autotuning
from openptx.triton.devices import capability
from openptx.triton.driver import Driver, LaunchOptions
from openptx.triton.pointers import as_tensor

STAGES = "openptx: PTX is the binary"
"""A part of the key of Triton's cache, so that its entries are apart from those for a GPU."""

Hook = Callable[..., Any]


class ReplacedAttributes(NamedTuple):
    """The replaced attributes of Triton."""

    driver: Any
    hook: Hook | None
    specialize: Any
    autotuning: Autotuning | None


class Activation:
    """The drivers by compute capability, at most one of which is active. A compiled kernel keeps the driver of its
    target."""

    def __init__(self) -> None:
        self.drivers: dict[int, Driver] = {}
        self.replaced: ReplacedAttributes | None = None
        self.driver: Driver | None = None


_STATE = Activation()
_LOCK = threading.Lock()
"""Held while Triton changes: threads may activate at the same time."""


def activate(
    target: str = "sm_90", *, engine: str = "auto", workers: int | None = None, timeout: float | None = None,
    sanitize: str | None = None, every_configuration: bool = False,
) -> None:  # fmt: skip
    """From now on Triton's kernels are compiled for `target` and run here, on CPU tensors of torch and NumPy arrays.

    `engine`, `workers`, `timeout` (seconds) and `sanitize` are those of each launch (`openptx.Kernel`). With
    `@triton.autotune` the first configuration that works is chosen, so results do not depend on the speed of this
    computer; the others are compiled and run only if `every_configuration` is true. `triton.testing.do_bench` measures
    this computer. Calling it again changes the target.

    Raises ArgumentError if Triton is not installed, is too old, does not know the target, or interprets kernels instead
    of compiling them, and for options that no launch accepts.
    """
    number = capability(target)
    require_for_all(engine, workers, timeout, sanitize)
    require_flags(every_configuration=every_configuration)
    runtime, knobs, jit = parts()
    if knobs.runtime.interpret:  # it would read tensors of `openptx.torch` at their addresses on the device
        raise ArgumentError("with TRITON_INTERPRET=1 Triton's interpreter runs kernels, and no PTX is made: unset it")
    options = LaunchOptions(engine, workers, timeout, sanitize)
    with _LOCK:
        driver = _STATE.drivers.setdefault(number, Driver(number))
        driver.options = options
        if _STATE.replaced is None:
            attributes = cast("dict[str, Any]", vars(runtime.driver))
            hook, specialize = knobs.runtime.add_stages_inspection_hook, jit.native_specialize_impl
            tuning = autotuning(import_module("triton.runtime.autotuner").Autotuner)
            _STATE.replaced = ReplacedAttributes(
                attributes.get("_active", attributes.get("active")), hook, specialize, tuning
            )
            if tuning is not None:
                tuning.install()
            knobs.runtime.add_stages_inspection_hook = stages_hook(hook)
            jit.native_specialize_impl = specializer(specialize)
        if _STATE.replaced.autotuning is not None:
            _STATE.replaced.autotuning.every = every_configuration
        runtime.driver.set_active(driver)
        _STATE.driver = driver


def deactivate() -> None:
    """Restores Triton to its state before `activate`. Does nothing if it is not active."""
    with _LOCK:
        before = _STATE.replaced
        if before is None:
            return
        runtime, knobs, jit = parts()
        runtime.driver.set_active(before.driver)
        knobs.runtime.add_stages_inspection_hook = before.hook
        jit.native_specialize_impl = before.specialize
        if before.autotuning is not None:
            before.autotuning.restore()
        _STATE.replaced = _STATE.driver = None


def active_target() -> str | None:
    """The active target, such as "sm_90"; None if Triton is not active here."""
    return f"sm_{_STATE.driver.number}" if _STATE.driver is not None else None


def active_driver() -> Driver:
    """The active driver. Raises ArgumentError if Triton is not active here."""
    if _STATE.driver is None:
        raise ArgumentError("call `openptx.triton.activate()` first")
    return _STATE.driver


def parts() -> tuple[Any, Any, Any]:
    """The modules of Triton that are replaced. Raises ArgumentError if there is no Triton that has them."""
    try:
        runtime, knobs, jit = (import_module(f"triton.{name}") for name in ("runtime", "knobs", "runtime.jit"))
    except ImportError as error:
        raise ArgumentError(f"Triton is needed, 3.6 or later: `pip install triton` ({error})") from error
    if not (hasattr(knobs.runtime, "add_stages_inspection_hook") and hasattr(jit, "native_specialize_impl")):
        version = getattr(import_module("triton"), "__version__", "of an unknown version")
        raise ArgumentError(f"Triton {version} has no hook for compilers: install 3.6 or later")
    return runtime, knobs, jit


def stages_hook(before: Hook | None) -> Hook:
    """A hook that lets compilation end with PTX: the entry `cubin` contains its bytes. `before` is called first."""

    def hook(*arguments: Any) -> Any:
        found = before(*arguments) if before is not None else None
        if not arguments:  # the key, and its hash in the cache
            return (STAGES, STAGES) if found is None else (f"{found[0]}; {STAGES}", f"{found[1]}; {STAGES}")
        stages: dict[str, Callable[[Any, Any], Any]] = arguments[1]
        if "cubin" in stages:
            stages["cubin"] = lambda source, metadata: source.encode()  # in place of the assembler
        return found

    return hook


def specializer(native: Callable[..., Any]) -> Callable[..., Any]:
    """Triton's function that determines an argument's type, extended to NumPy arrays."""

    def specialize(backend: Any, argument: Any, *more: Any) -> Any:
        return native(backend, as_tensor(argument), *more)

    return specialize
