"""Code for two cases: accesses that are plainly good or not, masks that may be empty or not."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.state import State
from openptx.engines.native.values import ZEROS, N
from openptx.numerics import Bits

GOOD = "true"
"""The verdict of a check that need not be made."""

Act = Callable[[], tuple[Bits, ...]]


class Ways(State):
    def two_ways(self, good: str, fast: Act, slow: Act) -> tuple[Bits, ...]:
        """The results of `fast` where `good` holds, else those of `slow`, which gives vectors."""
        if good == GOOD:
            return fast()
        out = self.out
        a, b, done = out.fresh(), out.fresh(), out.fresh()
        out.branch(good, a, b, ", !prof !1")
        out.aside += 1
        out.start(a)
        results = fast()
        if self.dry:  # the other way gives as much
            out.aside -= 1
            return tuple(self.bits("%dry", d.width, ZEROS if self.uniform(d) else None) for d in results)
        names = [self.scalar(d) if self.uniform(d) else self.vector(d) for d in results]
        fast_end = out.label
        out.jump(done)
        out.start(b)
        others = [
            self.first_active(s) if self.uniform(d) else self.vector(s) for d, s in zip(results, slow(), strict=True)
        ]
        slow_end = out.label
        out.jump(done)
        out.aside -= 1
        out.start(done)
        found: list[Bits] = []
        for d, x, y in zip(results, names, others, strict=True):
            name = out.emit(f"phi {self.full_type(d)} [{x}, %{fast_end}], [{y}, %{slow_end}]")
            found.append(self.bits(name, d.width, ZEROS if self.uniform(d) else None))
        return tuple(found)

    def if_any(self, act: Act) -> tuple[Bits, ...]:
        """`act` if any lane executes; else zeros."""
        out = self.out
        word = self.mask_word()
        yes, done = out.fresh(), out.fresh()
        before = out.label
        some = out.emit(f"icmp ne i{N} {word}, 0")
        out.branch(some, yes, done)
        out.start(yes)
        out.aside += 1
        certain, self.uncertain = self.uncertain, False
        results = act()
        names = [(self.scalar(d) if self.uniform(d) else self.vector(d), self.full_type(d), d) for d in results]
        self.uncertain = certain
        out.aside -= 1
        end = out.label
        out.jump(done)
        out.start(done)
        return tuple(
            self.bits(
                out.emit(f"phi {t} [{name}, %{end}], [{'0' if t.startswith('i') else 'zeroinitializer'}, %{before}]")
                if t != "i1"
                else out.emit(f"phi i1 [{name}, %{end}], [false, %{before}]"),
                d.width,
                ZEROS if self.uniform(d) else None,
            )
            for name, t, d in names
        )
