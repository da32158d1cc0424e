"""The profiler: what a launch executes and what its memory accesses cost, by the definitions of Nsight Compute.

Device queries use its numbers of multiprocessors too; nothing else of it is imported for them.
"""
