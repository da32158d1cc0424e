"""Memory as the machine of meanings sees it: one check and a few wide moves where lanes are a base and offsets.

Every access is checked against the table of slots (spans.py). Whatever is not plainly good goes the slow way, lane by
lane, which is exact: it accepts what is right after all, and says which lane did what wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.fallback import Fallback
from openptx.engines.native.loads import Loads
from openptx.engines.native.questions import Questions
from openptx.engines.native.steps import Steps
from openptx.engines.native.stores import Stores
from openptx.isa.semantics.images import Images
from openptx.isa.semantics.tensor_memory import TensorMemory
from openptx.numerics import Bits


class Memory(Loads, Stores, Questions, Steps):
    """Loads and stores, and what of memory is left to the reference engine."""

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        if self.uncertain:
            given = [self.held(v) for v in (target, origin, size)]
            self.if_any(lambda: self.slow_copy(to, given[0], source, given[1], given[2]))
        else:
            self.slow_copy(to, target, source, origin, size)

    def cases(self, a: Bits, step: Callable[..., None], *values: Bits) -> None:
        raise Fallback("steps that depend on a value")

    def allocate(self, size: Bits, align: int) -> Bits:
        raise Fallback("alloca")

    def stack(self) -> Bits:
        raise Fallback("stacksave")

    def unwind(self, mark: Bits) -> None:
        raise Fallback("stackrestore")

    @property
    def images(self) -> Images:
        raise Fallback("textures and surfaces")

    @property
    def tensor_memory(self) -> TensorMemory:
        raise Fallback("tensor memory")
