"""PTX with one mistake put in by a rule, and what `check` and NVIDIA's assembler say of it."""
