"""A newcomer's first kernel: `mandelbrot.ptx`, compiled by nvcc from `mandelbrot.cu`, both kept here."""

from __future__ import annotations

from pathlib import Path

from openptx.reading import read
from openptx.source import File

FOLDER = Path(__file__).parent
MISTAKE = ("%f22, %f26, %f2;", "%f22, %rd4, %f2;")
"""The replacement that `broken()` makes: a 32-bit register becomes a 64-bit one."""


def kernel() -> File:
    """The kernel as the compiler wrote it."""
    return File("mandelbrot.ptx", read(FOLDER / "mandelbrot.ptx").text)


def broken() -> File:
    """The kernel with one wrong register."""
    return File("broken.ptx", kernel().text.replace(*MISTAKE))
