"""Outlined functions that kernels have in common are compiled once and shared."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.rtlib import shared_functions
from openptx.engines.native.rtlib.shared_functions import SharedFunction, separated
from openptx.engines.native.settings import Options

PLACES = [(i * i + 5) % 32 for i in range(32)]
GATHERS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 from)
{
    .reg .b16 h; .reg .b32 i; .reg .b64 a, o;
    mov.u32 i, %tid.x;
    mul.wide.u32 a, i, 2;
    ld.param.u64 o, [from];
    add.u64 a, a, o;
    ld.global.u16 h, [a];
    mul.wide.u16 i, h, 2;
    cvt.u64.u32 a, i;
    add.u64 a, a, o;
    ld.global.u16 h, [a];
    mov.u32 i, %tid.x;
    mul.wide.u32 a, i, 2;
    ld.param.u64 o, [out];
    add.u64 a, a, o;
    add.u16 h, h, ADDED;
    st.global.u16 [a], h;
    ret;
}
"""


def text(added: int) -> str:
    return GATHERS.replace("ADDED", str(added))


def shared(source: str) -> tuple[SharedFunction, ...]:
    module = openptx.load(source)
    return lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), False)).shared


def launched(added: int) -> list[int]:
    out, given = np.zeros(32, np.uint16), np.array(PLACES, np.uint16)
    openptx.load(text(added))["k"](1, 32, [out, given], engine="native")
    return out.tolist()


def test_kernels_share_functions_of_one_text() -> None:
    one, other = shared(text(1)), shared(text(2))
    assert one
    assert one == other


def test_a_shared_function_is_compiled_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiled, object_of = list[str](), shared_functions.object_of

    def counted(text: str) -> bytes:
        compiled.append(text)
        return object_of(text)

    monkeypatch.setattr(shared_functions, "object_of", counted)
    monkeypatch.setattr(shared_functions, "_objects", dict[str, bytes]())
    with settings.cache_at(str(tmp_path)):
        assert launched(3) == [PLACES[i] + 3 for i in PLACES]
        assert launched(4) == [PLACES[i] + 4 for i in PLACES]
        monkeypatch.setattr(shared_functions, "_objects", dict[str, bytes]())  # another process finds it on disk
        assert launched(5) == [PLACES[i] + 5 for i in PLACES]
    assert len(compiled) == len(shared(text(3)))


def test_the_code_of_a_kernel_is_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def never(functions: object) -> None:
        raise AssertionError(functions)

    with settings.cache_at(str(tmp_path)):
        launched(6)
        monkeypatch.setattr("openptx.engines.native.runtime.compiled_kernel.objects_of", never)
        assert launched(6) == [PLACES[i] + 6 for i in PLACES]


def outlined(*definitions: tuple[str, str]) -> list[OutlinedFunction]:
    return [OutlinedFunction(name, 32, text) for name, text in definitions]


def test_names_follow_from_texts() -> None:
    inner = ("inner.1", "define internal i32 @inner.1() noinline nounwind #0 {\nret i32 1\n}\n")
    outer = (
        "outer.2",
        "define internal i32 @outer.2() noinline nounwind #0 {\n%a = call i32 @inner.1()\nret i32 %a\n}\n",
    )
    first = separated(outlined(inner, outer)).shared
    again = separated(
        outlined(*((n.replace("1", "8"), t.replace("@inner.1", "@inner.8")) for n, t in (inner, outer)))
    ).shared
    assert first["outer.2"] == again["outer.2"]
    assert first["outer.2"].callees == (first["inner.1"].name,)
    other = separated(outlined((inner[0], inner[1].replace("i32 1", "i32 2")), outer)).shared
    assert other["outer.2"].name != first["outer.2"].name
    assert f"call i32 @{first['outer.2'].name}()" in separated(outlined(inner, outer)).renamed("call i32 @outer.2()")


def test_functions_of_one_text_are_one() -> None:
    """A kernel may outline the same twice, as conversions that differ in nothing: it has one object and declares it
    once. LLVM rejected the module."""
    text = "define internal i32 @{}() noinline nounwind #0 {{\nret i32 7\n}}\n"
    given = [(name, text.format(name)) for name in ("c.1", "c.2")]
    found = separated(outlined(*given))
    assert found.shared["c.1"] == found.shared["c.2"]
    assert found.functions() == (found.shared["c.1"],)
    assert found.declarations() == [found.shared["c.1"].declaration]


def test_a_function_has_the_data_that_it_reads() -> None:
    data = ("table.1", "@table.1 = internal constant [1 x i32] [i32 5]")
    reads = ("f.2", "define internal i32 @f.2() noinline nounwind #0 {\n%a = load i32, ptr @table.1\nret i32 %a\n}\n")
    found = separated(outlined(data, reads))
    assert found.own == [data[1]]  # the kernel itself may read it
    assert "constant [1 x i32] [i32 5]" in found.shared["f.2"].text
    other = separated(outlined((data[0], data[1].replace("i32 5", "i32 6")), reads))
    assert other.shared["f.2"].name != found.shared["f.2"].name


def test_what_needs_the_kernels_module_stays_in_it() -> None:
    needs = ("f.1", "define internal void @f.1() noinline nounwind #0 {\ncall void @function3()\nret void\n}\n")
    calls = ("g.2", "define internal void @g.2() noinline nounwind #0 {\ncall void @f.1()\nret void\n}\n")
    found = separated(outlined(needs, calls))
    assert not found.shared
    assert found.own == [needs[1], calls[1]]


FLUSHES = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pq) {
.reg .b64 q; .reg .b32 t; .reg .f32 a, b, c; ld.param.u64 q, [pq]; mov.u32 t, %tid.x; mad.wide.u32 q, t, 4, q;
ld.global.f32 a, [q]; ld.global.f32 b, [q+128]; mul.ftz.f32 c, a, b; fma.rn.ftz.f32 c, c, b, a; mul.ftz.f32 c, c, b;
st.global.f32 [q], c; ret; }"""


def test_results_that_may_have_to_be_flushed_are_looked_at_in_functions() -> None:
    """Of the kernel's own code there is the test whether one may be subnormal: the rest rarely runs."""
    module = openptx.load(FLUSHES)
    kernel = lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), False))
    assert [one.name.split(".")[2] for one in kernel.shared].count("flushed") == 2
    assert not re.search(r"icmp eq <32 x i32> .*8388608", kernel.text)
    tiny = np.float32(2) ** np.arange(-149, -117, dtype=np.float32)
    near = np.where(np.arange(32) % 3, np.nextafter(np.float32(1), np.float32(0)), np.float32(0.75))
    found = [np.concatenate([tiny, near]) for _ in range(2)]
    for each, engine in zip(found, ("interp", "native"), strict=True):
        each[5], each[40] = np.nan, np.inf
        module["k"](1, 32, (each,), engine=engine)
    np.testing.assert_array_equal(found[1].view(np.uint32), found[0].view(np.uint32))
    assert 0 < np.count_nonzero(found[0][:32]) < 30


SCALED = """.version 8.8
.target sm_120a
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 t; .reg .f32 c<4>; .reg .b64 o;
    mov.u32 t, %tid.x;
    mov.f32 c0, 0f00000000;
    mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0
        {c0, c1, c2, c3}, {t, t, t, t}, {t, t}, {c0, c0, c0, c0}, t, {0, 0}, t, {0, 0};
    ld.param.u64 o, [out];
    st.global.f32 [o], c0;
    ret;
}
"""


def test_sums_of_products_are_loops() -> None:
    """The code for one of 32 products stands once: unrolled, it has 115,000 characters."""
    (dot,) = [function for function in shared(SCALED) if ".dot." in function.name]
    assert len(dot.text) < 50_000
