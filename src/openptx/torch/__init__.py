"""Programs of torch that say `cuda`, and `torch.compile`, without a GPU: tensors are the CPU's, kernels Triton's.

    import openptx.torch
    openptx.torch.activate(target="sm_90")         # then torch.randn(8, device="cuda") as ever, and Triton's kernels
    python -m openptx.torch --target sm_90 script.py
    pytest -p openptx.torch.plugin --torch-target sm_90

`activate` is `openptx.triton.activate`, and makes tensors of a device `cuda` tensors of the CPU. torch computes with
them as the CPU does: only Triton's kernels are executed as a GPU executes them.
"""

from openptx.torch.activation import activate, deactivate

__all__ = ["activate", "deactivate"]
