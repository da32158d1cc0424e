"""Links PTX modules into one, by the rules of NVIDIA's linker: a text that checks, runs and assembles as any other.

`modules` reads the declarations of each file, `resolution` chooses the definition of each name, `header` and `renaming`
make the modules fit into one file, `link` writes it.
"""

from openptx.linking.device_runtime import device_runtime, is_device_runtime
from openptx.linking.link import link, link_files

__all__ = ["device_runtime", "is_device_runtime", "link", "link_files"]
