"""Replaces a GPU's tensor maps in recorded parameters and memory by OpenPTX's encoding of the same maps.

The promotion into the L2 cache and derived fields are not kept, because no copy depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from openptx.device.allocation import Bytes
from openptx.errors import ArgumentError, Unsupported
from openptx.recording.file import Recording, Region
from openptx.runtime.driver_tensor_map import LEAST_ALIGNMENT, SIZE, decode
from openptx.runtime.tensor_map import TensorMap

WORDS = LEAST_ALIGNMENT // 4
"""32-bit words between two addresses at which a map may begin."""
UNUSED = 0xFFF8000E
"""Bits of the word at byte 8 that are always clear."""
ODD = 1 << 24
"""The lowest bit of the innermost box size minus one, in the word at byte 52. It is always set: a row of a box is a
multiple of 16 bytes, thus an even number of elements."""

USED = 76
"""The used bytes of a map; the others are zero."""


def with_our_maps(recording: Recording) -> Recording:
    """The recording with a GPU's tensor maps replaced; the same object if there are none.

    A map begins at a multiple of 64 bytes. Recognition is reliable: most of the 1,024 bits are fixed, or follow from
    the others. A map that a kernel built with `tensormap.replace` lacks the derived fields; it is recognised if its
    tensor lies in recorded memory.
    """
    recorded = [(region.address, region.size) for region in recording.regions]
    regions = tuple(with_own_addresses(region, recorded) for region in recording.regions)
    contents = [(offset, np.frombuffer(content, np.uint8)) for offset, content in recording.parameters]
    found = tuple((offset, with_ours(offset, content, recorded).tobytes()) for offset, content in contents)
    if found == recording.parameters and all(a is b for a, b in zip(regions, recording.regions, strict=True)):
        return recording
    return replace(recording, parameters=found, regions=regions)


def with_own_addresses(region: Region, recorded: Sequence[tuple[int, int]]) -> Region:
    before = with_ours(region.address, region.before, recorded)
    after = before if region.after is region.before else with_ours(region.address, region.after, recorded)
    return region if before is region.before and after is region.after else replace(region, before=before, after=after)


def with_ours(address: int, data: Bytes, recorded: Sequence[tuple[int, int]]) -> Bytes:
    """Bytes at an address with our maps in them; the same object if there are none. `recorded` are allocations as
    (address, bytes).
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
    """Our encoding of a GPU's map; None if these bytes are not a map, or one that no copy supports."""
    if data[USED:].any():
        return None
    try:
        known = decode(data)
        if known.by_kernel and not any(first <= known.address < first + size for first, size in recorded):
            return None
        return TensorMap.from_bytes(data).encoded(known.address)
    except (ArgumentError, Unsupported):
        return None
