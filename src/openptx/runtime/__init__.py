"""Everything a launch needs besides an engine: memory, loaded modules, arguments. Users start with `load`."""

from openptx.runtime.module import Kernel, LoadedModule, load

__all__ = ["Kernel", "LoadedModule", "load"]
