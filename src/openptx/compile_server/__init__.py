"""The compile server: a process that makes machine code of PTX for another, which runs the kernel meanwhile."""
