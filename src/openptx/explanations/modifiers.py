"""Explains modifiers: one sentence each, and the instructions that have them."""

from __future__ import annotations

from openptx.diagnostics.terminal import title
from openptx.explanations.types import sentence
from openptx.isa.costs import cost_of
from openptx.isa.notation import INSTRUCTIONS, Instruction, load
from openptx.isa.types import TYPES

# fmt: off
MODIFIERS = {
    # rounding: PTX ISA, Rounding Modifiers, Tables 17 and 18
    "rn":            "rounds to nearest, ties to even",
    "rna":           "rounds to nearest, ties away from zero",
    "rz":            "rounds towards zero",
    "rm":            "rounds towards minus infinity",
    "rp":            "rounds towards plus infinity",
    "rs":            "rounds stochastically, with random bits from an operand",
    "rni":           "rounds to the nearest integer, ties to even",
    "rzi":           "rounds to an integer, towards zero",
    "rmi":           "rounds to an integer, towards minus infinity",
    "rpi":           "rounds to an integer, towards plus infinity",
    # handling of special values
    "ftz":           "takes subnormal inputs and results as zeros of the same sign",
    "noftz":         "keeps subnormal inputs and results",
    "sat":           "clamps the result: floats to [0.0, 1.0], integers to the range of their type",
    "satfinite":     "gives the largest finite number instead of one out of range or an infinity",
    "relu":          "gives +0 instead of a negative result; a NaN becomes the canonical NaN",
    "NaN":           "gives NaN when an operand is NaN, instead of the other operand",
    "xorsign":       "gives the result the exclusive or of the operands' signs; needs .abs",
    "abs":           "compares absolute values",
    "approx":        "computes fast, within an error bound that the manual gives",
    "full":          "divides within 2 ulp over the full range",
    "oob":           "gives 0 where an operand is the NaN that marks out-of-bounds data",
    # integer arithmetic and bits
    "lo":            "takes the lower half of the product",
    "hi":            "takes the upper half of the product; in comparisons, unsigned higher",
    "wide":          "takes the whole product, twice as wide as its factors",
    "cc":            "writes the carry flag",
    "wrap":          "takes the position or amount modulo the width",
    "clamp":         "limits the position or amount to the width",
    "shiftamt":      "gives the shift that brings the found bit to the top, instead of its position",
    "l":             "shifts left",
    "r":             "shifts right",
    # comparisons
    "eq":            "equal",
    "ne":            "not equal",
    "lt":            "less",
    "le":            "less or equal",
    "gt":            "greater",
    "ge":            "greater or equal",
    "ls":            "lower or same, unsigned",
    "hs":            "higher or same, unsigned",
    "equ":           "equal, or an operand is NaN",
    "neu":           "not equal, or an operand is NaN",
    "ltu":           "less, or an operand is NaN",
    "leu":           "less or equal, or an operand is NaN",
    "gtu":           "greater, or an operand is NaN",
    "geu":           "greater or equal, or an operand is NaN",
    "num":           "both operands are numbers",
    "nan":           "an operand is NaN",
    # operations of reductions and atomics
    "add":           "adds",
    "min":           "takes the smaller",
    "max":           "takes the larger",
    "inc":           "counts up to the operand, then starts at 0 again",
    "dec":           "counts down, and from 0 or beyond the operand starts at it again",
    "exch":          "exchanges",
    "cas":           "writes when the old value equals an operand",
    "and":           "takes the bitwise and",
    "or":            "takes the bitwise or",
    "xor":           "takes the bitwise exclusive or",
    "popc":          "counts the threads whose predicate is true",
    # memory
    "global":        "global memory",
    "shared":        "memory of the block; .shared::cluster, of any block of the cluster",
    "local":         "memory of the thread",
    "const":         "constant memory, read-only",
    "param":         "parameters: of the kernel, or of a function call",
    "volatile":      "is not reordered or merged with other accesses; others may write meanwhile",
    "relaxed":       "is atomic within its scope, and orders nothing else",
    "acquire":       "later accesses stay after it",
    "release":       "earlier accesses stay before it",
    "acq_rel":       "acquires and releases",
    "sc":            "takes part in the single total order of such fences",
    "weak":          "is an ordinary access, without order",
    "mmio":          "accesses memory-mapped devices: exactly once, as written",
    "cta":           "ordered among the threads of the block",
    "cluster":       "ordered among the threads of the cluster",
    "gpu":           "ordered among the threads of the device",
    "sys":           "ordered among all threads of the system",
    "v2":            "moves two elements",
    "v4":            "moves four elements",
    "v8":            "moves eight elements",
    "ca":            "caches at all levels",
    "cg":            "caches at the level of the device",
    "cs":            "caches as data that is used once",
    "lu":            "caches as data that is used for the last time",
    "cv":            "does not cache, fetches again",
    "wb":            "writes back through the caches",
    "wt":            "writes through the caches",
    "nc":            "reads through the read-only cache",
    "to":            "converts a generic address to one of the state space",
    # warps and blocks
    "sync":          "waits for the threads of the mask, or of the barrier",
    "aligned":       "all threads of the warp execute the same instruction",
    "arrive":        "counts as arrived, without waiting",
    "warp":          "the threads of a warp",
    "up":            "from the lane whose number is smaller by the operand",
    "down":          "from the lane whose number is greater by the operand",
    "bfly":          "from the lane whose number is the exclusive or with the operand",
    "idx":           "from the lane with this number; in brx, to the label with this index",
    "all":           "true in all threads",
    "any":           "true in any thread",
    "uni":           "all active threads agree: on the target, or on the predicate",
    "ballot":        "a bit for each thread",
}
# fmt: on
OF_MNEMONIC = {("vote", "uni"): "the same in all threads", ("bar", "red"): "reduces a predicate over the block"}


def meaning_of(modifier: str, mnemonic: str = "") -> str:
    """A sentence about a modifier, or about the type that it names; empty if there is none."""
    if (mnemonic, modifier) in OF_MNEMONIC:
        return OF_MNEMONIC[mnemonic, modifier]
    if modifier in TYPES:
        return sentence(TYPES[modifier])
    return MODIFIERS.get(modifier) or MODIFIERS.get(modifier.split("::")[0], "")


def explain_modifier(word: str) -> str | None:
    """A modifier, and every instruction that has it."""
    modifier = word.lstrip(".")
    users = instructions_with(modifier)
    if not users and modifier not in MODIFIERS:
        return None
    text = meaning_of(modifier)
    lines = [title(f".{modifier}"), *([text] if text else [])]
    if (cost := cost_of(modifier)) is not None:
        note = f": {cost.note}" if cost.note else ""
        lines.append(f"an operand there costs {cost}{note} (Table 19)")
    return "\n".join([*lines, "", f"in: {' '.join(users) if users else 'no instruction that is declared here'}"])


def instructions_with(modifier: str) -> list[str]:
    """The mnemonics that have a modifier in one of their forms."""
    load()
    return list(dict.fromkeys(each.mnemonic for each in INSTRUCTIONS if modifier in modifiers_of(each)))


def modifiers_of(each: Instruction) -> set[str]:
    """Every modifier of an instruction."""
    return {choice for form in each.forms for slot in form.slots for choice in slot.choices} | set(each.parts[1:])
