"""Calls nest deeper than Python's stack allows, also with mutual recursion."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.interp.launch import STACK_OF_A_THREAD, stack_of

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
COUNT = ".func (.reg .b32 r) f{i} (.reg .b32 a) {{ .local .b8 x[16]; .reg .b32 b; add.u32 b, a, 1; {call} ret; }}\n"
KERNEL = """.visible .entry k(.param .u64 p) {{ .reg .b64 a; .reg .b32 r; ld.param.u64 a, [p];
call (r), f{last}, (0); st.global.u32 [a], r; ret; }}
"""


def chain(depth: int) -> str:
    functions = [COUNT.format(i=0, call="mov.b32 r, b;")]
    functions += [COUNT.format(i=i, call=f"call (r), f{i - 1}, (b);") for i in range(1, depth)]
    return HEAD + "".join(functions) + KERNEL.format(last=depth - 1)


@pytest.mark.parametrize("depth", [10, 400, 2500])
def test_a_chain_of_calls(depth: int) -> None:
    result = np.zeros(1, np.uint32)
    openptx.load(chain(depth))["k"](1, 1, (result,), engine="interp")
    assert result[0] == depth


def test_the_stack_is_that_of_the_deepest_chain() -> None:
    program = openptx.load(chain(10)).program
    assert stack_of(program, program.function("f9")) == 10 * stack_of(program, program.function("f0"))


def test_functions_that_are_called_in_many_ways_are_looked_at_once() -> None:
    """Each function calls the one before it twice, and another does so too: 2^60 ways lead to the first."""
    text = HEAD + ".func a0() {ret;}\n.func b0() {ret;}\n"
    for i in range(1, 61):
        calls = f"call a{i - 1}; call b{i - 1};"
        text += f".func a{i}() {{{calls} ret;}}\n.func b{i}() {{{calls} ret;}}\n"
    program = openptx.load(text + ".visible .entry k() { call a60; ret; }").program
    assert stack_of(program, program.function("k")) == 0


@pytest.mark.parametrize("loop", ["a", "b", "c"])
def test_a_recursion_may_need_all_of_the_stack(loop: str) -> None:
    text = ".func a(); .func b(); .func c();\n.func a() {call b; ret;}\n.func b() {call c; ret;}\n"
    text = f"{HEAD}{text}.func c() {{call {loop}; ret;}}\n.visible .entry k() {{call a; ret;}}"
    program = openptx.load(text).program
    assert stack_of(program, program.function("k")) == STACK_OF_A_THREAD


def test_blocks_that_nest_as_deep_as_the_assembler_reads_run() -> None:
    blocks = 1600
    text = "{ .reg .b32 a; mov.b32 a, 7;" * blocks + "st.global.u32 [p], a;" + "}" * blocks
    text = f"{HEAD}.visible .entry k(.param .u64 x) {{ .reg .b64 p; ld.param.u64 p, [x]; {text} ret; }}"
    for engine in ("interp", "native"):
        result = np.zeros(1, np.uint32)
        openptx.load(text)["k"](1, 1, (result,), engine=engine)
        assert result[0] == 7
