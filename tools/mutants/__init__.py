"""PTX with one error introduced by a rule, and the verdicts of `check` and NVIDIA's assembler."""
