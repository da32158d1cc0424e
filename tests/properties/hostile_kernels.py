"""Kernels that do wrong: one thread, or all of them, commit a crime. Each ends in a fault, or in the value it should.

crime = Crime(seed)
crime.text, .grid, .block, .shared     how to commit it; its parameters are (out, wild, victim)
crime.faults                           names of the faults that it may end in, "" for none
crime.alone                            every engine must find the same, and say so in the same words
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

HEAD = ".version 8.7\n.target sm_90\n.address_size 64\n"
ACCESS = frozenset({"out-of-bounds", "misaligned-access", "read-only", ""})
SPACES = (".global", ".shared", ".local", ".const", ".param", "")
WIDTHS = ("u8", "s16", "u32", "f32", "b64", "f64")


@dataclass(slots=True)
class Deed:
    """What is done, where the guilty go; `before` is done by all, `top` stands before the kernel."""

    code: str
    faults: frozenset[str]
    top: str = ""
    before: str = ""
    shared: int = 0
    timeout: float = 30.0
    alone: bool = True
    whole: bool = False  # all threads must be guilty
    whole_warps: bool = False
    largest: int = 200  # blocks


class Crime:
    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        self.kind = dice.choice(list(DEEDS))
        deed = DEEDS[self.kind](dice)
        self.faults, self.shared, self.timeout = deed.faults, deed.shared, deed.timeout
        parts = () if deed.whole_warps else ((1, 1, 1), (33, 1, 1), (5, 7, 1), (100, 1, 1))
        self.block = dice.choice(((32, 1, 1), (64, 1, 1), *parts))
        self.grid = (dice.choice((1, 1, 2, 7, min(150, deed.largest))), 1, 1)
        self.threads = self.block[0] * self.block[1]
        total = self.threads * self.grid[0]
        self.everybody = deed.whole or dice.random() < 0.2
        self.victim = 0xFFFFFFFF if self.everybody else dice.choice((0, total - 1, dice.randrange(total)))
        self.alone = deed.alone
        self.wild = wild(dice)
        self.text = "\n".join(
            (
                HEAD,
                deed.top,
                ".visible .entry k(.param .u64 out, .param .u64 wild, .param .u32 victim) {",
                ".reg .b32 t, u, v, i, j; .reg .b64 o, w, a, b, c; .reg .b16 h; .reg .b128 z; .reg .pred p, q;",
                ".reg .f64 e; .reg .f32 f; .shared .align 16 .b8 sh[64]; .local .align 16 .b8 lo[64];",
                "ld.param.u64 o, [out]; ld.param.u64 w, [wild]; ld.param.u32 v, [victim];",
                "mov.u32 i, %tid.y; mov.u32 j, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 t, i, j, t; mov.u32 u, %ctaid.x;",
                f"mad.lo.u32 u, u, {self.threads}, t; setp.eq.u32 p, u, v;",
                "setp.eq.or.u32 p, v, 0xFFFFFFFF, p; mad.wide.u32 o, u, 8, o; mov.b64 b, 7; mov.u32 i, 7;",
                deed.before,
                "@!p bra FINE;",
                deed.code,
                "st.global.u64 [o], b;",
                "FINE: ret;",
                "}",
            )
        )

    @property
    def bytes(self) -> int:
        """Of `out`."""
        return 8 * self.threads * self.grid[0]


def wild(dice: random.Random) -> int:
    """A number that is no pointer, or nearly one."""
    slot = dice.choice((0, 0, 1, 2, 3, 4, 5, 6, 15, 16, 17, 40, 1 << 20, 0xFFFFFFFF, dice.getrandbits(32)))
    offset = dice.choice((0, 1, 3, 4, 8, 60, 62, 64, 4096, 0xFFFFFFFF, 0xFFFFFFFC, 0x80000000, dice.getrandbits(32)))
    return slot << 32 | offset


def access(dice: random.Random, space: str, place: str) -> str:
    """A load, store or atomic at a place."""
    t = dice.choice(WIDTHS)
    r = {"8": "h", "6": "h", "2": "i", "4": "b"}[t[-1]] if t[0] != "f" else {"32": "f", "64": "e"}[t[1:]]
    kinds = (
        ["ld", "ld.v2", "ld.b128"] if space in (".const", ".param") else ["ld", "st", "st.v2", "atom", "red", "ld.b128"]
    )
    if space in (".local",):
        kinds = ["ld", "st", "st.v2", "ld.v4"]
    kind = dice.choice(kinds)
    if kind == "atom":
        return dice.choice((f"atom{space}.add.u32 i, [{place}], i;", f"atom{space}.cas.b64 b, [{place}], b, b;"))
    if kind == "red":
        return f"red{space}.max.u64 [{place}], b;"
    if kind == "ld.b128":
        return f"ld{space}.b128 z, [{place}];"
    if kind == "ld.v2":
        return f"ld{space}.v2.u32 {{i, j}}, [{place}];"
    if kind == "ld.v4":
        return f"ld{space}.v4.u32 {{i, j, t, u}}, [{place}];"
    if kind == "st.v2":
        return f"st{space}.v2.b64 [{place}], {{b, b}};"
    return f"ld{space}.{t} {r}, [{place}];" if kind == "ld" else f"st{space}.{t} [{place}], {r};"


def wild_pointer(dice: random.Random) -> Deed:
    space = dice.choice((".global", ".shared", ".local", ".const", ""))
    offset = dice.choice(("", "+4", "+-8", "+2147483647", "+-2147483648"))
    return Deed(access(dice, space, f"w{offset}"), ACCESS)


def off_by_one(dice: random.Random) -> Deed:
    """Just after, or just before, what there is."""
    space, base = dice.choice(
        ((".shared", "sh"), (".local", "lo"), (".const", "co"), (".shared", "sh"), ("", "sh"), ("", "lo"))
    )
    to = "" if space else f" cvta{'.shared' if base == 'sh' else '.local'}.u64 a, a;"
    at = dice.choice((64, 63, 60, 56, 48, -1, -4, -8, 62, 0x01000000, 0x02000000, 1 << 20))
    return Deed(
        f"mov.u64 a, {base};{to} add.s64 a, a, {at}; " + access(dice, space, "a"),
        ACCESS,
        ".const .align 16 .b8 co[64];",
    )


def wrong_space(dice: random.Random) -> Deed:
    """A generic address of one space through an instruction that names another, or no generic one through none."""
    home, name = dice.choice(((".shared", "sh"), (".local", "lo"), (".const", "co"), (".param", "out")))
    convert = dice.choice((f"cvta{home}.u64 a, a;", f"cvta{home}.u64 a, a;", f"cvta.to{home}.u64 a, a;", ""))
    space = dice.choice([s for s in SPACES if s != home])
    at = dice.choice((0, 8, 16, 56, 64, -8))
    return Deed(
        f"mov.u64 a, {name}; {convert} add.s64 a, a, {at}; " + access(dice, space, "a"),
        ACCESS,
        ".const .align 16 .b8 co[64];",
    )


def around_the_end(dice: random.Random) -> Deed:
    """Addresses that come to the right place, or nearly, once a sum has wrapped around."""
    space = dice.choice((".global", "", ".shared", ".const"))
    base = {".global": "mov.b64 a, o;", "": "mov.b64 a, o;", ".shared": "mov.u64 a, sh;", ".const": "mov.u64 a, co;"}
    far = dice.choice((1 << 32, 1 << 33, 1 << 24, 2 << 24, 3 << 32, 4 << 32, 1 << 63, (1 << 64) - (3 << 32)))
    back = dice.choice(("", "+4", "+-4", "+2147483644", "+-2147483648"))
    far = far if far < 1 << 63 else far - (1 << 64)
    code = f"{base[space]} add.s64 a, a, {far}; " + access(dice, space, f"a{back}")
    return Deed(code, ACCESS, ".const .align 16 .b8 co[64];")


def no_elements(dice: random.Random) -> Deed:
    """A variable without room, at the end or in the midst of others."""
    kind = dice.choice((".global", ".shared", ".const"))
    extern = ".extern .shared .align 8 .b8 none[];" if kind == ".shared" else f"{kind} .align 8 .b8 none[1];"
    at = dice.choice((0, 1, 8, -8, 64))
    return Deed(f"mov.u64 a, none; add.s64 a, a, {at}; " + access(dice, kind, "a"), ACCESS, extern)


def locked_atomics(dice: random.Random) -> Deed:
    """Atomics on what may only be read."""
    home, name = dice.choice(((".const", "co"), (".param", "out")))
    op = dice.choice(("atom.add.u32 i, [a], i;", "red.or.b32 [a], i;", "atom.global.exch.b64 b, [a], b;"))
    return Deed(f"mov.u64 a, {name}; cvta{home}.u64 a, a; {op}", ACCESS - {""}, ".const .align 16 .b8 co[64];")


def bulk_copies(dice: random.Random) -> Deed:
    """Sizes that are too large, by a little or so much that they come to an end elsewhere."""
    size = dice.choice((16, 64, 80, 4096, (1 << 24) + 16, 1 << 25, (1 << 31) - 16, 0xFFFFFFF0))
    target, source = dice.choice((("w", "sh"), ("o", "sh"), ("a", "sh")))
    code = f"and.b64 o, o, -16; add.u64 a, o, 32; mov.u32 j, {size}; mov.u64 c, sh; and.b64 w, w, -16;"
    return Deed(
        f"{code} cp.async.bulk.global.shared::cta.bulk_group [{target}], [{source}], j; mov.b64 b, 7;",
        ACCESS,
        largest=2,
    )


def matrix_rows(dice: random.Random) -> Deed:
    """Rows of a matrix that lie outside."""
    at = dice.choice((0, 64, 48, 16, -16, 8, 1 << 24, 1 << 32))
    op = dice.choice(
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {j}, [a];", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [a], {j};",
         "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {i, j, t, u}, [a];")
    )  # fmt: skip
    return Deed(f"mov.u64 a, sh; add.s64 a, a, {at}; {op}", ACCESS, whole=True, whole_warps=True)


def two_stacks(dice: random.Random) -> Deed:
    """Lanes that mean their frame, and lanes that mean what `alloca` gave, at once."""
    at = dice.choice((0, 8, 64, -8, 56))
    code = f"""alloca.u64 a, 64; mov.u64 c, lo; and.b32 j, t, 1; setp.eq.u32 q, j, 0; selp.b64 a, a, c, q;
    add.s64 a, a, {at}; """
    to = dice.choice(("", ".local"))
    if not to:
        code += "cvta.local.u64 a, a;"
    return Deed(code + f"st{to}.b64 [a], a; ld{to}.b64 a, [a];", ACCESS, largest=2)


def end_of_array(dice: random.Random) -> Deed:
    """The last thread's element and a little more; or the first one's and a little less."""
    at = dice.choice(("+8", "+-8", "+4", "+1", "+16", "+-1", "+6"))
    op = dice.choice(
        ("st.global.u64 [o{}], b;", "ld.global.u64 b, [o{}];", "st.u32 [o{}], i;", "atom.global.add.u64 b, [o{}], b;")
    )
    code = op.format(at)
    return Deed(code if "b, [" not in code else code + " mov.b64 b, 7;", ACCESS)


def read_only(dice: random.Random) -> Deed:
    if dice.random() < 0.5:
        return Deed(
            "mov.u64 a, co; cvta.const.u64 a, a; st.u32 [a], i;",
            frozenset({"read-only"}),
            ".const .align 16 .b8 co[64];",
        )
    return Deed("mov.u64 a, out; cvta.param.u64 a, a; st.u32 [a], i;", frozenset({"read-only"}))


def function_memory(dice: random.Random) -> Deed:
    """Code is no memory."""
    op = dice.choice(("st.u32 [a], i;", "ld.u32 i, [a];", "st.global.u8 [a], h;", "ld.global.b64 b, [a];"))
    return Deed("mov.u64 a, helper; " + op, frozenset({"out-of-bounds"}), ".func helper() { ret; }")


def endless_loop(dice: random.Random) -> Deed:
    code = dice.choice(
        (
            "AGAIN: bra AGAIN;",
            "AGAIN: add.u32 i, i, 1; setp.ne.u32 q, i, i; @!q bra AGAIN;",
            "AGAIN: st.global.u64 [o], b; bra AGAIN;",
            "AGAIN: ld.volatile.global.u64 a, [o]; setp.ne.u64 q, a, 99; @q bra AGAIN;",
            "A1: add.u32 i, i, 3; and.b32 j, i, 1; setp.eq.u32 q, j, 0; @q bra A1; bra A2; A2: @q bra A1; bra A2;",
            "T: .branchtargets A1, A2; A1: and.b32 j, i, 1; add.u32 i, i, 1; brx.idx j, T; A2: bra A1;",
            "AGAIN: atom.global.cas.b64 a, [o], 1, 2; setp.ne.u64 q, a, 1; @q bra AGAIN;",
            "AGAIN: call spin; bra AGAIN;",
        )
    )
    return Deed(code, frozenset({"timeout"}), ".func spin() { ret; }", timeout=0.08, alone=False)


def endless_recursion(dice: random.Random) -> Deed:
    local = dice.choice((0, 64, 4096, 65536))
    frame = f".local .align 16 .b8 l[{local}]; .reg .b64 a; mov.u64 a, l; st.local.u64 [a], a;" if local else ""
    if dice.random() < 0.5:
        top = f".func down() {{ {frame} call down; ret; }}"
    else:
        top = f".func up(); .func down() {{ {frame} call up; ret; }} .func up() {{ call down; call down; ret; }}"
    return Deed("call down;", frozenset({"stack-overflow"}), top, alone=False, largest=2)


def deep_recursion(dice: random.Random) -> Deed:
    """Deep, but not too deep."""
    top = """.func (.param .b32 r) sum(.param .b32 n) { .reg .b32 a, b; .reg .pred p; ld.param.b32 a, [n];
        setp.eq.u32 p, a, 0; @p bra END; sub.u32 b, a, 1;
        { .param .b32 x; .param .b32 y; st.param.b32 [x], b; call (y), sum, (x); ld.param.b32 b, [y]; } add.u32 a, a, b;
        END: st.param.b32 [r], a; ret; }"""
    call = "{ .param .b32 x; .param .b32 y; st.param.b32 [x], j; call (y), sum, (x); ld.param.b32 i, [y]; }"
    depth = dice.choice((1, 10, 100))
    return Deed(f"mov.u32 j, {depth}; {call} cvt.u64.u32 b, i;", frozenset({""}), top, largest=2)


def huge_frame(dice: random.Random) -> Deed:
    size = dice.choice((1 << 16, 1 << 20, 1 << 24, 1 << 29, (1 << 31) - 16))
    where = f".local .align 16 .b8 big[{size}]; .reg .b64 a; mov.u64 a, big; st.local.u64 [a+{size - 8}], a;"
    return Deed(
        "call deep;",
        frozenset({"stack-overflow", "", "refused"}),
        f".func deep() {{ {where} ret; }}",
        alone=False,
        largest=1,
    )


def huge_shared(dice: random.Random) -> Deed:
    size = dice.choice((1 << 16, 228 << 10, 1 << 20, 1 << 30))
    top = f".shared .align 16 .b8 much[{size}];"
    return Deed(f"mov.u64 a, much; st.shared.u64 [a+{size - 8}], a;", frozenset({"", "refused"}), top, largest=2)


def lost_barrier(dice: random.Random) -> Deed:
    code = dice.choice(
        ("barrier.sync 3, 4096;", "barrier.cta.sync 1, 2048;", "AGAIN: barrier.sync 2, 1120; bra AGAIN;")
    )
    return Deed(code, frozenset({"deadlock"}))


def invalid_barrier(dice: random.Random) -> Deed:
    number = dice.choice((16, 0xFFFFFFFF)), "barrier.sync j;"
    value, how = dice.choice((number, (33, "barrier.sync 1, j;"), (0, "barrier.sync 0, j;")))
    code = f"mov.u32 j, {value}; {how}"
    return Deed(code, frozenset({"invalid-barrier"}))


def division(dice: random.Random) -> Deed:
    t = dice.choice(("u16", "s16", "u32", "s32", "u64", "s64"))
    op, width = dice.choice(("div", "rem")), int(t[1:])
    a, b = dice.choice(((1 << width - 1, -1), (7, 0), (0, 0), (1 << width - 1, 0)))
    r = {16: "h", 32: "i", 64: "b"}[width]
    up = "" if width == 64 else f" cvt.u64.u{width} b, {r};"
    load = (
        f"mov.b64 c, {a}; mov.b64 a, {b}; cvt.u{width}.u64 {r}, c;"
        if width < 64
        else f"mov.b64 b, {a}; mov.b64 a, {b};"
    )
    if width == 16:
        return Deed(f"{load} .reg .b16 h2; cvt.u16.u64 h2, a; {op}.{t} h, h, h2;{up}", frozenset({""}))
    if width == 32:
        return Deed(f"{load} cvt.u32.u64 j, a; {op}.{t} i, i, j;{up}", frozenset({""}))
    return Deed(f"{load} {op}.{t} b, b, a;", frozenset({""}))


def bad_index(dice: random.Random) -> Deed:
    n = dice.choice((2, 3, 100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
    return Deed(f"T: .branchtargets FINE, FINE; mov.u32 j, {n}; brx.idx j, T;", frozenset({"branch-index"}))


def bad_call(dice: random.Random) -> Deed:
    top = ".func none() { ret; } .func one(.param .b32 x) { ret; } .func two(.param .b64 x, .param .b64 y) { ret; }"
    address = dice.choice(("w", "0", "5 << 32", "(5 << 32) + 8", "(5 << 32) + 4096", "-1", "o"))
    take = f"mov.b64 a, {address};"
    if dice.random() < 0.3:
        take = "mov.u64 a, two;"  # of another signature
    return Deed(f"{take} P: .callprototype _ (); call a, P;", frozenset({"invalid-call-target", ""}), top)


def much_stack(dice: random.Random) -> Deed:
    size = dice.choice((1 << 20, 1 << 26, 1 << 30, 3 << 30, 1 << 40, (1 << 63) - 1, (1 << 64) - 16))
    return Deed(
        f"mov.b64 c, {size}; alloca.u64 a, c; st.local.u64 [a], c;",
        frozenset({"stack-overflow", ""}),
        alone=False,
        largest=2,
    )


def stack_beyond(dice: random.Random) -> Deed:
    at = dice.choice((64, 60, 1 << 16, -8, -1))
    return Deed(f"alloca.u64 a, 64; add.s64 a, a, {at}; st.local.u64 [a], a;", ACCESS, largest=2)


def bad_restore(dice: random.Random) -> Deed:
    to = dice.choice(("0", "-1", "w", "1 << 40"))
    return Deed(
        f"mov.b64 a, {to}; stackrestore.u64 a; alloca.u64 a, 64; st.local.u64 [a], b;",
        ACCESS | {"stack-overflow", "undefined-behavior"},
        largest=2,
    )


def late_block(dice: random.Random) -> Deed:
    return Deed("st.global.u64 [o+1], b;", frozenset({"misaligned-access"}), largest=4000)


def bad_mask(dice: random.Random) -> Deed:
    code = dice.choice(
        (
            "mov.u32 j, 0; vote.sync.any.pred q, p, j;",
            "mov.u32 j, 0; shfl.sync.idx.b32 i, i, 0, 31, j;",
            "mov.u32 j, 0; match.any.sync.b32 i, i, j;",
            "mov.u32 j, 0; redux.sync.add.u32 i, i, j;",
            "mov.u32 j, 0; bar.warp.sync j;",
            "mov.u32 i, %lanemask_eq; not.b32 j, i; elect.sync i|q, j;",
        )
    )
    return Deed(code, frozenset({"invalid-mask"}))


def trap(dice: random.Random) -> Deed:
    return Deed("trap;", frozenset({"trap"}))


def assertion(dice: random.Random) -> Deed:
    top = (
        ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);"
        ".global .align 1 .b8 text[6] = {78, 79, 33, 32, 33, 0};"
    )
    address = dice.choice(("text", "w"))
    code = f"mov.u64 a, {address}; cvta.global.u64 a, a;" if address == "text" else "mov.u64 a, w;"
    call = (
        "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;"
        " st.param.b64 [m], a; st.param.b64 [f], a; st.param.b32 [l], i; st.param.b64 [n], a; st.param.b64 [s], 1;"
        " call.uni __assertfail, (m, f, l, n, s); }"
    )
    return Deed(code + call, ACCESS | {"assertion"}, top)


def heap(dice: random.Random) -> Deed:
    top = ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);"
    take = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], c; call (r), malloc, (n); ld.param.b64 a, [r]; }"
    give = "{ .param .b64 n; st.param.b64 [n], a; call free, (n); }"
    code = dice.choice(
        (
            f"mov.b64 c, 64; {take} st.u64 [a+64], b;",
            f"mov.b64 c, 64; {take} {give} st.u64 [a], b;",
            f"mov.b64 c, 64; {take} {give} {give}",
            f"mov.b64 c, 1 << 40; {take} st.u64 [a], b;",
            f"mov.b64 a, w; {give}",
            f"mov.b64 c, -1; {take} setp.eq.u64 q, a, 0; selp.b64 b, 1, 2, q;",
        )
    )
    return Deed(code, ACCESS | {"undefined-behavior", "trap", "assertion"}, top, largest=2, alone=False)


def copies(dice: random.Random) -> Deed:
    at = dice.choice(("64", "8", "-16", "1 << 20"))
    code = f"mov.u64 a, sh; add.s64 a, a, {at}; cp.async.ca.shared.global [a], [o], 8; cp.async.wait_all;"
    if dice.random() < 0.5:
        code = "mov.u64 a, sh; cp.async.cg.shared.global [a], [w], 16; cp.async.wait_all;"
    return Deed(code, ACCESS)


def self_modifying(dice: random.Random) -> Deed:
    """Follows pointers that it writes itself."""
    code = f"""mov.b64 a, o; mov.u32 j, 0;
    AGAIN: st.u64 [a], a; ld.u64 c, [a]; add.u64 a, c, {dice.choice((8, 4096, 1 << 32, 1 << 33, -8))}; add.u32 j, j, 1;
    setp.lt.u32 q, j, 100000; @q bra AGAIN;"""
    return Deed(code, ACCESS, largest=2)


def other_lanes(dice: random.Random) -> Deed:
    """Waits for lanes of the warp that wait elsewhere."""
    part = "mov.u32 j, %laneid; and.b32 j, j, 1; setp.eq.u32 q, j, 0; @q bra A1;"
    code = f"{part} barrier.sync 1, 2048; bra A2; A1: bar.warp.sync -1; A2:"
    return Deed(code, frozenset({"deadlock", ""}), alone=False, whole=True)


def wrapped(dice: random.Random) -> Deed:
    """Lanes whose offsets wrap around, in 32 or in 64 bits."""
    base, step = dice.choice((0xFFFFFFF0, 0x7FFFFFF0, 0xFFFFFFFC)), dice.choice((4, 8, 1))
    wide, act = dice.choice(("u64.u32", "s64.s32")), dice.choice(("ld.global.u8 h, [a];", "st.global.u32 [a], i;"))
    code = f"mad.lo.u32 j, t, {step}, {base}; cvt.{wide} a, j; add.s64 a, a, o; {act}"
    return Deed(code, ACCESS, alone=False)


DEEDS: dict[str, Callable[[random.Random], Deed]] = {
    f.__name__: f
    for f in (
        wild_pointer, off_by_one, end_of_array, read_only, function_memory, endless_loop, endless_recursion,
        deep_recursion, huge_frame, huge_shared, lost_barrier, invalid_barrier, division, bad_index, bad_call,
        much_stack, stack_beyond, bad_restore, late_block, bad_mask, trap, assertion, heap, copies, self_modifying,
        other_lanes, wrapped, wrong_space, around_the_end, no_elements, locked_atomics, bulk_copies, matrix_rows,
        two_stacks,
    )
}  # fmt: skip
