"""Programs open the libraries by their names without a version: links in installations, files in wheels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import DRIVER, RUNTIMES, compile_name, compiler, library_folder

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
PROGRAM = """
import ctypes, sys
def address(library, name):
    return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
names = ["libcuda.so", "libcuda.so.1"][::int(sys.argv[1])]
for pair in names, ["libcudart.so", "libcudart.so.13"]:
    name = "cuInit" if "cuda." in pair[0] else "cudaMalloc"
    assert address(pair[0], name) == address(pair[1], name), pair
count, version = ctypes.c_int(), ctypes.c_int()
assert ctypes.CDLL("libcuda.so").cuInit(0) == 0
assert ctypes.CDLL("libcuda.so").cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value == 1
assert ctypes.CDLL("libcudart.so").cudaRuntimeGetVersion(ctypes.byref(version)) == 0 and version.value == 13000
with open("/proc/self/maps") as maps:
    files = {line.split()[5] for line in maps if "libcuda.so.1" in line}
assert len(files) == 1, files
print("one library")
"""


@pytest.mark.parametrize("first", ["1", "-1"])
def test_links_of_an_installation(first: str) -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--", sys.executable, "-c", PROGRAM, first]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "one library\n", done.stderr


@pytest.mark.parametrize("first", ["1", "-1"])
def test_files_of_a_wheel(first: str, tmp_path: Path) -> None:
    """Which are tried in a copy of the folder, that holds no links."""
    made = library_folder()
    for one in (DRIVER, RUNTIMES[-1]):
        shutil.copy(made / one.soname, tmp_path)
        for name in one.also:
            compile_name((compiler() or "",), tmp_path, one, name)
            assert (tmp_path / name).stat().st_size < 20_000
    paths = os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM, first]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=paths)
    assert done.stdout == "one library\n", done.stderr


def test_a_programs_rpath_does_not_lead_past_our_runtime(tmp_path: Path) -> None:
    """As PyTorch's leads to NVIDIA's, unless it is to be kept."""
    source, soname = Path(__file__).with_name("rpath_program.c"), RUNTIMES[-1].soname
    (tmp_path / "map").write_text(f"{soname} {{ global: cuda*; local: *; }};\n")
    version = ("-Wl,--version-script=map", f"-Wl,-soname,{soname}")
    for options in (
        ("-DRUNTIME", "-shared", "-fPIC", *version, "-o", soname),
        ("-o", "program", soname, "-Wl,--disable-new-dtags", f"-Wl,-rpath,{tmp_path}"),
    ):
        subprocess.run([compiler() or "cc", str(source), *options], check=True, cwd=tmp_path)
    command = [sys.executable, "-m", "openptx", "exec", "--", str(tmp_path / "program")]
    for kept, counted in (("", "1"), ("1", "77")):
        paths = os.environ | {"OPENPTX_KEEP_CUDART": kept}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=paths)
        assert done.stdout == f"0: {counted}\n", done.stderr
