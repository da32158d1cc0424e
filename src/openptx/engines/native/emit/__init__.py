"""Emission of LLVM text: parts that get what they need, around a machine of meanings."""
