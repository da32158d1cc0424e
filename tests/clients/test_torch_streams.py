"""Streams of `torch.cuda`, and what DataParallel and benchmarks ask of a device, where the CPU stands for it."""

from __future__ import annotations

import threading
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
pytest.importorskip("triton", reason="Triton is not installed: make clients")

TARGET = "sm_90"
pytestmark = pytest.mark.usefixtures("cuda_is_the_cpu")


def test_the_current_stream_is_the_one_that_was_chosen() -> None:
    first, second = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    assert first != second
    with torch.cuda.stream(first):
        assert torch.cuda.current_stream() == torch.accelerator.current_stream() == first
        with second, torch.cuda.stream(None):
            assert torch.cuda.current_stream() is second
        torch.cuda.set_stream(second)
        assert torch.cuda.current_stream() is second
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    assert (second.priority, str(second.device)) == (-1, "cuda:0")


def test_the_current_stream_is_the_thread_s_own() -> None:
    found = list[bool]()
    with torch.cuda.stream(torch.cuda.Stream()):
        thread = threading.Thread(target=lambda: found.append(torch.cuda.current_stream() is default))
        default = torch.cuda.default_stream()
        thread.start()
        thread.join()
    assert found == [True]


def test_a_tensor_is_used_in_another_stream() -> None:
    x = torch.ones(2, device="cuda")
    x.record_stream(torch.cuda.Stream())
    assert x.tolist() == [1, 1]


def test_data_parallel_on_one_device() -> None:
    model = torch.nn.DataParallel(torch.nn.Linear(3, 2)).cuda()
    y = model(torch.ones(4, 3))
    y.sum().backward()
    assert (y.is_cuda, model.module.weight.grad.device.type) == (True, "cuda")


def test_what_benchmarks_ask_for() -> None:
    properties = torch.cuda.get_device_properties()
    assert len(properties.uuid.bytes) == 16
    assert (properties.max_threads_per_block, properties.shared_memory_per_multiprocessor) == (1024, 228 << 10)
    torch.cuda.memory.caching_allocator_enable(False)
    torch.cuda._sleep(1000)
    assert torch.cuda.current_blas_handle() == 0
