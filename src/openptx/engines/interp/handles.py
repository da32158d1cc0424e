"""The textures, samplers and surfaces that the lanes name: each object does the work for the lanes that hold its
handle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from openptx.array_types import Array
from openptx.device.textures.attributes import attribute
from openptx.device.textures.handles import Opaque, find
from openptx.device.textures.sampler import Sampler
from openptx.device.textures.surface import Surface
from openptx.device.textures.texel_array import TexelArray
from openptx.device.textures.texture import Texture
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.atomics import Atomics
from openptx.engines.interp.memory.spaces import Violation
from openptx.isa.address_windows import PARAM
from openptx.isa.semantics import images
from openptx.isa.semantics.images import DIMENSIONS, layered
from openptx.numerics import Bits

T = TypeVar("T", bound=Opaque)
NAMES: dict[type[Any], str] = {Texture: "texture", Sampler: "sampler", Surface: "surface"}
HANDLE_BYTES = 8


class Handles(images.Images):
    """The objects behind the handles of the executing lanes of `x`."""

    def __init__(self, x: Atomics) -> None:
        self.x = x

    @property
    def count(self) -> int:
        """The number of executing lanes."""
        return lane_sets.size(self.x.executing, self.x.n)

    def wrong(self, code: str, message: str, i: int) -> Violation:
        """The violation of the lane at index `i` of the executing lanes."""
        return Violation(code, message, int(lane_sets.positions(self.x.executing, self.x.n)[i]))

    def object(self, handle: int) -> Opaque | None:
        """The object of a handle, of a variable's address, or of the address of a parameter that contains a handle."""
        bound = self.x.image.bound.get(handle)
        if bound is not None:
            return bound
        if handle >> self.x.shift == PARAM:
            row, at = self.x.memory.rows[PARAM], handle - (PARAM << self.x.shift)
            if row is not None and at + HANDLE_BYTES <= row.size:
                handle = int.from_bytes(row.bytes()[at : at + HANDLE_BYTES].tobytes(), "little")
        return find(handle)

    def require_object(self, kind: type[T], handle: int, i: int) -> T:
        """The object of this kind that a handle names; a fault of the lane at index `i` if it names none."""
        found = self.object(handle)
        if isinstance(found, kind):
            return found
        if found is not None:
            why = f"it is a {NAMES[type(found)]}"
        else:
            addresses = self.x.image.addresses
            why = next((f"nothing is bound to `{name}`" for name, at in addresses.items() if at == handle), "")
        raise self.wrong("invalid-texture", f"0x{handle:x} is not a {NAMES[kind]}{why and ': ' + why}", i)

    def groups(self, *handles: Bits) -> Iterator[tuple[list[int], Array]]:
        """The distinct handles (or pairs of them), each with the indices of the lanes that hold it."""
        self.x.uses("names a texture or surface", *handles)
        if all(h.v.size == 1 or (h.v == h.v[0]).all() for h in handles):
            yield [int(h.v[0]) for h in handles], np.arange(self.count)
            return
        rows = np.stack([np.broadcast_to(h.v, self.count) for h in handles])
        different, which = np.unique(rows, axis=1, return_inverse=True)
        for number, row in enumerate(different.T.tolist()):
            yield row, np.flatnonzero(which.reshape(-1) == number)

    def image(self, kind: type[T], handle: int, geometry: str, i: int) -> T:
        """The texture or surface, if it has the axes that the instruction's geometry requires."""
        found = self.require_object(kind, handle, i)
        if isinstance(found, TexelArray) and found.geometry != geometry:
            if geometry == "1d" and (line := found.as_line()) is not None:
                return line
            what = f"the {NAMES[kind]} is `.{found.geometry}`, the instruction is for `.{geometry}`"
            raise self.wrong("invalid-texture", what, i)
        return found

    def columns(self, values: Sequence[Bits], where: Array) -> list[Array]:
        """The values of the lanes at these indices."""
        return [np.broadcast_to(v.v, self.count)[where] for v in values]

    def coordinates(self, geometry: str, c: Sequence[Bits], where: Array) -> tuple[Array | None, list[Array]]:
        """The layer, if the geometry has one, and the coordinates, x first."""
        columns = self.columns(c, where)
        layer = columns.pop(0) if layered(geometry) else None
        return layer, columns[: DIMENSIONS[geometry]]

    def query(self, a: Bits, kind: str, attribute: str, level: Bits | None = None) -> Bits:
        found = np.zeros(self.count, np.uint32)
        for (handle, *number), where in self.groups(a) if level is None else self.groups(a, level):
            found[where] = self.ask(handle, kind, attribute, int(where[0]), *number)
        return Bits(self.x, 32, found)

    def ask(self, handle: int, kind: str, name: str, i: int, level: int = 0) -> int:
        """An attribute of one object, or of a level of it."""
        given = self.object(handle)
        asked = (
            given
            if isinstance(given, Sampler)
            else self.require_object(Surface if kind == "surfref" else Texture, handle, i)
        )
        if isinstance(asked, Texture):
            if level >= asked.level_count:
                raise self.wrong("invalid-texture", f"{asked.described} has no level {level}", i)
            asked = asked.level(level)
        value = attribute(asked, name)
        if value is None:
            raise self.wrong("invalid-texture", f"a {NAMES[type(asked)]} has no `.{name}`", i)
        return value

    def refers(self, a: Bits, kind: str) -> Bits:
        found = np.zeros(self.count, np.bool_)
        for (handle,), where in self.groups(a):
            known = self.object(handle)
            found[where] = known is not None and known.kind == kind
        return Bits(self.x, 1, found)
