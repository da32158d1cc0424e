"""A barrier with a thread count completes once for each such number of arrivals (9.7.13.1)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
BEGIN = "ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;"
ENGINES = pytest.mark.parametrize("engine", ["interp", "native"])


def launch(body: str, threads: int, engine: str) -> NDArray[np.uint32]:
    registers = ".reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;"
    text = f"{HEAD}.visible .entry k(.param .u64 x) {{ {registers} {BEGIN}\n{body}\nst.global.u32 [%rd1], %r1; ret; }}"
    x = np.full(2 * threads, 7, np.uint32)
    openptx.load(text)["k"](1, threads, (x,), engine=engine, timeout=60)
    return x


@ENGINES
def test_what_is_beyond_the_count_waits_for_more(engine: str) -> None:
    with pytest.raises(openptx.Fault) as found:
        launch("bar.sync 0, 64;\nbar.sync 1;", 96, engine)
    assert "32 threads wait at barrier 0 for 64 threads" in str(found.value)


@ENGINES
def test_what_is_beyond_the_count_waits_alone(engine: str) -> None:
    with pytest.raises(openptx.Fault, match="can never arrive"):
        launch("bar.sync 0, 64;", 96, engine)


@ENGINES
@pytest.mark.parametrize("threads", [64, 128, 256])
def test_a_barrier_completes_for_each_so_many(engine: str, threads: int) -> None:
    x = launch("bar.sync 0, 64;\nbar.sync 1;", threads, engine)
    assert np.array_equal(x[:threads], np.arange(threads))


@ENGINES
def test_votes_are_those_of_the_threads_that_complete_it(engine: str) -> None:
    x = launch("setp.ge.u32 %p1, %r1, 96; bar.red.popc.u32 %r1, 0, 64, %p1;", 128, engine)
    assert np.array_equal(x[:128], np.repeat([0, 32], 64))


def test_the_sanitizer_names_what_is_beyond_the_count() -> None:
    text = f"{HEAD}.visible .entry k() {{ bar.sync 0, 64;\nbar.sync 1; ret; }}"
    found = openptx.sanitize(openptx.load(text)["k"], 2, 96, ())
    assert "more threads arrive at barrier 0 than it is for" in str(found[0])
    assert "why: it is for 64 threads, 96 arrived" in found[0].notes
