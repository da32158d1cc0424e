"""What a violation is, and the errors of hostile kernels in memory accesses."""

from __future__ import annotations

import random
from dataclasses import dataclass

ACCESS = frozenset({"out-of-bounds", "misaligned-access", "read-only", ""})
SPACES = (".global", ".shared", ".local", ".const", ".param", "")
WIDTHS = ("u8", "s16", "u32", "f32", "b64", "f64")


@dataclass(slots=True)
class Violation:
    """`code` is what the victims execute, `before` what all threads do first; `top` stands before the kernel."""

    code: str
    faults: frozenset[str]
    top: str = ""
    before: str = ""
    shared: int = 0
    timeout: float = 30.0
    alone: bool = True
    whole: bool = False  # all threads must commit it
    whole_warps: bool = False
    largest: int = 200  # blocks
    racing: bool = False  # if all threads commit it, any block may be the one that faults


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


def wild_pointer(dice: random.Random) -> Violation:
    space = dice.choice((".global", ".shared", ".local", ".const", ""))
    offset = dice.choice(("", "+4", "+-8", "+2147483647", "+-2147483648"))
    return Violation(access(dice, space, f"w{offset}"), ACCESS)


def off_by_one(dice: random.Random) -> Violation:
    """Just after, or just before, what there is."""
    space, base = dice.choice(
        ((".shared", "sh"), (".local", "lo"), (".const", "co"), (".shared", "sh"), ("", "sh"), ("", "lo"))
    )
    to = "" if space else f" cvta{'.shared' if base == 'sh' else '.local'}.u64 a, a;"
    at = dice.choice((64, 63, 60, 56, 48, -1, -4, -8, 62, 0x01000000, 0x02000000, 1 << 20))
    return Violation(
        f"mov.u64 a, {base};{to} add.s64 a, a, {at}; " + access(dice, space, "a"),
        ACCESS,
        ".const .align 16 .b8 co[64];",
    )


def wrong_space(dice: random.Random) -> Violation:
    """A generic address of one space through an instruction that names another, or no generic one through none."""
    home, name = dice.choice(((".shared", "sh"), (".local", "lo"), (".const", "co"), (".param", "out")))
    convert = dice.choice((f"cvta{home}.u64 a, a;", f"cvta{home}.u64 a, a;", f"cvta.to{home}.u64 a, a;", ""))
    space = dice.choice([s for s in SPACES if s != home])
    at = dice.choice((0, 8, 16, 56, 64, -8))
    return Violation(
        f"mov.u64 a, {name}; {convert} add.s64 a, a, {at}; " + access(dice, space, "a"),
        ACCESS,
        ".const .align 16 .b8 co[64];",
    )


def around_the_end(dice: random.Random) -> Violation:
    """Addresses that are right, or nearly, after a sum has wrapped around."""
    space = dice.choice((".global", "", ".shared", ".const"))
    base = {".global": "mov.b64 a, o;", "": "mov.b64 a, o;", ".shared": "mov.u64 a, sh;", ".const": "mov.u64 a, co;"}
    far = dice.choice((1 << 32, 1 << 33, 1 << 24, 2 << 24, 3 << 32, 4 << 32, 1 << 63, (1 << 64) - (3 << 32)))
    back = dice.choice(("", "+4", "+-4", "+2147483644", "+-2147483648"))
    far = far if far < 1 << 63 else far - (1 << 64)
    code = f"{base[space]} add.s64 a, a, {far}; " + access(dice, space, f"a{back}")
    return Violation(code, ACCESS, ".const .align 16 .b8 co[64];")


def no_elements(dice: random.Random) -> Violation:
    """A variable without room, at the end or in the midst of others."""
    kind = dice.choice((".global", ".shared", ".const"))
    extern = ".extern .shared .align 8 .b8 none[];" if kind == ".shared" else f"{kind} .align 8 .b8 none[1];"
    at = dice.choice((0, 1, 8, -8, 64))
    return Violation(f"mov.u64 a, none; add.s64 a, a, {at}; " + access(dice, kind, "a"), ACCESS, extern)


def locked_atomics(dice: random.Random) -> Violation:
    """Atomics on what may only be read."""
    home, name = dice.choice(((".const", "co"), (".param", "out")))
    op = dice.choice(("atom.add.u32 i, [a], i;", "red.or.b32 [a], i;", "atom.global.exch.b64 b, [a], b;"))
    return Violation(f"mov.u64 a, {name}; cvta{home}.u64 a, a; {op}", ACCESS - {""}, ".const .align 16 .b8 co[64];")


def bulk_copies(dice: random.Random) -> Violation:
    """Sizes that are slightly too large, or so large that the end wraps around."""
    size = dice.choice((16, 64, 80, 4096, (1 << 24) + 16, 1 << 25, (1 << 31) - 16, 0xFFFFFFF0))
    target, source = dice.choice((("w", "sh"), ("o", "sh"), ("a", "sh")))
    code = f"and.b64 o, o, -16; add.u64 a, o, 32; mov.u32 j, {size}; mov.u64 c, sh; and.b64 w, w, -16;"
    return Violation(
        f"{code} cp.async.bulk.global.shared::cta.bulk_group [{target}], [{source}], j; mov.b64 b, 7;",
        ACCESS,
        largest=2,
    )


def matrix_rows(dice: random.Random) -> Violation:
    """Rows of a matrix that lie outside."""
    at = dice.choice((0, 64, 48, 16, -16, 8, 1 << 24, 1 << 32))
    op = dice.choice(
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {j}, [a];", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [a], {j};",
         "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {i, j, t, u}, [a];")
    )  # fmt: skip
    return Violation(f"mov.u64 a, sh; add.s64 a, a, {at}; {op}", ACCESS, whole=True, whole_warps=True)


def two_stacks(dice: random.Random) -> Violation:
    """Lanes that mean their frame, and lanes that mean what `alloca` gave, at once."""
    at = dice.choice((0, 8, 64, -8, 56))
    code = f"""alloca.u64 a, 64; mov.u64 c, lo; and.b32 j, t, 1; setp.eq.u32 q, j, 0; selp.b64 a, a, c, q;
    add.s64 a, a, {at}; """
    to = dice.choice(("", ".local"))
    if not to:
        code += "cvta.local.u64 a, a;"
    return Violation(code + f"st{to}.b64 [a], a; ld{to}.b64 a, [a];", ACCESS, largest=2)


def end_of_array(dice: random.Random) -> Violation:
    """The last thread's element and a little more; or the first one's and a little less."""
    at = dice.choice(("+8", "+-8", "+4", "+1", "+16", "+-1", "+6"))
    op = dice.choice(
        ("st.global.u64 [o{}], b;", "ld.global.u64 b, [o{}];", "st.u32 [o{}], i;", "atom.global.add.u64 b, [o{}], b;")
    )
    code = op.format(at)
    return Violation(code if "b, [" not in code else code + " mov.b64 b, 7;", ACCESS)


def read_only(dice: random.Random) -> Violation:
    if dice.random() < 0.5:
        return Violation(
            "mov.u64 a, co; cvta.const.u64 a, a; st.u32 [a], i;",
            frozenset({"read-only"}),
            ".const .align 16 .b8 co[64];",
        )
    return Violation("mov.u64 a, out; cvta.param.u64 a, a; st.u32 [a], i;", frozenset({"read-only"}))


def function_memory(dice: random.Random) -> Violation:
    """Code is no memory."""
    op = dice.choice(("st.u32 [a], i;", "ld.u32 i, [a];", "st.global.u8 [a], h;", "ld.global.b64 b, [a];"))
    return Violation("mov.u64 a, helper; " + op, frozenset({"out-of-bounds"}), ".func helper() { ret; }")


def huge_shared(dice: random.Random) -> Violation:
    size = dice.choice((1 << 16, 228 << 10, 1 << 20, 1 << 30))
    top = f".shared .align 16 .b8 much[{size}];"
    return Violation(f"mov.u64 a, much; st.shared.u64 [a+{size - 8}], a;", frozenset({"", "refused"}), top, largest=2)


def late_block(dice: random.Random) -> Violation:
    return Violation("st.global.u64 [o+1], b;", frozenset({"misaligned-access"}), largest=4000)


def heap(dice: random.Random) -> Violation:
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
    return Violation(code, ACCESS | {"undefined-behavior", "trap", "assertion"}, top, largest=2, alone=False)


def copies(dice: random.Random) -> Violation:
    at = dice.choice(("64", "8", "-16", "1 << 20"))
    code = f"mov.u64 a, sh; add.s64 a, a, {at}; cp.async.ca.shared.global [a], [o], 8; cp.async.wait_all;"
    if dice.random() < 0.5:
        code = "mov.u64 a, sh; cp.async.cg.shared.global [a], [w], 16; cp.async.wait_all;"
    return Violation(code, ACCESS)


def self_modifying(dice: random.Random) -> Violation:
    """Follows pointers that it writes itself."""
    code = f"""mov.b64 a, o; mov.u32 j, 0;
    AGAIN: st.u64 [a], a; ld.u64 c, [a]; add.u64 a, c, {dice.choice((8, 4096, 1 << 32, 1 << 33, -8))}; add.u32 j, j, 1;
    setp.lt.u32 q, j, 100000; @q bra AGAIN;"""
    return Violation(code, ACCESS, largest=2, racing=True)


def wrapped(dice: random.Random) -> Violation:
    """Lanes whose offsets wrap around, in 32 or in 64 bits."""
    base, step = dice.choice((0xFFFFFFF0, 0x7FFFFFF0, 0xFFFFFFFC)), dice.choice((4, 8, 1))
    wide, act = dice.choice(("u64.u32", "s64.s32")), dice.choice(("ld.global.u8 h, [a];", "st.global.u32 [a], i;"))
    code = f"mad.lo.u32 j, t, {step}, {base}; cvt.{wide} a, j; add.s64 a, a, o; {act}"
    return Violation(code, ACCESS, alone=False)


def much_stack(dice: random.Random) -> Violation:
    size = dice.choice((1 << 20, 1 << 26, 1 << 30, 3 << 30, 1 << 40, (1 << 63) - 1, (1 << 64) - 16))
    return Violation(
        f"mov.b64 c, {size}; alloca.u64 a, c; st.local.u64 [a], c;",
        frozenset({"stack-overflow", ""}),
        alone=False,
        largest=2,
    )


def stack_beyond(dice: random.Random) -> Violation:
    at = dice.choice((64, 60, 1 << 16, -8, -1))
    return Violation(f"alloca.u64 a, 64; add.s64 a, a, {at}; st.local.u64 [a], a;", ACCESS, largest=2)


def bad_restore(dice: random.Random) -> Violation:
    to = dice.choice(("0", "-1", "w", "1 << 40"))
    return Violation(
        f"mov.b64 a, {to}; stackrestore.u64 a; alloca.u64 a, 64; st.local.u64 [a], b;",
        ACCESS | {"stack-overflow", "undefined-behavior"},
        largest=2,
    )
