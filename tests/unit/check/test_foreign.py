"""A file in another language gets one diagnostic, which names the language and how to compile it to PTX."""

from __future__ import annotations

import pytest

import openptx

CUDA = '#include <cuda_runtime.h>\n\nextern "C" __global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n'
TEMPLATE = "// a library\ntemplate <typename T>\n__global__ void k(T *x) { *x = T(1); }\n"
LLVM = "; ModuleID = 'k'\nsource_filename = 'k'\ntarget triple = 'nvptx64'\ndefine void @k() {\n  ret void\n}\n"
MLIR = "module {\n  tt.func public @add(%arg0: !tt.ptr<f32>) {\n    tt.return\n  }\n}\n"
TRITON = "import triton\nimport triton.language as tl\n\n@triton.jit\ndef add(x):\n    pass\n"
SASS = '\t.headerflags\t@"EF_CUDA_SM80"\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n'
CUOBJDUMP = "\nFatbin ptx code:\n================\narch = sm_80\n\n\n.version 8.0\n.target sm_80\n.entry k() { ret; }\n"
OPENCL = "__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }\n"
PAGE = "\n<!DOCTYPE html>\n<html><body>404</body></html>\n"
XML = '<?xml version="1.0"?>\n<pretext>\n  If it is <m>x</m>, add it.\n</pretext>\n'
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 12\n"


@pytest.mark.parametrize(
    ("text", "language", "way"),
    [
        (CUDA, "CUDA C++", "nvcc -ptx"),
        (TEMPLATE, "CUDA C++", "NVRTC"),
        (CUDA.replace("\n", "\r\n"), "CUDA C++", "clang"),
        (LLVM, "LLVM IR", "llc -march=nvptx64"),
        (MLIR, "MLIR", "mlir-translate"),
        (TRITON, "Python", '.asm["ptx"]'),
        ("from numba import cuda\n\n@cuda.jit\ndef k(x):\n    x[0] = 1\n", "Python", "numba"),
        (SASS, "SASS", "cuobjdump -ptx"),
        (CUOBJDUMP, "output of cuobjdump", "cuobjdump -xptx all"),
        (OPENCL, "OpenCL C", "clang"),
        (PAGE, "HTML", "download"),
        (XML, "XML", "PreTeXt"),
        (POINTER, "a Git LFS pointer", "git lfs pull"),
    ],
)
def test_the_language_is_named_once_with_the_way_to_ptx(text: str, language: str, way: str) -> None:
    (found,) = openptx.check(text, filename="mine")
    assert (found.name, found.severity) == ("not-ptx", "error")
    assert found.message.startswith(f"this is {language}")
    assert way in (found.help or "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import\n",
        "add.u32 %r1, %r2, %r3;\n",
        "// template <typename T> __global__ void k()\nadd.u32 %r1, %r2;\n",
        '/* extern "C" __global__ void k() */\n.target sm_80\n.version 8.0\n.entry k() { add.u32 a; }\n',
        ".version 8.0\n.target sm_80\n.entry k() {\n#include <x>\n__global__ a;\n}\n",
    ],
)
def test_wrong_ptx_is_still_ptx(text: str) -> None:
    assert "not-ptx" not in [d.name for d in openptx.check(text)]


def test_clean_ptx_that_quotes_its_source_is_clean() -> None:
    text = (
        "// __global__ void k()\n// import triton\n.version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n"
    )
    assert openptx.check(text) == []


def test_load_says_it_too() -> None:
    with pytest.raises(openptx.CheckError, match=r"this is CUDA C\+\+"):
        openptx.load(CUDA)


CONFLICT = """\
<<<<<<< HEAD
.target sm_80
=======
.target sm_90
>>>>>>> branch
"""


def test_a_conflict_of_a_merge_is_one_error_and_a_lone_mark_is_none() -> None:
    rest = ".address_size 64\n.entry k() {\n  foo;\n  ret;\n}\n"
    (found,) = openptx.check(f".version 8.0\n{CONFLICT}{rest}")
    assert found.message == "a merge left a conflict here"
    assert [each[0] for each in (found.location, *map(found.file.location, (s.span[0] for s in found.labels)))] == [
        2,
        4,
        6,
    ]
    twice = openptx.check(f".version 8.0\n{CONFLICT}{rest}{CONFLICT}".replace("\n", "\r\n"))
    assert [each.location[0] for each in twice] == [2, 12]
    lone = openptx.check(f".version 8.0\n.target sm_80\n{rest}".replace("foo;", ">>>>>>> branch"))
    assert [each.help for each in lone] == [None]
