"""What all kernels call: written in LLVM's notation, compiled once for a processor."""
