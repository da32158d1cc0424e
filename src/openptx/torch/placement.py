"""Which tensors of the CPU stand for tensors of CUDA: a mark on their storage, which all views have in common.

torch keeps one Python object for a storage as long as the storage lives (2.1 and later), so a mark on it ends with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, cast

MARK = "_openptx_on_cuda"


def holder(tensor: Any) -> Any:
    """The object that carries the mark: the storage, or the tensor if it has none, such as a sparse one."""
    torch: Any = sys.modules["torch"]
    try:
        if type(tensor) is torch.Tensor:
            return tensor.untyped_storage()
        with torch._C.DisableTorchFunctionSubclass():  # a subclass's own methods are for calls of the program
            return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return tensor


def on_cuda(tensor: Any) -> bool:
    """Whether a tensor stands for one of CUDA. A fake tensor may; the one on `meta` that it contains, which has
    the same storage, does not."""
    if MARK not in getattr(holder(tensor), "__dict__", ()):
        return False
    with cast("Any", sys.modules["torch"])._C.DisableTorchFunctionSubclass():
        return tensor.device.type != "meta"


def put_on_cuda(tensor: Any) -> None:
    """From now on the tensor, and all that share its storage, stand for tensors of CUDA."""
    setattr(holder(tensor), MARK, True)


def tensors_in(torch: Any, values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among arguments or results, and in lists and tuples of them."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors_in(torch, cast("list[Any]", value))


def follow(torch: Any, result: Any, arguments: Iterable[Any]) -> None:
    """New tensors in the result of a function are where its arguments are: on CUDA, if one of them is.

    Results in the storage of an argument stay where that is: `cpu.copy_(cuda)` is on the CPU.
    """
    results = list(tensors_in(torch, (result,)))
    holders = [holder(tensor) for tensor in tensors_in(torch, arguments)] if results else []
    if any(MARK in getattr(each, "__dict__", ()) for each in holders):
        kept = {id(each) for each in holders}
        for tensor in results:
            if id(holder(tensor)) not in kept:
                put_on_cuda(tensor)


def take_from_cuda(tensor: Any) -> None:
    """From now on the tensor, and all that share its storage, are tensors of the CPU."""
    if on_cuda(tensor):
        delattr(holder(tensor), MARK)
