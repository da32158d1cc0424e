"""The native engine: warps as LLVM vectors, at the speed of compiled C. The rest runs on interp."""

from openptx.engines.native.compiler import prepare

prepare()

from openptx.engines.native.choose import auto, gap, launch  # noqa: E402  what takes its time has begun

__all__ = ["auto", "gap", "launch"]
