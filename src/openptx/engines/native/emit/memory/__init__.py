"""Lowering of memory accesses: checks, fast paths, and the slow path that is exact."""
