"""nvJitLink under `openptx exec`: LTO IR is linked by NVIDIA's, to PTX, and everything else by the driver."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import NVJITLINKS, compiler, library_folder
from openptx.driver.environment import NVJITLINK, find_nvidia, shared_python

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
SOURCE = Path(__file__).with_name("nvjitlink_library.c")
SONAME = "libnvJitLink.so.12"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a linker, a library that was linked with it, and a program that opens the library."""
    folder = tmp_path_factory.mktemp("nvjitlink")
    (folder / "linker").mkdir()
    (folder / "map").write_text(f"{SONAME} {{ global: nvJitLink*; __nvJitLink*; local: *; }};\n")
    linker = f"linker/{SONAME}"
    shared = ("-shared", "-fPIC")
    for options in (
        ("-DLINKER", *shared, f"-Wl,-soname,{SONAME}", "-Wl,--version-script=map", "-o", linker),
        ("-DCLIENT", *shared, "-o", "libclient.so", linker),
        ("-o", "program", "-ldl"),
    ):
        subprocess.run([compiler() or "cc", str(SOURCE), *options], check=True, cwd=folder)
    return folder


HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
CALLER = (
    HEAD
    + """.extern .func (.param .b32 d) five ();
.visible .entry k(.param .b64 out) {
    .reg .b32 x; .reg .b64 p;
    call (x), five;
    ld.param.b64 p, [out];
    st.global.b32 [p], x;
    ret;
}  // LTO IR
"""
)
CALLED = (
    HEAD
    + """.visible .func (.param .b32 d) five () {
    st.param.b32 [d], 5;
    ret;
}
"""
)


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[str, str]:
    """A kernel, which the linker above takes for LTO IR, and a function that it calls."""
    for name, text in (("caller", CALLER), ("called", CALLED)):
        (tmp_path / name).write_text(text)
    return str(tmp_path / "caller"), str(tmp_path / "called")


def run(built: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--"]
    command += [str(built / "program"), str(built / "libclient.so")]
    variables = {**os.environ, "OPENPTX_NVJITLINK_12": "", **environment}
    return subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, env=variables)


def test_lto_ir_is_linked_by_nvidias_linker_to_ptx(built: Path, inputs: tuple[str, str]) -> None:
    found = str(built / "linker")
    done = run(built, "-arch=sm_90", "-lto", f"3:{inputs[0]}", LD_LIBRARY_PATH=found)
    assert done.returncode == 0, done.stderr
    head = "found by name: 1 1, version 0: 12.9, create 0, complete 0, "
    assert done.stdout == f"{head}linked 0: {len(CALLER) + 1} bytes\n{CALLER}\n\nlog: none: \n"
    kept = run(built, "-lto", f"3:{inputs[0]}", LD_LIBRARY_PATH=found, OPENPTX_KEEP_NVJITLINK="1")
    assert "complete 0, linked 0: 5 bytes\ncode\n" in kept.stdout


needs_python = pytest.mark.skipif(shared_python() is None, reason="this Python has no shared library")
LTO_IR, PTX, FAT_BINARY, LIBRARY, FILE = 3, 2, 4, 6, 0


@needs_python
@pytest.mark.parametrize(
    ("options", "caller", "called"),
    [
        ((), PTX, PTX),
        ((), PTX, FILE),
        (("-lto",), LTO_IR, PTX),
        (("-dlto",), FAT_BINARY, FILE),
        (("-lto",), LIBRARY, PTX),
    ],
)
def test_other_inputs_are_linked_by_the_driver(
    built: Path, inputs: tuple[str, str], options: tuple[str, ...], caller: int, called: int
) -> None:
    linked = (f"{caller}:{inputs[0]}", f"{called}:{inputs[1]}")
    done = run(built, "-arch=sm_90", *options, *linked, LD_LIBRARY_PATH=str(built / "linker"))
    assert "create 0, complete 0, linked 0" in done.stdout, done.stderr
    assert done.stdout.count(".func") == 2  # the prototype is the definition's now
    assert ".extern" not in done.stdout
    assert ".entry k" in done.stdout


@needs_python
@pytest.mark.parametrize("options", [(), ("-lto",)])
def test_the_limit_of_registers_is_kept(built: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "kernel").write_text(f"{HEAD}.visible .entry k() {{ ret; }}")
    linked = f"{LTO_IR if options else PTX}:{tmp_path / 'kernel'}"
    done = run(built, *options, "-maxrregcount=40", linked, LD_LIBRARY_PATH=str(built / "linker"))
    assert ".maxnreg 40" in done.stdout, done.stderr


@needs_python
def test_errors_of_the_driver_are_in_the_log(built: Path, inputs: tuple[str, str]) -> None:
    done = run(built, "-arch=sm_90", "-lto", f"3:{inputs[0]}", f"2:{inputs[0]}", LD_LIBRARY_PATH=str(built / "linker"))
    assert "create 0, complete 4" in done.stdout, done.stderr
    assert "log: none: error[PTX7" in done.stdout


@needs_python
def test_ptx_is_compiled_when_it_is_added(built: Path, tmp_path: Path) -> None:
    """XLA asks for the newest version in this way, and reads it in the log."""
    (tmp_path / "newer").write_text(".version 99.99\n.target sm_30\n.address_size 64\n")
    done = run(built, "-arch=sm_90", f"{PTX}:{tmp_path / 'newer'}", LD_LIBRARY_PATH=str(built / "linker"))
    assert "create 0, add 4" in done.stdout, done.stderr
    assert re.search(r"Unsupported .version 99.99; current version is '\d+\.\d+'", done.stdout)


def test_programs_that_ask_for_ptx_get_nvidias_errors(built: Path, inputs: tuple[str, str]) -> None:
    options = ("-lto", "-ptx", f"3:{inputs[0]}", f"2:{inputs[1]}")
    done = run(built, *options, LD_LIBRARY_PATH=str(built / "linker"))
    assert "create 0, complete 12" in done.stdout, done.stderr


@needs_python
def test_without_it_programs_do_not_find_it_and_lto_ir_is_an_error(
    built: Path, inputs: tuple[str, str], tmp_path: Path
) -> None:
    done = run(built, "-lto", f"3:{inputs[0]}", LD_LIBRARY_PATH=str(tmp_path), VIRTUAL_ENV=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "found by name: 0 1, version 6: 0.0, create 6, complete 6"
    assert done.stderr.count("OPENPTX_NVJITLINK_12 does not name NVIDIA's libnvJitLink.so.12") == 1
    assert done.stderr.count("`pip install nvidia-nvjitlink-cu12`") == 1
    linked = (f"2:{inputs[0]}", f"2:{inputs[1]}")
    done = run(built, "-arch=sm_90", *linked, LD_LIBRARY_PATH=str(tmp_path), VIRTUAL_ENV=str(tmp_path))
    assert "create 0, complete 0, linked 0" in done.stdout, done.stderr


def test_a_linker_that_does_not_load_is_an_error(built: Path, tmp_path: Path) -> None:
    (tmp_path / SONAME).write_text("no library")
    done = run(built, "-lto", LD_LIBRARY_PATH=str(tmp_path))
    assert "found by name: 1 1, version 6: 0.0, create 6" in done.stdout, done.stderr
    assert done.stderr.count("OPENPTX_NVJITLINK_12 does not name NVIDIA's libnvJitLink.so.12") == 1


@pytest.mark.skipif(find_nvidia(NVJITLINK, 13) is None, reason="NVIDIA's nvJitLink is not installed")
def test_every_function_of_a_release_is_there() -> None:
    theirs = Path(find_nvidia(NVJITLINK, 13) or "").read_bytes()
    names = {name.decode() for name in re.findall(rb"(?<=\0)__nvJitLink\w+(?=\0)", theirs)}
    one = NVJITLINKS[13]
    ours = ctypes.CDLL(str(library_folder() / one.folder / one.soname))
    assert len(names) > 90
    assert [name for name in sorted(names) if not hasattr(ours, name)] == []
