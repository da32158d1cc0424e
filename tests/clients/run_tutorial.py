"""Runs one of Triton's tutorials, in sizes for a CPU and without its benchmarks, which would not measure a GPU.

Of the configurations of `triton.autotune` the first two are compiled and run; a tutorial has up to 30.

python run_tutorial.py sm_90 06-fused-attention.py
"""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import openptx

CONFIGURATIONS = 2
CHANGES = {
    "09": {"8192": "512", "proton.start(": "raise SystemExit  # ("},  # what proton measures comes after all checks
    "10": {"8192": "256", "proton.start(": "raise SystemExit  # ("},
}
ARGUMENTS = {"09": ["-K", "512", "--prec", "fp16"], "10": ["--format", "mixed"]}
CALLS = {"06": "for how in (('bwd', 'triton-fp16'), ('fwd', 'triton-fp8')): test_op(1, 2, 128, 64, True, False, *how)"}
"""What tests of a tutorial its text does not call itself."""


class CublasOfTheCpu:
    """What tutorials compare with, where they do so in floating point that the CPU has."""

    def __init__(self, workspace: object) -> None:
        self.workspace = workspace

    def matmul(self, a: Any, b: Any, c: Any) -> None:
        """`b` is transposed."""
        c.copy_((a.double() @ b.double().T).to(c.dtype))


def exactly(layer_norm: Any) -> Any:
    """Computes the reference in f64: torch's sums of f16 on a CPU are seven times as far from it as the kernel's."""

    def reference(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
        return layer_norm(x.double(), shape, weight.double(), bias.double(), eps).to(x.dtype)

    return reference


def nothing(*given: Any, **options: Any) -> None:
    """What measuring becomes."""


def first_of(prune: Any) -> Any:
    """Fewer configurations than a function gives."""

    def few(*given: Any, **options: Any) -> Any:
        return prune(*given, **options)[:CONFIGURATIONS]

    return few


def prepare(target: str) -> None:
    """Replaces what is about the speed of a GPU, and what the tutorials compare with. Random numbers are the same each
    time: 05 adds 1,151 rows in f16, whose error (0.002 on average) exceeds its tolerance of 0.01 for one seed in 25."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    openptx.torch.activate(target, timeout=300)
    testing: Any = import_module("triton.testing")
    testing.Mark.run = nothing
    tuner: Any = import_module("triton.runtime.autotuner").Autotuner
    prune = tuner.prune_configs
    tuner.prune_configs = first_of(prune)
    import_module("triton._C.libtriton").nvidia.cublas.CublasLt = CublasOfTheCpu
    functional: Any = import_module("torch.nn.functional")
    functional.layer_norm = exactly(functional.layer_norm)


def main(target: str, script: str) -> None:
    prepare(target)
    number = Path(script).name[:2]
    sys.argv = [script, *ARGUMENTS.get(number, [])]
    if number in CHANGES or number in CALLS:
        script = changed(number, script)
    runpy.run_path(script, run_name="__main__")


def changed(number: str, script: str) -> str:
    """A copy in the current folder: Triton reads the source of its kernels from files."""
    text = Path(script).read_text("utf-8")
    for old, new in CHANGES.get(number, {}).items():
        assert old in text, f"{script} has changed: it has no {old}"
        text = text.replace(old, new)
    made = Path(f"tutorial_{number}.py").resolve()
    made.write_text(f"{text}\n{CALLS.get(number, '')}\n", "utf-8")
    return str(made)


main(*sys.argv[1:])
