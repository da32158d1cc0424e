"""`torch.compile` with Triton's kernels on tensors of the CPU."""

from __future__ import annotations
