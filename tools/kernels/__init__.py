"""The execution cases: for each kernel of tests/kernels/sources, its inputs and what must come out."""
