"""Paths and switches read without `argparse` are what `argparse` reads."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from openptx.cli import check, fmt
from openptx.cli.plain_arguments import PlainArguments


@pytest.mark.parametrize("module", [check, fmt])
@pytest.mark.parametrize("text", ["a.ptx", "a.ptx b.ptx", "-", "- a.ptx", "a.ptx --diff", "--diff a.ptx b.ptx"])
def test_they_are_what_argparse_reads(module: object, text: str) -> None:
    argv = text.replace("--diff", "--diff" if module is check else "--check").split()
    parser = ArgumentParser()
    plain = PlainArguments()
    for each in (parser, plain):
        module.add_arguments(each)  # type: ignore[attr-defined]
    assert plain.read(argv)
    assert vars(parser.parse_args(argv)).items() <= vars(plain).items()


def test_a_list_of_one_command_line_is_not_that_of_the_next() -> None:
    first, second = PlainArguments(), PlainArguments()
    for each in (first, second):
        check.add_arguments(each)  # type: ignore[arg-type]
    assert first.select == []  # type: ignore[attr-defined]
    assert first.select is not second.select  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", ["", "--diff", "--help", "-h", "a.ptx --target sm_90", "a.ptx --diff b.ptx", "a.ptx --dif", "--",
             "-- a.ptx", "-inf", "a.ptx -x", "--output-format=json a.ptx", "--diff=1 a.ptx"],
)  # fmt: skip
def test_all_else_is_left_to_argparse(text: str) -> None:
    plain = PlainArguments()
    check.add_arguments(plain)  # type: ignore[arg-type]
    assert not plain.read(text.split())


def test_arguments_of_other_kinds_are_left_to_argparse() -> None:
    plain = PlainArguments()
    plain.add_argument("command")
    plain.add_argument("files", nargs="+")
    assert not plain.read(["a.ptx", "b.ptx"])
