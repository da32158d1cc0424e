"""CUDA graphs of torch where `cuda` is the CPU; skipped without Triton or torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import openptx

triton: Any = pytest.importorskip("triton", reason="Triton is not installed: make clients")

pytestmark = pytest.mark.usefixtures("cuda_is_the_cpu")
torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")

import triton_client_kernels as kernels  # noqa: E402 (needs Triton)


def captured(function: Callable[[], Any]) -> tuple[Any, Any]:
    """A graph, and the results of the function."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        results = function()
    assert not torch.cuda.is_current_stream_capturing()
    return graph, results


def test_a_replay_computes_from_the_inputs_of_that_time() -> None:
    """Operators, views, Triton's kernels, operators in place, and constants that the function makes."""
    x, total = torch.arange(6.0, device="cuda"), torch.zeros(6, device="cuda")

    def function() -> tuple[Any, Any]:
        y, count = torch.empty_like(x), torch.zeros(2, device="cuda")
        kernels.add[(1,)](x, x, y, 6, BLOCK=16)
        total.add_(y)
        count[1:] += y.view(2, 3).t().sum()
        return y @ y, torch.stack((count, count * 2))

    graph, (product, counts) = captured(function)
    before, where = total.clone(), counts.data_ptr()
    x.fill_(3)
    graph.replay()
    graph.replay()
    assert product.item() == 6 * 36
    assert counts.tolist() == [[0, 36], [0, 72]]
    assert counts.data_ptr() == where
    assert torch.equal(total, before + 12)


def test_a_graph_keeps_the_memory_of_its_capture() -> None:
    """The program may drop tensors, or give them other memory: a graph has their addresses."""
    x = torch.ones(4, device="cuda")
    first = x.view(4)
    graph, y = captured(lambda: (x * 2).relu() + 1)
    x.data = torch.zeros(8, device="cuda")
    first.fill_(5)
    graph.replay()
    assert y.tolist() == [11] * 4


def test_training_steps_of_a_graph() -> None:
    """The backward pass and the optimizer are captured, and replays leave the versions of tensors as they are."""
    weight = torch.nn.Parameter(torch.ones(3, device="cuda"))
    x = torch.tensor([1.0, 2.0, 3.0], device="cuda")
    optimizer = torch.optim.SGD([weight], lr=0.5)

    def step() -> Any:
        optimizer.zero_grad(set_to_none=True)
        loss = (weight * x).sum()
        loss.backward()
        optimizer.step()
        return loss

    graph, loss = captured(step)
    assert weight.tolist() == [0.5, 0, -0.5]
    later = (weight * weight).sum()
    graph.replay()
    later.backward()
    assert loss.item() == -1
    assert weight.tolist() == [0, -1, -2]


def test_graphed_callables() -> None:
    layer = torch.nn.Linear(3, 2, device="cuda")
    graphed = torch.cuda.make_graphed_callables(
        lambda x: layer(x).tanh(), (torch.ones(4, 3, device="cuda", requires_grad=True),)
    )
    module = torch.cuda.make_graphed_callables(torch.nn.Linear(3, 2, device="cuda"), (torch.ones(4, 3, device="cuda"),))
    x = torch.randn(4, 3, device="cuda")
    assert torch.equal(graphed(x), layer(x).tanh())
    wanted = torch.nn.functional.linear(x, module.weight, module.bias)
    assert torch.equal(module(x), wanted)
    module(x).sum().backward()
    gradient, module.weight.grad = module.weight.grad, None
    torch.nn.functional.linear(x, module.weight, module.bias).sum().backward()
    assert torch.equal(gradient, module.weight.grad)


def test_operators_of_the_program_are_one_step_each() -> None:
    """What they execute is not repeated by itself, launches in place least of all."""

    @torch.library.custom_op(
        "openptx_graphs::twice_", mutates_args=["x"], device_types="cuda", schema="(Tensor(a!) x) -> ()"
    )
    def twice(x: Any) -> None:
        kernels.add[(1,)](x, x, x, x.numel(), BLOCK=16)

    x = torch.ones(3, device="cuda")
    graph, _ = captured(lambda: twice(x))
    assert x.tolist() == [2] * 3
    graph.replay()
    assert x.tolist() == [4] * 3


def test_a_replay_within_a_capture_and_random_numbers() -> None:
    x = torch.ones(100, device="cuda")
    inner, y = captured(lambda: x + torch.rand(100, device="cuda"))
    outer, z = captured(lambda: (inner.replay(), y * 2)[1])
    before = z.clone()
    x.fill_(7)
    outer.replay()
    assert torch.equal(z, y * 2)
    assert z.min() >= 14
    assert not torch.equal(z - 14, before - 2)


WAITING: dict[str, Callable[[Any], Any]] = {
    "aten._local_scalar_dense": lambda x: x.sum().item(),
    "aten.nonzero": torch.nonzero,
    "aten.index.Tensor": lambda x: x[x > 1],
    "a copy from": lambda x: x.cpu(),
    "a copy from or": lambda x: torch.zeros(4).copy_(x),
    "a copy from or to": lambda x: torch.tensor(1, device="cuda"),
    "a copy from or to the": lambda x: x.tolist(),
    "torch.cuda.synchronize": lambda x: torch.cuda.synchronize(),
    "Event.synchronize": lambda x: torch.cuda.Event().synchronize(),
}


@pytest.mark.parametrize("what", WAITING)
def test_what_waits_for_the_device_is_an_error(what: str) -> None:
    x, graph = torch.arange(4.0, device="cuda"), torch.cuda.CUDAGraph()
    previous = pytest.raises(RuntimeError, match="due to a previous error during capture")
    with previous as raised, torch.cuda.graph(graph):
        WAITING[what](x)
    assert "not permitted when stream is capturing: " in str(raised.value)
    assert what in str(raised.value)
    assert not torch.cuda.is_current_stream_capturing()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


def test_what_the_host_does_not_wait_for() -> None:
    x, host = torch.arange(4.0, device="cuda"), torch.zeros(4)

    def function() -> Any:
        x[x > 1] = 1
        assert torch.ones(1).item() == 1
        return host.copy_(x * 2, non_blocking=True)

    graph, _ = captured(function)
    x.fill_(0.5)
    graph.replay()
    assert host.tolist() == [1] * 4


def test_pools_and_what_a_graph_lacks() -> None:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=torch.cuda.graph_pool_handle()):
        pass
    assert graph.pool() != torch.cuda.graph_pool_handle()
    with torch.cuda.use_mem_pool(torch.cuda.MemPool()):
        assert torch.ones(2, device="cuda").is_cuda
    with pytest.raises(openptx.Unsupported, match=r"the nodes of torch\.cuda\.CUDAGraph"):
        graph.raw_cuda_graph()
    with pytest.raises(openptx.Unsupported, match=r"torch\.cuda\.MemPool with an allocator"):
        torch.cuda.MemPool(object())
