"""The profiler: what a launch executes and what its memory accesses cost, by the definitions of Nsight Compute."""

from openptx.profile.entry import profile
from openptx.profile.findings import Finding
from openptx.profile.report import Profile

__all__ = ["Finding", "Profile", "profile"]
