"""Tensor maps (5.5.8): their 128 opaque bytes as our machines use them.

bytes 0-7      address of the tensor in global memory
bytes 8-31     4 each: rank less one and, in the upper half, the access mode (0 for tiles); type of the elements,
               interleave layout, swizzle mode, its atomicity, fill mode
bytes 32-51    sizes of the tensor in elements, the innermost dimension first
bytes 52-71    sizes of the box; for columns of images (im2col.py) channels, pixels, and the corners of each dimension
bytes 72-91    traversal strides
bytes 96-127   strides of all dimensions but the innermost, in bytes; the first one is the distance of slices
               where channels are interleaved (slices.py)
"""

from __future__ import annotations

from openptx.errors import Unsupported
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

FIELDS = {
    "global_address": 0, "rank": 8, "elemtype": 12, "interleave_layout": 16, "swizzle_mode": 20,
    "swizzle_atomicity": 24, "fill_mode": 28, "global_dim": 32, "box_dim": 52, "element_stride": 72,
    "global_stride": 96,
}  # fmt: skip
"""The offset of each field; for fields with one value per dimension, of the first."""

# The supported part of Table 33.
ELEMENTS = {0: "u8", 1: "u16", 2: "u32", 3: "s32", 4: "u64", 5: "s64", 6: "f16", 7: "f32", 9: "f64", 10: "bf16"}
CONVERTED = {8: "f32.ftz", 11: "tf32", 12: "tf32.ftz"}
"""f32 elements that change when copied to shared memory (tensor_elements.py)."""
PACKED = {13: "b4x16", 14: "b4x16_p64", 15: "b6x16_p32"}
"""Elements of 4 and 6 bits: sixteen take 8, 8 and 12 bytes of global memory, and 8, 16 and 16 of shared memory."""
SWIZZLES = {0: "none", 1: "32B", 2: "64B", 3: "128B", 4: "128B_ATOM_32B", 6: "128B_ATOM_64B"}
"""By the code of the driver's CUtensorMapSwizzle: the bytes of a row that is permuted, and of what stays together in it
if these are not 16."""
_MODES = {0: "none", 1: "32B", 2: "64B", 3: "128B"}
ATOMICITIES = {0: "16B", 1: "32B", 3: "64B"}
"""The supported part of Table 33 for the two fields of a swizzle."""
INTERLEAVES = {0: "none", 1: "16B", 2: "32B"}
_CODES: dict[str, dict[int, str]] = {
    "elemtype": ELEMENTS | CONVERTED | PACKED,
    "interleave_layout": INTERLEAVES,
    "swizzle_mode": _MODES,
    "swizzle_atomicity": ATOMICITIES,
    "fill_mode": {0: "zero", 1: "OOB-NaN"},
}
OUT_OF_BOUNDS_NAN = 0x7FF7
"""The fill value of a box outside the tensor under OOB-NaN, twice in a word, whatever the elements are: recorded on
H100."""

MODE = 16  # first bit of the access mode in the word of the rank
CHUNK = 16  # bytes of shared memory that stay contiguous under any swizzling
LARGEST = 256  # elements of a box in one dimension


def width_of(element: str) -> int:
    """The bits of an element that occupies whole bytes."""
    return 32 if element in CONVERTED.values() else TYPES[element].width


def swizzle_fields(code: int) -> tuple[int, int]:
    """The mode and the atomicity of Table 33 for a code of the driver."""
    return min(code, 3), {4: 1, 6: 3}.get(code, 0)


def swizzled_row(swizzle: str) -> int:
    """The bytes of a row that a swizzle permutes."""
    return int(swizzle.partition("B")[0])


def replace(x: Machine, space: str, at: Bits, field: str, ordinal: int, value: Bits | int) -> None:
    """Changes a field of the tensor map at an address; `Unsupported` for codes that boxes cannot handle."""
    if isinstance(value, int):
        if value not in _CODES.get(field, {value: ""}):
            raise Unsupported(f"tensormap.replace: .{field} {value}")
        value = x.const(value, 32)
    x.store(space, at + (FIELDS[field] + ordinal * (value.width // 8)), [value])
