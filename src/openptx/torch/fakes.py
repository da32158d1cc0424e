"""Fake tensors where `cuda` is the CPU: those that stand for tensors of CUDA say so themselves.

They have no memory, so their device can be one that this torch cannot use, and what is traced with them is what would
be traced on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from importlib import import_module
from typing import Any

from openptx.torch.placement import is_cuda, is_number, on_cuda

Function = Callable[..., Any]


class Fakes:
    """Calls the functions of torch with fake tensors."""

    def __init__(self, torch: Any) -> None:
        self.torch, tensor = torch, torch.Tensor
        self.kind: Any = import_module("torch._subclasses.fake_tensor").FakeTensor
        self.device = torch.device("cuda", 0)
        self.same = frozenset((
            torch.device, tensor.is_cuda.__get__, tensor.is_cpu.__get__, tensor.device.__get__, tensor.get_device,
            tensor.data_ptr, tensor.pin_memory, tensor.register_hook, torch._C._nn._parse_to,
        ))  # fmt: skip
        """The functions that are answered as without fake tensors: some of those of tensors that are none."""

    def concern(self, arguments: tuple[Any, ...]) -> bool:
        """Whether a call gives or takes fake tensors."""
        core = self.torch._C
        if core._get_dispatch_mode(core._TorchDispatchModeKey.FAKE) is not None:
            return True
        return any(type(each) is self.kind for each in arguments)

    def call(
        self, own: dict[Any, Function], function: Function, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """The result of torch's own function; `own` are those that replace it elsewhere.

        Devices get the number 0: torch for CPUs cannot say which one is current.
        """
        if function in self.same:
            return own[function](*arguments, **options)
        tensor = self.torch.Tensor
        if function is tensor.cuda:
            options.pop("device", None)
            function, arguments = tensor.to, (arguments[0], self.device, *arguments[2:])
        if function is tensor.to and len(arguments) > 1 and is_number(arguments[1]):
            arguments = (arguments[0], self.device, *arguments[2:])
        if is_number(options.get("device")) or is_cuda(self.torch, options.get("device")):
            options["device"] = self.device
        return function(*(self.device if is_cuda(self.torch, each) else each for each in arguments), **options)


def descriptions(torch: Any) -> tuple[Any, dict[str, Any]]:
    """The replacement for the function that describes the tensor for which a fake one is made."""
    describer: Any = import_module("torch._subclasses.meta_utils").MetaTensorDescriber
    native: Function = describer.describe_tensor

    @wraps(native)
    def describe_tensor(self: Any, t: Any, **options: Any) -> Any:
        description = native(self, t, **options)
        return replace(description, device=torch.device("cuda", 0)) if on_cuda(t) else description

    return describer, {"describe_tensor": describe_tensor}
