"""Mipmapped arrays: each level is an array of half the extent; textures show them all."""

from __future__ import annotations

from openptx.driver.calls import in_context, invalid, put, read
from openptx.driver.devices.contexts import Context
from openptx.driver.objects import Object, driver
from openptx.driver.textures.arrays import CUBE, DESCRIPTOR_3D, LAYERED, Array, Description


class Mipmapped(Object):
    """`levels` are arrays, the largest first."""

    what = "mipmapped array"

    def __init__(self, description: Description, count: int) -> None:
        """`count` levels, or fewer if all extents reach 1."""
        super().__init__()
        most = max(
            description.width, description.height, 0 if description.flags & (LAYERED | CUBE) else description.depth
        )
        self.levels = [Array(level_of(description, i)) for i in range(min(count, most.bit_length()))]

    def end(self) -> None:
        for array in (*self.levels, self):
            driver().remove(array)


def level_of(description: Description, number: int) -> Description:
    """Dimensions that the array does not have stay 0; the number of layers is the same in each level."""
    width, height, depth = (max(n >> number, 1) if n else 0 for n in description[:3])
    layers = description.depth if description.flags & (LAYERED | CUBE) else depth
    return description._replace(width=width, height=height, depth=layers)


@in_context("cuMipmappedArrayCreate")
def create(context: Context, out: int, description: int, count: int) -> None:
    put(out, 0)
    if not count:
        raise invalid("a mipmapped array without levels")
    made = Mipmapped(Description(*DESCRIPTOR_3D.unpack(read(description, DESCRIPTOR_3D.size))), count)
    for level in made.levels:
        driver().add(level)
    put(out, context.own(made, made.end).handle)


@in_context("cuMipmappedArrayGetLevel")
def get_level(context: Context, out: int, handle: int, level: int) -> None:
    put(out, 0)
    found = driver().find(handle, Mipmapped)
    if level >= len(found.levels):
        raise invalid(f"level {level} of a mipmapped array that has {len(found.levels)}")
    put(out, found.levels[level].handle)


@in_context("cuMipmappedArrayDestroy")
def destroy(context: Context, mipmapped: Mipmapped) -> None:
    context.owned.pop(mipmapped, None)
    mipmapped.end()
