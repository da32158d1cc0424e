"""The conversions, approximations and arithmetic recorded on a GPU, each as an instruction with its types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from openptx.numerics.type_names import INTEGERS

ANY, HOPPER, NEWEST = "sm_80", "sm_90", "sm_100a"
FOUR = ("rn", "rz", "rm", "rp")


class Form(NamedTuple):
    """An instruction with the types of its operands and its result; `target` is the first that has it."""

    opcode: str
    operands: tuple[str, ...]
    result: str
    target: str

    @property
    def name(self) -> str:
        return self.opcode.replace("::", "_").replace(".", "_")


# What there is


def forms() -> Iterator[Form]:
    yield from conversions()
    yield from packed_conversions()
    yield from approximations()
    yield from arithmetic()


FLOATS = ("f16", "bf16", "f32", "f64")
INTEGRAL = ("rni", "rzi", "rmi", "rpi")
NARROWING = {
    ("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("bf16", "f64"), ("f32", "f64"), ("f16", "bf16"), ("bf16", "f16"),
}  # fmt: skip


def conversions() -> Iterator[Form]:
    for d in FLOATS:
        for s in FLOATS:
            yield from between_floats(d, s)
    yield from saturating()
    for integer in INTEGERS:
        for f in FLOATS:
            yield from of_integers(integer, f)


def between_floats(d: str, s: str) -> Iterator[Form]:
    target = HOPPER if "bf16" in (d, s) and {d, s} != {"bf16", "f32"} else ANY
    flags = ("", ".ftz") if "f32" in (d, s) and d != s else ("",)
    if (d, s) in NARROWING:
        for rnd in FOUR:
            down = target if rnd in ("rn", "rz") or d != "bf16" else HOPPER
            for flag in flags if "bf16" not in (d, s) else ("",):
                yield Form(f"cvt.{rnd}{flag}.{d}.{s}", (s,), d, down)
    elif d == s:
        yield from (Form(f"cvt.{rnd}.{d}.{s}", (s,), d, target) for rnd in INTEGRAL)
        if d == "f32":
            yield Form("cvt.ftz.f32.f32", (s,), d, target)
            yield Form("cvt.sat.f32.f32", (s,), d, target)
    else:
        for flag in flags if s != "bf16" or d == "f64" else ("",):
            yield Form(f"cvt{flag}.{d}.{s}", (s,), d, target)


def saturating() -> Iterator[Form]:
    for d in ("f16", "bf16"):
        for rnd in ("rn", "rz"):
            for flags in (".relu", ".satfinite", ".relu.satfinite"):
                yield Form(f"cvt.{rnd}{flags}.{d}.f32", ("f32",), d, ANY)
    for text in ("rna", "rna.satfinite", "rn", "rz", "rn.relu", "rz.relu"):
        yield Form(f"cvt.{text}.tf32.f32", ("f32",), "tf32", ANY if text.startswith("rna") else HOPPER)
    for text in ("rn.satfinite", "rz.satfinite"):
        yield Form(f"cvt.{text}.tf32.f32", ("f32",), "tf32", NEWEST)


def of_integers(integer: str, f: str) -> Iterator[Form]:
    if f == "bf16" and integer in ("s8", "u8"):
        return
    target = HOPPER if f == "bf16" else ANY
    yield from (Form(f"cvt.{rnd}.{integer}.{f}", (f,), integer, target) for rnd in INTEGRAL)
    yield from (Form(f"cvt.{rnd}.{f}.{integer}", (integer,), f, target) for rnd in FOUR)


def packed_conversions() -> Iterator[Form]:
    for d in ("f16x2", "bf16x2"):
        for text in ("rn", "rz", "rn.relu", "rn.satfinite", "rn.relu.satfinite"):
            yield Form(f"cvt.{text}.{d}.f32", ("f32", "f32"), d, ANY)
        yield Form(f"cvt.rs.{d}.f32", ("f32", "f32", "rbits"), d, NEWEST)
    for d in ("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2"):
        target = "sm_89" if d[0] == "e" and d in ("e4m3x2", "e5m2x2") else NEWEST
        for relu in ("", ".relu"):
            yield Form(f"cvt.rn.satfinite{relu}.{d}.f32", ("f32", "f32"), d, target)
            yield Form(f"cvt.rn{relu}.f16x2.{d}", (d,), "f16x2", target)
        if target != NEWEST:
            yield Form(f"cvt.rn.satfinite.{d}.f16x2", ("f16x2",), d, target)
    for rnd in ("rz", "rp"):
        for finite in ("", ".satfinite"):
            yield Form(f"cvt.{rnd}{finite}.ue8m0x2.f32", ("f32", "f32"), "ue8m0x2", NEWEST)
            yield Form(f"cvt.{rnd}{finite}.ue8m0x2.bf16x2", ("bf16x2",), "ue8m0x2", NEWEST)
    yield Form("cvt.rn.bf16x2.ue8m0x2", ("ue8m0x2",), "bf16x2", NEWEST)
    for d in ("e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"):
        for relu in ("", ".relu"):
            yield Form(f"cvt.rs{relu}.satfinite.{d}.f32", (*("f32",) * 4, "rbits"), d, NEWEST)


def approximations() -> Iterator[Form]:
    for op in ("ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt"):
        for ftz in ("", ".ftz"):
            yield Form(f"{op}.approx{ftz}.f32", ("f32",), "f32", ANY)
    yield Form("tanh.approx.f32", ("f32",), "f32", ANY)
    for op in ("rcp", "rsqrt"):
        yield Form(f"{op}.approx.ftz.f64", ("f64",), "f64", ANY)
    for ftz in ("", ".ftz"):
        yield Form(f"div.approx{ftz}.f32", ("f32", "f32"), "f32", ANY)
        yield Form(f"div.full{ftz}.f32", ("f32", "f32"), "f32", ANY)
    yield Form("ex2.approx.f16", ("f16",), "f16", ANY)
    yield Form("tanh.approx.f16", ("f16",), "f16", ANY)
    yield Form("ex2.approx.ftz.bf16", ("bf16",), "bf16", HOPPER)
    yield Form("tanh.approx.bf16", ("bf16",), "bf16", HOPPER)


def arithmetic() -> Iterator[Form]:
    """Where hardware alone can settle NaN and tininess."""
    for rnd in FOUR:
        for ftz in ("", ".ftz"):
            for op, count in (("add", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)):
                yield Form(f"{op}.{rnd}{ftz}.f32", ("f32",) * count, "f32", ANY)
        for op, count in (("add", 2), ("mul", 2), ("fma", 3)):
            yield Form(f"{op}.{rnd}.f64", ("f64",) * count, "f64", ANY)
    for f, target in (("f16", ANY), ("bf16", HOPPER)):
        for op, count in (("add", 2), ("mul", 2), ("fma", 3)):
            yield Form(f"{op}.rn.{f}", (f,) * count, f, target if op != "fma" else ANY)
    for op in ("min", "max"):
        for text, names in (
            ("", ("f16", "bf16", "f32", "f64")),
            (".NaN", ("f16", "bf16", "f32")),
            (".xorsign.abs", ("f32",)),
        ):
            for f in names:
                yield Form(f"{op}{text}.{f}", (f, f), f, "sm_86" if "xorsign" in text else ANY)
    for op in ("abs", "neg"):
        for f in ("f16", "bf16", "f32", "f64"):
            yield Form(f"{op}.{f}", (f,), f, ANY)
