"""Bodies of random kernels: statements, accesses, operations of several threads, and control flow of every kind.

Lanes part and meet in branches, loops, tables and graphs of blocks that no `if` or `while` could say; whatever needs
other threads (barriers, shuffles, votes, exchanges through shared memory) stands where all threads come, or names the
lanes that do. Atomics on shared places use one operation that may be done in any order each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from random_statements import POOLS, register, statement
from random_trees import Block, Group

# fmt: off
# What shared places may be asked to do, each an area of its own: the order does not matter.
ORDERLESS = (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
             ("add", "u64"), ("min", "u64"), ("max", "s64"), ("xor", "b64"))
# A place of a thread's own may be asked for anything, and says what was there.
ATOMICS = ("add.u32", "add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "exch.b32", "inc.u32", "dec.u32",
           "add.f32", "add.noftz.f16x2", "add.noftz.bf16x2", "cas.b32", "add.u64", "min.s64", "max.u64", "exch.b64",
           "add.f64", "cas.b64", "xor.b64")
# fmt: on
PLACES, OWN = 4, 32
"""Places in an area, and bytes that a thread has for itself in each memory."""

AREAS = len(ORDERLESS) * PLACES * 8
"""Bytes of all areas."""

TABLE = 256
"""Bytes of constants."""


@dataclass(slots=True)
class Function:
    """A device function: how it takes `b32 x` and `b64 y` and gives a `b32`, and its body."""

    name: str
    space: str  # reg, or param
    body: Block
    recursive: bool = False


@dataclass(slots=True)
class Writer:
    """Makes bodies. `uniform` is whether all threads of the block come here together."""

    dice: random.Random
    threads: int
    functions: list[Function] = field(default_factory=list[Function])
    inside: bool = False  # of a device function
    labels: int = 0
    counters: int = 0

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def counter(self) -> tuple[str, str]:
        self.counters += 1
        return f"c{self.counters}", f"k{self.counters + 1}"

    def r(self, type: str = "b32") -> str:
        return register(self.dice, type)

    # Straight code.

    def line(self) -> str:
        text = statement(self.dice)
        if self.dice.random() < 0.12:
            return f"@{self.dice.choice(['', '!'])}{self.r('pred')} {text}"
        return text

    def carried(self) -> str:
        first, then = self.dice.choice((("add", "addc"), ("sub", "subc"), ("mad.lo", "madc.hi")))
        t = self.dice.choice(("u32", "s32", "u64", "s64"))
        n = 3 if first.startswith("mad") else 2

        def one(op: str) -> str:
            return f"{op}.{t} {', '.join(self.r(f'b{t[1:]}') for _ in range(n + 1))};"

        return " ".join((one(f"{first}.cc"), one(f"{then}.cc"), one(then)))

    def place(self, base: str, size: int, align: int) -> str:
        """Puts the address of an aligned place in `size` bytes at `base`, chosen by a register, into a0."""
        if base == "in" and self.dice.random() < 0.5:  # near to those of the other lanes
            step = self.dice.choice((align, 2 * align, 3 * align))
            signed = f"mul.wide.s32 a0, t0, {step}; add.s64 a0, in, a0;"
            wide = self.dice.choice((f"mad.wide.u32 a0, t0, {step}, in;", signed))
            return f"add.u32 t0, {self.dice.choice(('self', 'lane'))}, {self.dice.randrange(9)}; {wide}"
        index = f"and.b32 t0, {self.r()}, {(size - 1) & ~(align - 1)}; cvt.u64.u32 a0, t0;"
        return f"{index} mov.u64 a1, {base}; add.u64 a0, a0, a1;"

    def shape(self) -> tuple[str, str, list[str], int]:
        """`.v2`, type, registers, bytes of a load or store."""
        t = self.dice.choice(("u8", "s8", "u16", "s16", "b16", "u32", "s32", "f32", "b32", "u64", "s64", "f64", "b64"))
        width = int(t[1:])
        count = self.dice.choice((1, 1, 1, 2, 4)) if width < 64 else self.dice.choice((1, 1, 2))
        name = f"b{max(width, 16)}"
        if t[0] in "us" and width < 64 and self.dice.random() < 0.4:
            name = self.dice.choice([n for n in ("b16", "b32", "b64") if int(n[1:]) >= width])
        prefix, n = POOLS[name]
        registers = [f"{prefix}{i}" for i in self.dice.sample(range(n), count)]
        return f".v{count}" if count > 1 else "", t, registers, width // 8 * count

    def access(self, load: bool) -> str:
        """A load of anything readable, or a store to what is the thread's own."""
        v, t, registers, size = self.shape()
        names = f"{{{', '.join(registers)}}}" if v else registers[0]
        mine = ("local",) if self.inside else ("local", "own", "out")
        others = ("fixed", "table") if self.inside else ("fixed", "table", "in", "in")
        base = self.dice.choice((*mine, *others) if load else mine)
        generic = self.dice.random() < 0.3
        space = {"local": ".local", "own": ".shared", "fixed": ".const"}.get(base, ".global")
        span = {"in": 1024, "fixed": TABLE, "table": TABLE}.get(base, OWN)
        where = self.place("loc" if base == "local" else base, span, size)
        if base == "own":
            where += f" mad.wide.u32 a0, dense, {OWN}, a0;"
        if generic:
            where += f" cvta{space}.u64 a0, a0;"
        offset = f"+{size}" if base == "in" and self.dice.random() < 0.3 else ""
        nc = ".nc" if base == "in" and not generic and self.dice.random() < 0.3 else ""
        op = f"{'ld' if load else 'st'}{'' if generic else space}{nc}{v}.{t}"
        return f"{where} {op} {names}, [a0{offset}];" if load else f"{where} {op} [a0{offset}], {names};"

    def atomic(self) -> str:
        if self.dice.random() < 0.5:
            which = self.dice.randrange(len(ORDERLESS))
            op, t = ORDERLESS[which]
            space, base = self.dice.choice(((".global", "sums"), (".shared", "acc"), ("", "sums")))
            at = f"and.b32 t0, {self.r()}, {PLACES - 1}; mov.u64 a0, {base}; mad.wide.u32 a0, t0, 8, a0;"
            place, b = f"[a0+{which * PLACES * 8}]", self.r(f"b{t[1:]}")
            if self.dice.random() < 0.3:
                return f"{at} atom{space}.{op}.{t} {'a2' if t[1:] == '64' else 't1'}, {place}, {b};"
            return f"{at} red{space}.{op}.{t} {place}, {b};"
        op = self.dice.choice(ATOMICS)
        name = "b64" if op.endswith("64") else "b32"
        sources = ", ".join(self.r(name) for _ in range(2 if op.startswith("cas") else 1))
        space = self.dice.choice((".global", ".shared", ""))
        at = f"mov.u64 a0, own; mad.wide.u32 a0, dense, {OWN}, a0;" if space == ".shared" else "mov.u64 a0, out;"
        return f"{at} atom{space}.{op} {self.r(name)}, [a0+{self.dice.choice((0, 8, 16, 24))}], {sources};"

    def straight(self) -> str:
        chance = self.dice.random()
        if chance < 0.72:
            return self.line()
        if chance < 0.78:
            return self.carried()
        if chance < 0.93 or self.inside:
            return self.access(self.dice.random() < 0.6)
        return self.atomic()

    # What threads do together.

    def together(self) -> str | Group:
        """Where all threads of the warps come."""
        return self.dice.choice((self.shuffle, self.agree, self.reduce, self.some_lanes))()

    def shuffle(self) -> str:
        d, a = self.r(), self.r()
        p = self.r("pred")
        p = f"|{p}" if self.dice.random() < 0.5 else ""
        if self.threads % 32 or self.dice.random() < 0.3:
            by = self.dice.choice((str(self.dice.randrange(32)), self.r()))
            by = f"and.b32 t0, {by}, 31;"
            return f"{by} shfl.sync.up.b32 {d}{p}, {a}, t0, {self.dice.choice((0, 0x1000, 0x1800))}, -1;"
        mode = self.dice.choice(("up", "down", "bfly", "idx"))
        by = self.dice.choice((str(self.dice.randrange(32)), self.r()))
        clamp = self.dice.choice((0x1F, 0x181F, 0x101F, 0x1C1F, 7) if mode != "up" else (0, 0x1800, 0x1000))
        return f"shfl.sync.{mode}.b32 {d}{p}, {a}, {by}, {clamp}, -1;"

    def agree(self) -> str:
        p = self.dice.choice(("", "!")) + self.r("pred")
        kind = self.dice.randrange(4)
        if kind == 0:
            return f"vote.sync.{self.dice.choice(('all', 'any', 'uni'))}.pred {self.r('pred')}, {p}, -1;"
        if kind == 1:
            return f"vote.sync.ballot.b32 {self.r()}, {p}, -1;"
        t = self.dice.choice(("b32", "b64"))
        a = f"and.{t} {'t0' if t == 'b32' else 'a0'}, {self.r(t)}, {self.dice.choice((1, 3, 255))};"
        source = "t0" if t == "b32" else "a0"
        if kind == 2:
            return f"{a} match.any.sync.{t} {self.r()}, {source}, -1;"
        return f"{a} match.all.sync.{t} {self.r()}|{self.r('pred')}, {source}, -1;"

    def reduce(self) -> str:
        if self.dice.random() < 0.2:
            how = "".join(self.dice.choice(each) for each in ((".min", ".max"), ("", ".abs"), ("", ".NaN")))
            return f"redux.sync{how}.f32 {self.r()}, {self.r()}, -1;"
        op = self.dice.choice(
            ("add.u32", "add.s32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32")
        )
        return f"redux.sync.{op} {self.r()}, {self.r()}, -1;"

    def some_lanes(self) -> Group:
        """Lanes that a vote has chosen: they know each other, and shuffle from the lowest of them."""
        end, p = self.label(), self.r("pred")
        mask, _ = self.counter()
        head = f"vote.sync.ballot.b32 {mask}, {p}, -1;\n@!{p} bra {end};"
        leader = f"brev.b32 t0, {mask}; clz.b32 t0, t0;"
        choices = (
            f"{leader} shfl.sync.idx.b32 {self.r()}, {self.r()}, t0, 31, {mask};",
            f"redux.sync.{self.dice.choice(('add.u32', 'xor.b32', 'min.s32'))} {self.r()}, {self.r()}, {mask};",
            f"and.b32 t0, {self.r()}, 3; match.any.sync.b32 {self.r()}, t0, {mask};",
            f"bar.warp.sync {mask};",
            f"elect.sync {self.r()}|k0, {mask};",
            f"vote.sync.any.pred {self.r('pred')}, {self.r('pred')}, {mask};",
        )
        inner: Block = [
            self.dice.choice((self.straight(), self.dice.choice(choices))) for _ in range(self.dice.randrange(1, 5))
        ]
        return Group([head, inner, f"{end}:"])

    def barrier(self) -> str:
        kind = self.dice.randrange(4)
        if kind == 0:
            return f"bar.sync {self.dice.randrange(16)};"
        if kind == 1:
            op = self.dice.choice(("popc.u32", "and.pred", "or.pred"))
            d = self.r() if op == "popc.u32" else self.r("pred")
            return f"barrier.cta.red.{op} {d}, {self.dice.randrange(3)}, {self.dice.choice(('', '!'))}{self.r('pred')};"
        if kind == 2 and self.threads % 32 == 0:
            return f"barrier.sync 1, {self.threads};"
        return "barrier.cta.sync 0;"

    def exchange(self) -> str:
        """Every thread gives something to another one through shared memory."""
        t = self.dice.choice(("b32", "b64", "b128"))
        size = {"b32": 4, "b64": 8, "b128": 16}[t]
        other = f"add.u32 t0, dense, {self.dice.randrange(self.threads + 1)}; rem.u32 t0, t0, {self.threads};"
        if self.dice.random() < 0.3:
            other = f"rem.u32 t0, {self.r()}, {self.threads};"
        elif self.dice.random() < 0.3:
            other = f"sub.u32 t0, {self.threads - 1}, dense;"
        space = self.dice.choice((".shared", ".shared", ""))
        base = "mov.u64 a1, box;" + (" cvta.shared.u64 a1, a1;" if not space else "")
        if t == "b128" or self.dice.random() < 0.2:
            v, pool, size = self.dice.choice((("v4.b32", "b32", 16), ("v2.b64", "b64", 16), ("v2.b32", "b32", 8)))
            count = int(v[1])
            prefix, n = POOLS[pool]
            into = "{" + ", ".join(f"{prefix}{i}" for i in self.dice.sample(range(n), count)) + "}"
            out = "{" + ", ".join(self.r(pool) for _ in range(count)) + "}"
            t = v
        else:
            into, out = self.r(t), self.r(t)
        return (
            f"{base} mad.wide.u32 a0, dense, {size}, a1; bar.sync 0; st{space}.{t} [a0], {out}; bar.sync 0;"
            f" {other} mad.wide.u32 a0, t0, {size}, a1; ld{space}.{t} {into}, [a0]; bar.sync 0;"
        )

    # Control.

    def condition(self, uniform: bool) -> tuple[str, str]:
        """Text that decides, and the predicate that says it."""
        if uniform:
            source = self.dice.choice(("uni", "cta"))
            return f"shr.u32 t0, {source}, {self.dice.randrange(3)}; and.b32 t0, t0, 1; setp.ne.u32 k0, t0, 0;", "k0"
        chance = self.dice.random()
        if chance < 0.4:
            return "", self.r("pred")
        if chance < 0.7:
            compare = self.dice.choice(("lt", "ge", "eq", "ne"))
            a, b = self.dice.choice((self.r(), "self", "lane", "dense")), self.dice.choice((self.r(), "16", "5", "40"))
            return f"setp.{compare}.{self.dice.choice('us')}32 k0, {a}, {b};", "k0"
        return f"and.b32 t0, {self.r()}, {self.dice.choice((1, 2, 3, 4))}; setp.eq.u32 k0, t0, 0;", "k0"

    def branch(self, depth: int, uniform: bool) -> Group:
        other, end = self.label(), self.label()
        text, p = self.condition(uniform)
        sign = self.dice.choice(("", "!"))
        if self.dice.random() < 0.4:
            return Group([f"{text} @{sign}{p} bra {end};", self.block(depth, uniform), f"{end}:"])
        return Group(
            [
                f"{text} @{sign}{p} bra {other};",
                self.block(depth, uniform),
                f"bra {end};\n{other}:",
                self.block(depth, uniform),
                f"{end}:",
            ]
        )

    def loop(self, depth: int, uniform: bool) -> Group:
        again, end = self.label(), self.label()
        c, k = self.counter()
        limit, _ = self.counter()
        head = f"mov.u32 {c}, 0; mov.u32 {limit}, {self.dice.randrange(1, 5)};"
        if self.dice.random() < 0.6:
            bound = "uni" if uniform else self.dice.choice((self.r(), "lane", "self"))
            head = f"mov.u32 {c}, 0; and.b32 {limit}, {bound}, 3;"
        inner = self.block(depth, uniform)
        if not uniform and self.dice.random() < 0.5:
            text, p = self.condition(False)
            inner.insert(self.dice.randrange(len(inner) + 1), f"{text} @{p} bra {end};")
        if self.dice.random() < 0.5:  # tested at its end
            return Group(
                [
                    f"{head}\n{again}:",
                    inner,
                    f"add.u32 {c}, {c}, 1; setp.lt.u32 {k}, {c}, {limit}; @{k} bra {again};\n{end}:",
                ]
            )
        return Group(
            [
                f"{head}\n{again}: setp.ge.u32 {k}, {c}, {limit}; @{k} bra {end};",
                inner,
                f"add.u32 {c}, {c}, 1; bra {again};\n{end}:",
            ]
        )

    def table(self, depth: int, uniform: bool) -> Group:
        n = self.dice.choice((2, 4))
        labels, end, name = [self.label() for _ in range(n)], self.label(), self.label()
        index = f"and.b32 t0, {'uni' if uniform else self.r()}, {n - 1};"
        goals = ", ".join((labels[0], *(self.dice.choice(labels) for _ in range(n - 1))))
        parts: list[str | Block] = [f"{name}: .branchtargets {goals};\n{index} brx.idx t0, {name};"]
        for i, label in enumerate(labels):
            parts[-1] = f"{parts[-1]}\n{label}:"
            parts.append(self.block(depth, uniform))
            parts.append(f"bra {end};" if self.dice.random() < 0.7 or i == n - 1 else "")
        parts.append(f"{end}:")
        return Group(parts)

    def graph(self, depth: int) -> Group:
        """Blocks that jump to one another as data says, until their fuel is spent."""
        n = self.dice.randrange(2, 6)
        labels, end = [self.label() for _ in range(n)], self.label()
        c, k = self.counter()
        parts: list[str | Block] = [f"mov.u32 {c}, 0;"]
        if self.dice.random() < 0.5:  # two ways in
            text, p = self.condition(False)
            parts[0] = f"{parts[0]} {text} @{p} bra {self.dice.choice(labels)};"
        for label in labels:
            fuel = f"add.u32 {c}, {c}, 1; setp.gt.u32 {k}, {c}, {self.dice.randrange(3, 12)}; @{k} bra {end};"
            parts[-1] = f"{parts[-1]}\n{label}: {fuel}"
            parts.append(self.block(depth, False))
            if self.dice.random() < 0.2:
                name = self.label()
                goals = ", ".join(self.dice.choice([*labels, end]) for _ in range(4))
                parts.append(f"{name}: .branchtargets {goals};\nand.b32 t0, {self.r()}, 3; brx.idx t0, {name};")
                continue
            text, p = self.condition(False)
            then = "" if self.dice.random() < 0.5 else f" bra {self.dice.choice(labels)};"
            parts.append(f"{text} @{p} bra {self.dice.choice([*labels, end])};{then}")
        parts.append(f"{end}:")
        return Group(parts)

    def call(self) -> str:
        f = self.dice.choice(self.functions)
        x, y, d = self.r(), self.r("b64"), self.r()
        if f.space == "reg":
            return f"call ({d}), {f.name}, ({x}, {y});"
        guard = f"@{self.dice.choice(('', '!'))}{self.r('pred')} " if self.dice.random() < 0.15 else ""
        head, target, prototype = "", f.name, ""
        if self.dice.random() < 0.3:
            name = self.label()
            head = f"{name}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\nmov.u64 a2, {f.name};"
            target, prototype = "a2", f", {name}"
        call = f"{guard}call (o), {target}, (x, y){prototype};"
        take = f"ld.param.b32 t1, [o]; {guard}mov.b32 {d}, t1;" if guard else f"ld.param.b32 {d}, [o];"
        return f"{head} {passed(call, x, y, take)}"

    def node(self, depth: int, uniform: bool) -> str | Group:
        chance = self.dice.random()
        if uniform and chance < 0.16:
            return self.dice.choice((self.together, self.together, self.barrier, self.exchange))()
        if depth > 0 and 0.16 <= chance < 0.36:
            alike = uniform and self.dice.random() < 0.4
            kind = self.dice.choice(("branch", "branch", "loop", "loop", "table", "graph"))
            if kind == "graph":
                return self.graph(depth - 1)
            return {"branch": self.branch, "loop": self.loop, "table": self.table}[kind](depth - 1, alike)
        if self.functions and 0.36 <= chance < 0.40:
            return self.call()
        return self.straight()

    def block(self, depth: int, uniform: bool) -> Block:
        return [self.node(depth, uniform) for _ in range(self.dice.randrange(1, 6))]


def passed(call: str, x: str, y: str, take: str) -> str:
    """A call with its parameters in parameter space."""
    declared = ".param .b32 o; .param .b32 x; .param .b64 y;"
    return f"{{ {declared} st.param.b32 [x], {x}; st.param.b64 [y], {y}; {call} {take} }}"
