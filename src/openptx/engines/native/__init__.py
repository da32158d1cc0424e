"""The native engine: warps as LLVM vectors, at the speed of compiled C. What it cannot run, interp runs. `entry`
launches."""
