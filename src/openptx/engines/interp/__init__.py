"""The reference engine: registers are NumPy arrays over the lanes of a batch of CTAs, one lane a thread."""

from openptx.engines.interp.launch import launch

__all__ = ["launch"]
