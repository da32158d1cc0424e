"""Finds the PTX that programs, libraries and object files carry for the driver to compile.

`images` reads NVIDIA's fat binaries, wherever they are in a file; `compression` unpacks their images.
"""

from openptx.fatbin.extract import ExtractedPtx, extract

__all__ = ["ExtractedPtx", "extract"]
