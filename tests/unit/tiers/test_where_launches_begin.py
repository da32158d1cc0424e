"""The engine on which a launch begins, and when code is requested: by estimates, forecasts and earlier launches."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import Any

import numpy as np
import pytest
from launching import HEAD, LOOP, jobs, launch, replied, until

import openptx
from openptx.engines.auto import costs, policy, tier_state
from openptx.engines.auto import launch as auto
from openptx.engines.native import entry as native
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.runtime import compile_time, compiled_kernel
from openptx.engines.tiers import forecast, takeover

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are watched on systems with fork"),
    pytest.mark.usefixtures("only_a_server"),
]


@pytest.fixture
def slow_to_make(only_a_server: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making code is said to take a hundred seconds, and this process may make it."""
    monkeypatch.setattr(compiled_kernel, "lower_kernel", lower_kernel)
    monkeypatch.setattr(compile_time, "FUNCTION", 100.0)
    monkeypatch.setattr(costs, "AT_ONCE_ALONE", 1000.0)


@pytest.mark.usefixtures("slow_to_make")
def test_short_launches_of_kernels_that_are_made_quickly_stay(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """A launch that takes less long than making the code would, and launches that together take as long, do not."""
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    assert native_runs == []
    state = tier_state.states[kernel.module.image]["k"]
    state.interp_seconds = state.seconds_until_code - 0.01
    launch(kernel, 1_000_000)
    assert native_runs == ["k"]
    monkeypatch.setattr(compile_time, "FUNCTION", 0.0)
    kernel = openptx.load(HEAD + LOOP)["k"]
    tier_state.states.setdefault(kernel.module.image, {})["k"] = state = tier_state.TierState(
        kernel.module.program, kernel.function
    )
    state.interp_seconds = state.seconds_until_code
    launch(kernel)
    assert native_runs == ["k", "k"]
    assert jobs() == []


@pytest.mark.usefixtures("slow_to_make")
def test_launches_whose_loops_will_take_longer_than_making_code_are_abandoned_soon(native_runs: list[str]) -> None:
    """By the loop's counter, without waiting for the hundred seconds of the estimated compile time."""
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel, 100)
    assert native_runs == []
    launch(kernel, 30_000_000)  # which takes the reference engine half an hour
    assert native_runs == ["k"]
    assert jobs() == []


def test_a_forecast_counts_before_it_is_time_to_look_for_code(
    monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    def long(*_: object) -> float:
        return 1000.0

    monkeypatch.setattr(compiled_kernel, "lower_kernel", lower_kernel)
    monkeypatch.setattr(costs, "AT_ONCE_ALONE", 1000.0)
    monkeypatch.setattr(costs, "SHARE", 1000)  # three seconds
    monkeypatch.setattr(forecast.Forecast, "update", long)
    launch(openptx.load(HEAD + LOOP)["k"], 2000)
    assert native_runs == ["k"]


def test_what_the_launch_has_taken_before_it_looks_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_time, "FUNCTION", 0.3)
    kernel = openptx.load(HEAD + LOOP)["k"]
    program, function, image = kernel.module.program, kernel.function, kernel.module.image
    state = tier_state.TierState(program, function)
    state.interp_seconds = 0.1
    begun = time.thread_time()
    new, old = (
        policy.PendingLaunch(state, program, function, image, (32, 1, 1), 0.0, False, False, begun - ago)
        for ago in (0.0, 0.5)
    )
    assert 0.1 <= new.spent < 0.2
    assert 0.6 <= old.spent < 0.7
    assert policy.when_compiling_pays(new) is not None
    assert policy.when_compiling_pays(old) is None


def test_long_launches_that_could_not_be_abandoned_wait_for_code(native_runs: list[str]) -> None:
    """With a thread of the host's, which may use the array."""
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        kernel = openptx.load(HEAD + LOOP)["k"]
        x = np.zeros(32 * 100, np.uint32)
        with pytest.raises(AssertionError, match="by the process that launches"):
            kernel((1 << 10, 1 << 6), 32, (x, 5))
        assert native_runs == []
    finally:
        end.set()
        other.join()


def test_code_is_asked_for_when_launches_have_taken_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the processor, all launches of the kernel together; none that is short starts a server."""
    monkeypatch.setattr(costs, "ASKED", 1000.0)
    kernel = openptx.load(HEAD + LOOP)["k"]
    launch(kernel)
    assert jobs() == []
    tier_state.states[kernel.module.image]["k"].interp_seconds = 1e6
    launch(kernel)
    assert len(jobs()) == 1


@pytest.mark.parametrize(("call", "called"), [
    ("call f;", 1),
    (".reg .b64 p; mov.u64 p, f; P: .callprototype _ (); call p, P;", 1),
    (".reg .b64 p; mov.u64 p, f; mov.u64 p, g; P: .callprototype _ (); call p, P;", 2),  # any whose address is taken
])  # fmt: skip
def test_what_is_called_counts_for_the_time_that_code_takes(call: str, called: int) -> None:
    functions = "".join(f".func {name}() {{ .reg .u32 a; mov.u32 a, 1; ret; }}\n" for name in "fg")
    module = openptx.load(HEAD + functions + f".visible .entry m() {{ {call} ret; }} .visible .entry n() {{ ret; }}\n")
    given, code = module.program, module["m"].function.code
    plain = compile_time.FUNCTION + compile_time.EACH * len(code) + compile_time.BRANCH * 2
    wanted = plain + called * (compile_time.FUNCTION + 2 * compile_time.EACH + compile_time.BRANCH)
    assert compile_time.seconds_to_make(given, module["m"].function) == pytest.approx(wanted)


def test_wide_instructions_count_for_more() -> None:
    """By the registers of their fragments, and by how many steps they are declared to take."""
    target = ".version 8.0\n.target sm_90a\n.address_size 64\n"

    def seconds(body: str) -> float:
        module = openptx.load(f"{target}.visible .entry m() {{ {body} ret; }}\n")
        return compile_time.seconds_to_make(module.program, module["m"].function) - compile_time.FUNCTION

    def listed(n: int) -> str:
        return "{" + ", ".join(f"f{i}" for i in range(n)) + "}"

    registers = ".reg .b32 f<64>; .reg .b64 a, b; .reg .pred p;"
    ordinary = seconds(f"{registers} add.u32 f0, f1, f2;")
    narrow = f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {listed(4)}, a, b, p, 1, 1, 0, 0;"
    wide = f"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {listed(64)}, a, b, p, 1, 1, 0, 0;"
    product = f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {listed(4)}, {{f4, f5}}, {{f6}}, {listed(4)};"
    assert seconds(f"{registers} {product}") > 5 * ordinary
    assert seconds(f"{registers} {wide}") > 8 * seconds(f"{registers} {narrow}") > 50 * ordinary


ASSERTED = (
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
    + (
        LOOP.replace(
            "ret;",
            """setp.eq.u32 %p1, %r2, 0; @%p1 bra D;
{.param .b64 m, f, n, s; .param .b32 l; call __assertfail, (m, f, l, n, s);}
D: ret;""",
        )
    )
)


def test_assertions_that_hold_are_no_reason_to_begin_as_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fails ends the launch, so it takes nothing back; nothing is compiled in this process."""
    monkeypatch.setattr(costs, "AT_ONCE_ALONE", 1000.0)
    monkeypatch.setattr(compile_time, "FUNCTION", 100.0)
    launch(openptx.load(HEAD + ASSERTED)["k"])
    assert jobs() == []


@pytest.mark.parametrize(("seconds", "engines"), [(0.2, "innniii"), (0.0, "innnnnn")])
def test_launches_return_to_the_reference_engine_where_that_is_faster(
    seconds: float, engines: str, monkeypatch: pytest.MonkeyPatch, native_runs: list[str], caplog: Any
) -> None:
    """Three launches as machine code, all of them twice as long, are enough; of another grid nothing is known yet."""
    caplog.set_level(logging.INFO, "openptx")
    run = native.run

    def slowed(*args: Any, **options: Any) -> None:
        run(*args, **options)
        time.sleep(seconds)

    monkeypatch.setattr(native, "run", slowed)
    kernel = openptx.load(HEAD + LOOP)["k"]
    turns = (
        3 if seconds else 3000
    )  # which takes as machine code far less than on the other engine, on a busy computer too
    launch(kernel, turns)  # once, or the first one's imports count
    launch(kernel, turns)
    until(replied)
    found = "i"
    for _ in engines[1:]:
        before = len(native_runs)
        launch(kernel, turns)
        found += "n" if len(native_runs) > before else "i"
    assert found == engines
    assert caplog.text.count("the reference engine runs such launches from now on") == engines.endswith("i")
    before = len(native_runs)
    kernel(2, 32, (np.zeros(32, np.uint32), 1))
    assert len(native_runs) == before + 1


PRINTS = (
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .b8 text[2] = {65, 0};\n"
    ".func say() { .reg .b64 t; mov.u64 t, text; cvta.global.u64 t, t;"
    " {.param .b64 f, a; .param .b32 r; st.param.b64 [f], t; st.param.b64 [a], 0; call (r), vprintf, (f, a);} ret; }\n"
    + LOOP.replace("A: ld", "call say;\nA: ld")
)


@pytest.mark.parametrize(("text", "seconds", "shared", "engines"), [
    (LOOP, 0.2, True, "nnninii"),
    (LOOP, 0.0, True, "nnntnnn"),  # abandoned
    (LOOP, 0.2, False, "nnnnnnn"),
    (PRINTS, 0.2, True, "nnnnnnn"),
])  # fmt: skip
def test_machine_code_that_the_reference_engine_continues_is_compared_with_it(
    text: str, seconds: float, shared: bool, engines: str, monkeypatch: pytest.MonkeyPatch, native_runs: list[str]
) -> None:
    """Once, by a launch that is undone if it takes more than half of the time. Those that print cannot be undone."""
    kernel, tries, run, tried = openptx.load(HEAD + text)["k"], list[float](), native.run, takeover.try_on_interp

    def slowed(*args: Any, **options: Any) -> bool:
        run(*args, **options)
        time.sleep(seconds)
        return shared

    def noted(*args: Any, **options: Any) -> float:
        tries.append(tried(*args, **options))
        return tries[-1]

    monkeypatch.setattr(native, "run", slowed)
    monkeypatch.setattr(auto, "try_on_interp", noted)
    monkeypatch.setattr(compiled_kernel, "lower_kernel", lower_kernel)
    state = tier_state.TierState(kernel.module.program, kernel.function)
    state.compiled_blocks.add((32, 1, 1))
    tier_state.states.setdefault(kernel.module.image, {})["k"] = state
    found = ""
    for _ in engines:
        before, tried_before = len(native_runs), len(tries)
        launch(kernel, 2000 if seconds == 0.0 else 3)
        compiled = len(native_runs) > before
        found += "t" if compiled and len(tries) > tried_before else "n" if compiled else "i"
    assert found == engines
    assert len(tries) == (not engines.startswith("nnnn"))
