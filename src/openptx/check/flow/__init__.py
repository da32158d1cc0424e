"""Control flow of a function: reads and writes, definite assignment, divergence at barriers, lints."""
