"""Making code takes time in proportion to a kernel's size; what would take memory for its square is refused."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Set
from typing import Any

import numpy as np
import pytest
from large_kernels import SHAPES, kernel, shuffles, switch

import openptx
from openptx.control_flow import control
from openptx.dataflow import bits_of, set_of
from openptx.engines.native import settings
from openptx.engines.native.analysis import possible_waits, reconvergence
from openptx.engines.native.analysis.barrier_spills import BarrierSpills
from openptx.engines.native.analysis.cfg import Cells, Graph
from openptx.engines.native.analysis.liveness import find_liveness, live_before, live_results
from openptx.engines.native.analysis.reconvergence import Search
from openptx.engines.native.deopt import frame_layout
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options
from openptx.program import Op


def graph_of(text: str) -> Graph:
    function = openptx.load(text)["k"].function
    graph = Graph(function, Cells(function))
    find_liveness(graph)
    return graph


class Counted(list[Any]):
    """A list that counts how often an element is read."""

    reads = 0

    def __getitem__(self, at: Any) -> Any:
        self.reads += 1
        return super().__getitem__(at)


def steps_of_search(text: str, n: int) -> int:
    graph = graph_of(text)
    search = Search(graph.blocks, [b.index for b in graph.blocks if len(b.successors) > 1])
    search.waiting = counted = Counted(search.waiting)
    search.run()
    assert sum(bits.bit_count() for bits in search.waiting) > n * n / 2
    return counted.reads


def test_where_lanes_wait_is_found_in_steps_in_proportion_to_the_labels_of_a_branch() -> None:
    assert steps_of_search(switch(400), 400) < 5 * steps_of_search(switch(100), 100)


def test_where_lanes_wait_for_exchanges_is_found_in_steps_in_proportion_to_the_places() -> None:
    """Of n exchanges each may wait for each other."""
    assert steps_of_search(shuffles(120), 120) < 5 * steps_of_search(shuffles(60), 60)


def test_live_registers_are_not_kept_for_each_instruction() -> None:
    graph = graph_of(SHAPES["live"](200))
    block = max(graph.blocks, key=lambda b: b.stop - b.start)
    assert max(map(len, live_results(graph, block, frozenset()))) == 1


def test_liveness_within_a_block() -> None:
    head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
    graph = graph_of(
        head + ".reg .u32 a, b, c; .reg .pred q; .reg .u64 x; ld.param.u64 x, [p]; mov.u32 a, 1; mov.u32 b, 2; "
        "setp.eq.u32 q, a, 5; @q mov.u32 a, 3; mov.u32 b, a; mov.u32 c, 7; st.global.u32 [x], b; ret; }"
    )
    block, names = graph.blocks[0], [r.name for r in graph.function.registers]

    def named(cells: frozenset[int]) -> set[str]:
        return {names[cell] for cell in cells}

    results = [*map(named, live_results(graph, block, frozenset()))]
    assert results[:7] == [{"x"}, {"a"}, set(), {"q"}, {"a"}, {"b"}, set()]
    before = live_before(graph, block, frozenset({names.index("c")}), (4, 7))
    assert {at: named(live) for at, live in before.items()} == {4: {"a", "q", "x"}, 7: {"b", "c", "x"}}


@pytest.mark.parametrize("numbers", [(), (0,), (5000,), (0, 4999), range(1, 100, 3)])
def test_sets_of_few_and_of_many(numbers: tuple[int, ...]) -> None:
    assert set_of(bits_of(numbers)) == {*numbers}


def test_too_many_places_where_lanes_wait_are_refused_and_run_on_the_reference_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, x, y = switch(40), np.arange(64, dtype=np.uint32), np.arange(64, dtype=np.uint32)
    openptx.load(text)["k"](1, 64, (x, 1), engine="native")
    monkeypatch.setattr(reconvergence, "PLACES", 700)
    with settings.cache_at(None):
        kernel = openptx.load(text)["k"]
        assert kernel.why_interp(64) == "lanes that may wait at too many places"
        kernel(1, 64, (y, 1), engine="native")
    assert np.array_equal(x, y)


@pytest.mark.sweep
@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_the_kernel_takes_about_four_times_as_long(shape: str) -> None:
    def seconds(n: int) -> float:
        module = openptx.load(SHAPES[shape](n))
        function = module["k"].function
        start = time.process_time()
        lower_kernel(module.program, function, module.image, Options((64, 1, 1), False))
        return time.process_time() - start

    seconds(10)  # what is imported and remembered once
    n = 300
    assert min(seconds(4 * n) for _ in range(2)) < 9 * min(seconds(n) for _ in range(2)) + 0.05


@pytest.mark.parametrize(("shape", "method"), [("probes", "writes"), ("swaps", "reads")])
def test_what_computes_a_register_in_a_loop_is_found_once_for_all_its_atomics(
    shape: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, original = 0, getattr(Cells, method)

    def counted(cells: Cells, op: Op) -> frozenset[int]:
        nonlocal asked
        asked += 1
        return original(cells, op)

    monkeypatch.setattr(Cells, method, counted)

    def times(n: int) -> int:
        before = asked
        module = openptx.load(SHAPES[shape](n))
        lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
        return asked - before

    assert times(80) < 2.5 * times(40)


def spills(n: int) -> tuple[int, int]:
    """Of a barrier and n blocks that write a register each, and may lead back to the first: how often the places
    are asked for where lanes wait while one runs, and the bytes that it takes to find what lives across the barrier."""
    body = "add.u32 %r{0}, %r{0}, a; setp.eq.u32 %p{0}, a, {0}; @%p{0} bra L{1};"
    every = " ".join(f"xor.b32 a, a, %r{i};" for i in range(n))
    lines = ["bar.sync 0;", *(f"L{i}: {body.format(i, 0)}" for i in range(n)), "bar.sync 0;", every]
    graph = graph_of(kernel(n, lines))
    pending = Counted([frozenset[int]()] * len(graph.blocks))
    suspends = [b.index for b in graph.blocks if b.last is not None and control(b.last) == "barrier"]
    tracemalloc.start()
    BarrierSpills(graph, pending, suspends, ())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return pending.reads, peak


def test_what_is_saved_at_barriers_is_found_in_steps_in_proportion_to_the_blocks() -> None:
    (few, _), (many, memory) = spills(60), spills(240)
    assert many < 5 * few
    assert memory < 1_000_000  # as frozensets 3,100,000


def test_stores_are_compared_with_loads_of_one_base_once_for_all_loops_that_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, may_meet = 0, possible_waits.may_meet

    def counted(graph: Graph, store: Op, load: Op, written: Set[int]) -> bool:
        nonlocal asked
        asked += 1
        return may_meet(graph, store, load, written)

    monkeypatch.setattr(possible_waits, "may_meet", counted)
    module = openptx.load(SHAPES["waits"](40))
    lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
    assert 0 < asked < 4 * 40


def expanded_masks(n: int) -> int:
    """How often the generic version of a kernel with n exchanges makes a vector of a mask."""
    k = openptx.load(shuffles(n))["k"]
    options = Options((32, 1, 1), locked=False, lane_facts=False, speculates=False)
    text = lower_kernel(k.module.program, k.function, k.module.image, options, {}).text
    return text.count("to <4 x i8>") + text.count("load <32 x i1>, ptr %m") + text.count("to <32 x i1>")


def test_masks_of_waiting_lanes_are_not_expanded_at_each_place_that_tests_them() -> None:
    """Each of n exchanges tests n masks."""
    assert expanded_masks(120) < 3 * expanded_masks(60)


@pytest.mark.parametrize("version", [Options((32, 1, 1), False), Options((32, 1, 1), False, False, speculates=False)])
def test_a_text_grows_with_the_places_where_lanes_wait_for_exchanges_and_not_with_their_square(
    version: Options,
) -> None:
    def size(n: int) -> int:
        k = openptx.load(shuffles(n))["k"]
        return len(lower_kernel(k.module.program, k.function, k.module.image, version, {}).text)

    assert size(120) < 2.5 * size(60)


@pytest.mark.parametrize("text", [shuffles(9), switch(9), SHAPES["loops"](9)])
@pytest.mark.parametrize("lane_facts", [True, False])
def test_masks_in_an_array(text: str, lane_facts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes that wait for each other at two places are in the interpreter's hands."""
    monkeypatch.setattr(frame_layout, "PLACES", 0)
    found: list[Any] = []
    for engine in ("interp", "native"):
        x = np.arange(64, dtype=np.uint32) * 7 % 12
        with settings.cache_at(None), settings.lane_facts(lane_facts):
            openptx.load(text)["k"](1, 64, (x, 5), engine=engine, timeout=10)
        found.append(x.tolist())
    assert found[0] == found[1]


WRAPS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 first) {
.reg .u32 t, n, r; .reg .u64 o, a; .reg .pred q;
ld.param.u64 o, [p]; ld.param.u32 n, [first]; mov.u32 t, %tid.x; mad.wide.u32 o, t, 4, o;
add.u32 n, n, t; setp.lt.u32 q, t, 5; @q bra ON;
cvt.u64.u32 a, n; shr.u64 a, a, 1; cvt.u32.u64 r, a; st.global.u32 [o], r;
ON: add.u32 r, t, 1; st.global.u32 [o+128], r; ret; }"""


def test_a_side_exit_where_a_block_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The array of masks names the block that the warp leaves, too: its lanes are those that run."""
    monkeypatch.setattr(frame_layout, "PLACES", 0)
    found = np.zeros((2, 32), np.uint32)
    with settings.cache_at(None):
        openptx.load(WRAPS)["k"](1, 32, (found, -16 & 0xFFFFFFFF), engine="native", timeout=10)
    numbers = np.arange(32, dtype=np.uint32)
    halves = np.where(numbers < 5, 0, (numbers - np.uint32(16)) >> 1)
    assert found.tolist() == [halves.tolist(), (numbers + 1).tolist()]
