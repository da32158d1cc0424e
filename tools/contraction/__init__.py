"""Contraction of random programs by NVIDIA's assembler and by OpenPTX (tools/compare_contraction.py)."""
