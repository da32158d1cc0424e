"""Texts about inexact results: the manual's error bound, an H100's error, the source of a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

import openptx
from openptx.explanations.instructions import explain_instruction
from openptx.isa.contracted import quotient_sum
from openptx.isa.fidelity import Fidelity
from openptx.isa.notation import INSTRUCTIONS, load
from openptx.numerics import FORMATS, Bits
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.rewrite.rules import RULES

BOUNDED = re.compile(r"as measured on sm_90; allowed: (.+), measured: (.*\d.*)")
SOURCES = re.compile(
    r"^a guess\b|MMA-Sim|\bH[12]00\b|\bptxas\b|CUDA programming guide|cuda_fp8\.hpp|OpenGL|CUTLASS|CuTe|PTX ISA|Vulkan"
    r"|\bTriton's interpreter\b"
)
"""Papers, devices, tools and documents whose rule can be looked up; or the word that nobody says anything."""
X = NumpyMachine()


def labels() -> Iterator[tuple[str, Fidelity]]:
    """What is said of opcodes of every form: each choice of its modifiers at least once, on all generations."""
    load()
    for instruction in (*INSTRUCTIONS, quotient_sum):
        if instruction.meaning is None:
            continue
        for form in instruction.forms:
            least = form.least().written
            for slot in form.slots:
                for choice in islice(slot.choices, 40):
                    others = [c for c in least if c not in slot.choices]
                    m = form.match(tuple(part for c in (*others, choice) for part in c.split(".")))
                    if m is not None:
                        yield repr(m), instruction.fidelity(m)
                        if instruction.by_generation:
                            for name in ("Volta", "Turing", "Ampere", "Ada", "Blackwell", "RTX Blackwell"):
                                yield f"{m!r} ({name})", instruction.fidelity(m.with_(generation=name))
    yield from RULES.items()


def lacking(kind: str, pattern: re.Pattern[str]) -> tuple[int, list[str]]:
    found = [(opcode, f.text) for opcode, f in labels() if f.kind == kind]
    return len(found), [f"{opcode}: {text}" for opcode, text in found if not pattern.search(text)]


def test_bounded_results_say_what_is_allowed_and_what_was_measured() -> None:
    count, wrong = lacking("bounded", BOUNDED)
    assert count > 40
    assert wrong == []


def test_modelled_results_say_whom_they_follow() -> None:
    count, wrong = lacking("modelled", SOURCES)
    assert count > 500
    assert wrong == []


@pytest.mark.parametrize(
    "text", ["2 ulp", "as measured on sm_90; allowed: 2 ulp", "as measured on sm_90; allowed: 2 ulp, measured: "]
)
def test_a_bound_without_its_measured_half_is_found(text: str) -> None:
    assert not BOUNDED.search(text)


def measured(opcode: str) -> str:
    """The measured half of what is said of an opcode."""
    (found,) = {f.text for name, f in labels() if name == opcode}
    match = BOUNDED.search(found)
    assert match
    return match[2]


def log2(error: float) -> str:
    return f"2^{np.log2(error):.2f}"


def values(name: str, codes: np.ndarray) -> np.ndarray:
    wide = codes if name == "f16" else codes.astype(np.uint32) << np.uint32(16)
    return wide.view(np.float16 if name == "f16" else np.float32).astype(np.float64)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_errors_of_halves_are_those_that_are_said(name: str) -> None:
    """All 65,536 operands."""
    f, codes = FORMATS[name], np.arange(1 << 16, dtype=np.uint16)
    v = values(name, codes)
    found = values(name, X.approx("tanh", f, Bits(X, 16, codes)).v)
    numbers = np.isfinite(v)
    assert f"{log2(np.abs(found - np.tanh(v))[numbers].max())} ({name})" in measured(f"tanh.approx.{name}")
    found, true = values(name, X.approx("ex2", f, Bits(X, 16, codes), True).v), np.exp2(v)
    normal = (
        np.isfinite(found)
        & np.isfinite(v)
        & (true >= 2.0**f.emin)
        & (true < values(name, np.array([0x7BFF if name == "f16" else 0x7F7F], np.uint16))[0])
    )
    said = measured("ex2.approx.f16" if name == "f16" else "ex2.approx.ftz.bf16")
    assert f"{log2((np.abs(found - true) / true)[normal].max())} ({name})" in said


@pytest.mark.parametrize(("op", "exponents"), [("rcp", [1023]), ("rsqrt", [1023, 1024])])
def test_errors_of_upper_words_are_those_that_are_said(op: str, exponents: list[int]) -> None:
    """All upper words of one binade, or of two, with the least and the greatest lower word."""
    upper, worst = np.arange(1 << 20, dtype=np.uint64) << np.uint64(32), 0.0
    for exponent in exponents:
        for low in (0, 0xFFFFFFFF):
            a = np.uint64(exponent << 52) | upper | np.uint64(low)
            found = X.approx_upper(op, Bits(X, 64, a)).v.view(np.float64)
            v = a.view(np.float64)
            worst = max(worst, float(np.abs(found * (v if op == "rcp" else np.sqrt(v)) - 1).max()))
    assert log2(worst) in measured(f"{op}.approx.ftz.f64")


TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .f32 x; .reg .b64 o; .reg .b32 r; .reg .pred q;
    ld.param.u64 o, [p];
    ld.global.f32 x, [o];
    cos.approx.f32 x, x;
    elect.sync r|q, -1;
    ret;
}"""


def test_every_statement_of_a_kernel_says_it() -> None:
    found = {s.text: s.fidelity for s in openptx.load(TEXT)["k"].fidelity()}
    assert found["ld.global.f32 x, [o]"].kind == "exact"
    assert BOUNDED.search(found["cos.approx.f32 x, x"].text)
    assert found["elect.sync r|q, -1"].kind == "modelled"
    assert SOURCES.search(found["elect.sync r|q, -1"].text)


def test_explain_says_both_halves_of_every_bounded_opcode() -> None:
    said = explain_instruction("cos.approx.f32") or ""
    assert "allowed: 2^-20.5 absolute in [-2 pi, 2 pi], measured: 2^-20.42, beyond what is allowed at 2,349" in said
    for opcode in ("div.full.f32", "rcp.approx.ftz.f64", "rsqrt.approx.f64", "tanh.approx.bf16x2", "lg2.approx.f32"):
        assert BOUNDED.search(explain_instruction(opcode) or ""), opcode


def test_explain_says_whose_sums_other_generations_have() -> None:
    said = explain_instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") or ""
    assert "Ampere: modelled, MMA-Sim, A100" in said
    assert "Turing" not in said  # which does not have it
