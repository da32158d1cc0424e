"""Overrides of the generic definitions by what LLVM and the processor have."""
