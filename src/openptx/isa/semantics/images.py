"""The protocol for textures and surfaces, which a machine finds by their handles (5.3, 9.7.10, 9.7.11).

A handle is 64 bits: a texture or surface object that a launch was given, or the address of a `.texref`, `.samplerref`
or `.surfref` variable. `geometry` is the instruction's, `1d` to `a2dms`; coordinates are 32 bits each: the sample of
`2dms` and `a2dms`, then the layer of `a1d`, `a2d`, `acube` and `a2dms`, then x; surplus coordinates are ignored. A
cube's three coordinates are a direction whose largest component has the magnitude 1.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Update
    from openptx.numerics import Bits

DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3, "2dms": 2, "a2dms": 2}
"""The number of coordinates of a geometry, besides the sample and the layer."""


def layered(geometry: str) -> bool:
    """Whether a coordinate is the index of a layer, or of a cube."""
    return geometry[0] == "a"


def multisample(geometry: str) -> bool:
    """Whether the first coordinate is the index of a sample."""
    return geometry.endswith("ms")


def components(geometry: str) -> int:
    """The number of coordinates that an instruction uses, with the sample and the layer."""
    return multisample(geometry) + layered(geometry) + DIMENSIONS[geometry]


class Lookup:
    """The operands of a texture fetch.

    `texture` and `sampler` are handles, the second None in unified mode. `coordinates` are floats if `real`. `offset`
    is in texels, or empty. With `depth` each texel is compared with it as the sampler says and replaced by 1.0 or 0.0,
    before any filtering. `level` is a float if `real`, otherwise an integer. `gradients` is two vectors with as many
    components as the geometry has coordinates, or empty.
    """

    __slots__ = ("coordinates", "depth", "geometry", "gradients", "level", "offset", "real", "sampler", "texture")

    def __init__(
        self, geometry: str, texture: Bits, sampler: Bits | None, coordinates: Sequence[Bits], offset: Sequence[Bits],
        depth: Bits | None, *, real: bool = True, level: Bits | None = None,
        gradients: Sequence[Sequence[Bits]] = (),
    ) -> None:  # fmt: skip
        self.geometry, self.texture, self.sampler = geometry, texture, sampler
        self.coordinates, self.offset, self.depth, self.real = coordinates, offset, depth, real
        self.level, self.gradients = level, gradients

    def values(self) -> list[Bits]:
        """The operands that decide what is fetched, without the handles; surplus components are ignored."""
        used, axes = components(self.geometry), DIMENSIONS[self.geometry]
        single = [value for value in (self.depth, self.level) if value is not None]
        return [
            *self.coordinates[:used], *self.offset[:axes], *single,
            *(value for vector in self.gradients for value in vector[:axes]),
        ]  # fmt: skip


class Images:
    """The textures and surfaces that a machine knows. An invalid or wrong handle is a fault."""

    def fetch(self, lookup: Lookup) -> tuple[Bits, ...]:
        """The four components, 32 bits each: floats, or integers extended according to the signedness of the
        elements."""
        raise NotImplementedError

    def gather(self, lookup: Lookup, component: int) -> tuple[Bits, ...]:
        """One component of the four texels that linear filtering would read, as `tld4` orders them."""
        raise NotImplementedError

    # Surfaces. `outside` is `trap`, `clamp` or `zero`. The first coordinate is in bytes, unless said otherwise.

    def load(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, w: int, count: int) -> tuple[Bits, ...]:
        """`count` elements of `w` bits."""
        raise NotImplementedError

    def load_sample(self, geometry: str, a: Bits, c: Sequence[Bits], outside: str) -> tuple[Bits, ...]:
        """The four components of an element as `fetch` gives them; the first coordinate is in elements."""
        raise NotImplementedError

    def store(
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, values: Sequence[Bits], *, sample: bool = False
    ) -> None:
        """The values, of one width; with `sample`, components of 32 bits, which are converted to
        the surface's format, and the first coordinate is in elements.

        Where lanes store to one place the highest lane wins.
        """
        raise NotImplementedError

    def reduce(
        self, geometry: str, a: Bits, c: Sequence[Bits], outside: str, update: Update, b: Bits, *,
        signed: Update | None = None,
    ) -> None:  # fmt: skip
        """Replaces the word there, as wide as `b`, by `update(x, old, b)`, lane after lane.

        With `signed`, the update for surfaces with signed elements, the first coordinate is in words.
        """
        raise NotImplementedError

    # Both.

    def query(self, a: Bits, kind: str, attribute: str, level: Bits | None = None) -> Bits:
        """An attribute of a `texref` (or its sampler) or a `surfref`, as `txq` and `suq` name it, in 32 bits.

        `level` says of which level of a texture; one that it has not is a fault.
        """
        raise NotImplementedError

    def refers(self, a: Bits, kind: str) -> Bits:
        """Whether the handle is that of a `texref`, a `samplerref` or a `surfref`."""
        raise NotImplementedError
