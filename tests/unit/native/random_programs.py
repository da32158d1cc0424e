# ruff: noqa: E501 - a table of instructions, one a line
"""Random kernels: all types, divergence, loops, jumps into loops, shared memory, convergent barriers."""

from __future__ import annotations

import random

HEADER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<8>; .reg .b16 %h<6>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %fd<4>;
    .shared .align 8 .b32 s[256];
    .local .align 8 .b32 l[8];
    ld.param.u64 %rd14, [in]; ld.param.u64 %rd15, [out]; ld.param.u32 %r12, [n];
    mov.u32 %r13, %tid.x; mov.u32 %r14, %ctaid.x; mov.u32 %r15, %ntid.x; mad.lo.s32 %r14, %r14, %r15, %r13;
    mul.wide.u32 %rd13, %r14, 4; add.s64 %rd12, %rd14, %rd13;
    ld.global.u32 %r0, [%rd12]; mov.u32 %r1, %r14; mov.u32 %r2, %r13; add.s32 %r3, %r0, 7; mov.u32 %r4, %laneid;
    mov.u32 %r5, %ctaid.x; mov.u32 %r6, 3; mov.u32 %r7, %ntid.x;
    mov.u32 %r11, %fuel%;
    cvt.u64.u32 %rd0, %r0; cvt.s64.s32 %rd1, %r3; mov.u64 %rd2, 5; cvt.u64.u32 %rd3, %r13;
    cvt.rn.f32.s32 %f0, %r3; mov.b32 %f1, %r0; mov.f32 %f2, 0f3F000000; cvt.rn.f32.u32 %f3, %r13;
    cvt.rn.f64.s32 %fd0, %r0; mov.f64 %fd1, 0d3FF8000000000000; mov.b64 %fd2, %rd1; mov.f64 %fd3, 0dBFD0000000000000;
    cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r13; mov.u16 %h2, 9; mov.u16 %h3, 15360;
    setp.lt.u32 %p0, %r13, 9; setp.eq.u32 %p1, %r6, 3; setp.gt.s32 %p2, %r0, 0; setp.ne.u32 %p3, %r4, 5;
    shl.b32 %r10, %r13, 2; mov.u32 %r9, s; add.s32 %r9, %r9, %r10;
    st.shared.u32 [%r9], %r0;
    shr.u32 %r10, %r13, 5; shl.b32 %r10, %r10, 2; mov.u32 %r8, s; add.s32 %r10, %r10, %r8;
    bar.sync 0;
"""
FOOTER = """
DONE:
    mul.wide.u32 %rd13, %r14, 64; add.s64 %rd12, %rd15, %rd13;
    st.global.v4.u32 [%rd12], {%r0, %r1, %r2, %r3};
    st.global.v4.u32 [%rd12+16], {%r4, %r5, %r6, %r7};
    xor.b64 %rd0, %rd0, %rd1; add.s64 %rd2, %rd2, %rd3; st.global.v2.u64 [%rd12+32], {%rd0, %rd2};
    mov.b64 %rd1, %fd0; st.global.u64 [%rd12+48], %rd1;
    st.global.v2.f32 [%rd12+56], {%f0, %f1};
    ret;
}
"""


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def pick(self, kind: str, count: int) -> str:
        return f"%{kind}{self.random.randrange(count)}"

    def operation(self) -> str:
        choose = self.random.choice
        r, rd, f, fd, h, p = (lambda k=k, n=n: self.pick(k, n) for k, n in (("r", 8), ("rd", 4), ("f", 4), ("fd", 4), ("h", 4), ("p", 4)))  # fmt: skip
        c = self.random.randrange(-40, 1 << self.random.choice((3, 8, 31)))
        index = "and.b32 %r8, {}, 28; "
        return choose((
            lambda: f"{choose(('add.s32', 'sub.s32', 'mul.lo.s32', 'and.b32', 'or.b32', 'xor.b32', 'min.s32', 'max.u32', 'mul.hi.u32', 'mul.hi.s32', 'div.u32', 'rem.s32', 'add.sat.s32'))} {r()}, {r()}, {choose((r(), str(c)))};",
            lambda: f"{choose(('shl.b32', 'shr.u32', 'shr.s32'))} {r()}, {r()}, {choose((r(), str(self.random.randrange(40))))};",
            lambda: f"mad.lo.s32 {r()}, {r()}, {r()}, {r()};",
            lambda: f"{choose(('popc.b32', 'clz.b32', 'brev.b32', 'not.b32', 'neg.s32', 'abs.s32'))} {r()}, {r()};",
            lambda: f"bfe.{choose('su')}32 {r()}, {r()}, {r()}, {r()};",
            lambda: f"prmt.b32 {r()}, {r()}, {r()}, {r()};",
            lambda: f"lop3.b32 {r()}, {r()}, {r()}, {r()}, {self.random.randrange(256)};",
            lambda: f"shf.l.wrap.b32 {r()}, {r()}, {r()}, {r()};",
            lambda: f"{choose(('add.s64', 'sub.s64', 'mul.lo.s64', 'and.b64', 'xor.b64', 'min.u64', 'max.s64', 'mul.hi.u64', 'div.s64', 'rem.u64'))} {rd()}, {rd()}, {rd()};",
            lambda: f"{choose(('shl.b64', 'shr.u64', 'shr.s64'))} {rd()}, {rd()}, {r()};",
            lambda: f"{choose(('add.f32', 'sub.f32', 'mul.f32', 'min.f32', 'max.f32', 'add.rz.f32', 'mul.rm.f32', 'add.rp.ftz.f32', 'mul.ftz.f32', 'div.rn.f32', 'copysign.f32'))} {f()}, {f()}, {f()};",
            lambda: f"fma.{choose(('rn', 'rz', 'rm', 'rp', 'rn.ftz', 'rn.sat'))}.f32 {f()}, {f()}, {f()}, {f()};",
            lambda: f"{choose(('sqrt.rn.f32', 'rcp.rn.f32', 'neg.f32', 'abs.ftz.f32', 'ex2.approx.f32', 'lg2.approx.ftz.f32', 'rsqrt.approx.f32'))} {f()}, {f()};",
            lambda: f"{choose(('add.f64', 'mul.f64', 'sub.rz.f64', 'min.f64', 'div.rn.f64'))} {fd()}, {fd()}, {fd()};",
            lambda: f"fma.rn.f64 {fd()}, {fd()}, {fd()}, {fd()};",
            lambda: f"{choose(('add.s16', 'sub.s16', 'mul.lo.u16', 'and.b16', 'min.u16', 'max.s16', 'add.f16', 'mul.f16'))} {h()}, {h()}, {h()};",
            lambda: f"fma.rn.{choose(('f16', 'bf16'))} {h()}, {h()}, {h()}, {h()};",
            lambda: f"{choose(('cvt.u32.u16', 'cvt.s32.s16', 'cvt.s32.s8'))} {r()}, {h()};",
            lambda: f"cvt.{choose(('u16.u32', 's16.s32'))} {h()}, {r()};",
            lambda: f"cvt.{choose(('u64.u32', 's64.s32'))} {rd()}, {r()};",
            lambda: f"cvt.u32.u64 {r()}, {rd()};",
            lambda: f"cvt.{choose(('rni', 'rzi', 'rmi'))}.{choose('su')}32.f32 {r()}, {f()};",
            lambda: f"cvt.{choose(('rn', 'rz', 'rp'))}.f32.{choose('su')}32 {f()}, {r()};",
            lambda: f"cvt.f64.f32 {fd()}, {f()};",
            lambda: f"cvt.rn.f32.f64 {f()}, {fd()};",
            lambda: f"cvt.rn.f16.f32 {h()}, {f()};",
            lambda: f"cvt.f32.f16 {f()}, {h()};",
            lambda: f"mov.b32 {r()}, {f()};",
            lambda: f"mov.b32 {f()}, {r()};",
            lambda: f"setp.{choose(('lt', 'le', 'eq', 'ne', 'gt', 'ge'))}.{choose('su')}32 {p()}, {r()}, {choose((r(), str(c)))};",
            lambda: f"setp.{choose(('lt', 'gt', 'equ', 'num', 'geu'))}.f32 {p()}, {f()}, {f()};",
            lambda: f"{choose(('and', 'or', 'xor'))}.pred {p()}, {p()}, {p()};",
            lambda: f"selp.b32 {r()}, {r()}, {r()}, {p()};",
            lambda: f"@{choose(('', '!'))}{p()} mov.b32 {r()}, {choose((r(), str(c)))};",
            lambda: f"@{choose(('', '!'))}{p()} add.s32 {r()}, {r()}, {c};",
            lambda: f"mov.u32 {r()}, {choose(('%tid.x', '%laneid', '%ctaid.x', '%ntid.x', '%lanemask_lt', str(c)))};",
            lambda: f"ld.shared.u32 {r()}, [%r9+512];",
            lambda: f"st.shared.u32 [%r9], {r()};",
            lambda: f"ld.shared.u32 {r()}, [%r9];",
            lambda: f"@{p()} st.shared.u32 [%r9+512], {r()};",
            lambda: f"and.b32 %r8, {r()}, 127; mul.wide.u32 %rd12, %r8, 4; add.s64 %rd12, %rd12, %rd14; ld.global.u32 {r()}, [%rd12];",
            lambda: f"@{p()} ld.global.u32 {r()}, [%rd14+8];",
            lambda: f"mov.u64 %rd11, l; st.local.u32 [%rd11+{4 * self.random.randrange(8)}], {r()};",
            lambda: f"{index.format(r())}cvt.u64.u32 %rd11, %r8; mov.u64 %rd10, l; add.s64 %rd11, %rd11, %rd10; ld.local.u32 {r()}, [%rd11];",
            lambda: f"atom.shared.{choose(('add.u32', 'max.s32', 'xor.b32', 'exch.b32', 'inc.u32'))} {r()}, [%r10+992], {r()};",
            lambda: f"add.cc.u32 {r()}, {r()}, {r()}; addc.u32 {r()}, {r()}, {r()};",
        ))()  # fmt: skip

    def text(self) -> str:
        random = self.random
        blocks = random.randrange(3, 9)
        lines = [HEADER.replace("%fuel%", str(random.randrange(3, 12)))]
        for b in range(blocks):
            lines.append(f"B{b}:")
            lines += [f"    {self.operation()}" for _ in range(random.randrange(1, 7))]
            way = random.random()
            if way < 0.35:
                lines.append(
                    f"    @{random.choice(('', '!'))}%p{random.randrange(4)} bra B{random.randrange(b + 1, blocks + 1)};"
                )
            elif way < 0.6:  # back, as long as there is fuel
                lines.append("    sub.s32 %r11, %r11, 1; setp.gt.s32 %p4, %r11, 0;")
                if random.random() < 0.7:
                    lines.append(f"    and.pred %p4, %p4, %p{random.randrange(4)};")
                lines.append(f"    @%p4 bra B{random.randrange(b + 1)};")
            elif way < 0.66:
                lines.append(f"    @%p{random.randrange(4)} bra DONE;")
            elif way < 0.7:
                lines.append(f"    @%p{random.randrange(4)} ret;")
            elif way < 0.76 and b + 2 < blocks:
                goals = ", ".join(f"B{random.randrange(b + 1, blocks + 1)}" for _ in range(4))
                lines.append(
                    f"    and.b32 %r8, %r{random.randrange(8)}, 3; T{b}: .branchtargets {goals}; brx.idx %r8, T{b};"
                )
        lines.append(f"B{blocks}:")
        if random.random() < 0.5:
            lines.append("    bar.sync 0; ld.shared.u32 %r6, [s+4];")
        return "\n".join(lines) + FOOTER


def program(seed: int) -> str:
    return Maker(seed).text()
