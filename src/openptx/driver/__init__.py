"""CUDA's driver API: the entry points of `libcuda.so.1`, implemented on this computer (docs/driver.md).

    openptx exec -- python train.py        the program's `libcuda.so.1` is ours

`libcuda/` is the library: each entry point of `entry_points.txt` jumps through a table, which `start` fills with
functions of this package when the program first calls. A module here is a chapter of the driver's manual; each function
names the entry points that it implements (`calls`). Work is done in the calling thread, so that streams, events and
copies are in order without waiting; only a capture (`graphs`) defers it.
"""
