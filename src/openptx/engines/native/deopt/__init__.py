"""Side exits to the generic version, and resumption by the interpreter."""
