"""Local memory at one address in all lanes, where unoptimised code keeps its variables."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options
from openptx.errors import Fault

HEAD = ".version 8.8\n.target sm_90\n.address_size 64\n"


GENERIC = f"""{HEAD}.visible .entry k() {{
.reg .b64 a; .reg .b128 z; .reg .b32 n; .local .align 16 .b8 loc[64]; mov.b128 z, {{0, 0}};
mov.u64 a, loc; cvta.local.u64 a, a; add.u64 a, a, 16777216; ACCESS ret; }}"""


def kernel(width: int, count: int, place: str = "[a]", guard: str = "") -> str:
    """Lanes store `count` numbers at a place known when the kernel is launched, and load them from there."""
    names = [f"v{i}" for i in range(count)]
    vector, given = (f".v{count}", "{" + ", ".join(names) + "}") if count > 1 else ("", names[0])
    register = max(width, 16)
    made = " ".join(
        f"add.u32 n, lane, {100 * i}; cvt.u{register}.u32 {v}, n;"
        if register != 32
        else f"add.u32 {v}, lane, {100 * i};"
        for i, v in enumerate(names)
    )
    back = " ".join(
        f"{f'cvt.u32.u{register} n, {v};' if register != 32 else f'mov.b32 n, {v};'} st.global.u32 [out+{4 * i}], n;"
        for i, v in enumerate(names)
    )
    return f"""{HEAD}.visible .entry k(.param .u64 pout, .param .u64 offset) {{
.reg .b32 lane, n; .reg .b64 a, q, out; .reg .b{register} {", ".join(names)}; .reg .pred p;
.local .align 16 .b8 loc[64];
ld.param.u64 out, [pout]; ld.param.u64 q, [offset]; mov.u32 lane, %tid.x; mad.wide.u32 out, lane, {4 * count}, out;
mov.u64 a, loc; add.u64 a, a, q; and.b32 n, lane, 1; setp.ne.u32 p, n, 0;
{made} {guard} st.local{vector}.b{width} {place}, {given}; ld.local{vector}.b{width} {given}, {place}; {back} ret; }}"""


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_numbers_come_back(width: int, count: int) -> None:
    if width * count > 128:
        pytest.skip("no such vector")
    module = openptx.load(kernel(width, count))
    for block in (32, 45):  # whole warps, and one of some lanes
        found = [np.zeros((block, count), np.uint32) for _ in range(2)]
        for engine, out in zip(("interp", "native"), found, strict=True):
            module["k"](1, block, (out, 16), engine=engine)
        lanes = np.arange(block)[:, None] + 100 * np.arange(count)
        np.testing.assert_array_equal(found[1], lanes % (1 << min(width, 32)))
        np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("offset", [-4, 2, 62, 64, 1 << 40])
@pytest.mark.parametrize("guard", ["", "@p"])
def test_faults_are_the_same(offset: int, guard: str) -> None:
    module, texts = openptx.load(kernel(32, 1, guard=guard)), list[str]()
    for engine in ("interp", "native"):
        with pytest.raises(Fault) as fault:
            module["k"](1, 45, (np.zeros(45, np.uint32), offset % (1 << 64)), engine=engine)
        texts.append(str(fault.value))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("access", ["ld.b128 z, [a];", "st.b128 [a], z;", "ld.b32 n, [a];"])
def test_faults_at_generic_addresses_name_local_memory(access: str) -> None:
    """The address is known when the kernel is compiled: it has lost its window's number by then."""
    module, texts = openptx.load(GENERIC.replace("ACCESS", access)), list[str]()
    for engine in ("interp", "native"):
        with pytest.raises(Fault) as fault:
            module["k"](1, 32, (), engine=engine)
        texts.append(str(fault.value))
    assert ".local" in texts[0]
    assert texts[0] == texts[1]


def test_an_access_is_short() -> None:
    """A call of a function of the module's. In line, 63 functions of unoptimised code were 7.7 million characters."""

    def characters(times: int) -> int:
        module = openptx.load(
            kernel(64, 1).replace("ret; }", "ld.local.b64 v0, [a]; st.local.b64 [a], v0; " * times + "ret; }")
        )
        function = module.program.function("k")
        return len(lower_kernel(module.program, function, module.image, Options((32, 1, 1), False)).text)

    assert characters(41) - characters(1) < 40 * 1200


def test_known_places_of_a_kernel_need_no_branch() -> None:
    """They are compared with its frame when it is compiled; an access that is not inside keeps its branch."""

    def branches(places: str) -> int:
        source = kernel(32, 1).replace("add.u64 a, a, q;", "").replace("ret; }", f"{places} ret; }}")
        module = openptx.load(source)
        function = module.program.function("k")
        return lower_kernel(module.program, function, module.image, Options((32, 1, 1), False)).text.count("br i1")

    inside = "ld.local.b32 v0, [a+32]; st.local.b32 [a+60], v0; "
    assert branches(inside * 9) == branches("")
    for place in ("[a+64]", "[a+30]", "[a+-4]"):
        assert branches(f"ld.local.b32 v0, {place}; ") == branches("") + 1


FUNCTION = f"""{HEAD}.func (.reg .b32 d) f(.reg .b32 v, .reg .b64 q) {{
.reg .b64 a; .local .align 16 .b8 before[16]; .local .align 16 .b8 loc[64];
st.local.b32 [before], 1; mov.u64 a, loc; ACCESSES mov.b32 d, v; ret; }}
.visible .entry k(.param .u64 pout) {{
.reg .b32 v; .reg .b64 out, q; .local .align 16 .b8 own[32]; st.local.b32 [own], 2; mov.b64 q, 4;
ld.param.u64 out, [pout]; mov.u32 v, %tid.x; mad.wide.u32 out, v, 4, out; call (v), f, (v, q);
st.global.u32 [out], v; ret; }}"""


def function(accesses: str) -> str:
    return FUNCTION.replace("ACCESSES", accesses)


def test_known_places_of_a_function_need_no_branch() -> None:
    """Its frame begins where its caller's ends, but is known to fit since the function began."""

    def branches(accesses: str) -> int:
        module = openptx.load(function(accesses))
        kernel = module.program.function("k")
        return lower_kernel(module.program, kernel, module.image, Options((32, 1, 1), False)).text.count("br i1")

    inside = "st.local.b32 [a+4], v; ld.local.b32 v, [loc+60]; st.local.b32 [a+-12], v; "
    assert branches(inside * 9) == branches("")
    for outside in ("[a+64]", "[a+62]", "[a+-20]", "[loc+64]"):
        assert branches(f"ld.local.b32 v, {outside}; ") == branches("") + 1
    for unknown in ("add.u64 a, a, q; ", "sub.u64 a, a, q; ", "neg.s64 a, a; ", "mul.lo.u64 a, a, 1099511627776; "):
        assert branches(f"{unknown} ld.local.b32 v, [a]; ") > branches("")


def test_places_of_a_function_are_its_own() -> None:
    accesses = (
        "st.local.b32 [a+4], v; st.local.b32 [a+60], 7; st.local.b32 [a], 8; add.u32 v, v, 1; ld.local.b32 v, [loc+4];"
    )
    for engine in ("interp", "native"):
        out = np.zeros(45, np.uint32)
        openptx.load(function(accesses))["k"](1, 45, (out,), engine=engine)
        assert np.array_equal(out, np.arange(45))


@pytest.mark.parametrize("access", ["ld.local.b32 v, [a+64];", "ld.local.b32 v, [a+62];", "st.local.b32 [loc+64], v;"])
def test_faults_in_functions_are_those_of_the_reference_engine(access: str) -> None:
    found: list[str] = []
    for engine in ("interp", "native"):
        with pytest.raises(Fault) as fault:
            openptx.load(function(access))["k"](1, 32, (np.zeros(32, np.uint32),), engine=engine)
        found.append(str(fault.value))
    assert found[0] == found[1]
