"""Runs a PyTorch or Triton script for `cuda`: `python -m openptx.torch --target sm_90 script.py ARGUMENTS`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from openptx.errors import Error
from openptx.torch.activation import activate


def main() -> int:
    """Runs the script as `python script.py` would."""
    parser = argparse.ArgumentParser("python -m openptx.torch", description="Run a PyTorch script without a GPU.")
    target = os.environ.get("OPENPTX_DEVICE") or "sm_90"
    parser.add_argument("--target", metavar="SM", default=target, help="the device's target (%(default)s)")
    parser.add_argument(
        "--engine", choices=("auto", "interp", "native"), default="auto", help="what runs kernels (auto)"
    )
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="stop a launch with a fault after this time")
    parser.add_argument("--sanitize", metavar="TOOLS", nargs="?", const="all", help="some of race,init,sync,mem (all)")
    parser.add_argument("script", help="the Python script to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the arguments of the script")
    options = parser.parse_args()
    if not os.path.isfile(options.script):
        parser.error(f"no script {options.script}")
    try:
        activate(options.target, engine=options.engine, timeout=options.timeout, sanitize=options.sanitize)
    except Error as error:
        parser.error(str(error))
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    runpy.run_path(options.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
