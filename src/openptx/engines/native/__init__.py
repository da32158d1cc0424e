"""The native engine: warps as LLVM vectors, at the speed of compiled C. The rest runs on interp."""

from openptx.engines.native.tiering import auto, gap, launch

__all__ = ["auto", "gap", "launch"]
