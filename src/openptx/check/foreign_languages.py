"""Recognises files in other languages, so that one diagnostic names the language and how to compile it to PTX."""

from __future__ import annotations

import re

from openptx.diagnostics import Diagnostic
from openptx.patterns import pattern
from openptx.source import File

_SEARCHED = 1 << 16  # characters: what identifies a language occurs early in a file
_COMMENT = pattern(r"//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_VERSION = pattern(r"^[ \t]*\.version\b", re.MULTILINE)

_NVCC = """compile it to PTX first, with one of
`nvcc -ptx -arch=sm_80 mine.cu`
`clang++ --cuda-device-only --cuda-gpu-arch=sm_80 -S mine.cu -o mine.ptx`
NVRTC (`nvrtcGetPTX`, in Python `cuda.core.Program(text, "c++").compile("ptx")`)"""
_PYTHON = """its compiler provides the PTX: `compiled.asm["ptx"]` is that of a Triton kernel,
`numba.cuda.compile_ptx(function, signature)` of a Numba kernel"""

LANGUAGES = {
    # language: (starts of its lines that no PTX line has, how to compile it to PTX)
    "output of cuobjdump, which contains more than PTX": (
        (r"Fatbin (?:ptx|elf) code:",),
        "delete the lines before `.version`, or take the files out with `cuobjdump -xptx all program`",
    ),
    "LLVM IR": (
        (r"; ModuleID =", r"(?:source_filename|target (?:triple|datalayout)) =", r"define [^;@\n]*@[^\s(]+\("),
        "`llc -march=nvptx64 -mcpu=sm_80 mine.ll -o mine.ptx` compiles it to PTX",
    ),
    "MLIR": (
        (r"(?:builtin\.)?module(?: attributes)? [^;\n]*\{", r"(?:tt|func|llvm|gpu)\.(?:func|module) ", r"#\w+ = loc\("),
        "lower it to the NVVM dialect; `mlir-translate --mlir-to-llvmir` and `llc -march=nvptx64` compile that to PTX",
    ),
    "SASS, a GPU's machine code": (
        (r"\.headerflags\b", r"(?://-+ )?\.section\s+\.text\.", r"/\*[0-9a-f]{4,}\*/\s+@?!?[A-Z]"),
        "SASS is not compiled to PTX: `cuobjdump -ptx` finds the PTX in the program that it comes from, if it has any",
    ),
    "OpenCL C": (
        (r"(?:__)?kernel\s+void\b",),
        "`clang -target nvptx64-nvidia-nvcl -S mine.cl -o mine.ptx` compiles it to PTX",
    ),
    "CUDA C++": (
        (
            r"#\s*(?:include|pragma once)\b", r'extern\s+"C"', r"using namespace\b", r"template\s*<",
            r"[^;{}\n]*\b__(?:global|device|launch_bounds)__\b",
        ),
        _NVCC,
    ),
    "Python": (
        (r"(?:import|from) [\w.]+(?: (?:as|import) .*)?\r?$", r"def \w+\(.*:", r"@(?:triton|cuda|numba)\."),
        _PYTHON,
    ),
    "XML": ((r"<\?xml\b",), "PreTeXt's documents end in .ptx, too; `check` takes files of NVIDIA's PTX"),
    "HTML": (
        (r"<(?i:!doctype html|html)\b",),
        "download the file itself (the page of a source browser has a link called Raw)",
    ),
    "a Git LFS pointer": ((r"version https:",), "`git lfs pull` downloads the file that it refers to"),
}  # fmt: skip
_SIGNS = {name: pattern(rf"^[ \t]*+(?:{'|'.join(signs)})", re.MULTILINE) for name, (signs, _) in LANGUAGES.items()}


def foreign(file: File) -> Diagnostic | None:
    """The one diagnostic of a file in another language; None if it may be PTX, however wrong.

    Only text before the first `.version`, outside comments, identifies another language.
    """
    version = _VERSION.search(file.text)
    text = file.text[: min(version.start() if version else len(file.text), _SEARCHED)]
    code = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    for language, (_, help) in LANGUAGES.items():
        found = _SIGNS[language].search(text if language.startswith("SASS") and not version else code)
        if found:
            start = found.start() + len(found[0]) - len(found[0].lstrip())
            span = start, max(start, len(found[0].rstrip()) + found.start())
            return Diagnostic("not-ptx", f"this is {language}", file, span, help=help)
    return None
