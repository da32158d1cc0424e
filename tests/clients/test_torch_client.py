"""torch's `cuda` on the CPU, and the ways to run scripts and tests with it; skipped without Triton or torch."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import openptx

triton: Any = pytest.importorskip("triton", reason="Triton is not installed: make clients")
torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")

import triton_client_kernels as kernels  # noqa: E402 (needs Triton)


@pytest.fixture
def active() -> Iterator[None]:
    if torch.cuda.is_available():
        pytest.skip("torch has a GPU")
    openptx.torch.activate("sm_80")
    yield
    openptx.torch.deactivate()


def test_tensors_of_cuda_are_in_the_memory_of_the_cpu(active: None) -> None:
    x = torch.arange(1000.0, device="cuda")
    y, out = torch.ones(1000).to("cuda:0"), torch.empty_like(x)
    assert x.is_cuda
    kernels.add[(1,)](x, y, out, 1000, BLOCK=1024)
    assert torch.equal(out.cpu(), x + 1)


def test_where_there_is_a_device_there_is_a_version_of_cuda() -> None:
    openptx.torch.activate("sm_80")
    version = torch.version.cuda
    openptx.torch.deactivate()
    assert int(version.split(".")[0]) >= 12
    assert torch.version.cuda is None


def test_compiled_functions_run_as_they_are_written() -> None:
    """Graphs do not know which tensors stand for tensors of CUDA, also those that were compiled before."""
    traced: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        traced.append(graph)
        return graph.forward

    def shifted(x: Any) -> Any:
        return x.sin() + torch.arange(x.numel(), device=x.device)

    before = torch.compile(shifted, backend=backend)
    openptx.torch.activate("sm_80")
    try:
        x = torch.ones(4, device="cuda")
        for each in (before, torch.compile(shifted, backend=backend, fullgraph=True)):
            assert each(x).device == torch.device("cuda", 0)
            assert torch.equal(each(x), shifted(x))
        assert traced == []
    finally:
        openptx.torch.deactivate()
    before(torch.ones(4))
    assert len(traced) == 1


class Window:
    """A part of a tensor, as libraries write it: Triton asks for no more than its type and address."""

    def __init__(self, tensor: Any, begin: int) -> None:
        self.tensor, self.begin, self.dtype = tensor, begin, tensor.dtype

    def data_ptr(self) -> Any:
        return self.tensor.data_ptr() + self.begin * self.tensor.element_size()


def test_objects_that_only_have_an_address(active: None) -> None:
    x, out = torch.arange(20.0, device="cuda"), torch.zeros(20, device="cuda")
    kernels.add[(1,)](Window(x, 4), x, Window(out, 10), 10, BLOCK=16)
    assert torch.equal(out[10:], x[4:14] + x[:10])
    assert out[:10].tolist() == [0] * 10


def test_operators_registered_for_cuda_are_called(active: None) -> None:
    """`first` and `last` have a kernel for each device: a tensor's device decides, whichever came first."""

    @torch.library.custom_op("openptx_tests::plus", mutates_args=(), device_types="cuda")
    def plus(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        kernels.add[(1,)](x, y, out, x.numel(), BLOCK=64)
        return out

    assert plus(torch.ones(50, device="cuda"), torch.ones(50).cuda()).tolist() == [2] * 50
    library = torch.library.Library("openptx_tests", "FRAGMENT")
    for name, order in (("first", ("CUDA", "CPU")), ("last", ("CPU", "CUDA"))):
        library.define(f"{name}(Tensor x) -> Tensor")
        for key in order:
            library.impl(name, lambda x, key=key: x + 1 if key == "CUDA" else x, key)
        operator = getattr(torch.ops.openptx_tests, name)
        device, host = operator(torch.zeros(2, device="cuda")), operator(torch.zeros(2))
        assert (device.tolist(), host.tolist()) == ([1, 1], [0, 0])
        assert (device.is_cuda, host.is_cuda) == (True, False)
    inner = torch.library.Library("aten", "IMPL")

    def half(x: torch.Tensor) -> torch.Tensor:
        out = torch.zeros(x.shape, device="cuda")
        kernels.add[(1,)](Window(x, 0), Window(x, 0), Window(out, 0), x.numel(), BLOCK=16)
        return out - 1

    inner.impl("sinc", half, "CUDA")
    assert torch.sinc(torch.ones(2, device="cuda") / 2).tolist() == [0, 0]
    inner._destroy()
    assert torch.sinc(torch.zeros(2)).tolist() == [1, 1]
    other = torch.library.Library("aten", "IMPL")
    other.impl("sinc", torch.zeros_like, "CPU")
    assert torch.sinc(torch.zeros(2)).tolist() == [0, 0]
    other._destroy()


def test_operators_for_all_devices_see_the_device(active: None) -> None:
    @torch.library.custom_op("openptx_tests::where", mutates_args=())
    def where(x: torch.Tensor) -> torch.Tensor:
        assert x.device == torch.empty(1, device="cuda").device
        return torch.ones(2, device=x.device)

    library = torch.library.Library("openptx_tests", "FRAGMENT")
    library.define("there(Tensor x) -> Tensor")
    library.impl("there", lambda x: torch.ones(2, device="cuda") if x.is_cuda else torch.zeros(2))
    cuda = torch.zeros(2).cuda()
    assert where(cuda).is_cuda
    assert torch.ops.openptx_tests.there(cuda).tolist() == [1, 1]
    assert torch.ops.openptx_tests.there(torch.zeros(2)).tolist() == [0, 0]
    openptx.torch.deactivate()
    assert not torch.ops.openptx_tests.there(cuda).is_cuda


def test_the_device_says_what_the_target_is(active: None) -> None:
    assert torch.cuda.is_available()
    assert torch.cuda.get_device_capability() == (8, 0)
    assert torch.cuda.get_device_properties("cuda").multi_processor_count == 108
    assert torch.cuda.get_device_properties("cuda").gcnArchName == torch.cuda.get_device_name()  # as torch for CUDA
    torch.manual_seed(1)
    first = torch.randn(3, device="cuda")
    torch.cuda.manual_seed_all(1)
    assert torch.equal(first, torch.randn(3, device="cuda"))
    with torch.cuda.stream(torch.cuda.Stream()):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        end.record()
        torch.cuda.synchronize()
        end.wait(torch.cuda.current_stream())
        assert end.query()
    with torch.cuda.nvtx.range("a part of the program"):
        torch.cuda.ipc_collect()
    assert torch.cuda.memory_reserved() == torch.cuda.max_memory_reserved() == 0
    assert begin.elapsed_time(end) > 0


def test_the_accelerator_is_cuda(active: None) -> None:
    if not hasattr(torch, "accelerator"):
        pytest.skip("torch 2.6 and later have it")
    assert torch.zeros(2, device=torch.accelerator.current_accelerator()).is_cuda
    with torch.accelerator.device_index(torch.accelerator.current_device_index()):
        torch.accelerator.synchronize()
    assert not torch.accelerator.current_stream().is_capturing()
    event = torch.Event("cuda", enable_timing=True)
    event.record(torch.Stream())
    assert event.query()
    assert torch.accelerator.memory.memory_stats()["allocated_bytes.all.peak"] == torch.cuda.memory.memory_allocated()
    torch.cuda.memory.reset_peak_memory_stats()
    torch.cuda.manual_seed(7)
    assert torch.cuda.random.initial_seed() == 7


def test_functions_that_generated_code_calls(active: None) -> None:
    with torch.cuda._DeviceGuard(0):  # by code of Inductor and FlagGems
        assert torch._C._cuda_getCurrentRawStream(0) == 0
    made = torch._C._dynamo.guards._empty_strided_cuda((2, 3), (1, 2), torch.float16)
    assert made.is_cuda
    assert made.stride() == (1, 2)


def test_pinned_batches_in_another_thread(active: None) -> None:
    loader = torch.utils.data.DataLoader(torch.arange(6.0), batch_size=4, pin_memory=True, num_workers=1)
    assert [batch.cuda().sum().item() for batch in loader] == [6, 9]


def driver_device() -> Any:
    return openptx.triton.driver.Driver.get_active_torch_device


def test_each_thread_activates_the_device_for_itself(active: None) -> None:
    """Threads that do so at the same time, or for another target, take it from no other thread."""
    begin, between, found = threading.Barrier(4), sys.getswitchinterval(), list[str]()

    def work() -> None:
        begin.wait()
        openptx.torch.activate("sm_90")
        found.append(str((torch.zeros(2, device="cuda") + 1).device))

    threads = [threading.Thread(target=work) for _ in range(4)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(between)
    assert found == ["cuda:0"] * 4
    assert str(torch.zeros(2, device="cuda").device) == "cuda:0"
    assert torch.cuda.get_device_capability() == (9, 0)


def test_it_is_undone() -> None:
    if torch.cuda.is_available():
        pytest.skip("torch has a GPU")
    owners = (
        torch, torch._C, torch.cuda, torch.cuda.memory, torch.accelerator, torch.cuda.nvtx, torch.library.Library,
        torch.autograd, torch.autograd.Function, torch.autocast,
        torch.autograd.function.BackwardCFunction, torch.utils.checkpoint,
    )  # fmt: skip
    before = [{**vars(owner)} for owner in owners]
    state, getters = torch.get_rng_state(), driver_device()
    openptx.torch.activate("sm_90")
    openptx.torch.activate("sm_80")
    assert openptx.triton.active_target() == "sm_80"
    openptx.torch.deactivate()
    openptx.torch.deactivate()
    assert [{**vars(owner)} for owner in owners] == before
    assert torch.equal(torch.get_rng_state(), state)
    assert driver_device() == getters
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        torch.zeros(1, device="cuda")
    with pytest.raises(openptx.ArgumentError, match="no target"):
        openptx.torch.activate("sm_1")


def test_a_generator_of_cuda_has_a_seed_and_an_offset(active: None) -> None:
    torch.manual_seed(3)
    (generator,) = torch.cuda.default_generators
    before = generator.get_state()
    assert before.view(torch.int64).tolist() == [3, 0]
    first = torch.rand(3, device="cuda")
    after = generator.get_state()
    assert after.view(torch.int64).tolist() == [3, 4]
    second = torch.rand(3, device="cuda")
    assert torch.equal(torch.rand(3, device="cuda", generator=generator.set_state(before)), first)
    generator.set_state(after)
    assert torch.equal(generator.get_state(), after)
    assert torch.equal(torch.rand(3, device="cuda"), second)
    with pytest.raises(RuntimeError, match="wrong size"):
        generator.set_state(torch.get_rng_state())
    own, twin = torch.Generator("cuda").manual_seed(2**64 - 1), torch.Generator(x_device()).manual_seed(2**64 - 1)
    assert torch.equal(torch.rand(3, generator=own), torch.rand(3, generator=twin))
    assert torch.equal(own.get_state(), twin.get_state())
    assert torch.equal(torch.rand(3, generator=own.clone_state()), torch.rand(3, generator=own))
    assert isinstance(own, torch.Generator)
    assert isinstance(torch.default_generator, torch.Generator)
    assert (own.device.type, torch.Generator().device.type) == ("cuda", "cpu")


def x_device() -> Any:
    return torch.zeros(1, device="cuda").device


SCRIPT = """
import sys, torch, triton, triton.language as tl

@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)

x = torch.arange(100, device="cuda")
double[(1,)](x, 100, BLOCK=128)
assert torch.equal(x, 2 * torch.arange(100, device="cuda"))
print(torch.cuda.get_device_capability(), __name__, *sys.argv[1:])
"""


def test_scripts_run_as_they_are(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "openptx.torch", "--target", "sm_80", str(script), "--size", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == "(8, 0) __main__ --size 3\n", done.stderr
    absent = subprocess.run([*command[:-3], "absent.py"], capture_output=True, text=True, timeout=300)
    assert (absent.returncode, absent.stderr.count("Traceback")) == (2, 0)
    assert "absent.py" in absent.stderr


SUITE = {
    "conftest.py": "import torch, triton\nLIBRARY = triton.runtime.driver.active.get_current_target().arch\n",
    "test_it.py": (
        "import torch\nfrom conftest import LIBRARY\n"
        "def test_it():\n    assert torch.zeros(1, device='cuda').is_cuda and LIBRARY == 80\n"
    ),
}


@pytest.mark.parametrize("named", ["on the command line", "in conftest.py"])
def test_suites_run_as_they_are(named: str, tmp_path: Path) -> None:
    for name, text in SUITE.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    if named == "in conftest.py":
        (tmp_path / "conftest.py").write_text("pytest_plugins = ['openptx.torch.plugin']\nLIBRARY = 80\n")
        command += [str(tmp_path)]
    else:
        command += ["-p", "openptx.torch.plugin", "--torch-target", "sm_80", str(tmp_path)]
    environment = {**os.environ, "OPENPTX_DEVICE": "sm_80"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
