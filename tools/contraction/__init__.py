"""Random programs, contracted by NVIDIA's assembler and here (tools/compare_contraction.py)."""
