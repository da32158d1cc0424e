"""A text for which LLVM aborts costs a line in the log: it is compiled again, by all of LLVM's passes."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings
from openptx.engines.native.rtlib import support
from openptx.llvm import codegen, subprocess_compile

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [x]; st.global.u32 [%rd1], 7; ret;
}
"""
IMPOSSIBLE = """declare void @llvm.aarch64.dmb(i32)
define void @f() {
  call void @llvm.aarch64.dmb(i32 1)
  ret void
}
"""
"""An instruction of another processor: `LLVM ERROR: Cannot select`."""

needs_recovery = pytest.mark.skipif(not support.RECOVERING, reason="an abort cannot be survived on this system")
needs_processes = pytest.mark.skipif(sys.platform == "win32", reason="no SIGABRT")


def launch() -> None:
    x = np.zeros(1, np.uint32)
    with settings.cache_at(None):
        openptx.load(KERNEL)["k"](1, 1, (x,), engine="native")
    assert x[0] == 7


@needs_recovery
def test_a_launch_survives_an_abort(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    launch()  # links the library that has the guard
    optimised = codegen.optimised
    with monkeypatch.context() as patch:
        patch.setattr(codegen, "optimised", lambda text, promotes: optimised(IMPOSSIBLE, promotes))
        launch()  # the other process makes the code
    assert [record.message.partition(":")[2] for record in caplog.records] == [
        " it is compiled again, by all of LLVM's passes"
    ]
    launch()


@needs_recovery
def test_an_abort_for_another_reason_ends_the_process() -> None:
    program = (
        "import os, openptx\nfrom openptx.engines.native.rtlib import support\n"
        f"openptx.load({KERNEL!r})['k']\n"
        "assert support.support(64, False, False).library and support.guard()\n"
        "support.object_of('define i32 @f() { ret i32 1 }')\nos.abort()"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGABRT


@needs_recovery
def test_a_text_that_all_passes_cannot_compile_is_a_bug() -> None:
    launch()
    with pytest.raises(openptx.Bug, match="ended by SIGABRT: LLVM ERROR: Cannot select"):
        support.object_of(IMPOSSIBLE)
    launch()


@needs_processes
def test_a_process_that_aborts_is_followed_by_another(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    aborts = "import os, sys; how = sys.stdin.buffer.read(); how[2] or os.abort(); sys.stdout.write('made')"
    monkeypatch.setattr(subprocess_compile, "CHILD", aborts)
    assert subprocess_compile.compile_in_subprocess("a text") == b"made"
    assert len(caplog.records) == 1
