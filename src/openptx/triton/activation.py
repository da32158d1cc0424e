"""Makes Triton compile for a target and launch on OpenPTX, and puts back what was there before."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, cast

from openptx.errors import ArgumentError
from openptx.triton.devices import capability
from openptx.triton.driver import Driver, LaunchOptions
from openptx.triton.pointers import as_tensor

STAGES = "openptx: PTX is the binary"
"""In the key of Triton's cache, so that what it holds for a GPU stays apart."""

Hook = Callable[..., Any]


class Replaced(NamedTuple):
    """What there was in Triton before."""

    driver: Any
    hook: Hook | None
    specialize: Any


class Activation:
    """The drivers by target, of which one may be active. Kernels that were compiled for a target keep its driver."""

    def __init__(self) -> None:
        self.drivers: dict[int, Driver] = {}
        self.replaced: Replaced | None = None
        self.driver: Driver | None = None


_STATE = Activation()


def activate(
    target: str = "sm_90", *, engine: str = "auto", workers: int | None = None, timeout: float | None = None,
    sanitize: str | None = None,
) -> None:  # fmt: skip
    """From now on Triton's kernels are compiled for `target` and run here, on CPU tensors of torch and NumPy arrays.

    `engine`, `workers`, `timeout` (seconds) and `sanitize` are those of each launch (`openptx.Kernel`). With
    `@triton.autotune` every configuration runs once, and the first one that works is chosen, so results do not depend
    on the speed of this computer; `triton.testing.do_bench` measures that speed. Calling it again changes the target.

    Raises ArgumentError where Triton is not installed, is too old, or does not know the target.
    """
    number = capability(target)
    runtime, knobs, jit = parts()
    options = LaunchOptions(engine, workers, timeout, sanitize)
    driver = _STATE.drivers.setdefault(number, Driver(number))
    driver.options = options
    if _STATE.replaced is None:
        attributes = cast("dict[str, Any]", vars(runtime.driver))
        hook, specialize = knobs.runtime.add_stages_inspection_hook, jit.native_specialize_impl
        _STATE.replaced = Replaced(attributes.get("_active", attributes.get("active")), hook, specialize)
        knobs.runtime.add_stages_inspection_hook = stages_hook(hook)
        jit.native_specialize_impl = specializer(specialize)
    runtime.driver.set_active(driver)
    _STATE.driver = driver


def deactivate() -> None:
    """Triton is as it was before `activate`. Nothing happens where it is not active."""
    before = _STATE.replaced
    if before is None:
        return
    runtime, knobs, jit = parts()
    runtime.driver.set_active(before.driver)
    knobs.runtime.add_stages_inspection_hook = before.hook
    jit.native_specialize_impl = before.specialize
    _STATE.replaced = _STATE.driver = None


def active_target() -> str | None:
    """The active target, such as "sm_90"; None where Triton is not active here."""
    return f"sm_{_STATE.driver.number}" if _STATE.driver is not None else None


def active_driver() -> Driver:
    """The driver that is active. Raises ArgumentError where Triton is not active here."""
    if _STATE.driver is None:
        raise ArgumentError("call `openptx.triton.activate()` first")
    return _STATE.driver


def parts() -> tuple[Any, Any, Any]:
    """The modules of Triton that are concerned. Raises ArgumentError where there is no Triton that has them."""
    try:
        runtime, knobs, jit = (import_module(f"triton.{name}") for name in ("runtime", "knobs", "runtime.jit"))
    except ImportError as error:
        raise ArgumentError(f"Triton is needed, 3.6 or later: `pip install triton` ({error})") from error
    if not (hasattr(knobs.runtime, "add_stages_inspection_hook") and hasattr(jit, "native_specialize_impl")):
        version = getattr(import_module("triton"), "__version__", "of an unknown version")
        raise ArgumentError(f"Triton {version} has no hook for compilers: install 3.6 or later")
    return runtime, knobs, jit


def stages_hook(before: Hook | None) -> Hook:
    """A hook that lets compilation end with PTX: what is called `cubin` are its bytes. `before` is called first."""

    def hook(*given: Any) -> Any:
        found = before(*given) if before is not None else None
        if not given:  # the key, and what stands for it in the cache
            return (STAGES, STAGES) if found is None else (f"{found[0]}; {STAGES}", f"{found[1]}; {STAGES}")
        stages: dict[str, Callable[[Any, Any], Any]] = given[1]
        if "cubin" in stages:
            stages["cubin"] = ptx_as_binary
        return found

    return hook


def ptx_as_binary(source: str, metadata: object) -> bytes:
    """The last stage of compilation, where Triton calls the assembler."""
    return source.encode()


def specializer(native: Callable[..., Any]) -> Callable[..., Any]:
    """Triton's function that gives an argument its type, for NumPy arrays too."""

    def specialize(backend: Any, argument: Any, *more: Any) -> Any:
        return native(backend, as_tensor(argument), *more)

    return specialize
