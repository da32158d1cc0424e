"""Runs one of Triton's tutorials without its measurements, which say nothing of a GPU here.

Of the configurations of `triton.autotune` the first two are compiled and run; a tutorial has up to 30.

python run_tutorial.py sm_90 06-fused-attention.py
"""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from typing import Any

import openptx

CONFIGURATIONS = 2


def main(target: str, script: str) -> None:
    openptx.torch.activate(target, timeout=300)
    testing: Any = import_module("triton.testing")
    testing.Mark.run = lambda *given, **options: None
    tuner: Any = import_module("triton.runtime.autotuner").Autotuner
    prune = tuner.prune_configs
    tuner.prune_configs = lambda *given, **options: prune(*given, **options)[:CONFIGURATIONS]
    sys.argv = [script]
    runpy.run_path(script, run_name="__main__")


main(*sys.argv[1:])
