"""Kernels `k(p, count)` of any size in shapes that compilers and generators of code produce."""

from __future__ import annotations

from collections.abc import Callable

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 count) {{
.reg .u64 x, d; .reg .u32 a, n, t, %r<{registers}>; .reg .pred %p<{registers}>;
ld.param.u64 x, [p]; ld.param.u32 n, [count]; mov.u32 t, %tid.x; mul.wide.u32 d, t, 4; add.u64 x, x, d;
ld.global.u32 a, [x];
"""
END = "st.global.u32 [x], a; ret; }"


def kernel(n: int, lines: list[str]) -> str:
    return "\n".join([HEAD.format(registers=n + 1), *lines, END])


def straight(n: int) -> str:
    """Arithmetic without branches, each result in a register of its own; nothing of it folds."""
    operations = "mad.lo.u32 {}, {}, 5, {};", "xor.b32 {}, {}, {};"
    lines = [operations[i % 2].format(f"%r{i + 1}", f"%r{i}", f"%r{max(i - 1 - i % 7, 0)}") for i in range(n)]
    return kernel(n, ["mov.u32 %r0, a;", *lines, f"mov.u32 a, %r{n};"])


def branches(n: int) -> str:
    """Diverging branches around one instruction."""
    return kernel(n, [f"setp.eq.u32 %p{i}, a, {i}; @%p{i} bra L{i}; mad.lo.u32 a, a, 3, {i}; L{i}:" for i in range(n)])


def loops(n: int) -> str:
    """Loops one after another."""
    body = "xor.b32 a, a, %r{0}; add.u32 %r{0}, %r{0}, 1; setp.lt.u32 %p{0}, %r{0}, n; @%p{0} bra L{0};"
    return kernel(n, [f"mov.u32 %r{i}, 0; L{i}: {body.format(i)}" for i in range(n)])


def probes(n: int) -> str:
    """A loop around loops that look for a free place, as in a hash table."""
    body = "add.u64 x, x, 4; atom.global.exch.b32 %r{0}, [x], t; setp.ne.u32 %p{0}, %r{0}, 0; @%p{0} bra L{0};"
    again = f"sub.u32 n, n, 1; setp.gt.u32 %p{n}, n, 0; @%p{n} bra L0;"
    return kernel(n, [*(f"L{i}: {body.format(i)}" for i in range(n)), again])


def swaps(n: int) -> str:
    """A loop around compare-and-swaps that are repeated until nobody else has been there, all by one register."""
    body = "atom.global.cas.b32 a, [x+{1}], a, t; setp.ne.u32 %p{0}, a, t; @%p{0} bra L{0};"
    again = f"setp.gt.u32 %p{n}, a, n; @%p{n} bra L0;"
    return kernel(n, [*(f"L{i}: {body.format(i, 4 * i)}" for i in range(n)), again])


def waits(n: int) -> str:
    """A loop around loops that wait for a place, each with a load and a store of an array of its own."""
    array = "add.u32 %r{2}, t, {0}; ld.shared.u32 %r{1}, [%r{2}]; st.shared.u32 [%r{2}], a;"
    body = array + " atom.global.exch.b32 %r{0}, [x], %r{1}; setp.ne.u32 %p{0}, %r{0}, 0; @%p{0} bra L{0};"
    again = f"sub.u32 n, n, 1; setp.gt.u32 %p{n}, n, 0; @%p{n} bra L0;"
    return kernel(3 * n, [*(f"L{i}: {body.format(i, n + i, 2 * n + i)}" for i in range(n)), again])


def live(n: int) -> str:
    """Registers that are live until the end, across branches."""
    made = [f"mad.lo.u32 %r{i}, a, {i + 3}, {i};" for i in range(n)]
    apart = [f"setp.eq.u32 %p{i}, a, {i}; @%p{i} bra L{i}; mad.lo.u32 a, a, 3, {i}; L{i}:" for i in range(n // 10)]
    return kernel(n, [*made, *apart, *(f"xor.b32 a, a, %r{i};" for i in range(n))])


def switch(n: int) -> str:
    """A diverging branch by index."""
    labels = ", ".join(f"L{i}" for i in range(n))
    cases = [f"L{i}: mad.lo.u32 a, a, 3, {i}; bra END;" for i in range(n)]
    return kernel(n, [f"rem.u32 t, a, {n};", f"T: .branchtargets {labels};", "brx.idx t, T;", *cases, "END:"])


def shuffles(n: int) -> str:
    """Diverging branches around an exchange between lanes: at each of them lanes may wait for others."""
    exchange = "shfl.sync.idx.b32 a, a, 3, 31, 0xffffffff;"
    return kernel(n, [f"setp.eq.u32 %p{i}, a, {i}; @%p{i} bra L{i}; {exchange} L{i}:" for i in range(n)])


SHAPES: dict[str, Callable[[int], str]] = {
    f.__name__: f for f in (straight, branches, loops, probes, swaps, waits, live, switch)
}
