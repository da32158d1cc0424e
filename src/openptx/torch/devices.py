"""Makes the torch device `cuda` the CPU: device arguments are replaced before torch's functions see them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, wraps
from importlib import import_module
from typing import Any

from openptx import memory
from openptx.torch.placement import follow, holder, on_cuda, put_on_cuda, tensors_in
from openptx.triton.capture import refuse_in_capture

Function = Callable[..., Any]


def is_number(device: object) -> bool:
    return isinstance(device, int) and not isinstance(device, bool)


def is_cuda(torch: Any, device: object) -> bool:
    """Whether a device is, or names, a CUDA device."""
    if isinstance(device, str):
        return device.partition(":")[0] == "cuda"
    return isinstance(device, torch.device) and getattr(device, "type", "") == "cuda"


def on_cpu(torch: Any, device: Any) -> Any:
    """The CPU for a CUDA device, other devices unchanged. A number is a CUDA device."""
    return torch.device("cpu") if is_number(device) or is_cuda(torch, device) else device


class Redirection:
    """Calls the functions of torch with the CPU in place of `cuda`, and marks the tensors that stand for CUDA's."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.default: Any = None
        """The device that the program has set for tensors made without one."""
        self.containers = (torch.Tensor, list, tuple)
        self.generator: Any = None
        """The default generator of the device; torch's for the CPU draws in its place."""
        self.factories: set[Any] = import_module("torch.utils._device")._device_constructors()
        tensor = torch.Tensor

        def cuda(x: Any, device: Any = None, non_blocking: bool = False, **options: Any) -> Any:
            return self.to(x, "cuda", non_blocking=non_blocking, **options)

        def cpu(x: Any, **options: Any) -> Any:
            return self.to(x, "cpu", **options)

        def index(x: Any) -> int:
            return 0 if on_cuda(x) else x.get_device()

        def is_cpu(x: Any) -> bool:
            return x.is_cpu and not on_cuda(x)

        def device_object(*arguments: Any, **options: Any) -> Any:
            number = len(arguments) == 1 and is_number(arguments[0])
            return torch.device("cuda", arguments[0]) if number else torch.device(*arguments, **options)

        def device(x: Any) -> Any:
            return torch.device("cuda", 0) if on_cuda(x) else x.device

        self.own: dict[Any, Function] = {
            torch.device: device_object, tensor.cuda: cuda, tensor.cpu: cpu, tensor.to: self.to,
            tensor.data_ptr: device_address, tensor.is_cuda.__get__: on_cuda,
            tensor.is_cpu.__get__: is_cpu, tensor.device.__get__: device, tensor.get_device: index,
            tensor.register_hook: self.register_hook, tensor.copy_: copy, tensor.tolist: values,
        }  # fmt: skip
        parse_to = torch._C._nn._parse_to  # by which `Module.to` reads its arguments
        self.own[parse_to] = parse_to
        for function in (torch.tensor, torch.as_tensor, torch.asarray):
            self.own[function] = partial(self.made_of, function)

    def __call__(self, function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if options.pop("pin_memory", False):
            return self.own[self.torch.Tensor.pin_memory](self(function, arguments, options))
        if self.generator is not None and options.get("generator") is self.generator:
            options["generator"] = self.torch.default_generator
        own = self.own.get(function)
        if own is not None:
            return own(*arguments, **options)
        named = options.get("device")
        device = self.default if named is None and function in self.factories else named
        put = is_number(device) or any(is_cuda(self.torch, each) for each in (*arguments, device))
        arguments, options = self.redirected(arguments, options)
        result = function(*arguments, **options)
        if not isinstance(result, self.containers) or isinstance(result, self.torch.Size):
            return result
        if put:
            for tensor in tensors_in(self.torch, (result,)):
                put_on_cuda(tensor)
        elif named is None:
            follow(self.torch, result, (*arguments, *options.values()))
        return result

    def redirected(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with the CPU in place of CUDA devices."""
        if "device" in options:
            options = {**options, "device": on_cpu(self.torch, options["device"])}
        return tuple(on_cpu(self.torch, each) if is_cuda(self.torch, each) else each for each in arguments), options

    def to(self, x: Any, *arguments: Any, **options: Any) -> Any:
        """`Tensor.to`: the same tensor if it has that device and type already, and a copy on another device."""
        named = arguments[0] if arguments else options.get("device", options.get("tensor"))
        before = on_cuda(x)
        after = before
        if isinstance(named, self.torch.Tensor):
            after = on_cuda(named)
        elif named is not None and not isinstance(named, self.torch.dtype):
            after = is_number(named) or is_cuda(self.torch, named)
        flags = (each for each in arguments if isinstance(each, bool))
        refuse_blocking_copy(before, after, options.get("non_blocking", next(flags, False)))
        if arguments and is_number(named):
            arguments = ("cuda", *arguments[1:])
        arguments, options = self.redirected(arguments, options)
        result = x.to(*arguments, **options)
        if before != after and holder(result) is holder(x):
            result = result.clone()
        if after:
            put_on_cuda(result)
        return result

    def made_of(self, function: Function, data: Any, *arguments: Any, **options: Any) -> Any:
        """`torch.tensor`, and `as_tensor` and `asarray`, which use the memory of data that is on the device already."""
        known = isinstance(data, self.torch.Tensor)
        device = options.get("device")
        if device is None and not known:
            device = self.default
        before = known and on_cuda(data)
        after = before if device is None else is_number(device) or is_cuda(self.torch, device)
        refuse_blocking_copy(before, after, False)
        arguments, options = self.redirected(arguments, options)
        result = function(data, *arguments, **options)
        if before != after and function is not self.torch.tensor:
            result = result.clone()
        if after:
            put_on_cuda(result)
        return result

    def register_hook(self, x: Any, hook: Callable[[Any], Any]) -> Any:
        """`Tensor.register_hook`: gradients are where the tensor is."""
        if not on_cuda(x):
            return x.register_hook(hook)

        def on_the_same(gradient: Any) -> Any:
            with within(self):
                put_on_cuda(gradient)
                return hook(gradient)

        return x.register_hook(on_the_same)


def copy(x: Any, other: Any, non_blocking: bool = False) -> Any:
    """`Tensor.copy_`, of a tensor or of a number, which torch makes a tensor of the CPU."""
    before = isinstance(other, import_module("torch").Tensor) and on_cuda(other)
    refuse_blocking_copy(before, on_cuda(x), non_blocking)
    return x.copy_(other, non_blocking)


def values(x: Any) -> Any:
    """`Tensor.tolist`, in which torch reads the memory of the CPU without an operator."""
    refuse_blocking_copy(on_cuda(x), False, False)
    return x.tolist()


def refuse_blocking_copy(before: bool, after: bool, non_blocking: bool) -> None:
    """Raises CUDA's error if a graph is captured: the host waits for a copy between the devices."""
    if before != after and not non_blocking:
        refuse_in_capture("a copy from or to the CPU without `non_blocking=True`")


def device_address(x: Any) -> int:
    """`Tensor.data_ptr`: the device address, at which kernels find the tensor. Fake tensors have no memory."""
    return memory.address(x) if x.numel() and holder(x).device.type == "cpu" else x.data_ptr()


def within(redirect: Redirection) -> Any:
    """A new mode where torch has suspended the active one: in operators and hooks of a program."""
    stack = import_module("torch.overrides")._get_current_function_mode_stack()
    return nullcontext() if any(getattr(each, "stands_for_cuda", False) for each in stack) else mode(redirect)


def in_mode(native: Callable[..., Any], mode: Callable[[], Any]) -> Callable[..., Any]:
    """A function that torch calls where the mode is suspended, or in a thread that has none; it runs in `mode()`."""

    @wraps(native)
    def run(*arguments: Any, **options: Any) -> Any:
        with mode():
            return native(*arguments, **options)

    return run


def mode(redirect: Redirection) -> Any:
    """A mode of torch.overrides that calls a `Redirection` for each function of torch."""
    base: Any = import_module("torch.overrides").TorchFunctionMode

    def torch_function(self: Any, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not self.stands_for_cuda:
            return function(*args, **(kwargs or {}))
        return self.redirect(function, args, dict(kwargs or {}))

    members = {"stands_for_cuda": True, "redirect": redirect, "__torch_function__": torch_function}
    return type("CudaIsTheCpu", (base,), members)()
