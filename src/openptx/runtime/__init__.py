"""What a launch needs beside an engine: memory, loaded modules, arguments. `load` is where users come in."""

from openptx.runtime.module import Kernel, Module, load

__all__ = ["Kernel", "Module", "load"]
