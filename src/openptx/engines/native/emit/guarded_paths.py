"""Code for two cases: accesses that are plainly good or not, masks that may be empty or not."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.analysis.lattice import ZEROS, N
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
        ir.branch(good, a, b, ", !prof !1")
        ir.cold += 1
        ir.start(a)
        results = fast()
        names = [self.x.scalar(d) if self.x.uniform(d) else self.x.vector(d) for d in results]
        fast_end = ir.label
        ir.jump(done)
        ir.start(b)
        others = [
            self.scope.first_active(s) if self.x.uniform(d) else self.x.vector(s)
            for d, s in zip(results, slow(), strict=True)
        ]
        slow_end = ir.label
        ir.jump(done)
        ir.cold -= 1
        ir.start(done)
        found: list[Bits] = []
        for d, x, y in zip(results, names, others, strict=True):
            name = ir.emit(f"phi {self.x.type_of(d).int} [{x}, %{fast_end}], [{y}, %{slow_end}]")
            found.append(self.x.bits(name, d.width, ZEROS if self.x.uniform(d) else None))
        return tuple(found)

    def if_any(self, act: Act) -> tuple[Bits, ...]:
        """`act` if any lane executes; else zeros."""
        ir = self.ir
        word = self.scope.mask_word()
        yes, done = ir.fresh(), ir.fresh()
        before = ir.label
        some = ir.emit(f"icmp ne i{N} {word}, 0")
        ir.branch(some, yes, done)
        ir.start(yes)
        ir.cold += 1
        certain, self.scope.mask_may_be_empty = self.scope.mask_may_be_empty, False
        results = act()
        names = [
            (self.x.scalar(d) if self.x.uniform(d) else self.x.vector(d), self.x.type_of(d).int, d) for d in results
        ]
        self.scope.mask_may_be_empty = certain
        ir.cold -= 1
        end = ir.label
        ir.jump(done)
        ir.start(done)
        return tuple(
            self.x.bits(
                ir.emit(f"phi {t} [{name}, %{end}], [{'0' if t.startswith('i') else 'zeroinitializer'}, %{before}]")
                if t != "i1"
                else ir.emit(f"phi i1 [{name}, %{end}], [false, %{before}]"),
                d.width,
                ZEROS if self.x.uniform(d) else None,
            )
            for name, t, d in names
        )
