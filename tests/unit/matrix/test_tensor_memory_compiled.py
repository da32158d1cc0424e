"""Tensor memory in compiled code behaves as on the interpreter."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest
from tensor_kernels import described
from test_tensor_memory import DRAIN, HEADER, LAYOUTS
from warp_kernels import ENGINES, HEAD, program

import openptx
from openptx.engines.interp import tensor_cores
from openptx.engines.native.runtime import upcalls
from openptx.engines.native.runtime.execution import Execution

random = np.random.default_rng(11)


def registers(shape: str, num: int) -> tuple[int, str]:
    number = num * {"16x128b": 2, "16x256b": 4}.get(shape, 1)
    return number, "{" + ", ".join(f"%r{i}" for i in range(number)) + "}"


def moves(kind: str) -> str:
    """Loads or stores of all shapes, from columns of random choice on; registers to or from global memory at %rd3."""
    lines: list[str] = []
    places = count(0, 4)
    for shape in LAYOUTS:
        for packed in (False, True):
            num = int(random.choice([1, 2, 4]))
            number, list = registers(shape, num)
            split = f", {random.integers(0, 12)}" if shape == "16x32bx2" else ""
            lines.append(f"add.u32 %at, %lanes, {random.integers(0, 20)};")
            words = [(f"%r{i}", next(places)) for i in range(number)]
            if kind == "ld":
                how = ".pack::16b" if packed else ""
                lines.append(f"tcgen05.ld.sync.aligned.{shape}.x{num}{how}.b32 {list}, [%at]{split};")
                lines += [f"st.global.u32 [%rd3+{at}], {r};" for r, at in words]
            else:
                how = ".unpack::16b" if packed else ""
                lines += [f"ld.global.u32 {r}, [%rd3+{at}];" for r, at in words]
                lines.append(f"tcgen05.st.sync.aligned.{shape}.x{num}{how}.b32 [%at]{split}, {list};")
    return "\n".join(lines)


def both(text: str, grid: int, *arrays: Any) -> None:
    """Runs the kernel on both engines, on the same arrays, which must hold the same bits afterwards."""
    kernel = program(text)["k"]
    assert kernel.why_interp(128) is None
    copies = [a.copy() for a in arrays]
    for engine, given in zip(ENGINES, (copies, arrays), strict=True):
        kernel((grid,), (128,), given, engine=engine)
    for a, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(a, copy)


def test_all_shapes() -> None:
    """Stores of random words, loads after them, and what tensor memory holds in the end."""
    rows = "mov.u32 %v, %ctaid.x; mad.lo.u32 %at, %v, 128, %t; mul.wide.u32 %rd3, %at, 1024;"
    body = f"""
    {rows} add.s64 %rd3, %rd0, %rd3; {moves("st")}
    tcgen05.wait::st.sync.aligned;
    {rows} add.s64 %rd3, %rd1, %rd3; {moves("ld")}
    bar.sync 0;
    mul.wide.u32 %rd3, %v, 32768; add.s64 %rd1, %rd1, 393216; add.s64 %rd1, %rd1, %rd3; {DRAIN}"""
    text = HEAD.format("sm_100a") + HEADER.format(body=body, columns=128)
    memory = random.integers(0, 1 << 32, (3, 128, 256), np.uint32)
    found = np.zeros(3 * 128 * 256 + 3 * 128 * 64, np.uint32)
    both(text, 3, memory, found)
    assert np.count_nonzero(found) > 20_000


def test_loads_that_reduce() -> None:
    lines: list[str] = []
    for i, operation in enumerate(("min.s32", "max.u32", "max.f32", "min.abs.NaN.f32")):
        for k, shape in enumerate(("32x32b.x8", "16x32bx2.x4")):
            _, list = registers("", int(shape[-1]))
            split = ", 5" if k else ""
            lines.append(f"tcgen05.ld.red.sync.aligned.{shape}.{operation} {list}, %v, [%lanes]{split};")
            lines.append(f"st.global.u32 [%rd3+{4 * (2 * i + k)}], %v;")
    body = f"""
    mul.wide.u32 %rd3, %t, 1024; add.s64 %rd3, %rd0, %rd3; {moves("st")}
    mul.wide.u32 %rd3, %t, 64; add.s64 %rd3, %rd1, %rd3; {" ".join(lines)}"""
    text = HEAD.format("sm_103a") + HEADER.format(body=body, columns=128)
    memory = random.integers(0, 1 << 32, (128, 256), np.uint32)
    memory[::7] |= 0x7FC00000
    found = np.zeros((128, 16), np.uint32)
    both(text, 1, memory, found)
    assert found[:, :8].any(0).all()


OWNED = """
    mov.u32 %v, %ctaid.x; setp.ne.u32 %one, %v, 0; @%one bra SECOND;
    bar.sync 0; ret;
SECOND:
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%lanes];
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_block_has_not_freed(engine: str) -> None:
    """The next block, on the same worker, has none of it."""
    text = HEAD.format("sm_100a") + HEADER.format(body=OWNED, columns=64)
    text = text.replace(
        "setp.lt.u32 %p, %t, 32;", "setp.lt.u32 %p, %t, 32; mov.u32 %v, %ctaid.x; setp.eq.and.u32 %p, %v, 0, %p;"
    )
    nothing = np.zeros(1, np.uint32)
    with pytest.raises(openptx.Fault, match="lane 0, column 0 of tensor memory is not allocated") as found:
        program(text)["k"]((2,), (128,), (nothing, nothing), engine=engine, workers=1)
    assert found.value.block == (1, 0, 0)
    assert found.value.thread == (0, 0, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_lane_without_columns(engine: str) -> None:
    """It is reported, though a later one's column does not even exist."""
    body = "and.b32 %v, %t, 31; mad.lo.u32 %at, %v, 512, 64; tcgen05.shift.cta_group::1.down [%at];"
    text = HEAD.format("sm_100a") + HEADER.format(body=body, columns=32)
    with pytest.raises(openptx.Fault, match="column 64 of tensor memory is not allocated") as found:
        program(text)["k"]((1,), (128,), (np.zeros(1), np.zeros(1)), engine=engine)
    assert found.value.thread == (0, 0, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_launches_find_tensor_memory_cleared(engine: str) -> None:
    body = """
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%lanes]; add.u32 %v, %v, 1;
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%lanes], {%v};
    mul.wide.u32 %rd3, %t, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %v;"""
    kernel = program(HEAD.format("sm_100a") + HEADER.format(body=body, columns=32))["k"]
    found = np.zeros(128, np.uint32)
    for _ in range(2):
        kernel((3,), (128,), (found, found), engine=engine, workers=1)
        assert (found == 1).all()


def test_the_reference_engine_goes_on() -> None:
    """A warp waits in a loop for a later one: the interpreter takes over, with what tensor memory holds by then."""
    spins = """
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%lanes], {%t}; mov.u32 %v, sa;
    setp.ge.u32 %one, %t, 96; @%one bra SET;
SPIN:
    atom.shared.add.u32 %i, [%v], 0; setp.eq.u32 %one, %i, 0; @%one bra SPIN; bra.uni ON;
SET:
    atom.shared.exch.b32 %i, [%v], 7;
ON:
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%lanes];
    mul.wide.u32 %rd3, %t, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %v;"""
    kernel = program(HEAD.format("sm_100a") + HEADER.format(body=spins, columns=32))["k"]
    assert kernel.why_interp(128) is None
    found = np.zeros(128, np.uint32)
    kernel((2,), (128,), (found, found), engine="native", workers=1)
    assert (found == np.arange(128)).all()


PRODUCTS = """
    mov.u32 %at, %t; mov.u32 %v, sa; shl.b32 %i, %t, 2; add.u32 %i, %i, %v; mul.wide.u32 %rd2, %t, 4;
    add.s64 %rd2, %rd0, %rd2;
COPY:
    ld.global.u32 %v, [%rd2]; st.shared.u32 [%i], %v; add.s64 %rd2, %rd2, 512; add.u32 %i, %i, 512;
    add.u32 %at, %at, 128; setp.lt.u32 %one, %at, 1536; @%one bra COPY;
    bar.sync 0;
    mov.u32 %v, sa; shr.u32 %v, %v, 4; cvt.u64.u32 %desc, %v; or.b64 %desc, %desc, {a}; add.u64 %rd3, %desc, {b};
    mov.u32 %i, 0;
AGAIN:
    setp.ne.u32 %one, %i, 0; mov.u32 %v, {idesc}; setp.eq.u32 %p, %t, {thread};
    @%p tcgen05.mma.cta_group::1.kind::f16 [%d], %desc, %rd3, %v, %one;
    bar.sync 0;
    add.u32 %i, %i, 1; setp.lt.u32 %one, %i, 5; @%one bra AGAIN;
    setp.lt.u32 %p, %t, 32;
"""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products become code however little was multiplied."""
    monkeypatch.setattr(tensor_cores, "WORTH_LINKING", 0)
    monkeypatch.setattr(tensor_cores, "WORTH_MAKING", 0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("thread", [0, 37])
def test_products_become_code(thread: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter makes a site's first product, if enough was multiplied before; code makes the others, for a
    second launch and other blocks, too."""
    asked: list[str] = []
    execute = upcalls.execute

    def spy(given: Any, function: Any, pc: int, *rest: Any) -> None:
        asked.append(function.code[pc].form.instruction.name)
        execute(given, function, pc, *rest)

    monkeypatch.setattr(upcalls, "execute", spy)
    a, b = (random.standard_normal((n, 16)).astype(np.float16) for n in (128, 64))
    memory = np.concatenate([v.reshape(-1, 8, 2, 8).transpose(0, 2, 1, 3).reshape(-1) for v in (a, b)]).view(np.uint32)
    descriptor = 128 >> 4 << 16 | 256 >> 4 << 32 | 1 << 46
    body = PRODUCTS.format(a=descriptor, b=4096 >> 4, idesc=described("f32", "f16", "f16", 128, 64), thread=thread)
    kernel = program(HEAD.format("sm_100a") + HEADER.format(body=body + DRAIN, columns=64))["k"]
    assert kernel.why_interp(128) is None
    found = [np.zeros((128, 64), np.float32) for _ in range(3)]
    for d, engine in zip(found, ("interp", "native", "native"), strict=True):
        kernel((2,), (128,), (memory, d), engine=engine, workers=1)
    np.testing.assert_allclose(found[0], 5 * (a.astype(np.float32) @ b.astype(np.float32).T), atol=0.02)
    np.testing.assert_array_equal(found[1].view(np.uint32), found[0].view(np.uint32))
    np.testing.assert_array_equal(found[2].view(np.uint32), found[0].view(np.uint32))
    assert asked.count("tcgen05.mma") == 1


@pytest.mark.usefixtures("at_once")
def test_products_that_code_does_not_make_are_faults() -> None:
    """Code that meets what it must not do leaves it to the interpreter, which says what is wrong."""
    descriptor = 128 >> 4 << 16 | 256 >> 4 << 32 | 1 << 46
    body = PRODUCTS.format(a=descriptor, b=4096 >> 4, idesc=described("f32", "f16", "f16", 128, 64), thread=0)
    body = body.replace("AGAIN:", "AGAIN: setp.eq.u32 %one, %i, 3; @%one add.u32 %d, %d, 1;")
    kernel = program(HEAD.format("sm_100a") + HEADER.format(body=body, columns=64))["k"]
    memory = np.zeros(1536, np.uint32)
    with pytest.raises(openptx.Fault, match="lane 0, column 1 ") as found:
        kernel((1,), (128,), (memory, memory), engine="native", workers=1)
    assert found.value.thread == (0, 0, 0)
    assert "tcgen05.mma" in str(found.value)


@pytest.mark.usefixtures("at_once")
def test_workers_have_tensor_memory_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers allocate, multiply and free at the same time."""
    runs: list[Any] = []
    go = Execution.go

    def spy(execution: Execution, meanwhile: Any) -> None:
        runs.append(execution.run)
        go(execution, meanwhile)

    monkeypatch.setattr(Execution, "go", spy)
    a, b = (random.standard_normal((n, 16)).astype(np.float16) for n in (128, 64))
    memory = np.concatenate([v.reshape(-1, 8, 2, 8).transpose(0, 2, 1, 3).reshape(-1) for v in (a, b)]).view(np.uint32)
    descriptor = 128 >> 4 << 16 | 256 >> 4 << 32 | 1 << 46
    body = PRODUCTS.format(a=descriptor, b=4096 >> 4, idesc=described("f32", "f16", "f16", 128, 64), thread=0)
    place = "mov.u32 %v, %ctaid.x; mul.wide.u32 %rd2, %v, 32768; add.s64 %rd1, %rd1, %rd2;"
    kernel = program(HEAD.format("sm_100a") + HEADER.format(body=body + place + DRAIN, columns=64))["k"]
    one, two = np.zeros((40, 128, 64), np.float32), np.zeros((40, 128, 64), np.float32)
    kernel((40,), (128,), (memory, one), engine="native", workers=1)
    kernel((40,), (128,), (memory, two), engine="native", workers=2)
    assert {run.plan.workers for run in runs} == {1, 2}
    assert one.any((1, 2)).all()
    np.testing.assert_array_equal(one, two)


COPIES = """
    mul.wide.u32 %rd2, %t, 4; add.s64 %rd2, %rd0, %rd2; mov.u32 %v, sa; shl.b32 %i, %t, 2; add.u32 %i, %i, %v;
    mov.u32 %at, 0;
COPY:
    ld.global.u32 %v, [%rd2]; st.shared.u32 [%i], %v; add.s64 %rd2, %rd2, 512; add.u32 %i, %i, 512;
    add.u32 %at, %at, 1; setp.lt.u32 %one, %at, 16; @%one bra COPY;
    bar.sync 0;
    mov.u32 %v, sa; shr.u32 %v, %v, 4; cvt.u64.u32 %desc, %v; or.b64 %desc, %desc, {a}; mov.u32 %i, 0;
AGAIN:
    shl.b32 %at, %i, 2; add.u32 %at, %at, %d; setp.eq.u32 %p, %t, 0;
    @%p tcgen05.cp.cta_group::1.32x128b.warpx4 [%at], %desc;
    bar.sync 0;
    add.u32 %i, %i, 1; setp.lt.u32 %one, %i, 5; @%one bra AGAIN;
    setp.lt.u32 %p, %t, 32;
"""


def test_copies_become_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_cores, "WORTH_COPYING", 5)
    asked: list[str] = []
    execute = upcalls.execute

    def spy(given: Any, function: Any, pc: int, *rest: Any) -> None:
        asked.append(function.code[pc].form.instruction.name)
        execute(given, function, pc, *rest)

    monkeypatch.setattr(upcalls, "execute", spy)
    memory = random.integers(0, 1 << 32, 2048, np.uint32)
    body = COPIES.format(a=128 >> 4 << 16 | 128 >> 4 << 32)
    kernel = program(HEAD.format("sm_100a") + HEADER.format(body=body + DRAIN, columns=64))["k"]
    found = np.zeros((2, 128, 64), np.uint32)
    for d, engine in zip(found, ENGINES, strict=True):
        kernel((1,), (128,), (memory, d), engine=engine, workers=1)
    rows = memory[: 32 * 4].reshape(32, 4)
    np.testing.assert_array_equal(found[0, :, :20], np.tile(rows, (4, 5)))
    np.testing.assert_array_equal(found[0], found[1])
    assert asked.count("tcgen05.cp") == 1
