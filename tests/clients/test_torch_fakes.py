"""Fake tensors and traced functions where torch's `cuda` is the CPU: they have the device that they have on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import openptx

torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
pytest.importorskip("triton", reason="Triton is not installed: make clients")


@pytest.fixture(autouse=True)
def active() -> Iterator[None]:
    if torch.cuda.is_available():
        pytest.skip("torch has a GPU")
    openptx.torch.activate("sm_80")
    yield
    openptx.torch.deactivate()


def test_fake_tensors_are_on_the_device_themselves() -> None:
    """torch has its own rules for them, and what is traced names the device, as on a GPU."""
    from torch._subclasses.fake_impls import fast_detach
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    device, real = torch.device("cuda", 0), torch.ones(4, device="cuda")
    with FakeTensorMode(allow_non_fake_inputs=True) as fakes:
        host = torch.ones(4)
        made = [torch.ones(4, device="cuda"), host.cuda(), host.to(0), host.to("cuda"), torch.zeros(4, device=0)]
        made += [fakes.from_tensor(real), made[0] + real, torch.empty_like(made[0])]
        assert [each.device for each in made] == [device] * len(made)
        assert (real.device, host.is_cuda, made[0].cpu().is_cuda) == (device, False, False)
        assert fast_detach(fakes, made[0]).device == device
        with pytest.raises(RuntimeError, match="cuda:0 and cpu"):
            made[0] + host
    graph = make_fx(lambda x: x + torch.full((4,), 2, device="cuda"), tracing_mode="fake")(real)
    devices = [node.kwargs["device"] for node in graph.graph.nodes if "device" in node.kwargs]
    result = graph(real)
    assert (devices, result.device, result.tolist()) == ([device], device, [3] * 4)


def test_functions_are_traced_with_fake_tensors() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    x, addresses = torch.ones(4, device="cuda"), list[int]()

    def traced(y: Any) -> Any:
        addresses.append(x.data_ptr())
        made = torch.ones(4, device=y.device) + 1
        with pytest.raises(RuntimeError, match="FakeTensor"):  # torch's own error
            made.data_ptr()
        return (y + y) * 2

    graph = make_fx(traced, tracing_mode="fake")(x)
    assert addresses == [x.data_ptr()]
    assert graph(x).tolist() == [4, 4, 4, 4]
