"""Recorded instructions write what their meanings give, in all lanes, some lanes, and registers of one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pytest

import openptx
from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import assemble, results, sources
from openptx.engines.interp.operands import Registers, destination, fresh, source
from openptx.engines.interp.recorded_steps import in_turn, recorded_step
from openptx.engines.interp.recorder import Recorder
from openptx.numerics import U
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.program import Function, Op, Reg

LANES = {"all": None, "a run": slice(3, 61), "some": np.array([0, 5, 6, 40, 63])}
RECORDED = """
    mov.u32 d, a; mov.pred v, p; add.u32 d, a, b; add.s32 d, a, -7; add.sat.s32 d, a, b; sub.s64 y, x, z;
    add.s16 t, s, s; mul.lo.s32 d, a, b; mul.hi.s32 d, a, b; mul.hi.u64 y, x, z; mul.wide.s32 y, a, b;
    mul24.lo.s32 d, a, b;
    mad.lo.u32 d, a, b, c; mad.wide.u16 d, s, t, a; sad.s32 d, a, b, c; rem.u32 d, a, b;
    neg.s32 d, a; min.s32 d, a, b; max.u64 y, x, z; min.s16 t, s, t; and.b32 d, a, b; or.pred v, p, !q; xor.b64 y, x, 5;
    not.b32 d, a; not.pred v, p; cnot.b32 d, a; shl.b32 d, a, b; shl.b64 y, x, a; shr.s32 d, a, 40; shr.u16 t, s, a;
    shf.l.wrap.b32 d, a, b, c; shf.r.clamp.b32 d, a, b, 33; lop3.b32 d, a, b, c, 0x1e; bfe.u32 d, a, b, c;
    bfe.s64 y, x, 3, 9; bfi.b32 d, a, b, 3, 5; slct.u32.s32 d, a, b, c; selp.b32 d, a, b, p;
    setp.lt.s32 v, a, b; setp.hi.u32 v|_, a, 9; setp.ne.and.u32 v, a, b, !p; set.gt.u32.s32 d, a, b; cvt.u64.u32 y, a;
    cvt.s64.s32 y, a; cvt.u16.u32 t, a; cvt.s32.s8 d, a; cvt.u8.u32 d, a; cvt.sat.s8.s32 d, a; cvt.s64.s16 y, s;
"""
FLOATS = """
    add.f32 f, g, h; sub.f32 f, g, 0f3F800000; mul.sat.f32 f, g, h; add.rz.f32 f, g, h; mul.rn.ftz.f32 f, g, h;
    fma.rn.f32 f, g, h, f; fma.rp.f32 f, g, h, f; fma.rn.ftz.sat.f32 f, g, h, f; fma.rn.f32 f, g, 0f3F000000, h;
    div.rn.f32 f, g, h; div.approx.f32 f, g, h; div.full.ftz.f32 f, g, h; rcp.rn.f32 f, g; sqrt.rm.f32 f, g;
    add.f64 m, n, o; sub.f64 m, n, o; mul.rm.f64 m, n, o; fma.rn.f64 m, n, o, m; div.rn.f64 m, n, o; sqrt.rn.f64 m, n;
    rcp.approx.ftz.f64 m, n; rsqrt.approx.f64 m, n; neg.f64 m, n; abs.f64 m, n;
    ex2.approx.f32 f, g; ex2.approx.ftz.f32 f, g; lg2.approx.f32 f, g; sin.approx.f32 f, g; cos.approx.ftz.f32 f, g;
    rcp.approx.f32 f, g; rsqrt.approx.f32 f, g; sqrt.approx.ftz.f32 f, g; tanh.approx.f32 f, g;
    min.f32 f, g, h; max.NaN.f32 f, g, h; max.f64 m, n, o; min.xorsign.abs.f32 f, g, h; neg.ftz.f32 f, g; abs.f32 f, g;
    copysign.f32 f, g, h; testp.subnormal.f32 v, g; setp.lt.f32 v, g, h; setp.equ.ftz.f32 v, g, h; setp.num.f64 v, n, o;
    set.gt.u32.f32 d, g, h; selp.f32 f, g, h, p; slct.f32.f32 f, g, h, f;
    cvt.rn.f32.u32 f, a; cvt.rz.f32.s64 f, x; cvt.rn.f64.u64 m, x; cvt.rzi.s32.f32 d, g; cvt.rni.u64.f64 y, n;
    cvt.rmi.f32.f32 f, g; cvt.sat.f32.f32 f, g; cvt.rn.f32.f64 f, n; cvt.rz.ftz.f32.f64 f, n; cvt.f64.f32 m, g;
    cvt.rn.f16.f32 t, g; cvt.f32.f16 f, s; cvt.rn.bf16.f32 t, g; cvt.rn.bf16x2.f32 d, g, h; cvt.rn.f16x2.f32 d, g, h;
    add.f16 t, s, s; mul.bf16x2 d, a, b; fma.rn.f16 t, s, s, t; fma.rn.f16x2 d, a, b, c; fma.rn.relu.bf16 t, s, s, t;
    max.f16x2 d, a, b; ex2.approx.f16 t, s; tanh.approx.bf16x2 d, a; setp.lt.f16 v, s, t; neg.bf16x2 d, a;
    clz.b32 d, a; clz.b64 d, x; abs.s32 d, a; div.u64 y, x, z; div.s32 d, a, b; brev.b32 d, a; popc.b32 d, a;
    bfind.u32 d, a; prmt.b32 d, a, b, c; prmt.b32 d, a, b, 0x5410; dp4a.s32.u32 d, a, b, c; rem.s32 d, a, b;
    mul.f32 f, 0f00000000, g; add.f64 m, n, 0d7FF0000000000001; setp.gtu.f32 v, g, 0f7FC00001;
"""
"""Instructions that call the NumPy machine, and long ones."""
REFUSED = """
    add.cc.u32 d, a, b;
    addc.u32 d, a, b; ld.global.u32 d, [x]; st.global.u32 [x], a; shfl.sync.bfly.b32 d, a, 1, 31, -1; mov.u32 d, %tid.x;
    mov.b64 {d, c}, x; mov.u32 d, 5; setp.lt.s32 v|w, a, b; vote.sync.any.pred v, p, -1; atom.global.add.u32 d, [x], a;
"""
TEXT = """
.version 8.5
.target sm_90
.address_size 64
.visible .entry k() {
    .reg .b32 a, b, c, d; .reg .b64 x, y, z; .reg .b16 s, t; .reg .pred p, q, v, w;
    .reg .f32 f, g, h; .reg .f64 m, n, o;
    BODY
}
"""


def kernel(body: str) -> Function:
    return openptx.load(TEXT.replace("BODY", body), contract="off")["k"].function


SPECIAL = {
    2: (0x8000, 0x3C00, 0x7C00, 0xFC00, 0x7C01, 0x7E00),
    4: (0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0x00800000, 0x42FC0000),
    8: (-1 << 63, 0x3FF << 52, 0x7FF << 52, -1 << 52, (0x7FF << 52) + 1, 0x7FF8 << 48, 1 << 52, 0x200 << 52),
}
"""Codes of zeros, ones, infinities, NaN and small numbers by their size in bytes."""


class Machine(NumpyMachine):
    """What instructions without memory need of a machine."""

    n = 64


def register_file(function: Function, dice: np.random.Generator, uniform: bool) -> Registers:
    found: Registers = []
    for r in function.registers:
        dtype = fresh(r.type.width).dtype
        if dtype == np.bool_:
            column = dice.random(64) < 0.5
        else:
            column = dice.integers(0, 1 << 8 * dtype.itemsize, 64, np.uint64, endpoint=False).astype(dtype)
            few = dice.random(64) < 0.3
            special = np.array([0, 1, 2, 31, 32, 33, -1, -2, *SPECIAL.get(dtype.itemsize, ())], np.int64).astype(dtype)
            column[few] = dice.choice(special, few.sum())
        found.append(column[:1].copy() if uniform else column)
    for column in found:
        column.setflags(write=False)
    return [*found, fresh(1)]


def after(step: Callable[..., None], regs: Registers, lanes: lane_sets.Lanes) -> Registers:
    found = list(regs)
    with np.errstate(all="ignore"):  # as in a batch
        step(Machine(), found, lanes)
    return found


def by_meaning(function: Function, op: Op) -> Callable[..., None]:
    carry = Reg(len(function.registers), 1)
    return assemble(op, sources(op), results(op), source(carry, None), destination(carry, None))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("body", [RECORDED, FLOATS], ids=["integers", "floats"])
def test_results_are_those_of_the_meaning(body: str, lanes: str, uniform: bool) -> None:
    function, dice = kernel(body), np.random.default_rng(7)
    for op in function.code:
        step = recorded_step(op)
        assert step is not None, op.text
        for _ in range(3):
            regs = register_file(function, dice, uniform)
            got, expected = after(step, regs, LANES[lanes]), after(by_meaning(function, op), regs, LANES[lanes])
            for r, one, other in zip(function.registers, got, expected, strict=False):
                assert (one.dtype, one.ndim) == (other.dtype, 1), (op.text, r.name)
                assert (np.broadcast_to(one, 64) == np.broadcast_to(other, 64)).all(), (op.text, r.name)


def test_other_instructions_run_their_meaning() -> None:
    for op in kernel(REFUSED).code:
        assert recorded_step(op) is None, op.text


def test_a_result_is_no_other_registers_array() -> None:
    """A later write to some lanes changes the destination alone."""
    both = "mov.u32 d, a; add.u32 d, a, 1; max.s32 c, a, b; add.u32 c, a, 1; selp.b32 b, a, a, p; add.u32 b, a, 1;"
    function = kernel(both)
    for op, later in zip(function.code[::2], function.code[1::2], strict=True):
        regs = register_file(function, np.random.default_rng(1), uniform=False)
        before = [v.copy() for v in regs]
        for each, lanes in ((op, None), (later, slice(0, 9))):
            step: Callable[..., None] | None = recorded_step(each)
            assert step is not None
            step(Machine(), regs, lanes)
        target = op.operands[0]
        assert isinstance(target, Reg)
        assert all((v == old).all() for i, (v, old) in enumerate(zip(regs, before, strict=True)) if i != target.index)


def test_few_arrays_exist_at_a_time() -> None:
    x = Recorder(1)
    value = x.operand(0, 32)
    value = type(value)(x, 32, 0)
    for _ in range(7):
        value = x.max(U, value + 3, value ^ 5)
    run = in_turn(x.operations, x)
    a = np.arange(64, dtype=np.uint32)
    expected = a
    for _ in range(7):
        expected = np.maximum(expected + np.uint32(3), expected ^ np.uint32(5))
    assert (run(a) == expected).all()
    steps = inspect.getclosurevars(run).nonlocals["steps"]
    assert len({to for *_, to in steps}) <= 3
