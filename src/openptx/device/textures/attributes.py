"""Attributes of textures, samplers and surfaces that kernels query (Table 11, and the tables of `txq` and `suq`)."""

from __future__ import annotations

from openptx.device.textures.handles import Opaque
from openptx.device.textures.sampler import ADDRESSES, FILTERS, Sampler
from openptx.device.textures.texel_array import TexelArray
from openptx.device.textures.texture import Texture

# fmt: off
#                 OpenCL's enumeration (Table 12), plain and normalized
DATA_TYPES = {
    "int8":    (0x10D7, 0x10D0),
    "int16":   (0x10D8, 0x10D1),
    "int32":   (0x10D9, 0x10D9),
    "uint8":   (0x10DA, 0x10D2),
    "uint16":  (0x10DB, 0x10D3),
    "uint32":  (0x10DC, 0x10DC),
    "float16": (0x10DD, 0x10DD),
    "float32": (0x10DE, 0x10DE),
    "int64":   (0, 0),  # OpenCL has none
    "uint64":  (0, 0),
}
ORDERS = {1: 0x10B0, 2: 0x10B2, 4: 0x10B5}  # CL_R, CL_RG, CL_RGBA (Table 13)
# fmt: on
AXES = ("width", "height", "depth")


def attribute(object: Opaque, name: str) -> int | None:
    """The attribute as a number; None if this kind of object has no such attribute. Missing axes are 0."""
    if isinstance(object, Sampler):
        return of_sampler(object, name)
    if not isinstance(object, TexelArray):
        return None
    if name in AXES:
        return dict(zip(AXES, object.shape, strict=False)).get(name, 0)
    if name == "array_size":
        return (object.cubes if isinstance(object, Texture) and object.cube else object.layers) or 0
    if name == "channel_order":
        return ORDERS[object.channels]
    if name == "channel_data_type":
        return DATA_TYPES[object.texels.dtype.name][isinstance(object, Texture) and object.real]
    if isinstance(object, Texture):
        if name == "normalized_coords":
            return int(object.normalized)
        if name == "num_mipmap_levels":
            return object.level_count if object.smaller else 0
        if name == "num_samples":
            return object.samples
        return of_sampler(object.sampler, name)
    return 1 if name == "memory_layout" else None


def of_sampler(sampler: Sampler, name: str) -> int | None:
    """The value of a sampler attribute; None if it does not exist."""
    if name == "filter_mode":
        return FILTERS.index(sampler.filter)
    if name == "force_unnormalized_coords":
        return int(sampler.force_unnormalized)
    return ADDRESSES[sampler.address[int(name[-1])]] if name.startswith("addr_mode") else None
