"""Tensor maps of our driver for the requests that were recorded with NVIDIA's."""

from __future__ import annotations

import ctypes
from typing import Any

from openptx.driver.tensor_maps import im2col as im2col_maps
from openptx.driver.tensor_maps import tiled as tensor_maps


def tensor_map(described: dict[str, Any], address: int) -> bytes:
    """What our driver makes of the arguments of a function by name. Raises Failure as it does."""

    def words(name: str, kind: Any) -> int:
        kept.append((kind * max(len(described[name]), 1))(*described[name]))
        return ctypes.addressof(kept[-1])

    kept, made = list[Any](), ctypes.create_string_buffer(128)
    layout = (described.get(name, 0) for name in ("interleave", "swizzle", "promotion", "fill"))
    head = described["kind"], len(described["dims"]), address
    shape = words("dims", ctypes.c_uint64), words("strides", ctypes.c_uint64)
    steps = words("steps", ctypes.c_uint32)
    if described["function"] == "cuTensorMapEncodeTiled":
        return tensor_maps.tiled(*head, *shape, words("box", ctypes.c_uint32), steps, *layout)
    corners = words("lower", ctypes.c_int32), words("upper", ctypes.c_int32)
    column = described["channels"], described["pixels"]
    im2col_maps.encode(ctypes.addressof(made), *head, *shape, *corners, *column, steps, *layout)
    return made.raw
