"""NVIDIA's tools from PyPI: NVRTC and nvcc compile CUDA C++ to PTX, ptxas checks PTX."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import subprocess
import sysconfig
import tempfile
from pathlib import Path

TOOLKIT = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"


class CompileError(Exception):
    """A compiler refused the source; the message is its log."""


SCRATCH = Path(tempfile.gettempdir()) / "openptx"
"""Where sources are compiled: paths get into PTX as debug information, and must not depend on the machine."""


@functools.cache
def include_directories() -> list[Path]:
    """The CUDA headers, and libcu++ (`cuda/barrier` and the rest) where nvidia-cuda-cccl is installed."""
    SCRATCH.mkdir(exist_ok=True)
    link, own = SCRATCH / "cuda", SCRATCH / f"cuda-{os.getpid()}"
    own.unlink(missing_ok=True)
    own.symlink_to(TOOLKIT / "include")
    own.replace(link)  # another process may make it at the same time
    return [path for path in (link, link / "cccl") if path.is_dir()]


@functools.cache
def _nvrtc() -> ctypes.CDLL:
    # The builtins come first: NVRTC looks them up by name, not by its own folder.
    for name in ("libnvrtc-builtins.so.13.5", "libnvrtc.so.13"):
        library = ctypes.CDLL(str(TOOLKIT / "lib" / name), mode=ctypes.RTLD_GLOBAL)
    return library


def nvrtc_version() -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    _nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"NVRTC {major.value}.{minor.value}"


def nvrtc(source: str, target: str, options: tuple[str, ...] = (), *, name: str = "kernel.cu") -> str:
    """PTX for `target` ("sm_80"; "sm_90a") made by NVRTC."""
    library, program = _nvrtc(), ctypes.c_void_p()
    includes = include_directories()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    try:
        arguments = [
            f"--gpu-architecture={target.replace('sm_', 'compute_')}",
            *(f"--include-path={path}" for path in includes),
            *options,
        ]
        array = (ctypes.c_char_p * len(arguments))(*(a.encode() for a in arguments))
        with contextlib.chdir(SCRATCH):
            status = library.nvrtcCompileProgram(program, len(arguments), array)
        if status:
            raise CompileError(_text(program, "ProgramLog"))
        return _text(program, "PTX")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _text(program: ctypes.c_void_p, what: str) -> str:
    size = ctypes.c_size_t()
    getattr(_nvrtc(), f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(_nvrtc(), f"nvrtcGet{what}")(program, buffer)
    return buffer.value.decode(errors="replace")


def nvcc(source: str, target: str, options: tuple[str, ...] = (), *, name: str = "kernel.cu") -> str:
    """PTX for `target` made by nvcc; needs a host C++ compiler on the path for preprocessing."""
    includes = [f"-I{path}" for path in include_directories()]
    (SCRATCH / name).write_text(source)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.ptx"
        arch = target.replace("sm_", "compute_")
        command = ["nvcc", "-ptx", f"-arch={arch}", *includes, *options, name, "-o", str(out)]
        path = f"{TOOLKIT / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path}
        run = subprocess.run(command, cwd=SCRATCH, env=environment, capture_output=True, text=True, check=False)
        if run.returncode:
            raise CompileError(run.stdout + run.stderr)
        return out.read_text()


def ptxas(text: str, *, arch: str | None = None, options: tuple[str, ...] = ()) -> tuple[int, str]:
    """Exit status and messages of ptxas; by default it only checks, for the target that the text names."""
    # PTX for processors older than the assembler knows is still PTX: it is judged for the oldest that it does know.
    target = target_of(text)
    if int(re.sub(r"\D", "", target)) < 75:
        target = "sm_75"
    arch = arch or target.replace("sm_", "compute_")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "k.ptx"
        file.write_text(text)
        command = [str(TOOLKIT / "bin" / "ptxas"), f"-arch={arch}", *options, str(file), "-o", f"{folder}/k.cubin"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return run.returncode, (run.stdout + run.stderr).replace(str(file), "k.ptx")


def target_of(text: str) -> str:
    """`sm_80` of the first `.target sm_80, ...` line."""
    for line in text.splitlines():
        if line.startswith(".target"):
            return line.split()[1].rstrip(",")
    raise ValueError("no .target directive")


def version_of(text: str) -> str:
    """`8.5` of the first `.version 8.5` line."""
    for line in text.splitlines():
        if line.startswith(".version"):
            return line.split()[1]
    raise ValueError("no .version directive")
