"""Random generators of CUDA: their state is a seed and an offset, 16 bytes that libraries read and write.

The numbers are drawn by a generator of the CPU, so they are not those of a GPU. Philox counts the numbers it has drawn;
here the offset counts how often the state was read after a draw, and the CPU's generator is then seeded by it
(modelled).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

MASK = (1 << 64) - 1
STEP = 4
"""Philox makes four numbers at once: libraries assert that offsets are multiples of it."""


def mix_seed(seed: int, offset: int) -> int:
    """The seed of the CPU's generator; for offset 0 the seed itself."""
    return (seed + offset * 0x9E3779B97F4A7C15) & MASK


class State:
    """The seed and offset that a generator of the CPU was last seeded for."""

    def __init__(self, torch: Any, native: Any, source: Any) -> None:
        """`source` is the generator. Methods of the class `native` are called on it, because its own may override
        them."""
        self.torch, self.native, self.source = torch, native, source
        self.seed, self.offset = self.initial_seed(), 0
        self.fresh = self.seeded()

    def initial_seed(self) -> int:
        return self.native.initial_seed(self.source) & MASK

    def seeded(self) -> Any:
        """The state of a generator that was just seeded as this one."""
        return self.native().manual_seed(self.initial_seed()).get_state()

    def begin(self, seed: int, offset: int) -> None:
        self.seed, self.offset = seed & MASK, offset
        self.native.manual_seed(self.source, mix_seed(self.seed, offset))
        self.fresh = self.native.get_state(self.source)

    def current(self) -> tuple[int, int]:
        """Seed and offset; the next offset if numbers were drawn, and 0 if the generator was seeded meanwhile."""
        if self.initial_seed() != mix_seed(self.seed, self.offset):
            self.seed, self.offset, self.fresh = self.initial_seed(), 0, self.seeded()
        if not self.torch.equal(self.native.get_state(self.source), self.fresh):
            self.begin(self.seed, self.offset + STEP)
        return self.seed, self.offset


def generator_class(torch: Any, is_cuda: Callable[[Any], bool]) -> Any:
    """The class in place of `torch.Generator`: it makes one of its own for CUDA, and torch's for other devices."""
    native: Any = torch.Generator

    def instance(cls: Any, value: object) -> bool:
        return isinstance(value, native)

    def make(cls: Any, device: Any = "cpu") -> Any:
        return type.__call__(cls) if is_cuda(device) else native(device=device)

    def new(cls: Any, source: Any = None) -> Any:
        return native.__new__(cls)

    def begin(self: Any, source: Any = None) -> None:
        self.state = State(torch, native, self if source is None else source)

    def manual_seed(self: Any, seed: int) -> Any:
        self.state.begin(int(seed), 0)
        return self

    def seed(self: Any) -> int:
        self.state.begin(native.seed(self.state.source), 0)
        return self.state.seed

    def initial_seed(self: Any) -> int:
        return self.state.current()[0]

    def get_offset(self: Any) -> int:
        return self.state.current()[1]

    def set_offset(self: Any, offset: int) -> None:
        self.state.begin(self.state.current()[0], offset)

    def get_state(self: Any) -> Any:
        signed = [n - (n >> 63 << 64) for n in self.state.current()]
        return torch.tensor(signed, dtype=torch.int64, device="cpu").view(torch.uint8)

    def set_state(self: Any, state: Any) -> Any:
        if state.numel() != 16:
            raise RuntimeError("RNG state is wrong size")
        self.state.begin(*(int(n) & MASK for n in state.view(torch.int64)))
        return self

    def clone_state(self: Any) -> Any:
        return type.__call__(made).set_state(self.get_state())

    def device(self: Any) -> Any:
        return torch.device("cuda", 0)

    methods = (
        manual_seed, seed, initial_seed, get_offset, set_offset, get_state, set_state, clone_state,
    )  # fmt: skip
    members: dict[str, Any] = {method.__name__: method for method in methods}
    bases: tuple[Any, ...] = (native,)
    meta: Any = type(
        "GeneratorType", cast("tuple[Any, ...]", (type(native),)), {"__instancecheck__": instance, "__call__": make}
    )
    members |= {"__new__": new, "__init__": begin, "device": property(device)}
    made: Any = type.__call__(meta, "Generator", bases, members)
    return made


def default_generator(torch: Any, made: Any) -> Any:
    """The generator of the device: it draws from torch's default generator for the CPU, as functions for `cuda` do."""
    return type.__call__(made, torch.default_generator)
