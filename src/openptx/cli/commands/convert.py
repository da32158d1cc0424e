"""Convert numbers between formats exactly as PTX `cvt` does, and print the rounding error.

openptx convert --to e4m3 449 -0.0 nan        from f32, rounded to nearest even
openptx convert --to s32 --round rmi -2.5     to an integer, rounded down
openptx convert --to e4m3x2 1.5 -2            two values packed into a register
openptx convert --to f32 --from e4m3 0x7E     from the bits of a value
openptx convert --to bf16 @in.npy --save out.npy
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

import openptx
from openptx.cli.exit_status import CLEAN
from openptx.cli.saving import refuse_stdout, require_writable, save_arrays
from openptx.errors import ArgumentError, InputError
from openptx.numerics import describe
from openptx.numerics.cvt_spec import CvtSpec


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx convert`."""
    parser.add_argument(
        "values", nargs="+", metavar="VALUE", help="a number, inf, nan, the bits 0x7E or 0f3F800000, or @FILE.npy"
    )
    parser.add_argument(
        "--to", required=True, metavar="FORMAT", help="f16 bf16 tf32 f32 f64, e4m3 e5m2 ..., s8 to u64, e4m3x2 ..."
    )
    parser.add_argument(
        "--from", dest="source", metavar="FORMAT", help="the values' format (default: f32; for an array its dtype)"
    )
    parser.add_argument("--round", metavar="MODE", help="rn rna rz rm rp rs; to integers rni rzi rmi rpi")
    parser.add_argument("--satfinite", action="store_true", help="overflow gives the largest finite number")
    parser.add_argument("--sat", action="store_true", help="clamp to [0, 1], or to the range of the integer")
    parser.add_argument("--relu", action="store_true", help="clamp negative results to 0")
    parser.add_argument("--ftz", action="store_true", help="flush subnormal f32 values to 0")
    parser.add_argument("--rbits", type=random_bits, metavar="N", help="the random bits for --round rs")
    parser.add_argument("--save", metavar="OUT.npy", help="write the converted array into this file")
    layouts = "full (default), concise: the bits alone, or json"
    parser.add_argument("--output-format", choices=("full", "concise", "json"), default="full", help=layouts)


def run(args: Namespace) -> int:
    """Convert values one by one, or one array."""
    values: list[str] = [text.strip() for text in args.values]
    if any(text.startswith("@") for text in values):
        if len(values) > 1:
            raise InputError("an array is the only value: one @FILE.npy")
        return convert_file(args, values[0][1:])
    if args.save:
        raise InputError("`--save` is for arrays: @FILE.npy")

    form = CvtSpec(
        args.to, args.source or "f32", args.round, sat=args.sat, satfinite=args.satfinite, relu=args.relu, ftz=args.ftz
    )
    if form.stochastic != (args.rbits is not None):
        raise ArgumentError("`--round rs` needs `--rbits`" if form.stochastic else "`--rbits` is for `--round rs`")
    if len(values) % form.values:
        raise ArgumentError(f"{form.into.name} takes {form.values} values at a time, not {len(values)}")
    print(report(form, values, args.rbits or 0, args.output_format))
    return CLEAN


def report(form: CvtSpec, values: list[str], rbits: int, layout: str) -> str:
    """All results, in one of three layouts."""
    groups = [values[i : i + form.values] for i in range(0, len(values), form.values)]
    results = [describe.results(form, group, rbits) for group in groups]
    if layout == "json":
        import json

        return json.dumps([part.facts() for parts in results for part in parts], indent=2)
    if layout == "concise":
        return "\n".join(describe.hexadecimal(form.into, describe.register(form, parts)) for parts in results)
    blocks: list[str] = []
    for group, parts in zip(groups, results, strict=True):
        lines = [f"{' '.join(group)}  {form}"]
        if len(parts) > 1:
            lines.append(f"  register {describe.hexadecimal(form.into, describe.register(form, parts))}")
        for part in parts:
            lines += [f"  {part.text}"] * (len(parts) > 1) + part.lines()
            others = describe.roundings(form, part.operand) if len(parts) == 1 and part.error else []
            if others:
                lines.append("  by mode  " + ", ".join(f"{o.text} {describe.number(o.value)}" for o in others))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def convert_file(args: Namespace, path: str) -> int:
    """Convert a saved array; formats that NumPy lacks are saved as codes in unsigned integers."""
    import numpy as np

    from openptx.runtime.npy import read_array

    refuse_stdout(args.save, "--save -")
    array = read_array(path)
    if args.save:
        require_writable([args.save])
    result = openptx.convert(
        array,
        args.to,
        source=args.source,
        rounding=args.round,
        sat=args.sat,
        satfinite=args.satfinite,
        relu=args.relu,
        ftz=args.ftz,
        rbits=args.rbits,
    )
    codes = result if result.dtype.kind in "iuf" and result.dtype.isbuiltin == 1 else result.view(f"u{result.itemsize}")
    if args.save:
        save_arrays([(args.save, codes)])
    print(f"{array.dtype} {array.shape} -> {args.to} {result.shape}" + (f", saved to {args.save}" if args.save else ""))
    if not args.save:
        print(np.array2string(result, threshold=100))
    return CLEAN


def random_bits(text: str) -> int:
    """A number of 32 bits, for `.rs`."""
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value < 1 << 32:
        raise ArgumentTypeError(f"a whole number from 0 to {(1 << 32) - 1}, not {text.strip()}")
    return value
