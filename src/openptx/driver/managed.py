"""Managed memory: advice and prefetches, which change nothing where host and device share all memory."""

from __future__ import annotations

from openptx.driver.calls import Failure, in_context, put_int
from openptx.driver.contexts import Context
from openptx.driver.ownership import owned_at
from openptx.driver.results import Result


@in_context("cuMemAdvise", "cuMemAdvise_v2")
def advise(context: Context, address: int, size: int, advice: int, place: int) -> None:
    require_managed(address, size)


@in_context("cuMemPrefetchAsync")
def prefetch(context: Context, address: int, size: int, device: int, stream: int) -> None:
    require_managed(address, size)


@in_context("cuMemPrefetchAsync_v2")
def prefetch_to(context: Context, address: int, size: int, place: int, flags: int, stream: int) -> None:
    require_managed(address, size)


def require_managed(address: int, size: int) -> None:
    """Fails for what is not all managed memory."""
    found = owned_at(address)
    if found is None or found.kind != "managed" or address + size > found.block.address + found.block.size:
        raise Failure(Result.INVALID_VALUE, f"{size} bytes at 0x{address:x} are not managed memory")


@in_context("cuStreamAttachMemAsync")
def attach(context: Context, stream: int, address: int, length: int, flags: int) -> None:
    require_managed(address, length)


@in_context("cuMemRangeGetAttribute")
def range_attribute(context: Context, out: int, size: int, attribute: int, address: int, count: int) -> None:
    require_managed(address, count)
    if attribute not in (1, 2, 4) or size != 4:
        raise Failure(Result.INVALID_VALUE, f"attribute {attribute} of a range")
    put_int(out, 0 if attribute == 1 else -2)  # not read-mostly; no place is preferred (CU_DEVICE_INVALID)
