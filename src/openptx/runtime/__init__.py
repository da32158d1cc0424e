"""What a launch needs beside an engine: memory, loaded modules, arguments, faults."""
