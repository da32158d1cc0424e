"""Faults name the instruction, the thread, the address, and the nearest allocation of the kernel."""

import gc
import json
from pathlib import Path

import numpy as np
import pytest

from openptx.errors import Fault, Unsupported
from openptx.runtime import load
from openptx.testing.case import argument, read_case

BROKEN = sorted(p.parent for p in (Path(__file__).parents[2] / "kernels" / "broken").glob("*/case.json"))
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

STORE = (
    HEAD
    + """
.visible .entry store(.param .u64 p, .param .u32 offset) {
    .reg .u64 a, b;
    .reg .u32 t, o;
    ld.param.u64 a, [p];
    ld.param.u32 o, [offset];
    mov.u32 t, %tid.x;
    add.u32 t, t, o;
    mul.wide.u32 b, t, 4;
    add.u64 a, a, b;
    st.global.u32 [a], t;
    ret;
}
"""
)


def test_out_of_bounds_by_one_names_the_thread_and_the_allocation() -> None:
    data = np.zeros(40, np.uint32)
    with pytest.raises(Fault) as found:
        load(STORE)["store"](1, 64, (data, 0), engine="interp")
    fault = found.value
    assert fault.name == "out-of-bounds"
    assert (fault.kernel, fault.block, fault.thread) == ("store", (0, 0, 0), (40, 0, 0))
    assert fault.space == "global"
    assert fault.nearest is not None
    assert "argument 0 `p`, 160 bytes" in fault.nearest
    assert "ends 4 bytes past it" in fault.nearest
    assert fault.file is not None
    assert fault.span is not None
    assert fault.file.text[slice(*fault.span)].startswith("st.global.u32 [a], t")


def test_a_read_only_array_is_never_written() -> None:
    data = np.zeros(64, np.uint32)
    data.flags.writeable = False
    with pytest.raises(Fault) as found:
        load(STORE)["store"](1, 64, (data, 0), engine="interp")
    assert found.value.name == "read-only"
    assert not data.any()


def test_views_keep_kernels_inside() -> None:
    data = np.zeros(64, np.uint32)
    load(STORE)["store"](1, 16, (data[16:32], 0), engine="interp")
    assert data.tolist() == [0] * 16 + list(range(16)) + [0] * 32
    with pytest.raises(Fault):
        load(STORE)["store"](1, 17, (data[16:32], 0), engine="interp")


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_the_array_of_a_pointer_that_was_kept_is_gone(engine: str) -> None:
    gc.collect()  # arrays of other tests, which would push this one off the list of what was freed last
    module, data = load(STORE), np.zeros(40, np.uint32)
    kept = module.address(data)
    module["store"](1, 8, (data, 0), engine=engine)
    del data
    gc.collect()
    with pytest.raises(Fault) as found:
        module["store"](1, 8, (kept, 0), engine=engine)
    assert found.value.nearest is not None
    assert found.value.nearest.endswith(f"160 bytes at 0x{kept:x}, was here and has been freed")


def test_an_instruction_without_a_meaning_stops_only_who_comes_to_it() -> None:
    text = HEAD.replace("sm_80", "sm_100a").replace("8.0", "8.6") + (
        ".visible .entry fine() { ret; }\n"
        ".visible .entry gap() { .reg .b16 h; mov.b16 h, 0; fma.rz.bf16 h, h, h, h; ret; }\n"
    )
    module = load(text)
    module["fine"](1, 1, ())
    with pytest.raises(Unsupported) as found:
        module["gap"](1, 32, (), engine="interp")
    assert found.value.form == "fma.rz.bf16"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("form", ["fma.rz.bf16", "fma.rp.relu.bf16x2"])
def test_bf16_is_fused_to_nearest_alone(form: str, engine: str) -> None:
    """ptxas accepts the other directions, the manual does not have them, and an H100 takes no notice of them."""
    width = 32 if form.endswith("x2") else 16
    text = f"{HEAD}.visible .entry k() {{ .reg .b{width} d, a; mov.b{width} a, 0; {form} d, a, a, a; ret; }}"
    with pytest.raises(Unsupported) as found:
        load(text)["k"](1, 1, (), engine=engine)
    assert found.value.form == form


@pytest.mark.parametrize("folder", BROKEN, ids=lambda folder: folder.name)
def test_broken_kernels(folder: Path) -> None:
    case = read_case(str(folder))
    wanted = json.loads((folder / "case.json").read_text())["fault"]
    kernel = load(folder / "kernel.ptx")[case.kernel]
    arguments = [argument(case, param) for param in case.params]
    limit = 1 if "timeout" in wanted["names"] else 60
    with pytest.raises(Fault) as found:
        kernel(
            case.grid,
            case.block,
            arguments,
            shared_mem=case.shared,
            cluster=case.cluster,
            engine="interp",
            timeout=limit,
        )
    fault = found.value
    assert fault.name in wanted["names"]
    for fact, value in (("thread", fault.thread), ("block_index", fault.block), ("space", fault.space)):
        if fact in wanted:
            assert (list(value) if isinstance(value, tuple) else value) == wanted[fact]
    for words in wanted.get("says", ()):
        assert words in str(fault)
