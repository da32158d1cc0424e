"""The expected LLVM text of a few small kernels: `python tests/unit/native/golden_ir.py` rewrites it.

It is what one fixed processor with AVX-512 gets, without what all kernels share. Names and labels are numbered anew by
their first appearance, so that a change shows where it is and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openptx.engines.native import pipeline
from openptx.engines.native.settings import Options
from openptx.llvm.host import CPU
from openptx.runtime.module import load

FOLDER = Path(__file__).parent / "golden"
PROCESSOR = CPU(
    "golden", "", fma=True, f16c=True, avx2=True, avx512=True, permute=True, permutes_bytes=False,
    permutes_words=False, fp16=False, gathers=False, x86=True,
)  # fmt: skip
_NUMBERED = re.compile(r"%v\d+\b|\bb\d+\b")


@contextmanager
def processor(cpu: CPU) -> Iterator[None]:
    """Kernels are lowered for this one meanwhile."""
    before = pipeline.host
    pipeline.host = lambda: cpu
    try:
        yield
    finally:
        pipeline.host = before


def renumbered(text: str) -> str:
    names: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        old = found[0]
        return names.setdefault(old, f"%v{len(names)}" if old.startswith("%") else f"b{len(names)}")

    return _NUMBERED.sub(name, text)


def lowered(path: Path) -> str:
    """The functions that it outlines, and the kernel's own."""
    module = load(path.read_text())
    with processor(PROCESSOR):
        made = pipeline.lower_kernel(
            module.program, module.program.function("k"), module.image, Options((64, 1, 1), False)
        )
    text = "\n".join([*(f.text for f in made.shared), made.text])
    functions = re.findall(r"^define [^\n]*@(?!openptx\.(?!shared))\w.*?^}$", text, re.MULTILINE | re.DOTALL)
    return "\n\n".join(map(renumbered, functions)) + "\n"


if __name__ == "__main__":
    for source in sorted(FOLDER.glob("*.ptx")):
        source.with_suffix(".ll").write_text(lowered(source))
