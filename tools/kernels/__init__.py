"""The execution cases: inputs and expected outputs for each kernel of tests/kernels/sources."""
