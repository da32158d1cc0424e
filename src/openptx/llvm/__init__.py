"""LLVM in this process: compiling LLVM text to objects, and linking objects into memory."""
