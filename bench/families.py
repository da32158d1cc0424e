"""Large files of real compiler output: the files of one family, repeated under new names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from shapes import SHAPES

from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.declarations import Variable
from openptx.syntax.tree import Function

ROOT = Path(__file__).parents[1]
LARGE = 1_000_000  # bytes
_HEADER = re.compile(r"(?m)^[ \t]*\.(?:version|target|address_size)\b.*$")
_DEBUG_LABEL = re.compile(r"(?m)^(\$?L__?\w+|\$?Ltmp\w+|Lfunc\w+|\$L\w+):")
_TARGET = re.compile(r"\.target\s+sm_(\d+)(\w?)")
_FILE = re.compile(r"(?m)(^[ \t]*\.(?:file|loc)[ \t]+|inlined_at )(\d+)")

# fmt: off
#    family                  files of it                                                    target
FAMILIES = {
    "CUDA":                 (r"(?!triton|numba|llvm|gcc)\w+(?<!_debug)(?<!_lineinfo)(?<!_fast)", "sm_80"),
    "CUDA -G":              (r"(?!triton|numba|llvm|gcc)\w+_debug",                              "sm_90a, debug"),
    "CUDA -lineinfo":       (r"(?!triton|numba|llvm|gcc)\w+_lineinfo",                           "sm_90a"),
    "CUDA for sm_90a":      (r"(?!triton|numba|llvm|gcc)\w+_sm_?90a(?:_rdc)?",                   "sm_90a"),
    "CUDA for sm_100a":     (r"(?!triton|numba|llvm|gcc)\w+_sm_?100a(?:_rdc)?",                  "sm_100a"),
    "inline assembly":      (r"nvrtc_(?:hashes|tensor_cores|small_floats|libcudacxx)\w+",        "sm_90a"),
    "Triton":               (r"triton_\w+",                                                      "sm_90a"),
    "numba":                (r"numba_\w+(?<!_debug)",                                            "sm_90a"),
    "LLVM":                 (r"llvm_\w+",                                                        "sm_90a"),
    "GCC":                  (r"gcc_\w+",                                                         "sm_90a"),
}
# fmt: on


def files() -> list[tuple[str, Path]]:
    """The real PTX that is here, with a name that tells its compiler: the repository's, and what make_corpus made."""
    kernels = ((path.parent.name, path) for path in ROOT.glob("tests/kernels/*/kernel.ptx"))
    corpus = {
        path.stem: path for folder in ("tests/corpus/ptx", "build/corpus") for path in ROOT.glob(f"{folder}/*.ptx")
    }
    return sorted((*kernels, *corpus.items()))


def large() -> list[tuple[str, Path]]:
    """Those of a megabyte or more, which are measured by themselves."""
    return [(name, path) for name, path in files() if path.stat().st_size >= LARGE]


def family(name: str, size: int) -> str:
    """A file of the family with this many bytes; empty if the repository has no file of it."""
    pattern, target = FAMILIES[name]
    most = _TARGET.match(f".target {target}")
    assert most is not None
    chosen: list[str] = []
    for stem, path in files():
        if path.stat().st_size >= LARGE:
            continue
        text = path.read_text()
        own = _TARGET.search(text)
        if re.fullmatch(pattern, stem) and own is not None and _older(own, most):
            chosen.append(text)
    return repeated(chosen, size, target)


def texts(wanted: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """The families with their texts, what is large by itself, and plain arithmetic; or those of these names, which may
    be shapes too."""
    for name in FAMILIES:
        if (not wanted or name in wanted) and (text := family(name, 3_000_000)):
            yield name, text
    for name, path in large():
        if not wanted or name in wanted:
            yield name, path.read_text()
    for name in wanted or ("plain arithmetic",):
        if name in SHAPES:
            count, make = SHAPES[name]
            yield name, make(count)


def _older(own: re.Match[str], most: re.Match[str]) -> bool:
    """Whether what is written for one target is right for another."""
    return int(own[1]) <= int(most[1]) and own[2] in ("", most[2] if own[1] == most[1] else "")


def repeated(texts: list[str], size: int, target: str = "sm_80") -> str:
    """The functions of several files, again and again under new names, until the text is so large."""
    parts = [f".version 9.3\n.target {target}\n.address_size 64\n"]
    named = [_named(_HEADER.sub("", text)) for text in texts]
    length = turn = 0
    while texts and length < size:
        for number, (pattern, text) in enumerate(named, turn):
            parts.append(_numbered(pattern.sub(rf"\1_{number}\2", text), 100 * number))
            length += len(parts[-1])
        turn += len(named)
    return "".join(parts)


def _numbered(text: str, first: int) -> str:
    """The text with other numbers of source files."""
    return _FILE.sub(lambda match: f"{match[1]}{int(match[2]) + first}", text)


def _named(text: str) -> tuple[re.Pattern[str], str]:
    """A file and what matches the names in it that the whole file sees."""
    names = {*_names(text), *(_DEBUG_LABEL.findall(text) if ".section" in text else ())}
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?<![\w$.])({words})(_param_[0-9]+|)(?![\w$.])"), text


def _names(text: str) -> Iterator[str]:
    for item in parse(File("", text)).items:
        if isinstance(item, Function) and item.name.text != "vprintf":
            yield item.name.text
        elif isinstance(item, Variable):
            yield from (declarator.name.text for declarator in item.names)
