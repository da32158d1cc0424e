"""What a launch needs beside an engine: memory, loaded modules, arguments. `load` is where users come in."""

from openptx.runtime.module import Kernel, LoadedModule, load

__all__ = ["Kernel", "LoadedModule", "load"]
