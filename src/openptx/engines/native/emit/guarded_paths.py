"""Code for two cases: a fast path where a check holds and a slow path elsewhere; masks that may be empty."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits

GOOD = "true"
"""The verdict of a check that need not be made."""

Act = Callable[[], tuple[Bits, ...]]


class GuardedPaths:
    def __init__(self, scope: Scope) -> None:
        self.x, self.ir, self.scope = scope.x, scope.ir, scope

    def diamond(self, good: str, fast: Act, slow: Act) -> tuple[Bits, ...]:
        """The results of `fast` where `good` holds, else those of `slow`, which gives vectors."""
        if good == GOOD:
            return fast()
        ir = self.ir
        a, b, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.likely(good, a, b)
        with ir.in_cold_code():
            ir.start(a)
            results = fast()
            names = [self.x.name_of(d, self.x.uniform(d)) for d in results]
            labels = [ir.label]
            ir.jump(done)
            ir.start(b)
            others = [
                self.scope.first_active(s) if self.x.uniform(d) else self.x.vector(s)
                for d, s in zip(results, slow(), strict=True)
            ]
            labels.append(ir.label)
            ir.jump(done)
        ir.start(done)
        types = [self.x.type_of(d) for d in results]
        return tuple(self.x.typed(t, ir.phi(t.int, labels, x, y)) for t, x, y in zip(types, names, others, strict=True))

    def if_any(self, act: Act) -> tuple[Bits, ...]:
        """`act` if any lane executes; else zeros."""
        if not self.scope.mask_may_be_empty:
            return act()
        ir = self.ir
        with ir.block_if(ir.is_some(self.scope.mask_word())) as labels:
            self.scope.mask_may_be_empty = False
            results = act()
            names = [self.x.name_of(d, self.x.uniform(d)) for d in results]
            self.scope.mask_may_be_empty = True
        found: list[Bits] = []
        for d, name in zip(results, names, strict=True):
            t = self.x.type_of(d)
            zero = "zeroinitializer" if not t.uniform else self.x.number(0, d.width)
            found.append(self.x.typed(t, ir.phi(t.int, labels[::-1], name, zero)))
        return tuple(found)
