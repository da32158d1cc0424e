"""The functions of `torch.cuda` while the CPU stands in for a GPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from openptx.triton.devices import properties
from openptx.triton.driver import Event

KIB = 1 << 10


class Stream:
    """A stream: work runs when it is submitted, in any stream."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Devices and priorities have no effect."""

    def synchronize(self) -> None:
        """Does nothing: launches have ended when they return."""

    def wait_event(self, event: object) -> None:
        """All submitted work has ended."""

    def wait_stream(self, stream: object) -> None:
        """Does nothing: launches have ended when they return."""

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: object) -> None:
        """Does nothing: work runs in the same way in all streams."""


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
        L2_cache_size=50 << 20,
    )  # fmt: skip


def ranges() -> dict[str, Any]:
    """The replacements for functions of `torch.cuda.nvtx`, which mark ranges of time for a profiler: there is none."""

    def number(*arguments: Any, **options: Any) -> int:
        return 0

    return dict.fromkeys(("range_push", "range_pop", "range_start", "range_end", "mark"), number)


def functions(torch: Any, number: int) -> dict[str, Any]:
    """The replacements for functions of `torch.cuda`, by name."""
    known, stream = facts(number), Stream()
    seed = torch.default_generator.manual_seed  # `torch.manual_seed` calls those of CUDA

    def give(value: Any) -> Callable[..., Any]:
        return lambda *arguments, **options: value

    def get_rng_state(*device: Any) -> Any:
        return torch.get_rng_state()

    def set_rng_state(state: Any, *device: Any) -> None:
        torch.set_rng_state(state)

    def context(*arguments: Any, **options: Any) -> Any:
        return nullcontext()

    return {
        "is_available": give(True), "is_initialized": give(True), "init": give(None), "device_count": give(1),
        "current_device": give(0), "set_device": give(None), "device": context, "device_of": context,
        "get_device_name": give(known.name), "get_device_capability": give((known.major, known.minor)),
        "get_device_properties": give(known), "is_bf16_supported": give(True), "can_device_access_peer": give(False),
        "synchronize": give(None), "empty_cache": give(None), "Event": Event, "Stream": Stream, "stream": context,
        "current_stream": give(stream), "default_stream": give(stream), "set_stream": give(None),
        "is_current_stream_capturing": give(False), "manual_seed": seed, "manual_seed_all": seed,
        "reset_peak_memory_stats": give(None), "max_memory_allocated": give(0), "memory_allocated": give(0),
        "reset_max_memory_allocated": give(None), "max_memory_reserved": give(0), "memory_reserved": give(0),
        "ipc_collect": give(None),
        "mem_get_info": give((known.total_memory, known.total_memory)), "get_rng_state": get_rng_state,
        "set_rng_state": set_rng_state,
    }  # fmt: skip
