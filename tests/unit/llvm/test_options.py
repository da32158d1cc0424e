"""LLVM's options are those of the process: another compiler in it has LLVM's own values whenever ours does not run."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import llvmlite.binding as llvm
from openptx.llvm import codegen

values = {}
real = llvm.set_option
def set_option(program, option):
    name, _, value = option.partition("=")
    values[name] = value
    real(program, option)
llvm.set_option = set_option
codegen.compile("define i32 @f() { ret i32 1 }")
ours = dict(values)
sys.modules["numba"] = sys
codegen.compile("define i32 @g() { ret i32 1 }")
print(ours["-disable-lsr"], values["-disable-lsr"], values["-grow-region-complexity-budget"])
codegen.compile("define i32 @h() { ret i32 1 }")
print(all(values[name] == own for name, (_, own) in codegen.OPTIONS.items()))
print(all(values.get(name, own) == own for name, (_, own) in codegen.OPTIONS_OF_AVX512.items()))
"""


def test_restored() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["true false 10000", "True", "True"]


def test_code_is_the_same() -> None:
    """Whether or not the options are set anew for each text."""
    program = (
        "import sys\nfrom openptx.llvm.codegen import compile\n"
        "text = 'define <8 x i32> @f(<8 x i32> %a, i32 %b) { %c = insertelement <8 x i32> %a, i32 %b, i32 3\\n"
        "%d = mul <8 x i32> %c, %a\\n ret <8 x i32> %d }'\n"
        "first = compile(text)\nsys.modules['numba'] = sys\ncompile(text)\nprint(compile(text) == first)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "True\n"
