"""Another build of LLVM that the environment names: its code, and what is said where it cannot be used."""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from openptx.errors import Bug, InputError
from openptx.llvm.c_library import VARIABLE, CLibrary

RELEASE = ".".join(map(str, llvm.llvm_version_info[:2]))
TEXT = "define i32 @f(i32 %a) { %b = mul i32 %a, 3 ret i32 %b }"


def found() -> str:
    """The path of a library of llvmlite's release on this machine, or ""."""
    if given := os.environ.get(VARIABLE):
        return given
    toolchains = Path.home().glob(f".rustup/toolchains/*/lib/libLLVM.so.{RELEASE}*")
    return next(map(str, sorted(toolchains)), "") or ctypes.util.find_library(f"LLVM-{RELEASE}") or ""


LIBRARY = found()
needs_library = pytest.mark.skipif(not LIBRARY, reason=f"no libLLVM of release {RELEASE}")


@pytest.mark.parametrize("path", ["/nowhere/libLLVM.so", ctypes.util.find_library("m") or "libm.so.6"])
def test_not_a_library_of_llvm(path: str) -> None:
    with pytest.raises(InputError, match="OPENPTX_LLVM names no library of LLVM for this processor"):
        CLibrary(path)


@needs_library
def test_other_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "llvm_version_info", (99, 1, 0))
    with pytest.raises(InputError, match=r"it must be of llvmlite's release, 99\.1\.0"):
        CLibrary(LIBRARY)


@needs_library
def test_rejected_text() -> None:
    library = CLibrary(LIBRARY)
    with pytest.raises(Bug, match=r"LLVM rejects: .*expected"):
        library.compile("globaldce", 2, "define i32")
    with pytest.raises(Bug, match=r"LLVM rejects: .*does not dominate"):
        library.compile("globaldce", 2, "define i32 @f() {\n ret i32 %b\nc:\n %b = add i32 1, 1\n ret i32 %b\n}")
    with pytest.raises(Bug, match=r"LLVM's passes: .*nonsense"):
        library.compile("nonsense", 2, TEXT)
    assert library.compile("globaldce", 2, TEXT).startswith(b"\x7fELF" if sys.platform == "linux" else b"")


@needs_library
def test_kernel() -> None:
    """A kernel's results, with no code on disk."""
    program = (
        "import numpy as np, openptx\n"
        "from openptx.llvm import codegen\n"
        "text = '''.version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p) { .reg .u64 %a, %b; .reg .u32 %t; ld.param.u64 %a, [p]; mov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b; mul.lo.u32 %t, %t, 7; st.global.u32 [%a], %t; ret; }'''\n"
        "out = np.zeros(64, np.uint32)\n"
        "openptx.load(text)['k'](1, 64, [out], engine='native')\n"
        "assert codegen.other_library() is not None\n"
        "print((out == 7 * np.arange(64)).all())\n"
    )
    environment = {**os.environ, VARIABLE: LIBRARY, "OPENPTX_CACHE": ""}
    assert subprocess.check_output([sys.executable, "-c", program], text=True, env=environment) == "True\n"
