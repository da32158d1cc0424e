"""Objects of compiled kernels on disk."""
