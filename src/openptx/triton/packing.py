"""A launch's arguments as parameters of the PTX kernel: by Triton's signature, flattened as in its own launcher."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np

from openptx.errors import ArgumentError, Unsupported
from openptx.isa.semantics.im2col import MODES
from openptx.runtime.tensor_map import pack
from openptx.triton.pointers import address

Value = tuple[str, Any]
"""Triton's type, such as "i32" or "*fp16", and the argument."""

INTEGERS = {"i1": 1, "u1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
FLOATS = {"fp16": "<e", "fp32": "<f", "f32": "<f", "fp64": "<d"}
TENSOR_MAP, TF32 = "nvTmaDesc", 11


class Signature:
    """How the arguments of a kernel become bytes. `descriptors` describes each tensor map of the kernel."""

    def __init__(self, types: Mapping[str, Any], descriptors: Sequence[Mapping[str, Any]] | None) -> None:
        self.types, self.descriptors = types, descriptors

    def values(self, arguments: Sequence[Any]) -> list[tuple[str, bytes]]:
        """All parameters: the name of the argument, and bytes. Raises ArgumentError for a value that does not fit its
        type."""
        if len(arguments) != len(self.types):
            names = ", ".join(self.types)
            raise ArgumentError(
                f"{len(self.types)} arguments are needed, constants too ({names}), not {len(arguments)}"
            )
        wanted = iter(self.descriptors or ())
        found: list[tuple[str, bytes]] = []
        for (name, kind), argument in zip(self.types.items(), arguments, strict=True):
            found += [(name, encoded(name, *value)) for value in self.flat(kind, argument, wanted)]
        return found

    def flat(self, kind: Any, argument: Any, descriptors: Iterator[Mapping[str, Any]]) -> Iterator[Value]:
        """Tuples become their items, descriptors their parts; compile-time constants are not parameters."""
        if isinstance(kind, tuple):
            for each, item in zip(cast("tuple[Any, ...]", kind), argument, strict=True):
                yield from self.flat(each, item, descriptors)
        elif str(kind).startswith("tensordesc"):
            yield from descriptor(argument, next(descriptors, None))
        elif kind != "constexpr":
            yield kind, argument


def descriptor(tensor: Any, wanted: Mapping[str, Any] | None) -> Iterator[Value]:
    """A host tensor descriptor: a tensor map, or its parts if the target copies without one."""
    if wanted is None:
        yield "*i8", tensor.base
        yield from (("i64", n) for n in (*tensor.shape, *tensor.strides))
        yield "i1", tensor.padding == "nan"
        if hasattr(tensor, "round_f32_to_tf32"):  # since Triton 3.7
            yield "i1", tensor.round_f32_to_tf32
    else:
        yield TENSOR_MAP, tensor_map(tensor, wanted)
    yield from (("i32", n) for n in tensor.shape)
    yield from (("i64", n) for n in tensor.strides)


def tensor_map(tensor: Any, wanted: Mapping[str, Any]) -> bytes:
    """The 128-byte tensor map that the driver would create."""
    rounds = getattr(tensor, "round_f32_to_tf32", False)
    size, shape = int(wanted["elem_size"]), [int(n) for n in tensor.shape]
    if wanted.get("fp4_padded"):
        shape[-1] *= 2  # two elements per byte
    columns = bool(wanted.get("is_im2col"))
    return pack(
        address("descriptor", tensor.base),
        element=TF32 if rounds else int(wanted["elem_type"]),
        shape=shape,
        strides=[int(n) * size for n in tensor.strides[:-1]],
        box=[*(corners(tensor) if columns else ()), *(int(n) for n in wanted["block_size"])],
        steps=[int(n) for n in getattr(tensor, "element_strides", None) or [1] * len(shape)],
        swizzle=int(wanted["swizzle"]),
        nan=tensor.padding == "nan",
        mode=MODES["im2col"] if columns else 0,
    )


def corners(tensor: Any) -> list[int]:
    """The corners of columns of pixels, in a tensor map's layout: one word for each axis between N and C."""
    pairs = zip(tensor.pixel_box_lower_corner, tensor.pixel_box_upper_corner, strict=True)
    return [int(low) & 0xFFFF | (int(high) & 0xFFFF) << 16 for low, high in pairs]


def encoded(name: str, kind: str, value: Any) -> bytes:
    """One value as the bytes of its type. Raises Unsupported for an unknown type, ArgumentError for a value out of
    range."""
    try:
        if kind.startswith("*"):
            return address(name, value).to_bytes(8, "little")
        if kind == TENSOR_MAP:
            return value
        if kind in INTEGERS:
            size = INTEGERS[kind]
            return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
        if kind == "bf16":
            return np.float32(value).astype(ml_dtypes.bfloat16).tobytes()
        return struct.pack(FLOATS[kind], float(value))
    except KeyError:
        raise Unsupported(f"arguments of Triton's type {kind}") from None
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"argument `{name}` ({kind}) cannot be {value!r}: {error}") from error
