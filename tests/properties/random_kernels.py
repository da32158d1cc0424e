"""Random PTX kernels that terminate, are free of races and store every register: their result is unique.

kernel = Kernel(seed)
kernel.text()              the module; its kernel is `k`
kernel.grid, kernel.block  how to launch it
kernel.body                what it does, as a tree: parts may be left out, and it stays a kernel (`reduced`)
"""

from __future__ import annotations

import random
from collections.abc import Callable

from random_bodies import AREAS, OWN, TABLE, Function, Writer, passed
from random_statements import DECLARATIONS, POOLS, TARGET
from random_trees import Block, Group, rendered, shrink

# fmt: off
BLOCKS = ((1, 1, 1), (32, 1, 1), (33, 1, 1), (100, 1, 1), (64, 1, 1), (5, 7, 1), (17, 3, 1), (8, 8, 2), (31, 1, 1),
          (16, 16, 1), (7, 3, 3), (128, 1, 1), (2, 2, 8), (200, 1, 1), (96, 2, 1), (7, 1, 1), (3, 5, 7))
GRIDS  = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (5, 1, 1), (1, 2, 2))
# fmt: on
RESULT = 160
"""Bytes of registers that a thread writes down."""

SCRATCH = (
    ".reg .b32 t0, t1, t2, t3, lane, self, uni, cta, dense; .reg .b64 a0, a1, a2, in, out, sums; .reg .pred k0, k1;"
)


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
            call = f"call (r0), {f.name}, (t3, d0);"
            if f.space == "param":
                call = passed(f"call (o), {f.name}, (x, y);", "t3", "d0", "ld.param.b32 r0, [o];")
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
            "mov.u32 t0, %tid.z; mov.u32 t1, %ntid.y; mov.u32 t2, %tid.y; mad.lo.u32 t0, t0, t1, t2;",
            "mov.u32 t1, %ntid.x; mad.lo.u32 dense, t0, t1, self;",
            "mov.u32 t0, %ctaid.z; mov.u32 t1, %nctaid.y; mov.u32 t2, %ctaid.y; mad.lo.u32 t0, t0, t1, t2;",
            "mov.u32 t1, %nctaid.x; mov.u32 t2, %ctaid.x; mad.lo.u32 cta, t0, t1, t2;",
            f"mad.lo.u32 t2, cta, {self.threads}, dense; mad.wide.u32 out, t2, {OWN + OWN + RESULT}, out;",
            f"mov.u64 a0, own; mad.wide.u32 a0, dense, {OWN}, a0; mov.u64 a1, loc; mov.b64 a2, 0;",
            *(
                f"st.shared.v2.b64 [a0+{i}], {{a2, a2}}; st.local.v2.b64 [a1+{i}], {{a2, a2}};"
                for i in range(0, OWN, 16)
            ),
            "mov.u64 a0, box; mad.wide.u32 a0, dense, 16, a0; st.shared.v2.b64 [a0], {a2, a2};",
            "setp.ne.u32 k0, dense, 0; @k0 bra READY; mov.u64 a0, acc;",
            *(f"st.shared.v2.b64 [a0+{i}], {{a2, a2}};" for i in range(0, AREAS, 16)),
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


def stores() -> str:
    """Every register, and what the thread has in shared memory, into its place of the result."""
    lines: list[str] = ["mov.b32 t1, 0;"]
    lines += [f"selp.b32 t0, {1 << i}, 0, p{i}; or.b32 t1, t1, t0;" for i in range(POOLS["pred"][1])]
    lines += [f"cvt.u32.u8 t0, q{i}; shl.b32 t0, t0, {8 + 8 * i}; or.b32 t1, t1, t0;" for i in range(POOLS["b8"][1])]
    values = [f"r{i}" for i in range(12)] + ["t1"]
    for i in range(0, POOLS["b16"][1], 2):
        lines.append(f"mov.b32 {('t0', 't2', 't3')[i // 2]}, {{h{i}, h{i + 1}}};")
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
        "b64":  lambda d, i: f"mad.wide.u32 {d}, {x}, {(1, 0x01000193, 7, 0)[i % 4]}, {y};",
        "b128": lambda d, i: f"mov.b128 {d}, {{{y}, {y}}};",
    }
    # fmt: on
    return "\n".join(made[t](f"{name}{i}", i) for t, (name, n) in POOLS.items() for i in range(n))


def reduced(kernel: Kernel, fails: Callable[[Kernel], bool], tries: int = 2000) -> Kernel:
    """The kernel without everything that it fails without, too. `fails` is asked at most `tries` times."""
    left = [tries]

    def still() -> bool:
        left[0] -= 1
        return left[0] > 0 and fails(kernel)

    for block in (kernel.body, *(f.body for f in kernel.functions)):
        shrink(block, still)
    for f in list(kernel.functions):
        kernel.functions.remove(f)
        if not still():
            kernel.functions.append(f)
    return kernel
