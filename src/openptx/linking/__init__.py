"""Links PTX modules into one, by the rules of NVIDIA's linker: a text that checks, runs and assembles as any other.

`modules` reads what each file declares, `resolution` chooses the definition that stands for each name, `header` and
`renaming` let the modules stand in one file, `link` writes it.
"""

from openptx.linking.device_runtime import device_runtime
from openptx.linking.link import link, link_files

__all__ = ["device_runtime", "link", "link_files"]
