"""Triton kernels of torch.compile on CPU tensors, compared with torch; skipped without Triton or torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import openptx

triton: Any = pytest.importorskip("triton", reason="Triton is not installed: make clients")
torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
F = torch.nn.functional


@pytest.fixture(autouse=True, scope="module")
def _compiler() -> None:
    """Imported where these tests run: it takes a second, and every worker collects them."""
    pytest.importorskip("torch._inductor.utils", reason="this torch has no compiler")


@pytest.fixture(params=["sm_80", pytest.param("sm_90", marks=pytest.mark.sweep)])
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    openptx.torch.compile_with_triton(request.param, timeout=120)
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield request.param
    openptx.torch.deactivate()


def compiled(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result of the compiled function, which consists of Triton kernels."""
    result, code = torch._inductor.utils.run_and_get_code(torch.compile(function, **options), *arguments)
    assert any("async_compile.triton" in one for one in code)
    return result


def gelu_and_norm(x: Any, w: Any, b: Any) -> Any:
    return F.layer_norm(F.gelu(x) * 2, (x.shape[-1],), w, b)


def softmax(x: Any) -> Any:
    return torch.softmax(x.float(), -1).to(x.dtype)


def gathered(x: Any, i: Any) -> Any:
    return x[i].cumsum(0).amax(1)


def test_pointwise_and_reductions(target: str) -> None:
    x, w, b = torch.randn(64, 200), torch.rand(200), torch.rand(200)
    torch.testing.assert_close(compiled(gelu_and_norm, x, w, b), gelu_and_norm(x, w, b), rtol=1e-5, atol=1e-5)
    h = torch.randn(32, 1000).half()
    torch.testing.assert_close(compiled(softmax, h), softmax(h))


@pytest.mark.sweep
def test_indices_and_scans(target: str) -> None:
    x, i = torch.randn(50, 60), torch.randint(0, 50, (40,))
    torch.testing.assert_close(compiled(gathered, x, i), gathered(x, i), rtol=1e-5, atol=1e-5)


@pytest.mark.sweep
def test_a_module_is_trained(target: str) -> None:
    layers = torch.nn.Sequential(
        torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.LayerNorm(64), torch.nn.Linear(64, 8)
    )
    x, wanted = torch.randn(16, 32), torch.randint(0, 8, (16,))
    results: list[Any] = []
    for model in (layers, torch.compile(layers)):
        layers.zero_grad()
        F.cross_entropy(model(x), wanted).backward()
        results.append([p.grad.clone() for p in layers.parameters()])
    for found, expected in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.sweep
def test_dynamic_shapes(target: str) -> None:
    function = torch.compile(softmax, dynamic=True)
    for n in (7, 100, 333):
        x = torch.randn(4, n)
        torch.testing.assert_close(function(x), softmax(x))


def test_a_product_by_the_first_template(target: str) -> None:
    a, b = torch.randn(33, 17), torch.randn(17, 29)

    def product(a: Any, b: Any) -> Any:
        return (a @ b).relu()

    found = compiled(product, a, b, mode="max-autotune-no-cudagraphs")
    torch.testing.assert_close(found, product(a, b), rtol=1e-4, atol=1e-4)


def test_kernels_with_code_that_measures_them(target: str) -> None:
    x = torch.randn(100)
    with torch._inductor.config.patch(benchmark_kernel=True):
        torch.testing.assert_close(compiled(torch.sigmoid, x), torch.sigmoid(x))


def test_it_is_undone() -> None:
    config = torch._inductor.config
    selection: Any = import_module("torch._inductor.select_algorithm")
    choices = selection.get_algorithm_selector_cache().preprocessing_fns
    before_choices = list(choices)
    before = config.cpu_backend
    openptx.torch.compile_with_triton("sm_90")
    openptx.torch.compile_with_triton("sm_80")
    assert openptx.triton.active_target() == "sm_80"
    openptx.torch.deactivate()
    assert config.cpu_backend == before
    assert choices == before_choices
    assert "cpu" not in triton.backends.backends
    with pytest.raises(openptx.ArgumentError, match="no target"):
        openptx.torch.compile_with_triton("sm_1")
