"""The compile server: a process that compiles PTX to machine code for another, which runs the kernel meanwhile."""
