"""The state spaces of 5.1: who can access them, and how declarations and instructions name them."""

from __future__ import annotations


class Space:
    """A state space. `sub` are its sub-qualifiers in instructions; `declared` says whether variables can be declared in
    it."""

    __slots__ = ("declared", "name", "shared_by", "sub", "text")

    def __init__(self, name: str, declared: bool, shared_by: str, sub: tuple[str, ...], text: str) -> None:
        self.name = name
        self.declared = declared
        self.shared_by = shared_by
        self.sub = sub
        self.text = text


# fmt: off
#            name      declared shared by   sub-qualifiers         what it is
SPACES: dict[str, Space] = {s.name: s for s in (
    Space("reg",     True,  "thread",   (),                    "registers"),
    Space("sreg",    False, "thread",   (),                    "special registers, predefined and read-only"),
    Space("const",   True,  "grid",     (),                    "constant memory, read-only for kernels"),
    Space("global",  True,  "context",  (),                    "global memory"),
    Space("local",   True,  "thread",   (),                    "memory of one thread"),
    Space("param",   True,  "grid",     ("entry", "func"),     "kernel parameters, and parameters of functions"),
    Space("shared",  True,  "cluster",  ("cta", "cluster"),    "memory of a CTA, visible to its cluster"),
    Space("tex",     True,  "context",  (),                    "textures; deprecated, use .global .texref"),
)}
# fmt: on
