"""Writes a corpus of real PTX: our kernels through every compiler, for many targets, each file judged by ptxas.

python tools/make_corpus.py             everything, into build/corpus with manifest.json
python tools/make_corpus.py --subset    the small part that the repository carries, into tests/corpus/ptx
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from compilers import nvidia
from corpus.recipes import SUBSET, Recipe, compile_recipe, recipes

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subset", action="store_true", help="only what is committed")
    options = parser.parse_args()
    every = list(recipes(ROOT))
    chosen = [r for r in every if r.name in SUBSET] if options.subset else every
    if options.subset and len(chosen) != len(SUBSET):
        unknown = sorted(set(SUBSET) - {r.name for r in every})
        print(f"no recipe is called {', '.join(unknown)}", file=sys.stderr)
        return 1
    folder = ROOT / ("tests/corpus/ptx" if options.subset else "build/corpus")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ptx"):
        old.unlink()
    rows, failed, missing = [], [], Counter[str]()
    for recipe in chosen:
        try:
            text = compile_recipe(recipe)
        except (ImportError, OSError) as error:
            if not missing[recipe.compiler]:
                print(f"{recipe.compiler} is not installed: {error}", file=sys.stderr)
            missing[recipe.compiler] += 1
            continue
        except nvidia.CompileError as error:
            failed.append(f"{recipe.name}: {str(error).strip()[:500]}")
            print(failed[-1], file=sys.stderr)
            continue
        (folder / f"{recipe.name}.ptx").write_text(text)
        rows.append(row(recipe, text))
        if rows[-1]["ptxas"] != 0:
            failed.append(f"{recipe.name}: ptxas: {rows[-1]['message']}")
            print(failed[-1], file=sys.stderr)
    manifest = folder.parent / "manifest.json" if options.subset else folder / "manifest.json"
    manifest.write_text("[\n" + ",\n".join(f" {json.dumps(r)}" for r in rows) + "\n]\n")
    accepted, size = sum(r["ptxas"] == 0 for r in rows), sum(r["bytes"] for r in rows)
    print(f"{len(rows)} files, {size:,} bytes, {accepted} accepted by ptxas, {len(failed)} failures")
    if missing:
        print(f"left out for want of a compiler: {dict(missing)}")
    return int(bool(failed))


def row(recipe: Recipe, text: str) -> dict[str, Any]:
    """What the manifest says of one file."""
    status, message = nvidia.ptxas(text)
    return {
        "file": f"{recipe.name}.ptx",
        "compiler": recipe.compiler,
        "source": recipe.source.relative_to(ROOT).as_posix(),
        "options": recipe.options,
        "target": nvidia.target_of(text),
        "version": nvidia.version_of(text),
        "bytes": len(text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "ptxas": status,
        "message": message.strip()[:300],
    }


if __name__ == "__main__":
    sys.exit(main())
