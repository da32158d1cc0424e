"""Tensor maps created by the host, `CUtensorMap` in CUDA's driver, for copies of boxes (5.5.8)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from operator import index
from typing import SupportsIndex, cast

from openptx.device.arrays import array_of
from openptx.errors import ArgumentError, is_choice
from openptx.isa.fidelity import EXACT, Fidelity
from openptx.isa.semantics.im2col import MODES
from openptx.isa.semantics.tensor_map import (
    CHUNK,
    CONVERTED,
    ELEMENTS,
    FIELDS,
    INTERLEAVES,
    LARGEST,
    MODE,
    PACKED,
    SWIZZLES,
    swizzle_fields,
    swizzled_row,
)
from openptx.runtime.driver_tensor_map import Columns, DriverMap, decode
from openptx.runtime.tensor_map_parts import Parts, alignment_of, parts

_TYPES = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "int32": "s32", "uint64": "u64", "int64": "s64",
          "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16"}  # fmt: skip
_BITS = {1: "u8", 2: "u16"}
"""For elements of other types, which are only moved."""
LARGEST_SIZE = (1 << 32) - 1
"""The largest value of a word. A tensor may have one element more, which no coordinate reaches: the largest is 2^31 -
1."""


class TensorMap:
    """An array with a box, in the 128-byte form of a kernel parameter: `const __grid_constant__ CUtensorMap` in CUDA.

    `box` has one size for each axis of the array, in the order of its shape, and so has `steps`, the stride in elements
    along each axis (the last one is 1). `swizzle` is the layout of a box's rows in shared memory: `none`, `32B`, `64B`,
    `128B`, or, on sm_100 and later, `128B_ATOM_32B` and `128B_ATOM_64B`. Outside of the array a box has zeros, or NaN
    with `fill="nan"`. Raises ArgumentError if the hardware's rules are violated: 1 to 5 axes, 256 elements of a box
    along each, rows of 16 bytes or a multiple.
    """

    address: int | None = None
    """The tensor's address on the device, if the map was made from parts: there is no array then."""

    def __init__(
        self, array: object, box: Sequence[int], *, steps: Sequence[int] | None = None, swizzle: str = "none",
        fill: str = "zero",
    ) -> None:  # fmt: skip
        self.array = array_of("a tensor map", array)
        try:
            self.box = tuple(index(n) for n in box)
            self.steps = tuple(index(n) for n in steps) if steps is not None else (1,) * len(self.box)
        except TypeError:
            raise ArgumentError(f"the box and the steps are whole numbers, one for each axis, not {box!r}") from None
        self.swizzle, self.fill = swizzle, fill
        self._check()

    @staticmethod
    def from_parts(
        address: object, shape: Sequence[int], strides: Sequence[int], box: Sequence[int], *, element: str,
        swizzle: str = "none", interleave: str = "none", fill: str = "zero", steps: Sequence[int] | None = None,
    ) -> TensorMap:  # fmt: skip
        """The map of a tensor anywhere in device memory, as `cuTensorMapEncodeTiled` makes it.

        address  of the first element: a number, or an `openptx.memory` block; accesses of kernels to it are checked
        shape    sizes in elements; axes are in the order of an array's shape, the innermost one last
        strides  bytes from one element to the next along all axes but the innermost: multiples of 16
        element  its PTX type: `u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16`; `tf32`, `tf32.ftz` and `f32.ftz` for f32
                 that changes on its way to shared memory; for elements of 4 and 6 bits `b4x16`, `b4x16_p64`,
                 `b6x16_p32`: shape and box count each of them as one
        interleave  `16B` or `32B` for channels in slices of so many bytes (NC/8HWC8, NC/16HWC16 of f16): axes are then
                 N, slices, [D, [H,]] W, of which the last one counts pixels, and a copy is of one slice

        The other parameters are those of a TensorMap. Raises ArgumentError as it does, Unsupported for maps that no
        copy of boxes has a meaning for.
        """
        return PartsMap(address_of(address), parts(shape, strides, box, steps, element, swizzle, interleave, fill))

    @staticmethod
    def from_bytes(data: object, address: object = None) -> TensorMap:
        """The map that the 128 bytes of a GPU's `CUtensorMap` hold, of boxes or of columns of pixels.

        data     what `cuTensorMapEncodeTiled` or `cuTensorMapEncodeIm2col` made on a machine with a GPU, or a kernel
                 there with `tensormap.replace`; the layout is that of an H200, driver 580
        address  of the tensor in this process: a number, or an `openptx.memory` block; None for the address in the
                 bytes, which is rarely valid outside of the process that encoded the map

        Raises ArgumentError if the bytes are not such a map, Unsupported for one that no copy has a meaning for.
        """
        known = decode(data)
        where = known.address if address is None else address_of(address)
        steps = known.steps if known.interleave != "none" else (*known.steps[:-1], 1)  # the last one is not used
        if known.columns is not None:
            return ColumnsMap(where, known._replace(steps=steps), known.columns)
        made = parts(
            known.shape, known.strides, known.box, steps, known.element, known.swizzle, known.interleave, known.fill
        )
        return PartsMap(where, made)

    def _check(self) -> None:
        array = self.array
        if not 1 <= array.ndim <= 5:
            raise ArgumentError(f"a tensor map is of 1 to 5 axes, and the array has {array.ndim}")
        self._check_array()
        if {len(self.box), len(self.steps)} != {array.ndim}:
            raise ArgumentError(f"the array has {array.ndim} axes: give the box and the steps one number for each")
        if not all(1 <= n <= LARGEST for n in self.box):
            raise ArgumentError(f"a box has 1 to {LARGEST} elements along each axis, not {self.box}")
        if not all(1 <= n <= 8 for n in self.steps) or self.steps[-1] != 1:
            raise ArgumentError(f"steps are 1 to 8, and 1 along the last axis, not {self.steps}")
        self._check_rows(self.box[-1])

    def _check_array(self) -> None:
        array = self.array
        if not array.size or not array.flags.c_contiguous:
            raise ArgumentError(
                "a tensor has elements, and its last axis is the innermost one: pass `np.ascontiguousarray`"
            )

    def _check_rows(self, elements: int) -> None:
        """Raises ArgumentError if rows of this many elements cannot be laid out in shared memory, or if the array's
        rows or elements cannot be copied."""
        array, row = self.array, elements * self.array.itemsize
        if not is_choice(self.swizzle, SWIZZLES.values()):
            raise ArgumentError(f"boxes are swizzled by {', '.join(SWIZZLES.values())}, not {self.swizzle!r}")
        if not is_choice(self.fill, ("zero", "nan")):
            raise ArgumentError(f"boxes are filled with `zero` or `nan`, not {self.fill!r}")
        if row % CHUNK:
            raise ArgumentError(f"a row of the box takes {row} bytes; it must be a multiple of {CHUNK}")
        if self.swizzle != "none" and row > swizzled_row(self.swizzle):
            raise ArgumentError(f"a row of the box takes {row} bytes, more than swizzling by {self.swizzle} allows")
        if any(stride % CHUNK for stride in array.strides[:-1]):
            raise ArgumentError(
                f"rows of the array are {array.strides[-2]} bytes apart; that must be a multiple of {CHUNK}"
            )
        if self.element not in ELEMENTS.values():
            raise ArgumentError(f"elements of a tensor are numbers of 1, 2, 4 or 8 bytes, not {array.dtype}")

    @property
    def fidelity(self) -> Fidelity:
        """The fidelity of copies by this map. What the document leaves open for tf32, `.ftz` and interleaved tensors is
        as on an H200."""
        return EXACT

    @property
    def element(self) -> str:
        """The PTX type of the elements."""
        return _TYPES.get(self.array.dtype.name) or _BITS.get(self.array.itemsize, "")

    def encoded(self, address: int) -> bytes:
        """The 128 bytes, for the array at an address of the device. Raises ArgumentError if the address is not
        aligned."""
        if address % CHUNK:
            where = f"a tensor begins at a multiple of {CHUNK} bytes, this array at {address:#x}"
            raise ArgumentError(f"{where}; pass a copy")
        codes = {name: code for table in (ELEMENTS, SWIZZLES) for code, name in table.items()}
        array = self.array
        return pack(
            address,
            element=codes[self.element],
            shape=array.shape,
            strides=array.strides[:-1],
            box=self._box(),
            steps=self.steps,
            swizzle=codes[self.swizzle],
            nan=self.fill == "nan",
            mode=self._mode(),
        )

    def _box(self) -> Sequence[int]:
        return self.box

    def _mode(self) -> int:
        return 0

    def __repr__(self) -> str:
        shape, box = ("x".join(map(str, sizes)) for sizes in (self.array.shape, self.box))
        return f"<tensor map of {shape} {self.array.dtype}, box {box}>"


class PartsMap(TensorMap):
    """A map made from parts."""

    def __init__(self, address: int, known: Parts) -> None:
        self.address, self.parts = address, known

    @property
    def element(self) -> str:
        """The PTX type of the elements."""
        return self.parts.element

    def encoded(self, address: int) -> bytes:
        """The 128 bytes, for a tensor at an address of the device. Raises ArgumentError if the address is not
        aligned."""
        m = self.parts
        require_aligned(address, alignment_of(m.element, m.interleave))
        codes = {name: code for code, name in (ELEMENTS | CONVERTED | PACKED).items()}
        swizzles, layouts = ({name: code for code, name in table.items()} for table in (SWIZZLES, INTERLEAVES))
        return pack(
            address, element=codes[m.element], shape=m.shape, strides=m.strides, box=m.box, steps=m.steps,
            swizzle=swizzles[m.swizzle], interleave=layouts[m.interleave], nan=m.fill == "nan",
        )  # fmt: skip

    def __repr__(self) -> str:
        shape, box = ("x".join(map(str, sizes)) for sizes in (self.parts.shape, self.parts.box))
        return f"<tensor map of {shape} {self.element}, box {box}>"


class ColumnsMap(TensorMap):
    """A map of columns of pixels that was decoded from a GPU's bytes."""

    def __init__(self, address: int, known: DriverMap, columns: Columns) -> None:
        self.address, self.known, self.columns = address, known, columns

    @property
    def element(self) -> str:
        """The PTX type of the elements."""
        return self.known.element

    def encoded(self, address: int) -> bytes:
        """The 128 bytes, for a tensor at an address of the device. Raises ArgumentError if the address is not
        aligned."""
        m, (lower, upper, pixels, channels) = self.known, self.columns
        require_aligned(address, alignment_of(m.element, m.interleave))
        corners = [low & 0xFFFF | (high & 0xFFFF) << 16 for low, high in zip(lower, upper, strict=True)]
        codes = {name: code for code, name in (ELEMENTS | CONVERTED).items()}
        swizzles, layouts = ({name: code for code, name in table.items()} for table in (SWIZZLES, INTERLEAVES))
        return pack(
            address, element=codes[m.element], shape=m.shape, strides=m.strides, steps=m.steps,
            box=[*corners, pixels, channels], swizzle=swizzles[m.swizzle], interleave=layouts[m.interleave],
            nan=m.fill == "nan", mode=MODES["im2col"],
        )  # fmt: skip

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.known.shape))
        return (
            f"<tensor map of {shape} {self.element}, im2col, {self.columns.pixels} pixels of {self.columns.channels}>"
        )


def address_of(value: object) -> int:
    """A number, or a block of `openptx.memory`. Raises ArgumentError for other objects."""
    try:
        return index(cast("SupportsIndex", value))
    except TypeError:
        raise ArgumentError(f"the address of a tensor is a number, not {value!r}") from None


def require_aligned(address: int, unit: int) -> None:
    """Raises ArgumentError for an address at which a tensor cannot begin."""
    if address % unit:
        raise ArgumentError(f"a tensor begins at a multiple of {unit} bytes, not at {address:#x}")


def pack(
    address: int, *, element: int, shape: Sequence[int], strides: Sequence[int], box: Sequence[int],
    steps: Sequence[int], swizzle: int, nan: bool, interleave: int = 0, mode: int = 0,
) -> bytes:  # fmt: skip
    """The 128 bytes of a tensor map. Axes are in the order of an array's shape, the innermost one last.

    `strides` are those of all axes but the innermost, in bytes; `element`, `swizzle` and
    `interleave` are codes of Table 33, but `swizzle` is one of the driver's; `mode` is one of `im2col.MODES` or 0.
    """
    words: dict[str, Sequence[int]] = {
        "rank": [len(shape) - 1 | mode << MODE],
        "elemtype": [element],
        "interleave_layout": [interleave],
        "swizzle_mode": [swizzle_fields(swizzle)[0]],
        "swizzle_atomicity": [swizzle_fields(swizzle)[1]],
        "fill_mode": [int(nan)],
        "global_dim": [min(n, LARGEST_SIZE) for n in shape[::-1]],
        "box_dim": box[::-1],
        "element_stride": steps[::-1],
    }
    data = bytearray(128)
    struct.pack_into("<Q", data, FIELDS["global_address"], address)
    for field, values in words.items():
        struct.pack_into(f"<{len(values)}I", data, FIELDS[field], *values)
    struct.pack_into(f"<{len(strides)}Q", data, FIELDS["global_stride"], *strides[::-1])
    return bytes(data)
