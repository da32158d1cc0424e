"""Side exits to the generic version, and resumption in the interpreter."""
