"""The runtime library that all kernels call: written in LLVM IR, compiled once for a processor."""
