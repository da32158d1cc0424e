"""Triton without a GPU: its kernels run on CPU tensors and NumPy arrays, compiled for the target of your choice.

    import openptx.triton
    openptx.triton.activate(target="sm_90")        # then kernel[grid](x, y, ...) as before, with CPU tensors

The PTX that Triton compiles is executed, bit for bit as by that target. Neither Triton nor torch is imported before
`activate`; NumPy arrays need no torch at all.
"""

from openptx.triton.activation import activate, active_target, deactivate

__all__ = ["activate", "active_target", "deactivate"]
