"""Random kernels about barriers: loops whose condition could differ between threads for all that is known, warps and
lanes that leave early, and warps that come to different barriers.

kernel = BarrierKernel(seed)    as `Kernel` of random_kernels.py

All threads of a block that have not exited come to as many barriers, so results have one answer. That they do is in
memory, or in what other threads write between barriers: nobody can know it from the text.
"""

from __future__ import annotations

import random

from random_bodies import Function, Writer
from random_kernels import Kernel, stores
from random_trees import Block, Group

# fmt: off
BLOCKS = ((1, 1, 1), (31, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (65, 1, 1), (96, 1, 1), (97, 1, 1), (128, 1, 1),
          (160, 1, 1), (7, 3, 3), (16, 4, 2), (5, 5, 5), (8, 8, 2), (2, 31, 1), (1, 1, 63))
# fmt: on


class BarrierWriter(Writer):
    """Makes bodies with barriers wherever all threads come. `left`: threads may have exited before."""

    left = False

    def hidden(self) -> str:
        """A number that is the same for all threads, in t0, which a compiler does not know."""
        kind = self.dice.randrange(4)
        if kind == 0:  # from memory
            return f"ld.global.u32 t0, [in+{4 * self.dice.randrange(256)}];"
        if kind == 1:  # computed from different numbers
            return "and.b32 t0, dense, 0; add.u32 t0, t0, uni;"
        if kind == 2:  # by an address that differs for all that is known
            place = 4 * self.dice.randrange(64)
            return f"and.b32 t0, dense, 0; mad.wide.u32 a0, t0, 4, in; ld.global.u32 t0, [a0+{place}];"
        return "mov.u32 t0, uni;"

    def flag(self) -> str:
        """A number that one thread gives to all others, in t0."""
        who, value = self.dice.randrange(self.threads), self.r()
        if self.left:
            return self.hidden()
        number = self.dice.choice((0, 0, 0, 5))
        return (
            f"bar.sync {number}; setp.eq.u32 k0, dense, {who}; @k0 st.shared.u32 [box], {value}; bar.sync {number};"
            f" ld.shared.u32 t0, [box]; bar.sync {number};"
        )

    def chosen(self) -> str:
        """Something that is the same for all threads, in t0, by whatever way."""
        return self.flag() if self.dice.random() < 0.4 else self.hidden()

    def barrier_loop(self, depth: int) -> Group:
        """All threads go round as often, and leave at one place or another of the loop's body together."""
        again, end, over = self.label(), self.label(), self.label()
        c, k = self.counter()
        limit, _ = self.counter()
        head = f"{self.chosen()} and.b32 {limit}, t0, 3; mov.u32 {c}, 0;"
        inner: Block = []
        for _ in range(self.dice.randrange(1, 4)):
            inner.append(self.node(depth, True))
            chance = self.dice.random()
            goal = end if chance < 0.25 else over
            if chance < 0.5:
                bits, wanted = self.dice.choice((1, 3, 4)), self.dice.choice((0, 1))
                text = f"{self.chosen()} and.b32 t0, t0, {bits}; setp.eq.u32 k0, t0, {wanted};"
                inner.append(f"{text} @k0 bra {goal};")
        inner.append(self.dice.choice((self.meet(), self.diverges_before(depth))))
        step = f"{over}: add.u32 {c}, {c}, 1; setp.{self.dice.choice(('lt', 'le'))}.u32 {k}, {c}, {limit};"
        if self.dice.random() < 0.5:
            return Group([f"{head}\n{again}:", inner, f"{step} @{k} bra {again};\n{end}:"])
        turn = f"{over}: add.u32 {c}, {c}, 1; bra {again};"
        return Group([f"{head}\n{again}: setp.ge.u32 {k}, {c}, {limit}; @{k} bra {end};", inner, f"{turn}\n{end}:"])

    def meet(self) -> str:
        """A barrier, with what threads tell each other around it."""
        if self.left:
            return f"bar.sync {self.dice.randrange(16)};"
        return self.dice.choice((self.barrier, self.exchange, self.exchange))()

    def diverges_before(self, depth: int) -> Group:
        """Lanes part, some go round a loop of their own, and all meet at a barrier."""
        kind = self.dice.choice((self.branch, self.loop, self.table))
        return Group(["", [kind(depth, False)], self.meet()])

    def warps_part(self, depth: int) -> Group:
        """Warps come to different barrier instructions of one number, each as often."""
        other, end = self.label(), self.label()
        number, shift = self.dice.randrange(16), self.dice.choice((5, 6))
        count = self.dice.randrange(1, 3)
        sides: list[Block] = []
        for _ in range(2):
            side: Block = [f"bar.sync {number};" for _ in range(count)]
            for _ in range(self.dice.randrange(3)):
                side.insert(self.dice.randrange(len(side) + 1), self.node(0, False))
            sides.append(side)
        head = f"shr.u32 t0, dense, {shift}; and.b32 t0, t0, 1; setp.eq.u32 k0, t0, {self.dice.randrange(2)};"
        # The barriers of one side must not be left out alone: each side is one text.
        first, second = ("\n".join(part if isinstance(part, str) else flat(part) for part in side) for side in sides)
        return Group([f"{head} @k0 bra {other};\n{first}\nbra {end};\n{other}:\n{second}\n{end}:"])

    def leave(self) -> str:
        """Some warps, or some lanes, write down what they have, and exit."""
        self.left = True
        end = self.label()
        who = self.dice.choice(
            (
                f"shr.u32 t0, dense, 5; setp.ne.u32 k0, t0, {self.dice.randrange(5)};",
                f"setp.ne.u32 k0, dense, {self.dice.randrange(self.threads)};",
                f"and.b32 t0, {self.r()}, 7; setp.ne.u32 k0, t0, 2;",
                "and.b32 t0, dense, 16; setp.eq.u32 k0, t0, 0;",
            )
        )
        return f"{who} @k0 bra {end};\n{stores()}\nexit;\n{end}:"

    def together(self) -> str | Group:
        return self.straight() if self.left else super().together()

    def barrier(self) -> str:
        return f"bar.sync {self.dice.randrange(16)};" if self.left else super().barrier()

    def exchange(self) -> str:
        return f"bar.sync {self.dice.randrange(16)};" if self.left else super().exchange()

    def node(self, depth: int, uniform: bool) -> str | Group:
        chance = self.dice.random()
        if not uniform or self.inside:
            return super().node(depth, uniform)
        if chance < 0.12:
            return self.meet()
        if depth > 0 and chance < 0.42:
            return self.barrier_loop(depth - 1)
        if chance < 0.5:
            return self.diverges_before(min(depth, 1))
        if chance < 0.56:
            return self.warps_part(depth)
        if chance < 0.59:
            return self.leave()
        if depth > 0 and chance < 0.66:
            return self.hidden_branch(depth - 1)
        return super().node(min(depth, 1), self.dice.random() < 0.4)

    def hidden_branch(self, depth: int) -> Group:
        """All threads go the same way, to other barriers."""
        other, end = self.label(), self.label()
        text = f"{self.chosen()} and.b32 t0, t0, 1; setp.eq.u32 k0, t0, 0; @k0 bra {other};"
        one, two = self.block(depth, True), self.block(depth, True)
        return Group([text, one, f"bra {end};\n{other}:", two, f"{end}:"])


def flat(group: Group) -> str:
    parts: list[str] = []
    for part in group.parts:
        parts += [part] if isinstance(part, str) else [e if isinstance(e, str) else flat(e) for e in part]
    return "\n".join(parts)


class BarrierKernel(Kernel):
    """A kernel made from a seed; `size` is about how many statements and loops its body has."""

    def __init__(self, seed: int, size: int = 6) -> None:
        self.seed = seed
        dice = random.Random(f"barriers {seed}")
        self.block, self.grid = dice.choice(BLOCKS), dice.choice(((1, 1, 1), (2, 1, 1), (1, 2, 2)))
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.blocks = self.grid[0] * self.grid[1] * self.grid[2]
        self.uniform = dice.getrandbits(8)
        w = BarrierWriter(dice, self.threads, inside=True)
        for i in range(dice.choice((0, 1, 2))):
            body = [w.node(1, False) for _ in range(dice.randrange(2, 6))]
            w.functions.append(Function(f"f{i}", dice.choice(("reg", "param")), body, dice.random() < 0.3))
        self.functions = list(w.functions)
        w.inside = False
        self.body: Block = [w.node(2, True) for _ in range(size)]
        self.counters = w.counters
