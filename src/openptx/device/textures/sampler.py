"""Samplers: how the coordinates of a fetch select texels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from openptx.device.textures.handles import Opaque
from openptx.errors import ArgumentError, Unsupported, is_choice, require_flags
from openptx.isa.sampler_state import MEMBERS

FILTERS = ("nearest", "linear")
ADDRESSES = {"wrap": 0, "mirror": 1, "clamp": 3, "border": 4}
"""In PTX's numbering (9.7.10.5). 2 is `clamp_ogl`, which is not documented."""

COMPARISONS = ("never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always")
"""How a depth is compared with a texel."""

ALL_LEVELS = (0.0, 1000.0)
"""The smallest and the largest level without clamping by a sampler."""


class Sampler(Opaque):
    """How coordinates select texels: the content of a `.samplerref` in independent mode, and a part of every texture.

    `filter` is "nearest" or "linear". `address` is "clamp", "border", "wrap" or "mirror", for all dimensions or as a
    sequence for each. `force_unnormalized` overrides `normalized` of the texture. `compare` is the comparison of a
    depth with a texel: "less_equal", OpenGL's default, or "never", "less", "equal", "greater", "not_equal",
    "greater_equal", "always". `level_filter`, `level_bias` and `level_clamp` choose among a texture's levels, as for a
    Texture. Raises ArgumentError for another filter, mode or comparison.
    """

    kind = "samplerref"

    def __init__(
        self, filter: str = "nearest", address: str | Sequence[str] = "clamp", *, force_unnormalized: bool = False,
        compare: str = "less_equal", level_filter: str = "nearest", level_bias: float = 0.0,
        level_clamp: tuple[float, float] = ALL_LEVELS,
    ) -> None:  # fmt: skip
        super().__init__()
        require_flags(force_unnormalized=force_unnormalized)
        modes = modes_of(address)
        for name in filter, level_filter:
            if not is_choice(name, FILTERS):
                raise ArgumentError(f"the filter is `nearest` or `linear`, not {name!r}")
        if not is_choice(compare, COMPARISONS):
            raise ArgumentError(f"depths are compared by {', '.join(COMPARISONS)}, not {compare!r}")
        self.filter, self.address, self.force_unnormalized = filter, modes, force_unnormalized
        check_levels(level_bias, level_clamp)
        self.compare = compare
        self.level_filter, self.level_bias, self.level_clamp = level_filter, level_bias, level_clamp

    @classmethod
    def of(cls, data: bytes) -> Sampler:
        """The sampler that an initialiser describes (`isa.sampler_state`). Raises Unsupported for the address mode
        `clamp_ogl`."""
        filter, *address, force = data[: len(MEMBERS)]
        names = {number: name for name, number in ADDRESSES.items()}
        if not names.keys() >= {*address}:
            raise Unsupported("a `.samplerref` whose address mode is `clamp_ogl`")
        modes = [names[number] for number in address]
        return cls(FILTERS[filter != 0], modes, force_unnormalized=force != 0)

    def __repr__(self) -> str:
        return f"<sampler {self.filter}, {'/'.join(dict.fromkeys(self.address))}>"


def modes_of(address: Any) -> tuple[str, ...]:
    """The address mode of each dimension. Raises ArgumentError for another mode."""
    each = cast("Sequence[str]", address) if isinstance(address, list | tuple) else (address,) * 3
    modes = (*each, "clamp", "clamp")[:3]
    for mode in modes:
        if not is_choice(mode, ADDRESSES):
            raise ArgumentError(f"the address mode is `clamp`, `wrap`, `mirror` or `border`, not {mode!r}")
    return modes


def check_levels(bias: float, clamp: tuple[float, float]) -> None:
    """Raises ArgumentError unless the bias is a number and the clamp the lowest and the highest level."""
    try:
        (low, high), numbers = clamp, (float(bias), *map(float, clamp))
    except (TypeError, ValueError):
        low, high, numbers = 0.0, 0.0, (np.nan,)
    if np.isnan(numbers).any():
        raise ArgumentError(f"a bias of levels is a number, their clamp two, not {bias!r} and {clamp!r}")
    if low > high:
        raise ArgumentError(f"the clamp of levels is the lowest and the highest, not {clamp!r}")
