"""The functions of `torch.cuda` and `torch.accelerator` while the CPU stands in for a GPU."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from openptx.profile.occupancy import MULTIPROCESSORS
from openptx.torch.graphs import CUDAGraph, MemPool, graph_pool_handle, use_mem_pool
from openptx.torch.streams import Stream, current_stream, default_stream, set_stream, use_stream
from openptx.triton.capture import current_capture, refuse_in_capture
from openptx.triton.devices import properties
from openptx.triton.driver import Event

KIB = 1 << 10


def facts(number: int) -> SimpleNamespace:
    """The properties of a device, named as by `torch.cuda.get_device_properties`."""
    known = properties(number)
    major, minor = divmod(number, 10)
    name = f"OpenPTX sm_{number}"
    return SimpleNamespace(
        name=name, gcnArchName=name, major=major, minor=minor, total_memory=16 << 30, is_integrated=False,
        multi_processor_count=known["multiprocessor_count"], warp_size=known["warpSize"],
        max_threads_per_multi_processor=known["max_threads_per_sm"], regs_per_multiprocessor=known["max_num_regs"],
        shared_memory_per_block=48 * KIB, shared_memory_per_block_optin=known["max_shared_mem"],
        shared_memory_per_multiprocessor=MULTIPROCESSORS[number].shared << 10, L2_cache_size=50 << 20,
        max_threads_per_block=1024, is_multi_gpu_board=False, uuid=uuid.uuid5(uuid.NAMESPACE_URL, name),
        pci_domain_id=0, pci_bus_id=1, pci_device_id=0,
    )  # fmt: skip


def functions(torch: Any, number: int) -> dict[str, Any]:
    """The replacements for functions of `torch.cuda` and `torch.accelerator`, by name, as new objects: Dynamo's table
    of functions has each only once."""
    known, generator = facts(number), torch.default_generator
    free: tuple[int, int] = known.total_memory, known.total_memory

    def give(value: Any) -> Callable[..., Any]:
        return lambda *arguments, **options: value

    def same(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **options: function(*arguments, **options)

    def get_rng_state(*device: Any) -> Any:
        return torch.get_rng_state()

    def set_rng_state(state: Any, *device: Any) -> None:
        torch.set_rng_state(state)

    def synchronize(device: object = None) -> None:
        refuse_in_capture("torch.cuda.synchronize")

    def is_capturing() -> bool:
        return current_capture() is not None

    def context(*arguments: Any, **options: Any) -> Any:
        return nullcontext()

    return {
        "is_available": give(True), "is_initialized": give(True), "init": give(None), "device_count": give(1),
        "current_device": give(0), "set_device": give(None), "device": context, "device_of": context,
        "_exchange_device": give(0), "_maybe_exchange_device": give(0),
        "get_device_name": give(known.name), "get_device_capability": give((known.major, known.minor)),
        "get_device_properties": give(known), "is_bf16_supported": give(True), "can_device_access_peer": give(False),
        "synchronize": synchronize, "empty_cache": give(None), "Event": Event, "Stream": Stream,
        "stream": same(use_stream), "current_stream": same(current_stream), "default_stream": same(default_stream),
        "set_stream": same(set_stream),
        "is_current_stream_capturing": is_capturing, "CUDAGraph": CUDAGraph, "MemPool": MemPool,
        "graph_pool_handle": same(graph_pool_handle), "use_mem_pool": same(use_mem_pool),
        "set_sync_debug_mode": give(None), "get_sync_debug_mode": give(0),
        "manual_seed": same(generator.manual_seed), "manual_seed_all": same(generator.manual_seed),
        "seed": same(generator.seed), "seed_all": same(generator.seed), "initial_seed": same(generator.initial_seed),
        "get_rng_state": get_rng_state, "set_rng_state": set_rng_state,
        "memory_stats": give(Counter[str]()), "host_memory_stats": give(Counter[str]()), "memory_summary": give(""),
        "memory_stats_as_nested_dict": give({}), "host_memory_stats_as_nested_dict": give({}),
        "memory_snapshot": give([]), "mem_get_info": give(free), "get_allocator_backend": give("native"),
        "get_per_process_memory_fraction": give(1.0), "current_accelerator": give(torch.device("cuda")),
        **{name: give(None) for name in NOTHING}, **{name: give(0) for name in AMOUNTS},
    }  # fmt: skip


def of_c(torch: Any) -> dict[str, Callable[..., Any]]:
    """What functions of torch call in C++ that its build for CPUs lacks."""

    def scatter(tensor: Any, devices: list[int], *arguments: Any) -> tuple[Any, ...]:
        """For `DataParallel`, on one device."""
        return (tensor.to("cuda"),)

    def null_handle() -> int:
        """There is no cuBLAS: its functions refuse this handle."""
        return 0

    def nothing(value: object) -> None:
        """Memory is not cached, and streams wait for nothing."""

    return {
        "_scatter": scatter, "_cuda_getCurrentBlasHandle": null_handle, "_cuda_sleep": nothing,
        "_cuda_cudaCachingAllocator_enable": nothing,
    }  # fmt: skip


NOTHING = (
    "reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_accumulated_memory_stats", "reset_peak_host_memory_stats", "reset_accumulated_host_memory_stats",
    "set_per_process_memory_fraction", "ipc_collect",
)  # fmt: skip
"""Functions of `torch.cuda` that do nothing."""

AMOUNTS = "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"
"""Functions of `torch.cuda` whose number is 0: tensors lie in the memory of the CPU."""

ACCELERATOR = {
    "device_index": "device", "current_device_index": "current_device", "current_device_idx": "current_device",
    "set_device_index": "set_device", "set_device_idx": "set_device", "empty_host_cache": "empty_cache",
    "get_memory_info": "mem_get_info",
}  # fmt: skip
"""By name in `torch.accelerator`: the function of `torch.cuda` that does the same. The others have its names."""


def by_module(torch: Any, number: int) -> list[tuple[Any, dict[str, Any]]]:
    """The replacements for functions of `torch.cuda` and of `torch.accelerator` (torch 2.6), there and in the modules
    that define them."""

    def of(module: Any, **names: str) -> tuple[Any, dict[str, Any]]:
        made = functions(torch, number)
        made |= {name: made[same] for name, same in names.items()}
        return module, {name: value for name, value in made.items() if hasattr(module, name)}

    def raw_stream(device: int) -> int:
        return 0

    def nothing() -> None:
        pass

    def empty_strided(size: Any, stride: Any, dtype: Any) -> Any:
        return torch.empty_strided(size, stride, dtype=dtype, device="cuda")

    cuda = torch.cuda
    found: list[tuple[Any, dict[str, Any]]] = [  # what Inductor's code imports
        (torch._C, {"_cuda_getCurrentRawStream": raw_stream, "_host_emptyCache": nothing, **of_c(torch)}),
        (torch._C._dynamo.guards, {"_empty_strided_cuda": empty_strided}),
    ]
    found += [of(module) for module in (cuda, cuda.graphs, cuda.memory, cuda.random, cuda.streams)]
    found.append(of(cuda.profiler, start="empty_cache", stop="empty_cache"))
    if hasattr(torch, "accelerator"):
        modules = torch.accelerator, getattr(torch.accelerator, "memory", None)
        found += [of(module, **ACCELERATOR) for module in modules]
        found.append((torch, {"Event": Event, "Stream": Stream}))
    return found
