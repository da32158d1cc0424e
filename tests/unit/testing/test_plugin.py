"""The pytest plugin: PTX files are tests, and a mismatch is a failure without a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FUNCTION = ".func (.reg .f32 d) negate (.reg .f32 a) { neg.f32 d, a; ret; }\n"


def test_plugin(tmp_path: Path) -> None:
    (tmp_path / "good.ptx").write_text(FUNCTION + "// run: negate(1.0) == -1.0\n")
    (tmp_path / "bad.ptx").write_text(FUNCTION + "// run: negate(1.0) == 1.0\n")
    (tmp_path / "plain.ptx").write_text(FUNCTION)
    options = ("-p", "openptx.testing.plugin", "-p", "no:cacheprovider", "--ptx-engine", "interp")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "line 2: 0xbf800000 (-1.0), not 1.0" in done.stdout
    assert "Traceback" not in done.stdout


KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p) {
.reg .b64 a; .reg .b32 t; .reg .f32 x;
ld.param.u64 a, [p]; mov.u32 t, %tid.x; mad.wide.u32 a, t, 4, a;
ld.global.f32 x, [a]; add.f32 x, x, x; st.global.f32 [a], x; ret;
}
"""
TESTS = """
import numpy as np

def test_kernel(ptx, launch, assert_same_bits):
    x = np.arange(32, dtype=np.float32)
    launch(ptx("twice.ptx")["twice"], 1, 32, [x])
    assert_same_bits(x, 2 * np.arange(32, dtype=np.float32))
    assert ptx("twice.ptx") is ptx("twice.ptx")

def test_wrong(ptx, launch, assert_same_bits):
    x = np.ones(32, np.float32)
    launch(ptx(open(__file__.replace("test_twice.py", "twice.ptx")).read())["twice"], 1, 32, [x])
    assert_same_bits(x, np.full(32, np.nextafter(np.float32(2), np.float32(0))))
"""


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_fixtures_load_launch_and_compare(tmp_path: Path) -> None:
    (tmp_path / "twice.ptx").write_text(KERNEL)
    (tmp_path / "test_twice.py").write_text(TESTS)
    done = run_pytest(tmp_path, "-p", "openptx.testing.plugin", "--ptx-engine", "interp", "--ptx-sanitize")
    assert "1 failed, 1 passed" in done.stdout
    assert "32 of 32 elements differ (float32)" in done.stdout
    assert "2.0 (0x40000000), not 1.9999998807907104 (0x3fffffff): 1 ulp" in done.stdout


def test_files_that_are_no_cases_are_left_alone(tmp_path: Path) -> None:
    """An unrelated `case.json` without a kernel, in a project that has OpenPTX installed."""
    (tmp_path / "case.json").write_text("{}")
    (tmp_path / "plain.ptx").write_text(FUNCTION)
    done = run_pytest(tmp_path, "-p", "openptx.testing.plugin")
    assert "no tests ran" in done.stdout


def test_pytest_finds_the_plugin_by_itself() -> None:
    from importlib.metadata import entry_points

    (found,) = (each for each in entry_points(group="pytest11") if each.value.startswith("openptx"))
    assert found.name == found.value == "openptx.testing.plugin"


def test_the_plugin_brings_nothing_into_runs_that_do_not_need_it() -> None:
    code = "import openptx.testing.plugin, sys; print('numpy' in sys.modules, 'openptx.check' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "False"]
