"""PyTorch programs with `device="cuda"`, and `torch.compile`, without a GPU: tensors are in CPU memory, and Triton's
kernels are executed.

    import openptx.torch
    openptx.torch.activate(target="sm_90")         # then torch.randn(8, device="cuda"), and Triton's kernels
    python -m openptx.torch --target sm_90 script.py
    pytest -p openptx.torch.plugin --torch-target sm_90

    openptx.torch.compile_with_triton(target="sm_90")   # torch.compile makes Triton kernels, for tensors of the CPU

`activate` is `openptx.triton.activate`, and keeps tensors of a device `cuda` in the memory of the CPU. torch computes
with them as the CPU does: only Triton's kernels are executed as a GPU executes them.
"""

from openptx.torch.activation import activate, deactivate
from openptx.torch.inductor import compile_with_triton

__all__ = ["activate", "compile_with_triton", "deactivate"]
