"""The engine `auto`: a launch starts where its first result is expected first, and moves to machine code."""
