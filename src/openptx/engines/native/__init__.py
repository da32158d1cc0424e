"""The native engine: warps as LLVM vectors, at the speed of compiled C. What it can't do runs on the reference engine."""

from openptx.engines.native.choose import auto, launch

__all__ = ["auto", "launch"]
