"""Random PTX kernels that end, race for nothing and write down every register: what they compute has one answer.

    kernel = Kernel(seed)
    kernel.text()              the module; its kernel is `k`
    kernel.grid, kernel.block  how to launch it
    kernel.body                what it does, as a tree: parts may be left out, and it stays a kernel (`reduced`)

Lanes part and meet in branches, loops, tables and graphs of blocks that no `if` or `while` could say; whatever needs
other threads (barriers, shuffles, votes, exchanges through shared memory) stands where all threads come, or names the
lanes that do. Atomics on shared places use one operation that may be done in any order each.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from random_statements import DECLARATIONS, POOLS, TARGET, register, statement

Part = "str | Group"


@dataclass(slots=True)
class Group:
    """Text, what may be left out, text, ..."""

    parts: list[str | list[str | Group]]


Block = list["str | Group"]

# fmt: off
BLOCKS = ((1, 1, 1), (32, 1, 1), (33, 1, 1), (100, 1, 1), (64, 1, 1), (5, 7, 1), (17, 3, 1), (8, 8, 2), (31, 1, 1),
          (16, 16, 1), (7, 3, 3), (128, 1, 1), (2, 2, 8), (200, 1, 1), (96, 2, 1))
GRIDS  = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (5, 1, 1), (1, 2, 2))
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

RESULT = 160
"""Bytes of registers that a thread writes down."""

SCRATCH = (
    ".reg .b32 t0, t1, t2, t3, lane, self, uni, cta, dense; .reg .b64 a0, a1, a2, in, out, sums; .reg .pred k0, k1;"
)


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
            return f"redux.sync.{self.dice.choice(('min', 'max'))}{self.dice.choice(('', '.abs'))}{self.dice.choice(('', '.NaN'))}.f32 {self.r()}, {self.r()}, -1;"
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
            return (
                f"setp.{compare}.{self.dice.choice('us')}32 k0, {self.dice.choice((self.r(), 'self', 'lane', 'dense'))}, {self.dice.choice((self.r(), '16', '5', '40'))};",
                "k0",
            )
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
        bound = str(self.dice.randrange(1, 5))
        if self.dice.random() < 0.6:
            bound = f"{'uni' if uniform else self.dice.choice((self.r(), 'lane', 'self'))}"
        head = (
            f"mov.u32 {c}, 0; and.b32 {limit}, {bound}, 3;"
            if not bound.isdigit()
            else f"mov.u32 {c}, 0; mov.u32 {limit}, {bound};"
        )
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
        parts: list[str | Block] = [
            f"{name}: .branchtargets {', '.join(self.dice.choice(labels) if i else labels[0] for i in range(n))};\n{index} brx.idx t0, {name};"
        ]
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
            parts[-1] = (
                f"{parts[-1]}\n{label}: add.u32 {c}, {c}, 1; setp.gt.u32 {k}, {c}, {self.dice.randrange(3, 12)}; @{k} bra {end};"
            )
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
        return (
            f"{head} {passed(f'{guard}call (o), {target}, (x, y){prototype};', x, y, f'{guard}ld.param.b32 {d}, [o];')}"
        )

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


class Kernel:
    """A kernel made from a seed; `size` is about how many statements and loops its body has."""

    def __init__(self, seed: int, size: int = 14) -> None:
        self.seed = seed
        dice = random.Random(seed)
        self.block, self.grid = dice.choice(BLOCKS), dice.choice(GRIDS)
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.blocks = self.grid[0] * self.grid[1] * self.grid[2]
        self.uniform = dice.getrandbits(8)
        w = Writer(dice, self.threads, inside=True)
        for i in range(dice.choice((0, 0, 1, 2))):
            recursive = dice.random() < 0.3
            # Only what is made already can be called.
            body = [w.node(1, False) for _ in range(dice.randrange(2, 7))]
            w.functions.append(Function(f"f{i}", dice.choice(("reg", "param")), body, recursive))
        self.functions = list(w.functions)
        w.inside = False
        self.body: Block = [w.node(2, True) for _ in range(size)]
        if dice.random() < 0.2:
            text, p = w.condition(False)
            end = w.label()
            self.body.append(Group([f"{text} @{p} bra {end};", [f"{stores()}\nexit;"], f"{end}:"]))
            self.body += [dice.choice((w.straight(), f"bar.sync {dice.randrange(16)};")) for _ in range(5)]
        self.counters = w.counters

    @property
    def out_bytes(self) -> int:
        return self.threads * self.blocks * (OWN + OWN + RESULT)

    def declarations(self) -> str:
        counters = "".join(f".reg .b32 c{i}; .reg .pred k{i + 1}; " for i in range(1, self.counters + 1))
        return f"{DECLARATIONS} {SCRATCH} {counters}"

    def text(self) -> str:
        dice = random.Random(self.seed)
        numbers = ", ".join(str(dice.getrandbits(32)) for _ in range(TABLE // 4))
        return "\n".join(
            (
                TARGET,
                f".const .align 16 .b32 fixed[{TABLE // 4}] = {{ {numbers} }};",
                f".global .align 16 .b32 table[{TABLE // 4}] = {{ {numbers} }};",
                *(self.function(f) for f in self.functions),
                ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 psums, .param .u32 puni) {",
                self.declarations(),
                f".shared .align 16 .b8 own[{self.threads * OWN}]; .shared .align 16 .b8 box[{self.threads * 16}];",
                f".shared .align 16 .b8 acc[{AREAS}]; .local .align 16 .b8 loc[{OWN}];",
                self.prologue(),
                *rendered(self.body),
                self.epilogue(),
                "}",
            )
        )

    def function(self, f: Function) -> str:
        again = ""
        if f.recursive:
            call = (
                f"call (r0), {f.name}, (t3, d0);"
                if f.space == "reg"
                else passed(f"call (o), {f.name}, (x, y);", "t3", "d0", "ld.param.b32 r0, [o];")
            )
            again = f"and.b32 t3, t2, 3; setp.eq.u32 k0, t3, 0; @k0 bra LEAF; sub.u32 t3, t3, 1; {call}\nLEAF:"
        mix = " ".join(f"xor.b32 t2, t2, r{i}; shf.l.wrap.b32 t2, t2, t2, 5;" for i in range(4))
        mix += " ".join(f" cvt.u32.u64 t0, d{i}; add.u32 t2, t2, t0;" for i in range(3))
        mix += " cvt.u32.u16 t0, h0; add.u32 t2, t2, t0; selp.b32 t0, 77, 0, p0; xor.b32 t2, t2, t0;"
        in_registers = f.space == "reg"
        return "\n".join(
            (
                f".func (.{f.space} .b32 fo) {f.name}(.{f.space} .b32 fx, .{f.space} .b64 fy) {{",
                f"{self.declarations()} .local .align 16 .b8 loc[{OWN}];",
                "mov.b32 t2, fx; mov.b64 a2, fy;" if in_registers else "ld.param.b32 t2, [fx]; ld.param.b64 a2, [fy];",
                "mov.u32 lane, %laneid; mov.u32 self, %tid.x; mov.u32 dense, t2; mov.u32 uni, 3; mov.u32 cta, 1;",
                "mov.u64 a1, loc; mov.b64 a0, 0;",
                *(f"st.local.v2.b64 [a1+{i}], {{a0, a0}};" for i in range(0, OWN, 16)),
                initial("t2", "a2"),
                *rendered(f.body),
                again,
                mix,
                "mov.b32 fo, t2;" if in_registers else "st.param.b32 [fo], t2;",
                "ret;\n}",
            )
        )

    def prologue(self) -> str:
        lines = [
            "ld.param.u64 in, [pin]; ld.param.u64 out, [pout]; ld.param.u64 sums, [psums]; ld.param.u32 uni, [puni];",
            "cvta.to.global.u64 in, in;",
            "mov.u32 lane, %laneid; mov.u32 self, %tid.x;",
            "mov.u32 t0, %tid.z; mov.u32 t1, %ntid.y; mov.u32 t2, %tid.y; mad.lo.u32 t0, t0, t1, t2; mov.u32 t1, %ntid.x;",
            "mad.lo.u32 dense, t0, t1, self;",
            "mov.u32 t0, %ctaid.z; mov.u32 t1, %nctaid.y; mov.u32 t2, %ctaid.y; mad.lo.u32 t0, t0, t1, t2;",
            "mov.u32 t1, %nctaid.x; mov.u32 t2, %ctaid.x; mad.lo.u32 cta, t0, t1, t2;",
            f"mad.lo.u32 t2, cta, {self.threads}, dense; mad.wide.u32 out, t2, {OWN + OWN + RESULT}, out;",
            f"mov.u64 a0, own; mad.wide.u32 a0, dense, {OWN}, a0; mov.u64 a1, loc; mov.b64 a2, 0;",
            *(
                f"st.shared.v2.b64 [a0+{i}], {{a2, a2}}; st.local.v2.b64 [a1+{i}], {{a2, a2}};"
                for i in range(0, OWN, 16)
            ),
            "mov.u64 a0, box; mad.wide.u32 a0, dense, 16, a0; st.shared.v2.b64 [a0], {a2, a2};",
            "setp.ne.u32 k0, dense, 0; @k0 bra READY; mov.u64 a0, acc; mov.u32 t0, 0;",
            f"CLEAR: st.shared.b64 [a0], a2; add.u64 a0, a0, 8; add.u32 t0, t0, 8; setp.lt.u32 k0, t0, {AREAS}; @k0 bra CLEAR;",
            "READY: bar.sync 0;",
            "mad.wide.u32 a0, t2, 8, in; ld.global.u64 a1, [a0]; ld.global.u32 t3, [a0+4];",
            initial("t3", "a1"),
            "mov.b32 r1, self; mov.b32 r2, dense; mov.b32 r3, t2; mov.b32 r4, lane; mov.b32 r5, cta;",
            "mul.wide.u32 d1, dense, 4; cvt.u64.u32 d2, lane;",
        ]
        return "\n".join(lines)

    def epilogue(self) -> str:
        return "\n".join(
            (
                stores(),
                "bar.sync 0; setp.ne.u32 k0, dense, 0; @k0 bra DONE;",
                f"mov.u64 a0, acc; mad.wide.u32 a2, cta, {AREAS}, sums; mov.u32 t0, 0;",
                f"COPY: ld.shared.b64 a1, [a0]; st.global.b64 [a2+{AREAS}], a1; add.u64 a0, a0, 8; add.u64 a2, a2, 8;",
                f"add.u32 t0, t0, 8; setp.lt.u32 k0, t0, {AREAS}; @k0 bra COPY;",
                "DONE: ret;",
            )
        )

    @property
    def sums_bytes(self) -> int:
        return AREAS * (1 + self.blocks)

    @property
    def in_bytes(self) -> int:
        return self.threads * self.blocks * 16 + 16384


def passed(call: str, x: str, y: str, take: str) -> str:
    """A call with its parameters in parameter space."""
    declared = ".param .b32 o; .param .b32 x; .param .b64 y;"
    return f"{{ {declared} st.param.b32 [x], {x}; st.param.b64 [y], {y}; {call} {take} }}"


def stores() -> str:
    """Every register, and what the thread has in shared memory, into its place of the result."""
    lines: list[str] = ["mov.b32 t1, 0;"]
    lines += [f"selp.b32 t0, {1 << i}, 0, p{i}; or.b32 t1, t1, t0;" for i in range(POOLS["pred"][1])]
    lines += [f"cvt.u32.u8 t0, q{i}; shl.b32 t0, t0, {8 + 8 * i}; or.b32 t1, t1, t0;" for i in range(POOLS["b8"][1])]
    values = [f"r{i}" for i in range(12)] + ["t1"]
    for i in range(0, POOLS["b16"][1], 2):
        lines.append(f"mov.b32 {'t0 t2 t3'.split()[i // 2]}, {{h{i}, h{i + 1}}};")
    values += ["t0", "t2", "t3"]
    at = OWN
    for i in range(0, 16, 4):
        lines.append(f"st.global.v4.b32 [out+{at}], {{{', '.join(values[i : i + 4])}}};")
        at += 16
    for i in range(0, POOLS["b64"][1], 2):
        lines.append(f"st.global.v2.b64 [out+{at}], {{d{i}, d{i + 1}}};")
        at += 16
    for i in range(POOLS["b128"][1]):
        lines.append(f"st.global.b128 [out+{at}], w{i};")
        at += 16
    lines.append(f"mov.u64 a0, own; mad.wide.u32 a0, dense, {OWN}, a0;")
    lines += [
        f"ld.shared.v2.b64 {{a1, a2}}, [a0+{i}]; st.global.v2.b64 [out+{at + i}], {{a1, a2}};"
        for i in range(0, OWN, 16)
    ]
    return "\n".join(lines)


def initial(x: str, y: str) -> str:
    """Gives every register of the pools a value, made of a 32- and a 64-bit one."""
    # fmt: off
    made: dict[str, Callable[[str, int], str]] = {
        "pred": lambda d, i: f"shr.u32 t0, {x}, {i}; and.b32 t0, t0, 1; setp.ne.u32 {d}, t0, 0;",
        "b8":   lambda d, i: f"shr.u32 t0, {x}, {8 * i}; cvt.u8.u32 {d}, t0;",
        "b16":  lambda d, i: f"shr.u64 a0, {y}, {8 * i}; cvt.u16.u64 {d}, a0;",
        "b32":  lambda d, i: f"mad.lo.u32 {d}, {x}, {(1, 3, 0x01000193, 5)[i % 4]}, {i * 0x3779};",
        "b64":  lambda d, i: f"cvt.u64.u32 {d}, {x};" if i % 4 == 3 else f"mul.lo.u64 {d}, {y}, {(1, 0x100000001B3, 7)[i % 4]};",
        "b128": lambda d, i: f"mov.b128 {d}, {{{y}, {y}}};",
    }
    # fmt: on
    return "\n".join(made[t](f"{name}{i}", i) for t, (name, n) in POOLS.items() for i in range(n))


def rendered(block: Sequence[str | Group]) -> Iterator[str]:
    for node in block:
        if isinstance(node, str):
            yield node
        else:
            for part in node.parts:
                if isinstance(part, str):
                    yield part
                else:
                    yield from rendered(part)


def reduced(kernel: Kernel, fails: Callable[[Kernel], bool], tries: int = 2000) -> Kernel:
    """The kernel without everything that it fails without, too. `fails` is asked at most `tries` times."""
    left = [tries]

    def still() -> bool:
        left[0] -= 1
        return left[0] > 0 and fails(kernel)

    def shrink(block: Block) -> None:
        size = max(1, len(block) // 2)
        while size:
            at = 0
            while at < len(block):
                cut = block[at : at + size]
                del block[at : at + size]
                if still():
                    continue
                block[at:at] = cut
                at += size
            size //= 2
        for i in reversed(range(len(block))):
            node = block[i]
            if isinstance(node, str):
                continue
            inner = [n for part in node.parts if isinstance(part, list) for n in part]
            block[i : i + 1] = inner
            if still():
                shrink(block)
                return
            block[i : i + len(inner)] = [node]
            for part in node.parts:
                if isinstance(part, list):
                    shrink(part)

    shrink(kernel.body)
    for f in kernel.functions:
        shrink(f.body)
    for f in list(kernel.functions):
        kernel.functions.remove(f)
        if not still():
            kernel.functions.append(f)
    return kernel


def without_unused(text: str) -> str:
    """The text with the declarations of registers that nothing uses left out."""
    return re.sub(r"\.reg \.(?:b32|pred) ([ck]\d+); ", lambda m: m[0] if text.count(m[1]) > 1 else "", text)
