"""Grids that an executor runs in parts leave the same memory as one launch, or are refused."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError, Fault, WorkerLost
from openptx.runtime import Kernel, load
from openptx.runtime.distribute import PIECES, pieces

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

KERNELS = (
    HEAD
    + """
.global .u32 last;
.global .u64 where = generic(last);
.const .u32 factor = 3;
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 n) {
    .reg .u64 a, b; .reg .u32 i, t, m, f; .reg .pred p;
    ld.param.u64 a, [x]; ld.param.u64 b, [y]; ld.param.u32 m, [n];
    mov.u32 i, %ctaid.x; mov.u32 t, %ntid.x; mov.u32 f, %tid.x; mad.lo.u32 i, i, t, f;
    setp.ge.u32 p, i, m; @p ret;
    mad.wide.u32 a, i, 4, a; mad.wide.u32 b, i, 4, b;
    ld.global.u32 t, [a]; ld.const.u32 f, [factor]; mul.lo.u32 t, t, f; st.global.u32 [b], t;
    add.u32 i, i, 1; setp.ne.u32 p, i, m; @p ret;
    ld.global.u64 a, [where]; st.u32 [a], i;
    ret;
}
.visible .entry same(.param .u64 out) {
    .reg .u64 a; .reg .u32 i;
    ld.param.u64 a, [out]; mov.u32 i, %ctaid.x; st.global.u32 [a], i;
    ret;
}
.visible .entry count(.param .u64 out) { .reg .u64 a; ld.param.u64 a, [out]; red.global.add.u32 [a], 1; ret; }
.visible .entry within(.param .u64 out) {
    .shared .u32 s; .reg .u64 a; .reg .u32 i;
    st.shared.u32 [s], 0; bar.sync 0; red.shared.add.u32 [s], 1; bar.sync 0;
    ld.param.u64 a, [out]; mov.u32 i, %ctaid.y; mad.wide.u32 a, i, 4, a; ld.shared.u32 i, [s]; st.global.u32 [a], i;
    ret;
}
"""
)
N, BLOCK = 1000, 64


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


def scaled(kernel: Kernel, executor: Executor, chunks: int, engine: str = "interp") -> None:
    x, y = np.arange(N, dtype=np.uint32), np.full(N, 7, np.uint32)
    openptx.distribute(kernel, executor, -(-N // BLOCK), BLOCK, (x, y, N), chunks=chunks, engine=engine)
    assert (y == 3 * x).all()
    assert kernel.module.get_global("last").view(np.uint32)[0] == N


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_processes_run_a_grid(processes: Executor, engine: str) -> None:
    for chunks in (1, 2, 5, 10_000):
        scaled(load(KERNELS)["scale"], processes, min(chunks, 16), engine)


def test_threads_run_a_grid(threads: Executor) -> None:
    kernel = load(KERNELS)["scale"]
    for _ in range(3):
        scaled(kernel, threads, 7)


def test_variables_go_there_and_back(threads: Executor) -> None:
    module = load(KERNELS)
    module.get_global("factor").view(np.uint32)[0] = 5
    x, y = np.ones(N, np.uint32), np.zeros(N, np.uint32)
    openptx.distribute(module["scale"], threads, 16, BLOCK, (x, y, N), chunks=4)
    assert (y == 5).all()


def test_one_array_may_be_two_arguments(threads: Executor) -> None:
    x = np.arange(N, dtype=np.uint32)
    openptx.distribute(load(KERNELS)["scale"], threads, 16, BLOCK, (x, x, N), chunks=4)
    assert (x == 3 * np.arange(N)).all()
    with pytest.raises(ArgumentError, match="overlaps"):
        openptx.distribute(load(KERNELS)["scale"], threads, 8, BLOCK, (x[:600], x[100:], 500), chunks=2)


def test_atomics_within_blocks_are_no_hindrance(threads: Executor) -> None:
    out = np.zeros(6, np.uint32)
    openptx.distribute(load(KERNELS)["within"], threads, (1, 6), 40, (out,), chunks=3)
    assert (out == 40).all()


def test_a_fault_comes_back_and_nothing_is_written(processes: Executor) -> None:
    x, y = np.ones(N, np.uint32), np.zeros(N - 300, np.uint32)
    with pytest.raises(Fault) as found:
        openptx.distribute(load(KERNELS)["scale"], processes, 16, BLOCK, (x, y, N), chunks=8)
    fault = found.value
    assert (fault.name, fault.block, fault.thread, fault.space) == ("out-of-bounds", (10, 0, 0), (60, 0, 0), "global")
    assert fault.file is not None
    assert "st.global.u32 [b], t" in str(fault)
    assert not y.any()


def test_a_write_to_a_read_only_array_is_a_fault_in_another_process(processes: Executor) -> None:
    x, y = np.ones(N, np.uint32), np.zeros(N, np.uint32)
    y.flags.writeable = False
    with pytest.raises(Fault, match=r"a write to argument 1 `y`, 4000 bytes at .* which may only be read"):
        openptx.distribute(load(KERNELS)["scale"], processes, 16, BLOCK, (x, y, N), chunks=2)
    x.flags.writeable = False
    y = np.zeros(N, np.uint32)
    openptx.distribute(load(KERNELS)["scale"], processes, 16, BLOCK, (x, y, N), chunks=2)
    assert (y == 3).all()


class Counting(ThreadPoolExecutor):
    """A pool that counts the ranges that it runs."""

    ranges = 0

    def submit(self, *args: Any, **keywords: Any) -> Any:
        self.ranges += 1
        return super().submit(*args, **keywords)


def test_blocks_that_take_longer_than_others_are_spread_over_workers_where_arrays_are_small() -> None:
    kernel, large = load(KERNELS)["scale"], np.zeros(5 << 20, np.uint32)
    for x, ranges in ((np.ones(N, np.uint32), 16), (large, 2)):
        with Counting(2) as pool:
            openptx.distribute(kernel, pool, 16, BLOCK, (x, np.zeros(N, np.uint32), N))
        assert pool.ranges == ranges


def test_ranges_that_disagree_are_refused(threads: Executor) -> None:
    out = np.zeros(1, np.uint32)
    with pytest.raises(ArgumentError, match=r"blocks 2 to 3 .* byte 0 of argument 0 `out`: they are not independent"):
        openptx.distribute(load(KERNELS)["same"], threads, 4, 1, (out,), chunks=2)
    assert out[0] == 0


def test_atomics_between_blocks_are_refused(threads: Executor) -> None:
    with pytest.raises(ArgumentError, match=r"may depend on each other.*red\.global\.add\.u32"):
        openptx.distribute(load(KERNELS)["count"], threads, 4, 1, (np.zeros(1, np.uint32),))


BLACKWELL = ".version 9.1\n.target sm_100\n.address_size 64\n"
SENT = """.visible .entry k(.param .u64 out) {
    .reg .u64 a; .shared .align 16 .b8 tile[16]; .shared .b64 done;
    ld.param.u64 a, [out];
    ONE
    ret;
}
"""
REDUCTIONS = (
    "red.async.release.gpu.global.add.u32 [a], 1;",
    "multimem.red.relaxed.gpu.global.add.u32 [a], 1;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [a], [tile], 16;",
    "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [a], [tile], 16;",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [a, {0}], [tile];",
)


@pytest.mark.parametrize("statement", REDUCTIONS)
def test_every_kind_of_reduction_is_refused(threads: Executor, statement: str) -> None:
    kernel = load(BLACKWELL + SENT.replace("ONE", statement))["k"]
    with pytest.raises(ArgumentError, match=rf"may depend on each other.*`{re.escape(statement[:-1])}`"):
        openptx.distribute(kernel, threads, 4, 1, (np.zeros(4, np.uint32),))


def test_reductions_in_the_memory_of_the_block_are_no_hindrance(threads: Executor) -> None:
    statement = """
    st.shared.u32 [tile], 6;
    mbarrier.init.shared.b64 [done], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [done], 4;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [tile], 1, [done];
    .reg .u32 r; ld.shared.u32 r, [tile]; st.global.u32 [a], r;"""
    kernel, out = load(BLACKWELL + SENT.replace("ONE", statement))["k"], np.zeros(1, np.uint32)
    openptx.distribute(kernel, threads, 4, 1, (out,))
    assert out[0] == 7


def test_atomics_between_blocks_are_refused_in_functions_that_are_called_through_a_table(threads: Executor) -> None:
    text = (
        HEAD
        + """.func add(.param .u64 at) { .reg .u64 a; ld.param.u64 a, [at]; red.global.add.u32 [a], 1; ret; }
.global .u64 table = add;
.visible .entry k(.param .u64 out) {
    .reg .u64 a, f;
    ld.param.u64 a, [out]; ld.global.u64 f, [table];
    { .param .u64 p; st.param.u64 [p], a; prototype: .callprototype _ (.param .u64 _); call f, (p), prototype; }
    ret;
}
"""
    )
    with pytest.raises(ArgumentError, match=r"may depend on each other.*red\.global\.add\.u32"):
        openptx.distribute(load(text)["k"], threads, 4, 1, (np.zeros(1, np.uint32),))


def test_arguments_are_checked_first(threads: Executor) -> None:
    kernel = load(KERNELS)["scale"]
    for no_kernel in (kernel.module, "scale"):
        with pytest.raises(ArgumentError, match="the kernel of a loaded module is wanted"):
            openptx.distribute(no_kernel, threads, 1, 1, (None, None, 0))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"the executor is a `concurrent.futures.Executor`, not int"):
        openptx.distribute(kernel, 2, 1, 1, (None, None, 0))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="chunks"):
        openptx.distribute(kernel, threads, 1, 1, (None, None, 0), chunks=0)
    with pytest.raises(ArgumentError, match="grid"):
        openptx.distribute(kernel, threads, 0, 1, (None, None, 0))
    with pytest.raises(ArgumentError, match="3 arguments"):
        openptx.distribute(kernel, threads, 1, 1, ())


def test_some_blocks_alone() -> None:
    for engine in ("interp", "native"):
        out = np.zeros(6, np.uint32)
        load(KERNELS)["within"]((1, 6), 32, (out,), engine=engine, blocks=(2, 5))
        assert out.tolist() == [0, 0, 32, 32, 32, 0]
    for blocks in ((0, 7), (3, 3), (-1, 2)):
        with pytest.raises(ArgumentError):
            load(KERNELS)["within"]((1, 6), 32, (np.zeros(6, np.uint32),), blocks=blocks)


def test_a_cluster_of_dask_runs_a_grid() -> None:
    distributed = pytest.importorskip(
        "dask.distributed", reason="dask.distributed is not installed (pip install distributed)"
    )
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        scaled(load(KERNELS)["scale"], client.get_executor(), 4)
        for executor in (client.get_executor(), client.get_executor(workers=list(client.nthreads()))):
            assert pieces(executor, 1) == 2 * PIECES


@pytest.mark.parametrize(("contract", "expected"), [("ptxas", 2.0**-24), ("off", 0)])
def test_workers_contract_as_the_module_does(contract: str, expected: float) -> None:
    """(1 + 2^-12)^2 - (1 + 2^-11), rounded once or twice."""
    text = (
        HEAD
        + """.visible .entry k(.param .u64 out, .param .f32 a, .param .f32 c) {
    .reg .u64 o; .reg .u32 i; .reg .f32 x, y; ld.param.u64 o, [out]; ld.param.f32 x, [a]; ld.param.f32 y, [c];
    mul.f32 x, x, x; sub.f32 x, x, y; mov.u32 i, %ctaid.x; mad.wide.u32 o, i, 4, o; st.global.f32 [o], x; ret; }"""
    )
    out = np.zeros(4, np.float32)
    with ThreadPoolExecutor(2) as executor:
        kernel = load(text, contract=contract)["k"]
        openptx.distribute(kernel, executor, 4, 1, (out, 1 + 2.0**-12, 1 + 2.0**-11))
    assert (out == expected).all()


def test_workers_load_as_the_module_was_loaded() -> None:
    """The text alone is refused for its target, and has another verdict in the other profile."""
    text = (
        HEAD.replace("sm_80", "sm_60")
        + """.visible .entry k(.param .u64 out) {
        .reg .u64 a; .reg .b32 i, r;
        ld.param.u64 a, [out]; mov.u32 i, %ctaid.x; redux.sync.add.s32 r, i, -1;
        mad.wide.u32 a, i, 4, a; st.global.u32 [a], r; ret;
    }"""
    )
    with pytest.raises(openptx.CheckError):
        load(text)
    kernel = load(text, target="sm_80", profile="isa")["k"]
    out = np.zeros(8, np.uint32)
    with ThreadPoolExecutor(2) as executor:
        openptx.distribute(kernel, executor, 8, 32, (out,))
    assert (out == np.arange(8) * 32).all()


def die() -> None:
    os._exit(1)


class Losing(ProcessPoolExecutor):
    """A pool that loses its worker right before the first range."""

    def submit(self, *args: Any, **keywords: Any) -> Any:
        if not getattr(self, "lost", False):
            self.lost = True
            super().submit(die)
        return super().submit(*args, **keywords)


class Broken(ProcessPoolExecutor):
    """A pool whose worker has been lost."""

    def submit(self, *_: Any, **__: Any) -> Any:
        raise BrokenProcessPool("a process ended")


def write_process(folder: str) -> None:
    """An initializer: leaves a file for each process."""
    Path(folder, str(os.getpid())).touch()


def test_blocks_of_a_lost_worker_run_again(tmp_path: Path) -> None:
    with Losing(1, get_context("spawn"), write_process, (str(tmp_path),)) as pool:
        scaled(load(KERNELS)["scale"], pool, 3)
    assert len([*tmp_path.iterdir()]) > 1  # processes of the other pool were initialized, too


def test_blocks_of_a_kernel_that_prints_do_not_run_again() -> None:
    text = (
        HEAD
        + """
    .extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 list);
    .global .align 1 .b8 hello[3] = { 104, 105, 0 };
    .visible .entry say(.param .u64 out) {
        .reg .u64 a; .reg .u32 i;
        ld.param.u64 a, [out]; mov.u32 i, 1; st.global.u32 [a], i;
        { .param .b64 f; .param .b64 l; .param .b32 r; .reg .u64 g, n;
          mov.u64 g, hello; cvta.global.u64 g, g; mov.u64 n, 0; st.param.b64 [f], g; st.param.b64 [l], n;
          call.uni (r), vprintf, (f, l); }
        ret;
    }"""
    )
    out = np.zeros(1, np.uint32)
    with (
        Broken(1) as pool,
        pytest.raises(WorkerLost, match=r"blocks 0 to 1 and 2 to 3 was lost .* not run again: kernel `say` prints"),
    ):
        openptx.distribute(load(text)["say"], pool, 4, 1, (out,), chunks=2)
    assert not out.any()


def test_workers_that_are_lost_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openptx.runtime.lost_workers.ProcessPoolExecutor", Broken)
    y = np.zeros(N, np.uint32)
    with Broken(1) as pool, pytest.raises(WorkerLost, match="blocks 0 to 15 was lost twice"):
        openptx.distribute(load(KERNELS)["scale"], pool, -(-N // BLOCK), BLOCK, (y.copy(), y, N), chunks=1)
    assert not y.any()


def test_no_other_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    y = np.zeros(N, np.uint32)
    with Broken(1) as pool:
        monkeypatch.setattr("openptx.runtime.lost_workers.ProcessPoolExecutor", full)
        with pytest.raises(WorkerLost, match=r"was lost \(a process ended\); they cannot run again: .*No space left"):
            openptx.distribute(load(KERNELS)["scale"], pool, -(-N // BLOCK), BLOCK, (y.copy(), y, N), chunks=1)
    assert not y.any()
