"""Emission of LLVM text: collaborating parts around a machine that runs the meanings."""
