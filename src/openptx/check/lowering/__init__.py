"""From a resolved module to a Program: memory is laid out, registers are numbered, operands are bound."""
