"""Builds the wheels: `python tools/build_wheels.py dist`.

One holds the libraries of `openptx exec` for Linux on x86-64, one those for aarch64, and a third none: where it is
installed a C compiler makes them when they are first used. Zig's C compiler (PyPI: ziglang) compiles for both
processors, and for an old C library, so that the wheels can be installed on old systems.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from openptx.driver.build import compile_libraries

GLIBC = (2, 17)
PROCESSORS = ("x86_64", "aarch64")
ROOT = Path(__file__).parents[1]


def compiler(processor: str) -> tuple[str, ...]:
    return sys.executable, "-m", "ziglang", "cc", "-target", f"{processor}-linux-gnu.{'.'.join(map(str, GLIBC))}", "-s"


def tag(processor: str) -> str:
    return f"manylinux_{'_'.join(map(str, GLIBC))}_{processor}"


def build(into: Path, **environment: str) -> None:
    """By pip, which asks hatchling and with it tools/wheel_hook.py."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(into), str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, **environment})


def build_for(processor: str, into: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        compile_libraries(Path(folder), compiler(processor), links=False)
        build(into, OPENPTX_WHEEL=tag(processor), OPENPTX_WHEEL_LIBRARIES=folder)


def main(into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    build(into)
    for processor in PROCESSORS:
        build_for(processor, into)
    for wheel in sorted(into.glob("*.whl")):
        print(f"{wheel}  {wheel.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
