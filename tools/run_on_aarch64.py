"""Runs the wheel for aarch64 on an emulated CPython: python tools/run_on_aarch64.py FOLDER [ARGUMENT ...]

For Debian and Ubuntu, with the packages qemu-user-static, binfmt-support and mmdebstrap. The folder gets the libraries
of an aarch64 system, of which nothing is run while it is made, the packages that OpenPTX needs, and its wheel. The
arguments are Python's there, such as `-m pytest ...`; without them it runs the driver's test programs.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_wheels import build_for, compiler

ROOT = Path(__file__).parents[1]
HANDLER = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
DEBIAN = "python3", "libpython3-dev", "libstdc++6"
"""A Python, its shared library, which programs in C start, and what NumPy and LLVM need."""
NEEDED = "numpy", "llvmlite", "ml_dtypes", "pytest", "hypothesis"
PLATFORMS = "manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64"
PROGRAMS = ROOT / "tests" / "unit" / "driver" / "programs" / "run_all.py"


def prepare(folder: Path) -> tuple[Path, Path]:
    """The root of the system and the folder of packages, which are made if they are not there."""
    root, packages = folder / "root", folder / "packages"
    if not root.is_dir():
        suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
        options = ["--variant=extract", "--architectures=arm64", f"--include={','.join(DEBIAN)}"]
        made = folder / "root.part"
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run(["mmdebstrap", *options, suite, str(made)], check=True)
        made.rename(root)
    if not packages.is_dir():
        python = python_of(root).name.removeprefix("python")
        options = [f"--platform={one}" for one in PLATFORMS]
        options += ["--only-binary=:all:", f"--python-version={python}", f"--target={packages}"]
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *options, *NEEDED], check=True)
    return root, packages


def compiler_of(folder: Path) -> Path:
    """A C compiler for aarch64, which tests call: it runs on this processor, without the variables of the other."""
    script = folder / "cc"
    command = shlex.join(("env", "-u", "PYTHONPATH", "-u", "LD_PRELOAD", "-u", "LD_LIBRARY_PATH", *compiler("aarch64")))
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o755)
    return script


def python_of(root: Path) -> Path:
    return root / "usr" / "bin" / os.readlink(root / "usr" / "bin" / "python3")


def main(folder: Path, arguments: list[str]) -> int:
    missing = [name for name in ("mmdebstrap", "qemu-aarch64-static") if shutil.which(name) is None]
    if missing or not HANDLER.exists():
        words = f"{' and '.join(missing)} must be installed" if missing else f"there is no {HANDLER}"
        print(f"{words}: install qemu-user-static, binfmt-support and mmdebstrap, on Debian or Ubuntu", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    root, packages = prepare(folder.resolve())
    with tempfile.TemporaryDirectory() as wheels:
        build_for("aarch64", Path(wheels))
        (wheel,) = Path(wheels).glob("*.whl")
        installed = folder.resolve() / "openptx"
        shutil.rmtree(installed, ignore_errors=True)
        shutil.unpack_archive(wheel, installed, "zip")
    environment = {**os.environ, "QEMU_LD_PREFIX": str(root), "OPENPTX_CACHE": str(folder.resolve() / "cache")}
    environment["CC"] = str(compiler_of(folder.resolve()))
    environment["PYTHONPATH"] = os.pathsep.join((str(installed), str(packages)))
    python = str(python_of(root))
    programs = ["-m", "openptx", "exec", "--device", "sm_90", "--", python, str(PROGRAMS)]
    return subprocess.run([python, *(arguments or programs)], env=environment, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
