"""Overrides of the generic definitions by instructions of LLVM and the processor."""
