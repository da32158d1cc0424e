"""NVIDIA's compiler nvcc under `openptx exec`: a program that asks it for machine code gets PTX."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler
from openptx.driver.environment import environment
from openptx.driver.toolkit import wrap_nvcc
from openptx.errors import ArgumentError

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A toolkit in CUDA_HOME, whose nvcc prints its arguments."""
    home = tmp_path / "toolkit"
    for folder in ("bin", "include", "nvvm"):
        (home / folder).mkdir(parents=True)
    (home / "bin" / "ptxas").touch()
    nvcc = home / "bin" / "nvcc"
    nvcc.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(home))
    for name in ("OPENPTX_NVCC", "NVCC"):
        monkeypatch.delenv(name, raising=False)
    return home


def called(*options: str) -> list[str]:
    """What NVIDIA's nvcc is called with, but for the folder of the runtime."""
    found = environment("sm_90")
    done = subprocess.run(["nvcc", *options], env=found, capture_output=True, text=True, check=True)
    return [one for one in done.stdout.splitlines() if not one.startswith("-L")]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("--cubin -arch sm_90 -I/a kernel.cu", "--ptx -arch sm_90 -I/a kernel.cu -o kernel.cubin -cudart shared"),
        ("-cubin -o out/a.cubin a.cu", "--ptx -o out/a.cubin a.cu -cudart shared"),
        ("--ptx a.cu", "--ptx a.cu -cudart shared"),
        ("-gencode arch=compute_80,code=sm_86 a.cu", "-gencode arch=compute_80,code=compute_80 a.cu -cudart shared"),
        ("-gencode=arch=compute_90a,code=[compute_90a,sm_90a] a.cu",
         "-gencode=arch=compute_90a,code=compute_90a a.cu -cudart shared"),
        ("-cudart=static -c a.cu", "-cudart=static -c a.cu"),
    ],
)  # fmt: skip
def test_machine_code_is_asked_for_as_ptx(toolkit: Path, asked: str, given: str) -> None:
    assert called(*asked.split()) == given.split()


def test_words_with_spaces_and_quotes_stay_what_they_are(toolkit: Path) -> None:
    assert called('-DNAME="a b"', "-D$x", "*") == ['-DNAME="a b"', "-D$x", "*", "-cudart", "shared"]


def test_what_is_beside_nvcc_is_found_from_there(toolkit: Path) -> None:
    found = environment("sm_90")
    home = Path(found["CUDA_HOME"])
    assert Path(found["PATH"].split(os.pathsep)[0]) == home / "bin" != toolkit / "bin"
    assert (home / "include").resolve() == toolkit / "include"
    assert (home / "bin" / "ptxas").resolve() == toolkit / "bin" / "ptxas"
    assert environment("sm_90") == found


def test_the_variable_nvcc_names_it_unless_the_user_has_set_it(toolkit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = environment("sm_90")
    assert found["NVCC"] == str(Path(found["CUDA_HOME"], "bin", "nvcc"))
    monkeypatch.setenv("NVCC", "ccache nvcc")
    assert environment("sm_90")["NVCC"] == "ccache nvcc"


def test_an_exec_within_another_calls_nvidia_s(toolkit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment("sm_90").items():
        monkeypatch.setenv(name, value)
    assert called("--cubin", "a.cu") == ["--ptx", "a.cu", "-o", "a.cubin", "-cudart", "shared"]


def test_a_folder_that_others_can_write_is_refused(
    toolkit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = {"CUDA_HOME": str(toolkit)}
    root = tmp_path / "cache"
    wrap_nvcc(put, "", root)
    (root / "toolkits").chmod(0o777)
    with pytest.raises(ArgumentError, match="nvcc is not used from the code cache"):
        wrap_nvcc({"CUDA_HOME": str(toolkit)}, "", root)


def test_it_can_be_kept(toolkit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENPTX_KEEP_NVCC", "1")
    found = environment("sm_90")
    assert found["CUDA_HOME"] == str(toolkit)
    assert "OPENPTX_NVCC" not in found
    assert "NVCC" not in found


def test_a_command_in_a_system_s_folder_is_found_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_HOME", "CUDA_PATH", "OPENPTX_NVCC"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.write_text('#!/bin/sh\necho "$@"\n')
    nvcc.chmod(0o755)
    (tmp_path / "bin" / "other").touch()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    found = environment("sm_90")
    assert os.listdir(found["PATH"].split(os.pathsep)[0]) == ["nvcc"]
