"""`openptx record` with our own libcuda.so.1 as the recorded driver, since tests have no GPU."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from openptx.driver.build import DRIVER, compiler, library_folder
from openptx.driver.environment import shared_python
from openptx.recording import read_recording, replay

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
PROGRAM = Path(__file__).with_name("recorded_program.py")


def record(folder: Path, command: Sequence[str], *options: str) -> subprocess.CompletedProcess[str]:
    driver = str(library_folder() / DRIVER.soname)
    given = [sys.executable, "-m", "openptx", "record", "--driver", driver, "-o", str(folder), *options, "--", *command]
    return subprocess.run(given, capture_output=True, text=True, timeout=300)


def test_launches_are_written_and_replayed_and_the_one_that_faults_is_kept(tmp_path: Path) -> None:
    done = record(tmp_path, [sys.executable, str(PROGRAM), "fault"], "--launches", "9")
    assert done.stdout == "done\n", done.stderr
    files = sorted(tmp_path.iterdir())
    recordings = [read_recording(file) for file in files]
    assert [one.kernel for one in recordings] == ["scale"] * 3 + ["other", "scale"]
    first, *_, last = recordings
    assert (first.grid, first.block, first.target) == ((1, 1, 1), (32, 1, 1), "sm_90")
    assert first.device.startswith("OpenPTX")
    assert [(r.symbol, r.size, r.compared) for r in first.regions] == [
        ("factor", 4, True),
        ("", 8, True),
        ("", 256, True),
    ]
    results = [replay(one) for one in recordings]
    assert [one.status for one in results] == ["equal"] * 4 + ["fault"]
    assert "ended with CUDA_ERROR_ILLEGAL_ADDRESS" in last.device
    assert f"{files[-1]} has the memory before it" in done.stderr
    assert "5 launches of 2 kernels" in done.stderr


def test_limits(tmp_path: Path) -> None:
    done = record(tmp_path, [sys.executable, str(PROGRAM), "end"], "--launches", "2", "--every", "2", "--limit", "1")
    assert done.stdout == "done\n", done.stderr
    recordings = [read_recording(file) for file in sorted(tmp_path.iterdir())]
    assert [one.kernel for one in recordings] == ["scale"] * 2
    assert [one.regions[2].before[:4].view("<u4")[0] for one in recordings] == [1000, 9000]  # the first and the third
    assert "`other` is not recorded: it reaches 2,097,152 bytes" in done.stderr


@pytest.mark.skipif(shared_python() is None, reason="this Python has no shared library")
def test_a_program_in_c_finds_the_recorder_by_name_and_version(tmp_path: Path) -> None:
    program = tmp_path / "program"
    source = PROGRAM.with_suffix(".c")
    subprocess.run([compiler() or "cc", str(source), "-o", str(program), "-ldl", "-lpthread"], check=True)
    done = record(tmp_path / "out", [str(program)], "--kernels", "a*")
    assert done.stdout.splitlines() == ["missing: 0 1", "failed: 0, sum: 96"], done.stderr
    assert [replay(file).status for file in sorted((tmp_path / "out").iterdir())] == ["equal", "equal"]


EXPORTS = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
table = ctypes.c_void_p()
print(cuda.cuGetExportTable(ctypes.byref(table), bytes([5] * 16)), table.value)
"""


def test_export_tables_are_not_asked_for(tmp_path: Path) -> None:
    """A program that asks for proof of NVIDIA's driver gets none, even if the recorded driver would give it."""
    driver = tmp_path / "libcuda.so.1"
    source = PROGRAM.with_name("exporting_driver.c")
    subprocess.run([compiler() or "cc", "-shared", "-fPIC", str(source), "-o", str(driver)], check=True)
    command = [sys.executable, "-m", "openptx", "record", "-o", str(tmp_path / "out"), "--driver"]
    program = [sys.executable, "-c", EXPORTS]
    done = subprocess.run([*command, str(driver), "--", *program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "500 None\n", done.stderr
    assert "nvcc -cudart shared" in done.stderr


def test_what_is_no_driver(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "openptx", "record", "-o", str(tmp_path / "out"), "--driver"]
    absent = subprocess.run([*command, "nowhere", "--", "true"], capture_output=True, text=True, timeout=60)
    assert (absent.returncode, "no driver nowhere" in absent.stderr) == (2, True)
    wrong = tmp_path / "libcuda.so.1"
    wrong.write_text("no library")
    program = [sys.executable, "-c", "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"]
    done = subprocess.run([*command, str(wrong), "--", *program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "802\n"  # CUDA_ERROR_SYSTEM_DRIVER_NOT_READY, at once instead of hanging
    assert "does not name a driver that can be recorded" in done.stderr
    assert "no launch was recorded" in done.stderr
