"""NVIDIA's linker nvJitLink under `openptx exec`: dependent libraries load, and linked LTO IR becomes PTX."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import NVJITLINKS, compiler, library_folder
from openptx.driver.find_nvidia import NVJITLINK, find_nvidia

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


def run(built: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openptx", "exec", "--", str(built / "program"), str(built / "libclient.so")]
    variables = {**os.environ, "OPENPTX_NVJITLINK_12": "", **environment}
    return subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, env=variables)


def test_linked_libraries_find_it_and_programs_that_look_for_its_version_do_not(built: Path) -> None:
    found = str(built / "linker")
    done = run(built, "-arch=sm_90", LD_LIBRARY_PATH=found)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "found by name: 0 1, version 0: 12.9, create 0, linked 0: 5 bytes, code\n"
    kept = run(built, "-lto", LD_LIBRARY_PATH=found, OPENPTX_KEEP_NVJITLINK="1")
    assert kept.stdout == "found by name: 0 0, version 0: 12.9, create 0, linked 0: 5 bytes, code\n"


@pytest.mark.parametrize("options", [("-lto",), ("-arch=sm_90", "-dlto", "-ptx")])
def test_linked_lto_ir_is_ptx(built: Path, options: tuple[str, ...]) -> None:
    done = run(built, *options, LD_LIBRARY_PATH=str(built / "linker"))
    assert done.stdout.endswith("create 0, linked 0: 4 bytes, ptx\n"), done.stderr


def test_without_it_calls_are_errors(built: Path, tmp_path: Path) -> None:
    broken = tmp_path / SONAME
    broken.write_text("no library")
    done = run(built, "-lto", LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "version 6: 0.0, create 6, linked 6: 0 bytes" in done.stdout
    assert done.stderr.count("OPENPTX_NVJITLINK_12 does not name NVIDIA's libnvJitLink.so.12") == 1


@pytest.mark.skipif(find_nvidia(NVJITLINK, 13) is None, reason="NVIDIA's nvJitLink is not installed")
def test_every_function_of_a_release_is_there() -> None:
    theirs = Path(find_nvidia(NVJITLINK, 13) or "").read_bytes()
    names = {name.decode() for name in re.findall(rb"(?<=\0)__nvJitLink\w+(?=\0)", theirs)}
    one = NVJITLINKS[13]
    ours = ctypes.CDLL(str(library_folder() / one.folder / one.soname))
    assert len(names) > 90
    assert [name for name in sorted(names) if not hasattr(ours, name)] == []
