"""Tensor maps as a GPU has them, in recorded parameters and memory: the same in the bytes of OpenPTX's.

What a map says beside that, promotion into the L2 cache and what follows from the rest, is not kept: no copy shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from openptx.device.memory_view import Bytes
from openptx.errors import ArgumentError, Unsupported
from openptx.recording.file import Recording, Region
from openptx.runtime.driver_tensor_map import LEAST_ALIGNMENT, SIZE, decode
from openptx.runtime.tensor_map import TensorMap

WORDS = LEAST_ALIGNMENT // 4
"""32-bit words from one place where a map may begin to the next."""
UNUSED = 0xFFF8000E
"""Bits of the word at byte 8 that no map has."""
ODD = 1 << 24
"""A bit of the word at byte 52 that each map has: 16 bytes are an even number of elements, less one there."""

USED = 76
"""Bytes of a map; the others are zero."""


def with_our_maps(recording: Recording) -> Recording:
    """The recording with tensor maps of a GPU's replaced; itself where there are none.

    A map begins at a multiple of 64 bytes. That some bytes are one is certain enough: most of their 1,024 bits are
    given, or follow from the others. One that a kernel made with `tensormap.replace` lacks what follows; it counts
    where its tensor lies in recorded memory.
    """
    recorded = [(region.address, region.size) for region in recording.regions]
    regions = tuple(replaced(region, recorded) for region in recording.regions)
    given = [(offset, np.frombuffer(content, np.uint8)) for offset, content in recording.parameters]
    found = tuple((offset, with_ours(offset, content, recorded).tobytes()) for offset, content in given)
    if found == recording.parameters and all(a is b for a, b in zip(regions, recording.regions, strict=True)):
        return recording
    return replace(recording, parameters=found, regions=regions)


def replaced(region: Region, recorded: Sequence[tuple[int, int]]) -> Region:
    before = with_ours(region.address, region.before, recorded)
    after = before if region.after is region.before else with_ours(region.address, region.after, recorded)
    return region if before is region.before and after is region.after else replace(region, before=before, after=after)


def with_ours(address: int, data: Bytes, recorded: Sequence[tuple[int, int]]) -> Bytes:
    """Bytes that lie at an address with our maps in them; themselves where there are none.

    `there` are allocations, (address, bytes).
    """
    lead = -address % LEAST_ALIGNMENT
    places = (data.size - lead) // LEAST_ALIGNMENT
    if places < SIZE // LEAST_ALIGNMENT:
        return data
    words = data[lead : lead + places * LEAST_ALIGNMENT].view("<u4").reshape(places, WORDS)[:-1]
    made: Bytes | None = None
    end = 0
    for place in np.flatnonzero((words[:, 2] & UNUSED == 0) & (words[:, 13] & ODD != 0)).tolist():
        at = lead + place * LEAST_ALIGNMENT
        ours = our_map(data[at : at + SIZE], recorded) if at >= end else None
        if ours is not None:
            made = data.copy() if made is None else made
            end = at + SIZE
            made[at:end] = np.frombuffer(ours, np.uint8)
    return data if made is None else made


def our_map(data: Bytes, recorded: Sequence[tuple[int, int]]) -> bytes | None:
    """Our bytes of a GPU's map; None where these bytes are none, or one that no copy has a meaning for."""
    if data[USED:].any():
        return None
    try:
        known = decode(data)
        if known.by_kernel and not any(first <= known.address < first + size for first, size in recorded):
            return None
        return TensorMap.from_bytes(data).encoded(known.address)
    except (ArgumentError, Unsupported):
        return None
