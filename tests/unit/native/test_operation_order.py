"""Arguments of approximate functions are computed before them, and nothing that can be observed changes its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.device.shared_layout import shared_layout
from openptx.engines.native.analysis.context import FunctionContext, make_context
from openptx.engines.native.analysis.fixpoint import Facts, fixpoint
from openptx.engines.native.analysis.operation_order import emission_order
from openptx.engines.native.settings import Options
from openptx.llvm.host import CPU, host
from openptx.program import Function

TEXT = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {{
.reg .pred %p, %q; .reg .b32 %t, %n, %i; .reg .b64 %x, %y; .reg .f32 %a, %b, %c, %d, %s;
ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;
mad.wide.u32 %x, %t, 4, %x; mad.wide.u32 %y, %t, 4, %y; mov.f32 %s, 0f00000000; setp.lt.u32 %q, %t, 9;
LOOP: {body}
add.u32 %n, %n, -1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;
st.global.f32 [%y], %s; ret; }}"""
E, F = "ex2.approx.f32", "ex2.approx.ftz.f32"
# What a loop does, and in what order: the numbers of its operations.
BODIES = {
    "independent": (f"{E} %a, %s; {E} %b, %a; mul.rn.f32 %c, %s, %s; add.rn.f32 %s, %b, %c;", [2, 0, 1, 3]),
    "two arguments": (
        f"ld.global.f32 %a, [%x]; {E} %a, %a; add.rn.f32 %s, %s, %a; ld.global.f32 %b, [%x+128]; {F} %b, %b;"
        "add.rn.f32 %s, %s, %b;",
        [0, 3, 1, 2, 4, 5],
    ),
    "a third waits": (
        f"mul.rn.f32 %a, %s, %s; {E} %a, %a; add.rn.f32 %b, %s, %s; {E} %b, %b; sub.rn.f32 %c, %s, 0f3F800000;"
        f"{E} %c, %c; mul.rn.f32 %d, %s, 0f40000000; {E} %d, %d; add.rn.f32 %s, %a, %b; add.rn.f32 %s, %s, %c;"
        "add.rn.f32 %s, %s, %d;",
        [0, 2, 4, 1, 3, 6, 8, 5, 7, 9, 10],
    ),
    "a register in use": (
        f"{E} %a, %s; add.rn.f32 %s, %s, %a; mov.f32 %a, 0f3F800000; {E} %b, %a; add.rn.f32 %s, %s, %b;",
        [0, 1, 2, 3, 4],
    ),
    "an argument that is overwritten": (
        f"mul.rn.f32 %b, %s, %s; {E} %a, %b; mov.f32 %b, 0f3F000000; {E} %c, %b; add.rn.f32 %s, %a, %c;",
        [0, 1, 2, 3, 4],
    ),
    "a store": (
        f"{E} %a, %s; st.global.f32 [%x], %a; ld.global.f32 %b, [%x]; {E} %c, %b; add.rn.f32 %s, %s, %c;",
        [0, 1, 2, 3, 4],
    ),
    "loads in order": (
        f"{E} %a, %s; cvt.rzi.u32.f32 %i, %a; and.b32 %i, %i, 31; mad.wide.u32 %x, %i, 0, %x; ld.global.f32 %b, [%x];"
        f"ld.global.f32 %c, [%y]; {E} %d, %c; add.rn.f32 %s, %b, %d;",
        [0, 1, 2, 3, 4, 5, 6, 7],
    ),
    "a guard": (
        f"{E} %a, %s; @%q mul.rn.f32 %b, %s, %s; @!%q mov.f32 %b, %a; {E} %c, %b; add.rn.f32 %s, %s, %c;",
        [1, 0, 2, 3, 4],
    ),
    "a fence and a barrier of a warp": (
        f"{E} %a, %s; fence.acq_rel.cta; mul.rn.f32 %b, %s, %s; {E} %b, %b; add.rn.f32 %s, %a, %b;",
        [0, 1, 2, 3, 4],
    ),
    "a clock": (
        f"{E} %a, %s; mov.u32 %i, %clock; mul.rn.f32 %b, %s, %s; {E} %b, %b; add.rn.f32 %s, %a, %b;",
        [0, 1, 2, 3, 4],
    ),
    "one alone": (f"{E} %a, %s; mul.rn.f32 %b, %s, %s; add.rn.f32 %s, %a, %b;", [0, 1, 2]),
}  # fmt: skip


PLAIN = Options((32, 1, 1), False)


def facts_of(kernel: openptx.Kernel, options: Options, cpu: CPU) -> tuple[FunctionContext, Facts]:
    module = kernel.module

    def context(one: Function) -> FunctionContext:
        shared = shared_layout(module.program, kernel.function.name)
        return make_context(module.program, one, module.image, options, cpu, shared, "kernel", 0, {})

    c = context(kernel.function)
    return c, fixpoint(c)


def order(body: str, options: Options = PLAIN, cpu: CPU | None = None) -> list[int]:
    c, facts = facts_of(openptx.load(TEXT.format(body=body))["k"], options, cpu or replace(host(), avx512=True))
    (b,) = [b for b in c.graph.blocks if b.index in b.successors]
    return [pc - b.start for pc in emission_order(c, facts, b, b.stop - 1)]


@pytest.mark.parametrize("name", BODIES)
def test_order(name: str) -> None:
    body, expected = BODIES[name]
    found = [i for i in order(body) if i < len(expected)]
    assert found == expected


def test_other_code_keeps_the_order() -> None:
    body, expected = BODIES["two arguments"]
    for found in (
        order(body, PLAIN._replace(watched=("mem",))),
        order(body, PLAIN._replace(baseline=True)),
        order(body, cpu=replace(host(), avx512=False)),
    ):
        assert found[: len(expected)] == sorted(expected)


@pytest.mark.parametrize("name", [name for name in BODIES if name != "a clock"])
def test_results(name: str) -> None:
    random = np.random.default_rng(3)
    given = random.normal(0, 1, 96).astype(np.float32)
    found: list[bytes] = []
    for engine in ("interp", "native"):
        x, y = given.copy(), np.zeros(96, np.float32)
        openptx.load(TEXT.format(body=BODIES[name][0]))["k"](1, 64, (x, y, 3), engine=engine)
        found.append(x.tobytes() + y.tobytes())
    assert found[0] == found[1]


def test_a_fault_of_the_second_load() -> None:
    """It is reported as on the reference engine, though the load comes before a function that precedes it."""
    said: list[object] = []
    for engine in ("interp", "native"):
        x, y = np.zeros(32, np.float32), np.zeros(32, np.float32)
        with pytest.raises(openptx.Fault) as caught:
            openptx.load(TEXT.format(body=BODIES["two arguments"][0]))["k"](1, 32, (x, y, 3), engine=engine)
        said.append((caught.value.code, caught.value.thread, caught.value.span))
    assert said[0] == said[1]
