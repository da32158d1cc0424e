# Types of what we use of llvmlite, which carries none.
