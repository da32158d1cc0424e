"""Installs the stand-in for CUDA devices in torch, and removes it again."""

from __future__ import annotations

import threading
import warnings
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, cast

from openptx import triton
from openptx.errors import ArgumentError
from openptx.torch import autocast
from openptx.torch.autograd import backward, checks, engine, forward, saving
from openptx.torch.collectives import backends
from openptx.torch.cuda_functions import by_module
from openptx.torch.devices import Redirection, in_mode, is_cuda, mode, within
from openptx.torch.eager import Eager
from openptx.torch.entry_points import cuda_storage, default_device, scripts, serialization, transforms
from openptx.torch.fakes import conversions
from openptx.torch.generators import default_generator, generator_class
from openptx.torch.inductor import put_back
from openptx.torch.methods import methods
from openptx.torch.operators import Operators
from openptx.torch.profiling import host_only, ranges
from openptx.torch.streams import record_stream
from openptx.torch.tensor_types import tensor_types
from openptx.triton.devices import capability
from openptx.triton.driver import Driver


class Active(NamedTuple):
    """What is active for all threads."""

    number: int
    """Of the target."""
    redirect: Redirection
    modes: dict[threading.Thread, Any]
    """The modes that threads have entered."""
    replaced: list[tuple[Any, str, Any]]
    """The replaced attributes of torch: (owner, name, value), `_MISSING` if the owner had none."""
    casts: autocast.Casts
    eager: Eager


CUDA = "13.0"
"""The version that programs compare with others if there is a device: that of torch's builds for CUDA."""
_MISSING: Any = object()
_LOCK = threading.RLock()
"""Held while torch changes: threads may activate at the same time."""


class _State:
    active: Active | None = None
    operators = Operators()


def torch_module(name: str = "torch") -> Any:
    """A module of torch. Raises ArgumentError if torch is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ArgumentError(f"torch is needed: `pip install torch` ({error})") from error


def activate(target: str = "sm_90", **options: Any) -> None:
    """From now on torch's device `cuda` is the CPU, with the properties of `target`, and Triton's kernels run here.

    `options` are those of `openptx.triton.activate`. Tensors made or computed on `cuda` say so, and moving them to the
    other device copies them. Operators that a program registers for CUDA from now on are called for tensors of the CPU.
    Each thread that uses the device calls this, because torch keeps its function modes per thread. Calling it again
    changes the target, for all threads.

    Raises ArgumentError if torch or Triton is not installed, if this torch has a GPU, and for an invalid target.
    """
    torch = torch_module()
    number = capability(target)
    with _LOCK:
        if _State.active is None and torch.cuda.is_available():
            raise ArgumentError("this computer has a GPU that torch uses; CUDA_VISIBLE_DEVICES= hides it")
        triton.activate(target, **options)
        if _State.active is None or _State.active.number != number:
            change(torch, number)
        enter(_State.active)


def change(torch: Any, number: int) -> None:
    """Replaces the attributes of torch. Other threads that have activated the device keep it."""
    others = take_out()
    redirect = Redirection(torch)
    redirect.own |= methods(redirect)
    for each in others.values():
        each.redirect = redirect
    active = Active(number, redirect, others, [], autocast.Casts(torch), Eager(torch))
    for owner, names in (*replacements(torch, redirect, number), (torch, active.eager.replacement())):
        for name, value in names.items():
            replace(active, owner, name, value)
    _State.active = active


def enter(active: Active | None) -> None:
    """Makes `cuda` the CPU in this thread."""
    assert active is not None
    thread = threading.current_thread()
    if active.modes.get(thread) not in modes():
        active.modes[thread] = mode(active.redirect)
        active.modes[thread].__enter__()


def modes() -> list[Any]:
    """The modes of this thread, the innermost last."""
    return torch_module("torch.overrides")._get_current_function_mode_stack()


def replacements(torch: Any, redirect: Redirection, number: int) -> list[tuple[Any, dict[str, Any]]]:
    """The attributes of torch and Triton that are replaced, by owner."""
    entering = partial(within, redirect)
    generator = generator_class(torch, partial(is_cuda, torch))
    redirect.generator = default_generator(torch, generator)
    library, autograd = torch_module("torch.library"), torch_module("torch.autograd.function")
    checkpoint, pinning = torch_module("torch.utils.checkpoint"), torch_module("torch.utils.data._utils.pin_memory")
    registering = _State.operators.impl(torch, library.Library.impl, entering, library.fallthrough_kernel)
    return [
        (torch, {**default_device(redirect), "Generator": generator}),
        (torch.serialization, serialization(torch)),
        (torch.UntypedStorage, {"cuda": cuda_storage}),
        *by_module(torch, number),
        (torch.cuda, {"default_generators": (redirect.generator,), **tensor_types(torch)}),
        (torch.version, {"cuda": CUDA}),
        (torch.Tensor, {"record_stream": record_stream}),  # torch's takes no other class of streams, and calls no mode
        (pinning, {"pin_memory": in_mode(pinning.pin_memory, entering)}),
        (torch.cuda.nvtx, ranges()),
        (torch.autocast, autocast.entering(torch)),
        (library.Library, {"impl": registering}),
        (autograd.Function, {"apply": forward(torch, autograd)}),
        (autograd.BackwardCFunction, {"apply": backward(torch, autograd, entering)}),
        (torch.autograd, engine(torch.autograd, entering)),
        (checkpoint, checks(torch, checkpoint)),
        (torch.autograd.graph.saved_tensors_hooks, saving(torch.autograd.graph, entering)),
        (Driver, {"get_active_torch_device": cuda_device}),
        (torch.autograd.profiler.profile, host_only(torch.autograd.profiler)),
        *backends(torch),
        *scripts(torch),
        *transforms(),
        *conversions(torch),
    ]


def cuda_device(driver: object) -> Any:
    """Triton's `get_active_torch_device`."""
    return torch_module().device("cuda", 0)


def replace(active: Active, owner: Any, name: str, value: Any) -> None:
    attributes = cast("dict[str, Any]", vars(owner))
    active.replaced.append((owner, name, attributes.get(name, _MISSING)))
    setattr(owner, name, value)


def take_out() -> dict[threading.Thread, Any]:
    """Restores only torch, and leaves this thread's mode. Returns the modes of the other threads."""
    active, _State.active = _State.active, None
    if active is None:
        return {}
    _State.operators.close()
    active.casts.close()
    active.eager.close()
    for owner, name, value in reversed(active.replaced):
        if value is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, value)
    own = active.modes.pop(threading.current_thread(), None)
    if own is not None:
        leave(own)
    return {thread: each for thread, each in active.modes.items() if thread.is_alive()}


def leave(own: Any) -> None:
    """Leaves a mode, or makes it an empty one if it is another thread's, or below a mode that is still active."""
    stack = modes()
    if stack and stack[-1] is own:
        own.__exit__(None, None, None)
    else:
        own.stands_for_cuda = False
        warnings.warn("torch's functions are called through an empty mode from now on", RuntimeWarning, stacklevel=4)


def deactivate() -> None:
    """Restores torch and Triton to their state before `activate` and `compile_with_triton`, in any order and for all
    threads."""
    with _LOCK:
        for each in take_out().values():
            leave(each)
        put_back()
        triton.deactivate()
