"""Proofs that two kernels are equivalent, by symbolic execution and z3. docs/prove.md."""

from openptx.prove.entry import prove
from openptx.prove.report import Counterexample, Proof

__all__ = ["Counterexample", "Proof", "prove"]
