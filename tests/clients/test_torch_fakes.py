"""Functions traced with fake tensors where torch's `cuda` is the CPU, also with gradients."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="torch is not installed: make clients")
pytest.importorskip("triton", reason="Triton is not installed: make clients")

pytestmark = pytest.mark.usefixtures("cuda_is_the_cpu")


def test_fake_tensors_are_where_their_tensors_are() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    tensors = torch.ones(2, device="cuda"), torch.ones(2)
    with FakeTensorMode(allow_non_fake_inputs=True) as fakes:
        made = [fakes.from_tensor(each) for each in tensors]
        made.append(made[0] + torch.ones(2, device="cuda"))
    assert [each.is_cuda for each in made] == [True, False, True]


def test_gradients_are_traced() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    def gradient(x: Any) -> Any:
        return torch.autograd.grad((x * x + torch.ones(3, device="cuda")).sum(), x)[0]

    x = torch.tensor([1.0, 2.0, 3.0], device="cuda", requires_grad=True)
    result = make_fx(gradient, tracing_mode="fake")(x)(x)
    assert (str(result.device), result.tolist()) == ("cuda:0", [2, 4, 6])
