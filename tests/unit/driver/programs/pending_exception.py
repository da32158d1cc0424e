"""A call of the library preserves a pending Python exception and is not affected by it."""

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from driver_calls import Word, allocate, context, kernel, load, pointers, words

from openptx.driver.build import compiler

source = Path(__file__).resolve().parents[1] / "pending_error.c"
folder = tempfile.TemporaryDirectory()
shared = Path(folder.name) / "pending.so"
subprocess.run([compiler() or "cc", "-shared", "-fPIC", str(source), "-o", str(shared), "-ldl"], check=True)
library: Any = ctypes.PyDLL(str(shared))
library.pending.restype = ctypes.py_object
results = (ctypes.c_int * 3)()

context()
out = allocate(4)
store = kernel(
    load("""
.visible .entry store(.param .u64 a, .param .u32 v) {
    .reg .b64 %p; .reg .b32 %v;
    ld.param.u64 %p, [a]; ld.param.u32 %v, [v];
    st.global.u32 [%p], %v;
    ret;
}
"""),
    "store",
)
for released in range(2):
    number = Word(5 + released)
    results[:] = [9, 9, 9]
    raised = ""
    try:
        library.pending(results, store, pointers([out, number]), released)
    except ValueError as error:
        raised = str(error)
    assert raised == "the program's own"
    assert list(results) == [0, 1, 0]
    assert words(out, 1) == [5 + released]
