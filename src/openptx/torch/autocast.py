"""`torch.autocast("cuda")`: what it casts on a GPU, for tensors of the CPU.

The autocast for the CPU is entered with it, which casts the operands of products and convolutions. Operators that only
the one for CUDA casts (torch's documentation, "CUDA Ops that can autocast to float32") get kernels here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

KEY = "AutocastCPU"

TO_FLOAT32 = (
    "acos", "asin", "cosh", "cosine_similarity", "cumprod", "cumsum", "dist", "erfinv", "exp", "expm1",
    "frobenius_norm.dim", "group_norm", "layer_norm", "linalg_matrix_norm", "linalg_matrix_norm.str_ord",
    "linalg_vector_norm", "log", "log10", "log1p", "log2", "log_softmax.int", "logsumexp", "native_layer_norm",
    "norm.Scalar", "norm.ScalarOpt_dim", "nuclear_norm", "nuclear_norm.dim", "pdist", "pow.Scalar",
    "pow.Tensor_Scalar", "pow.Tensor_Tensor", "reciprocal", "renorm", "rms_norm", "rsqrt", "sinh", "softmax.int",
    "softplus", "sum", "sum.dim_IntList", "tan",
)  # fmt: skip
TO_LOWER = "addmv", "addr", "chain_matmul", "gru_cell", "lstm_cell", "mv", "rnn_relu_cell", "rnn_tanh_cell"


class Casts:
    """Kernels that cast their arguments as CUDA's do, in autocasts for CUDA, until `close`."""

    def __init__(self, torch: Any) -> None:
        self.library = torch.library.Library("aten", "IMPL")
        for name in (*TO_FLOAT32, *TO_LOWER):
            packet, _, overload = name.partition(".")
            with suppress(AttributeError):  # an operator that this release of torch does not have
                operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
                self.library.impl(name, partial(casting, torch, operator, name in TO_LOWER), KEY)

    def close(self) -> None:
        self.library._destroy()


def casting(torch: Any, operator: Any, lower: bool, *arguments: Any, **options: Any) -> Any:
    """An operator, of arguments that have been cast; as they are in an autocast of the program's for the CPU alone, or
    if the program says the type of the result."""
    if torch.is_autocast_enabled("cuda") and options.get("dtype") is None:
        to = torch.get_autocast_dtype("cuda") if lower else torch.float32
        arguments = tuple(cast_to(torch, to, each) for each in arguments)
        options = {name: cast_to(torch, to, each) for name, each in options.items()}
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)):
        return operator(*arguments, **options)


def cast_to(torch: Any, to: Any, argument: Any) -> Any:
    """Tensors of floating-point numbers, also in lists, in another type. Those of f64 stay."""
    if isinstance(argument, list | tuple):
        return [cast_to(torch, to, each) for each in cast("Sequence[Any]", argument)]
    if isinstance(argument, torch.Tensor) and argument.is_floating_point() and argument.dtype != torch.float64:
        return argument.to(to)
    return argument


def entering(torch: Any) -> dict[str, Callable[..., Any]]:
    """`torch.autocast.__enter__` and `__exit__`: the one for CUDA makes the CPU's operators cast to its type, too."""
    native, attribute = torch.autocast, "_openptx_for_the_cpu"

    def enter(self: Any, native_enter: Any = native.__enter__) -> Any:
        result = native_enter(self)
        if self.device == "cuda":
            contexts: list[Any] = self.__dict__.setdefault(attribute, [])
            contexts.append(native("cpu", dtype=self.fast_dtype, enabled=self._enabled))
            contexts[-1].__enter__()
        return result

    def leave(self: Any, *exception: Any, native_exit: Any = native.__exit__) -> Any:
        if self.device == "cuda" and self.__dict__.get(attribute):
            self.__dict__[attribute].pop().__exit__(*exception)
        return native_exit(self, *exception)

    return {"__enter__": enter, "__exit__": leave}
