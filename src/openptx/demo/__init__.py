"""The first kernel that a newcomer runs: `mandelbrot.ptx`, made by nvcc from `mandelbrot.cu`, both kept here."""

from __future__ import annotations

from pathlib import Path

from openptx.reading import read
from openptx.source import File

FOLDER = Path(__file__).parent
MISTAKE = ("%f22, %f26, %f2;", "%f22, %rd4, %f2;")
"""What `broken()` replaces: a register of 32 bits becomes one of 64."""


def kernel() -> File:
    """The kernel as the compiler wrote it."""
    return File("mandelbrot.ptx", read(FOLDER / "mandelbrot.ptx").text)


def broken() -> File:
    """The kernel with one wrong register."""
    return File("broken.ptx", kernel().text.replace(*MISTAKE))
