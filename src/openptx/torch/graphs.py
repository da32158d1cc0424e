"""`torch.cuda.CUDAGraph` where `cuda` is the CPU: the operators of torch and the launches of Triton that a program
captures are executed again, in the same order and the same memory.

They are executed during capture as well, in which CUDA leaves the memory as it is. Python's code and the program's own
computations on the CPU, other than those by torch's operators, are not repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any, NoReturn

from openptx.errors import Unsupported
from openptx.torch.placement import holder, on_cuda
from openptx.triton.capture import Capture, current_capture, set_capture, suspended

UNDEFINED = tuple(
    f"aten::{name}"
    for name in ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")
)
"""Operators that give memory as it is, so that a replay leaves it as it is."""

_POOLS = count(1)


def graph_pool_handle() -> tuple[int, int]:
    return 0, next(_POOLS)


class CUDAGraph:
    """A graph. The memory of its tensors, also of the captured function's arguments, lives as long as the graph."""

    def __init__(self, keep_graph: bool = False) -> None:
        self.handle = graph_pool_handle()
        self.capture: Capture | None = None
        self.mode: Any = None

    def capture_begin(
        self,
        pool: tuple[int, int] | None = None,
        capture_error_mode: str = "global",
        check_input_liveness: bool = False,
    ) -> None:
        if self.capture is not None:
            raise RuntimeError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance."
            )
        if current_capture() is not None:
            raise RuntimeError("this thread captures another CUDA graph already")
        self.handle = pool or self.handle
        self.capture = Capture()
        set_capture(self.capture)
        self.mode = recording(self.capture)
        self.mode.__enter__()

    def capture_end(self) -> None:
        capture, mode = self.capture, self.mode
        if capture is None or mode is None:
            raise RuntimeError("CUDAGraph.capture_end without capture_begin")
        self.mode = None
        mode.__exit__(None, None, None)
        set_capture(None)
        if capture.failure is not None:
            self.capture = None
            raise RuntimeError(
                f"CUDA error: operation failed due to a previous error during capture: {capture.failure}"
            ) from capture.failure

    def replay(self) -> None:
        if self.capture is None or self.mode is not None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        outer = current_capture()
        if outer is not None:
            outer.steps.extend(self.capture.steps)
        with suspended(), import_module("torch.utils._python_dispatch")._disable_current_modes():
            for step in self.capture.steps:
                step()

    def reset(self) -> None:
        self.capture = None

    def pool(self) -> tuple[int, int]:
        return self.handle

    def instantiate(self) -> None:
        """Does nothing: a captured graph can be replayed."""

    def enable_debug_mode(self) -> None:
        """Does nothing: it is for `debug_dump`."""

    def register_generator_state(self, generator: object) -> None:
        """Does nothing: each replay draws new numbers of any generator."""

    def debug_dump(self, debug_path: str) -> NoReturn:
        raise Unsupported("the nodes of torch.cuda.CUDAGraph: here it is a list of operators and launches")

    def raw_cuda_graph(self) -> NoReturn:
        self.debug_dump("")

    def raw_cuda_graph_exec(self) -> NoReturn:
        self.debug_dump("")

    def get_graph_data(self) -> NoReturn:
        self.debug_dump("")


class MemPool:
    """`torch.cuda.MemPool`: a name; tensors lie in the memory of the CPU."""

    def __init__(self, allocator: object = None, use_on_oom: bool = False, no_split: bool = False) -> None:
        if allocator is not None:
            raise Unsupported("torch.cuda.MemPool with an allocator: tensors lie in the memory of torch for the CPU")
        self.allocator, self.id = allocator, graph_pool_handle()

    def use_count(self) -> int:
        return 1

    def snapshot(self, include_traces: bool = True) -> list[Any]:
        return []


def use_mem_pool(pool: MemPool, device: object = None) -> Any:
    return nullcontext()


def recording(capture: Capture) -> Any:
    """A mode of torch in which operators are steps of the capture."""
    torch, python_dispatch = import_module("torch"), import_module("torch.utils._python_dispatch")

    def dispatch(self: Any, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(each.__torch_dispatch__ is not torch._C._disabled_torch_dispatch_impl for each in types):
            return NotImplemented  # a subclass of Tensor executes operators of plain tensors, which come here
        return captured(capture, torch, operator, args, kwargs or {})

    base: Any = python_dispatch.TorchDispatchMode
    members = {"__torch_dispatch__": dispatch, "supports_higher_order_operators": True}
    return type("CaptureOperators", (base,), members)()


def captured(capture: Capture, torch: Any, operator: Any, args: Any, kwargs: Any) -> Any:
    """Executes an operator, which becomes a step of the capture if it writes memory."""
    tree = torch.utils._pytree

    def same_memory(value: Any) -> Any:
        """A tensor apart, whose sizes and memory the program cannot change afterwards, and without autograd."""
        return value.data if isinstance(value, torch.Tensor) else value

    given = [each for each in tree.tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
    if any(map(on_cuda, given)) and waits(torch, operator, args, kwargs):
        capture.refuse(f"the host waits for the result of `{operator}`")
    again = tree.tree_map(same_memory, (args, kwargs))
    with suspended():
        result = operator(*args, **kwargs)
    results = [same_memory(each) for each in tree.tree_leaves(result)]
    new = new_tensors(torch, given, results)
    made = [each for each in new if each is not None]
    if any(each.layout != torch.strided for each in made):
        capture.fail(Unsupported(f"sparse tensors made in a CUDA graph of torch ({operator})"))
    capture.memory.extend(made)
    if has_effect(operator, bool(given), bool(made)):
        grad = None if torch.is_inference_mode_enabled() else torch.is_grad_enabled()
        capture.steps.append(partial(execute, torch, tree.tree_leaves, grad, operator, *again, new))
    return result


def new_tensors(torch: Any, given: list[Any], results: list[Any]) -> list[Any]:
    """The results, with None for those that are no tensors or lie in the memory of tensors that were given."""
    before = set(map(id, map(holder, given)))
    return [each if isinstance(each, torch.Tensor) and id(holder(each)) not in before else None for each in results]


def execute(
    torch: Any, leaves: Callable[[Any], list[Any]], grad: bool | None, operator: Any, args: Any, kwargs: Any,
    into: list[Any],
) -> None:  # fmt: skip
    """Executes an operator again; its new results go to the memory of the captured ones. Some depend on whether
    autograd is active: `grad` is None for inference mode."""
    with torch.inference_mode() if grad is None else torch.set_grad_enabled(grad):
        for old, new in zip(into, leaves(operator(*args, **kwargs)), strict=True):
            if old is not None:
                old.copy_(new)


def has_effect(operator: Any, given: bool, made: bool) -> bool:
    """Whether an operator writes memory: that of new tensors, or of those that it is given. Operators of a program may
    do so without saying it."""
    schema: Any = getattr(operator, "_schema", None)
    if schema is None or not schema.name.startswith("aten::"):
        return given or made
    return schema.is_mutable or (made and schema.name not in UNDEFINED)


def waits(torch: Any, operator: Any, args: Any, kwargs: Any) -> bool:
    """Whether the host waits for an operator on a GPU: it gives a number, or its result has a size that depends on
    the data."""
    name = getattr(operator, "__name__", "")
    if name.startswith(("index.", "index_put")):  # by masks; a single value is written without counting
        masks = any(each is not None and each.dtype in (torch.bool, torch.uint8) for each in args[1])
        return masks and not (len(args) > 2 and args[2].numel() == 1)
    if kwargs.get("output_size") is not None:
        return False
    tags: Any = getattr(operator, "tags", ())
    return torch.Tag.dynamic_output_shape in tags or torch.Tag.data_dependent_output in tags
