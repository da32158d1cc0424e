"""The backward pass: the program's functions run in the mode too, and gradients are where the results were.

torch suspends the mode during the pass, and makes gradients in C++, where no function mode is called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from openptx.torch.devices import in_mode
from openptx.torch.placement import on_cuda, put_on_cuda, tensors_in

ON_CUDA = "_openptx_results_on_cuda"


def forward(torch: Any, autograd: Any) -> Any:
    """`torch.autograd.Function.apply`, which notes in a result's node of the graph where the result is."""
    native: Callable[..., Any] = autograd.Function.apply.__func__

    @wraps(native)
    def apply(cls: Any, *arguments: Any, **options: Any) -> Any:
        result = native(cls, *arguments, **options)
        for tensor in tensors_in(torch, (result,)):
            node = tensor.grad_fn
            if isinstance(node, autograd.BackwardCFunction) and on_cuda(tensor):
                setattr(node, ON_CUDA, True)
        return result

    return classmethod(apply)


def backward(torch: Any, autograd: Any, mode: Callable[[], Any]) -> Callable[..., Any]:
    """The method that calls a program's `backward`, in a mode in which `cuda` is the CPU."""
    native: Callable[..., Any] = autograd.BackwardCFunction.apply

    @wraps(native)
    def apply(self: Any, *gradients: Any) -> Any:
        with mode():
            if ON_CUDA in self.__dict__:
                for tensor in tensors_in(torch, gradients):
                    put_on_cuda(tensor)
            return native(self, *gradients)

    return apply


def engine(autograd: Any, mode: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """The function of `torch.autograd` that starts the pass, for the recomputations of `torch.utils.checkpoint`."""
    name = "_engine_run_backward"
    native = getattr(autograd, name, None)
    return {} if native is None else {name: in_mode(native, mode)}  # torch before 2.3 has none


def checks(torch: Any, checkpoint: Any) -> dict[str, Any]:
    """The functions by which `torch.utils.checkpoint` compares recomputed tensors, always called without the mode: it
    is active in only some of the hooks that call them."""
    name = "_allowed_determinism_checks_to_fns"

    def without_mode(native: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def seen(x: Any) -> Any:
            with torch._C.DisableTorchFunction():
                return native(x)

        return seen

    known: dict[str, Callable[[Any], Any]] = getattr(checkpoint, name, {})
    return {name: {each: without_mode(function) for each, function in known.items()}} if known else {}


def saving(graph: Any, mode: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """`saved_tensors_hooks.__init__`: the program's hooks, which may move tensors, run in the mode."""
    native: Callable[..., None] = graph.saved_tensors_hooks.__init__

    @wraps(native)
    def begin(self: Any, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        native(self, in_mode(pack_hook, mode), in_mode(unpack_hook, mode))

    return {"__init__": begin}
