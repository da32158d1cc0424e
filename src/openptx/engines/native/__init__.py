"""The native engine: warps as LLVM vectors, at the speed of compiled C. The rest runs on interp. `tiering` launches."""
