"""Triton's kernels on CPU tensors and NumPy arrays, compared with torch and NumPy; skipped without Triton or torch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import openptx
from openptx import memory
from openptx.errors import ArgumentError, Fault
from openptx.sanitize.error import SanitizerError

triton: Any = pytest.importorskip("triton", reason="Triton is not installed: make clients")
torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")

import triton_client_kernels as kernels  # noqa: E402 (needs Triton)

TARGETS = ["sm_80", "sm_90"]


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    openptx.triton.activate(request.param)
    torch.manual_seed(0)
    yield request.param
    openptx.triton.deactivate()


@pytest.fixture
def active() -> Iterator[None]:
    openptx.triton.activate("sm_90")
    yield
    openptx.triton.deactivate()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int32", "int64"])
def test_sums_of_vectors(target: str, dtype: str) -> None:
    n, kind = 1 << 12 | 5, getattr(torch, dtype)
    x, y = (torch.randn(n) * 100).to(kind), (torch.randn(n) * 100).to(kind)
    out = torch.zeros(n, dtype=kind)
    compiled = kernels.add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=1024)
    assert torch.equal(out, x + y)
    assert f".target {target}" in compiled.asm["ptx"]
    assert compiled.asm["cubin"].decode() == compiled.asm["ptx"]


def test_numpy_arrays(target: str) -> None:
    x, y, out = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), np.zeros(1000, np.float32)
    kernels.add[(1,)](x, y, out, 1000, BLOCK=1024)
    assert (out == x + y).all()
    kernels.add[(1,)](x[500:], y[200:700], out, 100, BLOCK=128)  # a view begins where it begins
    assert (out[:100] == x[500:600] + 1).all()


def test_softmax_by_a_fixed_number_of_programs(target: str) -> None:
    x = torch.randn(67, 781)
    out = torch.empty_like(x)
    facts = triton.runtime.driver.active.utils.get_device_properties(None)
    compiled = kernels.softmax.warmup(x, out, x.stride(0), out.stride(0), 67, 781, BLOCK=1024, STAGES=2, grid=(1,))
    compiled._init_handles()
    fits = facts["max_num_regs"] // (compiled.n_regs * facts["warpSize"] * 4)
    assert 1 <= fits <= 100
    assert compiled.metadata.shared <= facts["max_shared_mem"]
    launch = compiled[(min(16, fits * facts["multiprocessor_count"]), 1, 1)]
    launch(x, out, x.stride(0), out.stride(0), 67, 781, 1024, 2)
    torch.testing.assert_close(out, torch.softmax(x, 1), rtol=1e-6, atol=1e-7)
    with pytest.raises(ArgumentError, match="8 arguments are needed, constants too"):
        launch(x, out, x.stride(0), out.stride(0), 67, 781)


def matmul(a: Any, b: Any, **options: Any) -> Any:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=torch.float16)

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)

    kernels.matmul[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), 0.5, **options)
    return c


def test_products_of_matrices_with_autotuning(target: str) -> None:
    a, b = torch.randn(100, 72).half(), torch.randn(64, 72).half().T  # b is transposed: strides are not those of rows
    found = matmul(a, b, RELU=True)
    wanted = torch.relu(a.float() @ b.float() * 0.5).half()
    torch.testing.assert_close(found, wanted, rtol=1e-2, atol=1e-2)
    assert kernels.matmul.best_config == kernels.CONFIGS[0]  # the first that works, whatever this computer is at


@pytest.mark.parametrize(("every", "wanted"), [(False, [8, 16, 16]), (True, [8, 16, 32, 16])])
def test_configurations_after_the_first_that_works_are_not_run(target: str, every: bool, wanted: list[int]) -> None:
    """Each new key is tuned. The last width is that of the call itself, with the chosen configuration."""
    openptx.triton.activate(target, every_configuration=every)
    kernels.doubled.cache.clear()
    for n in (40, 50):
        kernels.RUN.clear()
        x = torch.ones(n)
        kernels.doubled[lambda meta: (triton.cdiv(meta["n"], meta["WIDTH"]),)](x, n)
        assert wanted == kernels.RUN
        assert kernels.doubled.best_config.kwargs == {"WIDTH": 16}
        assert x.tolist() == [2.0 ** (len(wanted) - 1)] * n


def test_normalised_layers(target: str) -> None:
    rows, n = 10, 300
    x = torch.randn(rows, n, requires_grad=True)
    weight, bias = torch.rand(n, requires_grad=True), torch.rand(n, requires_grad=True)
    wanted, dy = torch.nn.functional.layer_norm(x, (n,), weight, bias, 1e-5), torch.randn(rows, n)
    wanted.backward(dy)
    out, mean, rstd = torch.empty(rows, n), torch.empty(rows), torch.empty(rows)
    kernels.layer_norm[(rows,)](x, out, weight, bias, mean, rstd, n, n, 1e-5, BLOCK=512)
    torch.testing.assert_close(out, wanted.detach(), rtol=1e-5, atol=1e-5)
    groups = 3
    dx, dw, db = torch.empty(rows, n), torch.zeros(groups, n), torch.zeros(groups, n)
    locks = torch.zeros(2 * groups, dtype=torch.int32)
    kernels.layer_norm_backward[(rows,)](
        dx, dy, dw, db, x, weight, mean, rstd, locks, n, n, GROUPS=groups, BLOCK=512, num_warps=2
    )
    for found, leaf in ((dx, x), (dw.sum(0), weight), (db.sum(0), bias)):
        torch.testing.assert_close(found, leaf.grad, rtol=1e-4, atol=1e-4)


def test_pointers_in_memory(active: None) -> None:
    blocks = [memory.allocate(512) for _ in range(3)]
    for i, block in enumerate(blocks):
        block.array(np.float32)[:] = i + 1
    given = torch.from_numpy(blocks[2].array(np.float32))
    assert given.data_ptr() == blocks[2].address  # the same address for torch and for kernels
    pointers, out = torch.tensor([*map(int, blocks)]), torch.zeros(128)
    kernels.sum_of_pointers[(1,)](pointers, out, 3, BLOCK=128)
    assert (out == 6).all()
    for block in blocks:
        memory.free(block)


def test_scalars_of_each_type(active: None) -> None:
    out = torch.zeros(5, dtype=torch.float64)
    kernels.scalars[(1,)](out, 7, -(1 << 40), 0.1, 1, True)
    assert out.tolist() == [7.0, -float(1 << 40), float(np.float32(0.1)), 1.0, 1.0]


def test_tensor_descriptors_of_the_host(target: str) -> None:
    from triton.tools.tensor_descriptor import TensorDescriptor

    x = torch.arange(64 * 64, dtype=torch.float32).reshape(64, 64)
    out = torch.zeros(64, 64)
    source, into = (TensorDescriptor.from_tensor(t, [16, 32]) for t in (x, out))
    kernels.copy_tile[(1,)](source, into, 16, 32, BM=16, BN=32)
    wanted = torch.zeros(64, 64)
    wanted[16:32, 32:64] = 2 * x[16:32, 32:64]
    assert torch.equal(out, wanted)


def test_tensor_descriptors_of_the_device(target: str) -> None:
    x, out = torch.randn(100, 64), torch.zeros(100, 64)
    kernels.double_tile[(7, 2)](x, out, 100, 64, BM=16, BN=32)
    assert torch.equal(out, 2 * x)


def test_clusters(active: None) -> None:
    x = torch.rand(1000)
    out = torch.zeros(1000)
    compiled = kernels.add[(4,)](x, x, out, 1000, BLOCK=256, num_ctas=2)
    assert compiled.metadata.num_ctas == 2
    assert torch.equal(out, 2 * x)


def test_tuples(active: None) -> None:
    x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
    kernels.sum_of_tuple[(1,)]((x, 2, y), out, BLOCK=64)
    torch.testing.assert_close(out, x * 2 + y)


def test_printing(active: None, capfd: pytest.CaptureFixture[str]) -> None:
    kernels.tell[(1,)](42, num_warps=1)
    assert capfd.readouterr().out.count("42") == 32


def test_an_empty_grid_launches_nothing(active: None) -> None:
    out = torch.zeros(8)
    kernels.add[(0,)](out, out, out, 8, BLOCK=8)
    with pytest.raises(ArgumentError, match=r"the grid is \(-1, 1, 1\): it cannot have a negative extent"):
        kernels.add[(-1,)](out, out, out, 8, BLOCK=8)


def test_hooks_are_called_around_a_launch(active: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from triton import knobs

    seen: list[str] = []
    out = torch.zeros(8)
    knobs.runtime.launch_enter_hook.add(enter := lambda given: seen.append(f"enter {given.get()['name']}"))
    knobs.runtime.launch_exit_hook.add(leave := lambda given: seen.append("leave"))
    try:
        kernels.add[(1,)](out, out, out, 8, BLOCK=8)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    assert seen == ["enter add", "leave"]


def test_an_access_outside_is_a_fault_with_the_line_in_python(active: None) -> None:
    x, y, out = torch.rand(1000), torch.rand(1000), torch.zeros(1000)
    with pytest.raises(Fault) as fault:
        kernels.unmasked_add[(1,)](x, y, out, 1000, BLOCK=1024)
    assert "argument `x`, 4000 bytes" in str(fault.value)
    assert "triton_client_kernels.py:" in str(fault.value)
    kernels.add[(1,)](x, y, out, 1000, BLOCK=1024)  # and the device goes on
    assert torch.equal(out, x + y)


def test_findings_of_the_sanitizer_are_errors() -> None:
    openptx.triton.activate("sm_90", sanitize="race")
    try:
        x, out = torch.rand(128), torch.zeros(128)
        kernels.add[(1,)](x, x, out, 128, BLOCK=128)
        with pytest.raises(SanitizerError):
            kernels.scalars[(2,)](torch.zeros(5, dtype=torch.float64), 1, 2, 3.0, 4, True)
    finally:
        openptx.triton.deactivate()


def test_uses_of_undefined_arrays_are_errors() -> None:
    openptx.triton.activate("sm_90", sanitize="all")
    try:
        x, out = np.ones(128, np.float32), np.zeros(128, np.float32)
        kernels.add[(1,)](x, x, out, 128, BLOCK=128)
        with pytest.raises(SanitizerError, match=r"never written(?s:.)*tl\.store\(out(?s:.)*other: (?s:.)*tl\.load\("):
            kernels.add[(1,)](x, openptx.empty(128, np.float32), out, 128, BLOCK=128)
    finally:
        openptx.triton.deactivate()


def test_measuring(active: None) -> None:
    x, out = torch.rand(128), torch.zeros(128)
    assert triton.testing.do_bench(lambda: kernels.add[(1,)](x, x, out, 128, BLOCK=128), warmup=1, rep=2) > 0


def test_what_is_no_memory_of_the_cpu(active: None) -> None:
    with pytest.raises(ArgumentError, match=r"argument `x`: .*not in the memory of the CPU"):
        kernels.add[(1,)](torch.rand(8, device="meta"), torch.rand(8), torch.rand(8), 8, BLOCK=8)


def test_activation_is_undone() -> None:
    from triton import knobs
    from triton.runtime import jit

    before = knobs.runtime.add_stages_inspection_hook, jit.native_specialize_impl
    assert openptx.triton.active_target() is None
    openptx.triton.activate("sm_90a")
    openptx.triton.activate("sm_80")
    assert openptx.triton.active_target() == "sm_80"
    assert triton.runtime.driver.active.get_current_target().arch == 80
    openptx.triton.deactivate()
    openptx.triton.deactivate()
    assert (knobs.runtime.add_stages_inspection_hook, jit.native_specialize_impl) == before
    assert openptx.triton.active_target() is None


@pytest.mark.parametrize(("wrong", "why"), [("sm_99", "no target"), ("hopper", "no target"), ("sm_50", "run for")])
def test_targets_that_there_are_not(wrong: str, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        openptx.triton.activate(wrong)


def test_kernels_that_are_interpreted_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with pytest.raises(ArgumentError, match="unset it"):
        openptx.triton.activate("sm_80")


def test_importing_needs_neither_triton_nor_torch() -> None:
    code = "import sys, openptx.triton; print('triton' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
