"""The program of test_exec_nvrtc.py: compiles with the options of the command line and prints the machine code."""

from __future__ import annotations

import ctypes
import json
import os
import sys

try:
    nvrtc = ctypes.CDLL(os.environ.get("NAME", "libnvrtc.so.13"))
except OSError:
    sys.exit("absent" not in sys.argv)
nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
SOURCE = b'extern "C" __global__ void one(int *p) { *p = 1; }'


def call(name: str, *arguments: object) -> None:
    result = getattr(nvrtc, name)(*arguments)
    if result:
        raise RuntimeError(f"{name}: {nvrtc.nvrtcGetErrorString(result)}")


def machine_code(option: str) -> str:
    """The start of it where it is an ELF file; else the text."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    call("nvrtcCreateProgram", ctypes.byref(program), SOURCE, b"one.cu", 0, None, None)
    call("nvrtcCompileProgram", program, 1, (ctypes.c_char_p * 1)(option.encode()))
    call("nvrtcGetCUBINSize", program, ctypes.byref(size))
    found = ctypes.create_string_buffer(size.value + 1)
    call("nvrtcGetCUBIN", program, found)
    call("nvrtcDestroyProgram", ctypes.byref(program))
    return "ELF" if found.raw[1:4] == b"ELF" else found.value.decode()


ctypes.CDLL("libcuda.so.1").cuInit(0)
if "absent" not in sys.argv:
    print(json.dumps([machine_code(option) for option in sys.argv[1:]]))
