"""CUDA C++ programs, compiled by nvcc with `-cudart shared`, under `openptx exec`; skipped without nvcc and a compiler.

A program compares what its kernels compute with what the host computes. Lines `// > ...` at its top are its output,
and a line `// nvcc: ...` holds options that it is compiled with; `// device: sm_90` names another than sm_80.
"""

from __future__ import annotations

import ctypes.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from openptx.driver.build import compiler, library_folder
from openptx.driver.environment import shared_python

PROGRAMS = Path(__file__).with_name("cuda_programs")
TOOLKIT = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"
"""What the packages nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm install."""
QUICK = {"errors", "symbols", "vector_add"}
"""Those that `make test` runs; `make sweep` runs the others."""
CASES = [
    pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.sweep)
    for path in sorted(PROGRAMS.glob("*.cu"))
]

pytestmark = [
    pytest.mark.skipif(shutil.which("nvcc", path=TOOLKIT / "bin") is None, reason="nvcc is not installed: make corpus"),
    pytest.mark.skipif(compiler() is None or shutil.which("g++") is None, reason="there is no gcc and g++"),
    pytest.mark.skipif(shared_python() is None, reason="this Python has no shared library"),
]


def compile_program(source: Path, folder: Path, device: str | None, *options: str) -> Path:
    """What nvcc makes of a file: with PTX for a device and no machine code, or as the options say."""
    program = folder / source.stem
    link = folder / "libcudart.so"  # the linker asks for a name that the package lacks
    if not link.exists():
        link.symlink_to(next((TOOLKIT / "lib").glob("libcudart.so.*")))
    includes = (f"-I{TOOLKIT / 'include'}", f"-I{TOOLKIT / 'include' / 'cccl'}", f"-I{PROGRAMS}")
    virtual = device.replace("sm_", "compute_") if device else ""
    target = ("-gencode", f"arch={virtual},code={virtual}") if device else ()
    command = ["nvcc", "-std=c++17", *target, *includes, f"-L{folder}", *options, str(source), "-o", str(program)]
    path = f"{TOOLKIT / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=PROGRAMS, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return program


def run(program: Path, device: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openptx", "exec", "--device", device, "--", str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def lines_of(source: Path, mark: str) -> list[str]:
    return [line.removeprefix(mark) for line in source.read_text("utf-8").splitlines() if line.startswith(mark)]


@pytest.mark.parametrize("source", CASES)
def test_output_is_that_of_the_host(source: Path, tmp_path: Path) -> None:
    options = [one for line in lines_of(source, "// nvcc: ") for one in line.split()]
    (device,) = lines_of(source, "// device: ") or ["sm_80"]
    done = run(compile_program(source, tmp_path, device, "-cudart", "shared", *options), device)
    wanted = lines_of(source, "// > ")
    assert wanted
    assert (done.stdout.splitlines(), done.returncode) == (wanted, 0), done.stdout + done.stderr


def test_the_runtime_that_nvcc_links_by_itself_is_refused(tmp_path: Path) -> None:
    done = run(compile_program(PROGRAMS / "vector_add.cu", tmp_path, "sm_80"), "sm_80")
    assert done.returncode == 1
    assert "nvcc -cudart shared" in done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["vector_add", "managed_list"])
def test_a_program_without_ptx_gets_an_error_at_its_first_launch(name: str, tmp_path: Path) -> None:
    options = ("-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80")
    program = compile_program(PROGRAMS / f"{name}.cu", tmp_path, None, *options)
    done = run(program, "sm_80")
    assert done.returncode == 1, done.stdout + done.stderr  # managed variables are there, or it would crash
    assert "cudaErrorNoKernelImageForDevice" in done.stdout
    assert "machine code for sm_80 and no PTX" in done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "wanted"), [("nested", "cudaSuccess"), ("nested_race", "cudaErrorLaunchFailure")])
def test_the_sanitizer_watches_kernels_that_kernels_launch(name: str, wanted: str, tmp_path: Path) -> None:
    program = compile_program(PROGRAMS / "parts" / f"{name}.cu", tmp_path, "sm_80", "-cudart", "shared", "-rdc=true")
    command = [sys.executable, "-m", "openptx", "exec", "--sanitize", "--device", "sm_80", "--", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout == f"{wanted}\n", done.stdout + done.stderr
    assert ("kernel `_Z5childPi`" in done.stderr) == (name == "nested_race"), done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("device", ["sm_80", "sm_121"])
def test_the_device_runtime_that_nvcc_adds_is_not_used(device: str, tmp_path: Path) -> None:
    """Some versions have PTX for sm_121, which needs more than a driver's linker provides."""
    program = compile_program(PROGRAMS / "parts" / "nested.cu", tmp_path, "sm_80", "-cudart", "shared", "-rdc=true")
    done = run(program, device)
    assert (done.stdout, done.stderr) == ("cudaSuccess\n", "")


@pytest.mark.sweep
def test_a_linked_program_without_ptx_for_the_device_says_so(tmp_path: Path) -> None:
    program = compile_program(PROGRAMS / "parts" / "nested.cu", tmp_path, "sm_90", "-cudart", "shared", "-rdc=true")
    said = run(program, "sm_80").stderr
    assert "there is PTX for sm_90 only, and the device is sm_80" in said
    assert "sm_121" not in said


@pytest.mark.sweep
def test_libraries_with_kernels_come_and_go(tmp_path: Path) -> None:
    shared = ("-cudart", "shared")
    plugin = compile_program(
        PROGRAMS / "parts" / "plugin.cu", tmp_path, "sm_80", *shared, "-shared", "-Xcompiler=-fPIC"
    )
    host = compile_program(PROGRAMS / "parts" / "plugin_host.cu", tmp_path, "sm_80", *shared, "-ldl")
    done = run(host, "sm_80", str(plugin))
    assert done.stdout.split("\n") == ["13", "26", "39", "freed: cudaSuccess", ""], done.stdout + done.stderr


@pytest.mark.sweep
@pytest.mark.skipif(ctypes.util.find_library("cuda") is not None, reason="there is a driver of NVIDIA's")
def test_the_result_of_a_missing_driver_is_an_error(tmp_path: Path) -> None:
    program = compile_program(PROGRAMS / "vector_add.cu", tmp_path, "sm_80", "-cudart", "shared")
    shutil.copy(library_folder() / "libcudart.so.13", tmp_path)
    alone = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, env=alone)
    assert done.returncode == 1
    assert "cudaErrorInsufficientDriver" in done.stdout
    assert "openptx exec -- PROGRAM" in done.stderr
