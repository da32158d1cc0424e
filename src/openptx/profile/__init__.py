"""The profiler: what a launch executes and what its memory accesses cost, by the definitions of Nsight Compute.

Its numbers of multiprocessors are a device's too, and nothing else of it is imported for them.
"""
