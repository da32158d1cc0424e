"""Kernels by their C++ names; skipped without `__cxa_demangle`."""

from __future__ import annotations

import pytest

import openptx
from openptx.cli.launch_options import pick
from openptx.errors import ArgumentError, InputError
from openptx.runtime.cxx_names import demangler, find_kernel, qualified

pytestmark = pytest.mark.skipif(demangler() is None, reason="there is no library of C++ on this computer")
KERNELS = (
    "_Z6matmulILi16EEvPKfPf", "_Z6matmulILi32EEvPKfPf", "_ZN4math5scaleIfLj4EEEvT_", "_ZN12_GLOBAL__N_14copyEPf",
    "plain", "_ZN8__main__4axpyB2v1B3cw5Ef", "_Z3runI4PairIiN1a1bEEEvT_",
)  # fmt: skip
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("matmul<16>", 0), ("matmul< 32 >", 1), ("void matmul<16>(float const*, float*)", 0),
        ("math::scale<float, 4>", 2),
        ("scale<float, 4u>", 2), ("scale", 2), ("math::scale", 2), ("copy", 3), ("(anonymous namespace)::copy", 3),
        ("axpy", 5), ("__main__::axpy", 5), ("run<Pair<int, a::b>>", 6), ("run", 6),
    ],
)  # fmt: skip
def test_names(name: str, wanted: int) -> None:
    assert find_kernel(name, KERNELS) == KERNELS[wanted]


@pytest.mark.parametrize("name", ["plain", "mat", "matmul<1>", "math", "", "b", "a::b", "_ZN"])
def test_what_names_nothing(name: str) -> None:
    assert find_kernel(name, KERNELS) is None


def test_a_name_of_several() -> None:
    with pytest.raises(ArgumentError, match="`matmul<16>`, `matmul<32>`"):
        find_kernel("matmul", KERNELS)


def test_qualified_names() -> None:
    assert qualified("_ZN4math5scaleIfLj4EEEvT_") == "math::scale<float, 4u>"
    assert qualified("_Zwrong") == "_Zwrong"
    assert qualified("plain") == "plain"
    assert qualified("_ZZ1kPfiENKUlfE_clEf") == "k(float*, int)::{lambda(float)#1}::operator()"
    assert qualified("_ZNK1a1VltERKS0_") == "a::V::operator<"
    assert qualified("_ZNK1a1VcvbEv") == "a::V::operator bool"
    assert qualified("_ZlsIiER1SS1_T_") == "operator<< <int>"
    assert find_kernel("k", ["_ZZ1kPfiENKUlfE_clEf"]) is None


def test_modules() -> None:
    module = openptx.load(HEAD + "".join(f".visible .entry {one}() {{ ret; }}\n" for one in KERNELS))
    assert module["matmul<32>"].name == KERNELS[1]
    assert module["matmul<32>"].demangled == "void matmul<32>(float const*, float*)"
    assert module["plain"].demangled == "plain"
    assert pick(module, "matmul<32>", "x.ptx").name == KERNELS[1]
    with pytest.raises(InputError, match=r"no kernel `scala`; did you mean math::scale<float, 4u>\?|it has matmul<16>"):
        pick(module, "scala", "x.ptx")
    with pytest.raises(ArgumentError, match=r"no kernel `gemm`: .*`_Z6matmulILi16EEvPKfPf` \(matmul<16>\)"):
        module["gemm"]
