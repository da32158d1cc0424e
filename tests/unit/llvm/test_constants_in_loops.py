"""Constants are hoisted out of loops, except in large functions, where too many would be live."""

from __future__ import annotations

from openptx.llvm import codegen
from openptx.llvm.host import host

STORES = "\n".join(
    f"store volatile <4 x i32> <i32 {i}, i32 -1, i32 2, i32 3>, ptr %p, align 16" for i in range(1000, 1012)
)
LOOP = f"""
define void @f(ptr %p, i64 %n) {{
entry:
br label %loop
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
{STORES}
%next = add i64 %i, 1
%again = icmp ult i64 %next, %n
br i1 %again, label %loop, label %done
done:
ret void
}}
"""


def test_constants_stay_within_the_loops_of_large_texts() -> None:
    small = codegen.compile(LOOP)
    large = codegen.compile(LOOP + "; a comment\n" * 50_000)
    assert small != large
    assert codegen.compile(LOOP) == small  # it does not depend on what was compiled before


def test_with_32_vector_registers_constants_also_stay_in_the_loops_of_shorter_texts() -> None:
    medium = LOOP + "; a comment\n" * 2_500
    assert (codegen.compile(medium) != codegen.compile(LOOP)) == host().avx512
    assert codegen.hoists(medium, lasting=True)
