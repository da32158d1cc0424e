"""Fake tensors where `cuda` is the CPU: those that are made for tensors of CUDA are fake tensors of the CPU, and
marked like these.

torch's build for CPUs ends the process where autograd meets a fake tensor whose device is `cuda`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from importlib import import_module
from typing import Any

from openptx.torch.placement import on_cuda, put_on_cuda


def conversions(torch: Any) -> list[tuple[Any, dict[str, Any]]]:
    """The replacements for the functions that describe a tensor and make a fake one of it."""
    describer: Any = import_module("torch._subclasses.meta_utils").MetaTensorDescriber
    converter: Any = import_module("torch._subclasses.fake_tensor").FakeTensorConverter
    describe: Callable[..., Any] = describer.describe_tensor
    convert: Callable[..., Any] = converter.from_real_tensor

    @wraps(describe)
    def describe_tensor(self: Any, t: Any, **options: Any) -> Any:
        description = describe(self, t, **options)
        return replace(description, device=torch.device("cpu")) if on_cuda(t) else description

    @wraps(convert)
    def from_real_tensor(self: Any, fake_mode: Any, t: Any, *arguments: Any, **options: Any) -> Any:
        fake = convert(self, fake_mode, t, *arguments, **options)
        if on_cuda(t):
            put_on_cuda(fake)
        return fake

    return [(describer, {"describe_tensor": describe_tensor}), (converter, {"from_real_tensor": from_real_tensor})]
