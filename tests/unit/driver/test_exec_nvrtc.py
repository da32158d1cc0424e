"""NVIDIA's compiler NVRTC under `openptx exec`: a program that requests machine code gets PTX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler
from openptx.driver.environment import NVRTC, find_nvidia

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
PROGRAM = Path(__file__).with_name("nvrtc_program.py")


def run(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openptx", "exec", "--", sys.executable, str(PROGRAM), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


@pytest.mark.skipif(find_nvidia(NVRTC, 13) is None, reason="NVRTC is not installed: make .venv/.ready-oracles")
def test_machine_code_is_ptx_unless_it_is_to_be_kept() -> None:
    done = run("-arch=sm_90", "-arch=compute_90")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # it asks for export tables, and works without them
    real, virtual = json.loads(done.stdout)
    assert ".target sm_90" in real
    assert virtual == ""  # without machine code there is nothing to replace
    folder = str(Path(find_nvidia(NVRTC, 13) or "").parent)
    kept = run("-arch=sm_90", OPENPTX_KEEP_NVRTC="1", LD_LIBRARY_PATH=folder)
    assert json.loads(kept.stdout) == ["ELF"], kept.stderr


@pytest.mark.skipif(find_nvidia(NVRTC, 13) is None, reason="NVRTC is not installed: make .venv/.ready-oracles")
def test_it_has_a_name_without_a_version() -> None:
    """By which `ctypes.util.find_library`, and so KeOps, finds it; NVIDIA's package on PyPI does not have that name."""
    done = run("-arch=sm_90", NAME="libnvrtc.so")
    assert done.returncode == 0, done.stderr
    assert ".target sm_90" in json.loads(done.stdout)[0]


def test_without_the_compiler_there_is_nothing_in_its_place(tmp_path: Path) -> None:
    done = run("absent", LD_LIBRARY_PATH=str(tmp_path), OPENPTX_NVRTC_13="")
    assert done.returncode == 0, done.stderr


def test_a_compiler_that_does_not_load_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "libnvrtc.so.13").write_text("no library")
    done = run("-arch=sm_90", LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 1
    assert "NVRTC_ERROR_INTERNAL_ERROR" in done.stderr
    assert "OPENPTX_NVRTC_13 does not name NVIDIA's compiler" in done.stderr


def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    name = "libnvrtc.so.77"
    assert find_nvidia(NVRTC, 77) is None
    toolkit = tmp_path / "toolkit" / "lib64"
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "nvidia" / "cu77" / "lib"
    for folder in (toolkit, packages, tmp_path / "venv" / "bin"):
        folder.mkdir(parents=True)
    for folder in (toolkit, packages):
        (folder / name).touch()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    assert find_nvidia(NVRTC, 77, "no-such-command") == str(toolkit / name)
    python = tmp_path / "venv" / "bin" / "python"
    python.touch(mode=0o755)
    assert find_nvidia(NVRTC, 77, str(python)) == str(packages / name)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path}:{toolkit}")
    assert find_nvidia(NVRTC, 77, str(python)) == str(toolkit / name)
