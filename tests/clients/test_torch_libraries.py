"""torch.distributed, its profiler and TorchScript where the CPU stands for `cuda`."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
pytest.importorskip("triton", reason="Triton is not installed: make clients")

TARGET = "sm_90"
pytestmark = pytest.mark.usefixtures("cuda_is_the_cpu")


@pytest.mark.parametrize("backend", ["nccl", "cpu:gloo,cuda:nccl"])
def test_collectives_of_nccl(backend: str) -> None:
    from torch import distributed

    distributed.init_process_group(backend, store=distributed.HashStore(), rank=0, world_size=1)
    try:
        x = torch.ones(3, device="cuda")
        distributed.all_reduce(x)
        gathered = [torch.zeros(3, device="cuda")]
        distributed.all_gather(gathered, x)
        module = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2).cuda(), device_ids=[0])
        module(x[None]).sum().backward()
        assert backend.endswith(distributed.get_backend())
    finally:
        distributed.destroy_process_group()
    assert gathered[0].tolist() == [1, 1, 1]
    assert module.module.weight.grad.is_cuda


def test_the_profiler_has_no_times_of_the_device(capfd: pytest.CaptureFixture[str]) -> None:
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        torch.ones(4, device="cuda").add_(1)
    events = {each.key: each for each in profiler.key_averages()}
    assert events["aten::add_"].count == 1
    assert events["aten::add_"].device_time_total == 0
    assert "aten::add_" in profiler.key_averages().table(sort_by="cuda_time_total")
    assert "Failed to record" not in capfd.readouterr().err


def twice(x: Any, y: Any) -> Any:
    return 2 * x + y


@pytest.mark.filterwarnings("ignore:`torch.jit")
def test_results_of_scripts_are_where_their_arguments_are() -> None:
    x, y = torch.ones(1, 2), torch.ones(1, 2, device="cuda")
    traced = torch.jit.trace(twice, (x, x))
    module = torch.jit.trace(torch.nn.Linear(2, 3).cuda(), y)
    assert [traced(x, y).is_cuda, traced(x, x).is_cuda, module(y).is_cuda] == [True, False, True]
