r"""Prove that the kernels of two files are equivalent for all inputs, or show a launch in which they differ.

    openptx prove before.ptx after.ptx
    openptx prove O0.ptx O3.ptx --kernel saxpy --unroll 32 --timeout 300

Kernels with the same name are compared; if each file has one kernel, these two are, whatever their names. One thread
of an arbitrary launch is executed symbolically, and z3 (pip install 'openptx[prove]') decides whether both kernels
leave the same bits in memory. A counterexample is run on the interpreter before it is shown. If a kernel depends on
other threads (barriers, shared memory, atomics, shuffles), the answer is "unknown", with the reason. docs/prove.md
lists the assumptions.

The exit status is 0 if all kernels are equivalent, 1 if one differs, and 2 if none differs and one is unknown, or if a
file has errors.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from openptx.cli.exit_status import ABNORMAL, CLEAN, FINDINGS
from openptx.cli.failures import report
from openptx.cli.files import load, require_one_stdin
from openptx.cli.launch_options import CONTRACT, pick
from openptx.cli.terminal import Clock
from openptx.errors import CheckError, InputError
from openptx.prove import Proof
from openptx.prove.entry import TIMEOUT, UNROLL, prove
from openptx.rewrite import CONTRACTIONS
from openptx.runtime import Kernel, LoadedModule
from openptx.runtime import load as load_module


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx prove`."""
    add = parser.add_argument
    add("a", metavar="A", help="a PTX file, or - for stdin")
    unroll = f"unroll loops of unknown length up to N iterations (default: {UNROLL})"
    add("b", metavar="B", help="the PTX file to compare it with")
    add("--kernel", metavar="NAME", action="append", default=[], help="compare this kernel (repeatable; default: all)")
    add("--unroll", metavar="N", type=int, default=UNROLL, help=unroll)
    add("--timeout", metavar="SECONDS", type=float, default=TIMEOUT, help=f"limit per kernel (default: {TIMEOUT:g})")
    add("--contract", choices=CONTRACTIONS, help=CONTRACT)
    add("--output-format", choices=("text", "json"), default="text", help="text (default) or json")


def run(args: Namespace) -> int:
    """Load both, prove each pair, print the results in their order."""
    require_one_stdin(args.a, args.b)
    try:
        modules = [load_module(load(name), contract=args.contract) for name in (args.a, args.b)]
    except CheckError as error:
        report(error)
        return ABNORMAL  # 1 would mean that the kernels differ
    proofs: list[Proof] = []
    for a, b in pairs(modules[0], modules[1], args):
        with Clock(f"proving `{a.name}`"):
            proofs.append(prove(a, b, unroll=args.unroll, timeout=args.timeout))
        if args.output_format == "text":
            print(proofs[-1], flush=True)
    if args.output_format == "json":
        json.dump([proof.as_json() for proof in proofs], sys.stdout, indent=1)
        print()
    verdicts = {proof.verdict for proof in proofs}
    return FINDINGS if "different" in verdicts else ABNORMAL if "unknown" in verdicts else CLEAN


def pairs(a: LoadedModule, b: LoadedModule, args: Namespace) -> list[tuple[Kernel, Kernel]]:
    """The pairs of kernels to compare. Raises InputError if a name is only in one file."""
    if args.kernel:
        return [(pick(a, name, args.a), pick(b, name, args.b)) for name in args.kernel]
    if len(a.kernels) == 1 and len(b.kernels) == 1:
        return [(pick(a, None, args.a), pick(b, None, args.b))]
    for module, other, filename in ((a, b, args.b), (b, a, args.a)):
        missing = [name for name in module.kernels if name not in other]
        if missing:
            raise InputError(f"{filename}: no kernel `{missing[0]}`; --kernel NAME compares some")
    if not a.kernels:
        raise InputError(f"{args.a}: no kernel in it")
    return [(a[name], b[name]) for name in a.kernels]
