"""Why a proof fails: the reasons by name."""

from __future__ import annotations

REASONS = {
    "barrier":        "a barrier: what one thread does depends on others",
    "warp-exchange":  "an exchange between the lanes of a warp",
    "atomic":         "an atomic operation: the order of threads matters",
    "shared-memory":  "shared memory: what one thread does depends on others",
    "call":           "a call through a register, or of a function that the module does not define",
    "branch-table":   "a branch through a table of labels",
    "trap":           "an instruction that ends the kernel with an error",
    "local-stack":    "`alloca`",
    "copy":           "an instruction that copies memory in steps",
    "special":        "a special register that is not an input of the launch",
    "variable":       "a variable of the module",
    "address":        "an address that is not made from one pointer parameter",
    "texture":        "a texture or surface",
    "instruction":    "an instruction that symbolic execution does not cover",
    "fault":          "no launch executes both kernels without a fault",
    "loop-bound":     "a loop, or calls of calls, that may go on after the bound (`--unroll`)",
    "time":           "no answer within the time limit",
    "solver":         "the solver gave up",
    "approximate":    "no difference found, but functions that PTX only bounds (`.approx`) are not interpreted",
    "unconfirmed":    "the solver's counterexample gives no difference when it is run",
}  # fmt: skip
"""The values of `Proof.reason`, and their meanings."""


class Unprovable(Exception):
    """The kernel cannot be decided: `reason` is one of REASONS, `detail` concerns this kernel. If it is `placed`,
    `detail` names the instruction.
    """

    def __init__(self, reason: str, detail: str = "", *, placed: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail, self.placed = reason, detail, placed
