"""Modules in memory: initializers, relocations, undefined names, variables that persist between launches."""

import ctypes
import gc

import numpy as np
import pytest

from openptx.device.image import Image
from openptx.device.mapping import is_mapped
from openptx.device.memory import Memory
from openptx.errors import ArgumentError, Fault, Unsupported
from openptx.runtime import load

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def test_variables_keep_their_values() -> None:
    module = load(
        HEAD + ".global .u32 n = 5;\n.visible .entry k() { .reg .u32 t; atom.global.add.u32 t, [n], 2; ret; }"
    )
    for _ in range(3):
        module["k"](1, 1, (), engine="interp")
    assert module.get_global("n").view(np.uint32).tolist() == [11]
    module.get_global("n").view(np.uint32)[0] = 100
    module["k"](1, 1, (), engine="interp")
    assert module.get_global("n").view(np.uint32).tolist() == [102]
    with pytest.raises(ArgumentError, match="no global variable `m`"):
        module.get_global("m")


def test_constants_can_be_set_from_outside() -> None:
    text = ".const .align 4 .f32 c[2] = { 1.0, 2.0 };\n.visible .entry k(.param .u64 o) { .reg .u64 a; .reg .f32 x;"
    module = load(HEAD + text + " ld.param.u64 a, [o]; ld.const.f32 x, [c+4]; st.global.f32 [a], x; ret; }")
    out = np.zeros(1, np.float32)
    module["k"](1, 1, (out,), engine="interp")
    assert out[0] == 2
    module.get_global("c").view(np.float32)[1] = 7
    module["k"](1, 1, (out,), engine="interp")
    assert out[0] == 7


def test_addresses_in_initialisers() -> None:
    text = """.global .u32 x[2] = { 7, 8 };
.func (.reg .u32 d) f () { mov.u32 d, 9; ret; }
.global .u64 table[3] = { x+4, generic(x), f };
.visible .entry k(.param .u64 o) {
    .reg .u64 a, p;
    .reg .u32 v;
    P: .callprototype (.reg .u32 _) _ ();
    ld.param.u64 a, [o];
    ld.global.u64 p, [table];
    ld.global.u32 v, [p];
    st.global.u32 [a], v;
    ld.global.u64 p, [table+8];
    ld.u32 v, [p];
    st.global.u32 [a+4], v;
    ld.global.u64 p, [table+16];
    call (v), p, (), P;
    st.global.u32 [a+8], v;
    ret;
}"""
    out = np.zeros(3, np.uint32)
    load(HEAD + text)["k"](1, 1, (out,), engine="interp")
    assert out.tolist() == [8, 7, 9]


def test_what_another_module_defines_is_a_gap_with_a_name() -> None:
    text = ".extern .global .u32 other[];\n.extern .func pure ();\n.global .u64 table[1] = { pure };\n"
    text += ".visible .entry k() { .reg .u32 t; ld.global.u32 t, [other]; ret; }\n"
    module = load(HEAD + text + ".visible .entry fine() { ret; }")
    module["fine"](1, 1, (), engine="interp")
    with pytest.raises(Unsupported, match="address of `other`, which the module does not define") as refused:
        module["k"](1, 1, (), engine="interp")
    assert "yet" not in str(refused.value)
    assert "help: link the file that defines it" in str(refused.value)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_variables_that_no_module_defines_are_allocated_as_ptxas_does(engine: str) -> None:
    """ptxas: "Unresolved extern variable in whole program compilation, ignoring extern qualifier" (256 bytes smem)."""
    text = """.extern .global .u32 other[2];
.extern .shared .align 8 .u64 stacks[32];
.visible .entry k(.param .u64 out) {
    .reg .u64 a, s;
    .reg .u32 v, w;
    ld.param.u64 a, [out];
    mov.u64 s, stacks;
    st.shared.u32 [s+252], 7;
    ld.shared.u32 v, [s+252];
    ld.global.u32 w, [other+4];
    add.u32 v, v, w;
    st.global.u32 [a], v;
    st.shared.u32 [s+256], 7;
    ret;
}"""
    module = load(HEAD + text)
    out = np.ones(1, np.uint32)
    with pytest.raises(Fault, match=r"outside of the 256 bytes of \.shared"):
        module["k"](1, 1, (out,), engine=engine)
    assert out.tolist() == [7]


def test_pointer_tables_made_on_the_host() -> None:
    text = ".visible .entry k(.param .u64 table) { .reg .u64 a; .reg .u32 v; ld.param.u64 a, [table];"
    module = load(
        HEAD + text + " ld.global.u64 a, [a+8]; ld.global.u32 v, [a]; add.u32 v, v, 1; st.global.u32 [a], v; ret; }"
    )
    first, second = np.zeros(1, np.uint32), np.array([41], np.uint32)
    table = np.array([module.address(first), module.address(second)], np.uint64)
    module["k"](1, 1, (table,), engine="interp")
    assert second[0] == 42


def test_a_managed_variable_is_on_the_host_where_it_is_on_the_device() -> None:
    text = ".visible .global .attribute(.managed) .align 8 .u64 m = 5;\n"
    text += ".visible .entry k() { .reg .u64 v; ld.global.u64 v, [m]; add.u64 v, v, 1; st.global.u64 [m], v; ret; }"
    module = load(HEAD + text)
    address = module.image.addresses["m"]
    there = ctypes.c_uint64.from_address(address)
    assert there.value == 5
    for i, engine in enumerate(("interp", "native")):
        there.value = 10 * i
        module["k"](1, 1, (), engine=engine)
        assert there.value == 10 * i + 1
    memory = module.image.memory
    assert memory.occupied(address)
    assert is_mapped(address, 8)
    del module
    gc.collect()  # what the launches knew of memory
    assert not memory.occupied(address)
    assert not is_mapped(address, 8)


@pytest.mark.parametrize("declared", [True, False])
def test_a_heap_exists_where_malloc_is_declared(declared: bool) -> None:
    declaration = ".extern .func (.param .b64 p) malloc (.param .b64 size);\n" if declared else "// malloc\n"
    program = load(HEAD + declaration + ".visible .entry k() { ret; }").program
    memory = Memory(program.address_size)
    Image(program, memory)
    assert (memory.heap is not None) == declared
