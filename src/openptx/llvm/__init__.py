"""LLVM in this process: objects from LLVM text, and objects linked into memory."""
