"""Which shared variables of a module belong to one kernel alone: those of several kernels have the same places.

A CTA has the variables of its kernel, so that is what their addresses are in (5.1.7). Descriptors of matrices hold 18
bits of them, and modules of many kernels have more than that in all.
"""

from __future__ import annotations

from collections import Counter

from openptx.syntax.declarations import Variable
from openptx.syntax.lexical import words
from openptx.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.syntax.tree import Module


def owners(module: Module) -> dict[str, str]:
    """The kernel that alone names a shared variable, by the variable's name. None where there are not several kernels.

    What functions name belongs to all, since any kernel may call them. Initial values hold no such address (5.4.4).
    """
    bodies = [item for item in module.items if isinstance(item, Function) and item.body is not None]
    if sum(function.kind == "entry" for function in bodies) < 2:
        return {}
    declared = Counter(
        name.name.text
        for item in module.items
        if isinstance(item, Variable) and item.space == "shared"
        for name in item.names
        if name.count is None
    )
    found: dict[str, str] = {}
    several = {name for name, times in declared.items() if times > 1}
    for function in bodies if declared else ():
        assert function.body is not None
        for name in declared.keys() & words(module.file.text, *function.body):
            if function.kind != "entry" or name in found:
                several.add(name)
            found[name] = function.name.text
    return {name: kernel for name, kernel in found.items() if name not in several}
