"""Triton without a GPU: its kernels run on CPU tensors and NumPy arrays, compiled for the target of your choice.

    import openptx.triton
    openptx.triton.activate(target="sm_90")        # then kernel[grid](x, y, ...) as ever, with tensors of the CPU

What Triton compiles to PTX is executed, bit for bit as that target does. Nothing of Triton or torch is imported before
`activate`; NumPy arrays need no torch at all.
"""

from openptx.triton.activation import activate, active_target, deactivate

__all__ = ["activate", "active_target", "deactivate"]
