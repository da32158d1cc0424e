"""`openptx run`: arguments, saved arrays, faults, and wrong command lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

SAXPY = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
    ld.param.u32 %r1, [n]; ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p bra DONE;
    mul.wide.u32 %rd3, %r5, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f4;
DONE:
    ret;
}
.visible .entry endless() { AGAIN: bra AGAIN; }
.visible .entry one(.param .u64 p) { .reg .b64 a; ld.param.u64 a, [p]; st.global.u32 [a], 1; ret; }
"""


@pytest.fixture
def ptx(tmp_path):
    path = tmp_path / "saxpy.ptx"
    path.write_text(SAXPY)
    np.save(tmp_path / "x.npy", np.arange(10, dtype=np.float32))
    return path


SHAPE = ("--kernel", "saxpy", "--grid", "2", "--block", "8")


def test_run_and_save(openptx, ptx, tmp_path):
    out = tmp_path / "y.npy"
    done = openptx("run", ptx, *SHAPE, "--arg", 10, -1.5, f"@{tmp_path}/x.npy", "zeros:f32:10", "--save", f"3={out}")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == "2: float32 10 [0. 1. 2. 3. 4. 5. 6. 7. 8. 9.]"
    assert done.out.splitlines()[1].startswith("3: float32 10 [  0.   -1.5  -3. ")
    np.testing.assert_array_equal(np.load(out), np.arange(10, dtype=np.float32) * np.float32(-1.5) + 0)
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize("a", ["0f40000000", "0d4000000000000000", "2", "2e0"])
def test_spellings_of_a_number(openptx, ptx, tmp_path, a):
    done = openptx("run", ptx, *SHAPE, "--arg", "0xA", a, "--arg", f"@{tmp_path}/x.npy", "--arg", "zeros:f32:2x5")
    assert done.status == 0
    assert done.out.endswith("3: float32 2x5 [[ 0.  2.  4.  6.  8.]\n [10. 12. 14. 16. 18.]]\n")


@pytest.mark.parametrize("a", ["-1e5", "-inf", "-0f3F800000"])
def test_negative_numbers_are_no_options(openptx, ptx, tmp_path, a):
    assert openptx("run", ptx, *SHAPE, "--quiet", "--arg", 10, a, f"@{tmp_path}/x.npy", "zeros:f32:10").status == 0


def test_a_fault_is_explained(openptx, ptx, tmp_path):
    done = openptx("run", ptx, *SHAPE, "--arg", 10, 2, f"@{tmp_path}/x.npy", "zeros:f32:9")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("fault[PTX9001]")
    assert "thread (1, 0, 0)" in done.err


def test_who_asks_for_machine_code_is_told_where_there_is_none(openptx, ptx, tmp_path):
    given = ("run", ptx, *SHAPE, "--quiet", "--arg", 10, 2, f"@{tmp_path}/x.npy", "zeros:f32:10", "--engine", "native")
    assert openptx(*given).err == ""
    words = "kernel `saxpy` runs on the reference engine: clusters, or counted instructions\n"
    assert openptx(*given, "--max-instructions", "1000").err == words


@pytest.mark.parametrize("limit", [("--timeout", "0.2"), ("--max-instructions", "10000")])
def test_an_endless_kernel_is_stopped(openptx, ptx, limit):
    done = openptx("run", ptx, "--kernel", "endless", "--grid", 1, "--block", 1, *limit)
    assert done.status == 1
    assert done.err.startswith(("fault[PTX9004]", "fault[PTX9005]"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--grid", "1", "--block", "1"], "which kernel? --kernel saxpy or endless or one"),
        (["--kernel", "saxpi", "--grid", "1", "--block", "1"], "no kernel `saxpi`; did you mean saxpy?"),
        (["--kernel", "one", "--grid", "0", "--block", "1", "--arg", "null"], "the grid's x is 1 to"),
        (["--kernel", "one", "--grid", "1,2,3,4", "--block", "1"], "--grid 1,2,3,4: write X, X,Y or X,Y,Z"),
        (["--kernel", "one", "--grid", "x", "--block", "1"], "--grid x: write X"),
        (["--kernel", "one", "--grid", "1", "--block", "2000", "--arg", "null"], "the block's x is 1 to 1024"),
        (["--kernel", "one", "--grid", "1", "--block", "1"], "argument"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "hello"], "`hello` is not an argument"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:q8:4"], "no type `q8`"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:u8:many"], "`many` is not a count"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:u8:99999999999999"], "larger than any"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "ones:f16x2:4"], "f16x2 is several numbers"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "arange:u8:-1"], "`-1` is not a count"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "0f3F"], "0f takes 8 hexadecimal digits"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "@none.npy"], "none.npy: No such file"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "1.5"], "1.5"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:u32:1", "--save", "x"], "write INDEX=FILE"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "null", "--save", "0=x.npy"], "is not an array"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:u32:1", "--save", "0=/no/x.npy"], "/no/x"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--shared", "-1", "--arg", "null"], "shared"),
        (["--kernel", "one", "--block", "1"], "a launch needs --grid and --block, such as --grid 4"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:float32:4"], "did you mean f32?"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "zeros:i32:4"], "did you mean s32?"),
        (["--kernel", "one", "--grid", "1", "--block", "1", "--arg", "x.npy"], "did you mean @x.npy?"),
    ],
)  # fmt: skip
def test_what_cannot_be_run(openptx, ptx, options, message):
    done = openptx("run", ptx, *options)
    assert done.status == 2
    assert message in done.err
    assert "mistake in OpenPTX" not in done.err


def test_a_file_that_is_no_array(openptx, ptx, tmp_path):
    (tmp_path / "x.npy").write_text("text")
    done = openptx("run", ptx, "--kernel", "one", "--grid", 1, "--block", 1, "--arg", f"@{tmp_path}/x.npy")
    assert done.status == 2
    assert "x.npy: not an array in .npy format" in done.err


def test_a_wrong_file(openptx, tmp_path):
    (tmp_path / "bad.ptx").write_text(SAXPY.replace("ret;", "mov.u32 %r1, 42u; ret;"))
    done = openptx("run", tmp_path / "bad.ptx", "--grid", 1, "--block", 1)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error[PTX0004]")


def test_nothing_is_left_when_an_array_cannot_be_saved(openptx, ptx, tmp_path):
    (tmp_path / "folder").mkdir()
    options = ("--kernel", "one", "--grid", 1, "--block", 1, "--arg", "zeros:u32:1", "--save", f"0={tmp_path}/folder")
    assert openptx("run", ptx, *options).status == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "saxpy.ptx", "x.npy"]


def test_all_arrays_are_saved_or_none(openptx, ptx, tmp_path):
    good, bad = tmp_path / "good.npy", tmp_path / "folder" / "bad.npy"
    options = ("--kernel", "one", "--grid", 1, "--block", 1, "--arg", "zeros:u32:1", "--save", f"0={good}")
    done = openptx("run", ptx, *options, "--save", f"0={bad}")
    assert (done.status, done.out) == (2, "")  # said before the kernel runs
    assert not good.exists()
    done = openptx("run", ptx, *options, "--save", "0=/dev/null", "--quiet")
    assert (done.status, done.err) == (0, "")
    assert not Path("/dev/null").is_file()
    np.testing.assert_array_equal(np.load(good), [1])


TYPES = [
    "s8",
    "u16",
    "b32",
    "b64",
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "e4m3",
    "e5m2",
    "e2m3",
    "e2m1",
    "ue8m0",
    "e2m1x2",
]


@pytest.mark.parametrize("name", TYPES)
def test_zeros_of_every_type(openptx, ptx, name):
    done = openptx("run", ptx, "--kernel", "one", "--grid", 1, "--block", 1, "--arg", f"zeros:{name}:8")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("0: ")


def test_new_arrays_of_numbers(openptx, ptx):
    arrays = ("arange:f32:4", "ones:f32:2x2")
    done = openptx("run", ptx, "--kernel", "saxpy", "--grid", 1, "--block", 4, "--arg", 3, 2.0, *arrays)
    assert (done.status, done.err) == (0, "")
    assert done.out == "2: float32 4 [0. 1. 2. 3.]\n3: float32 2x2 [[1. 3.]\n [5. 1.]]\n"


@pytest.mark.parametrize("kind", ["ones", "arange"])
@pytest.mark.parametrize("name", [each for each in TYPES if each[-2:] not in ("x2", "x4")])
def test_numbers_of_every_type(openptx, ptx, kind, name):
    done = openptx("run", ptx, "--kernel", "one", "--grid", 1, "--block", 1, "--arg", f"{kind}:{name}:8")
    assert (done.status, done.err) == (0, "")


def test_options_that_mean_nothing(openptx, ptx):
    for option in (("--workers", 0), ("--timeout", -1), ("--timeout", "nan"), ("--max-instructions", 0)):
        done = openptx("run", ptx, "--kernel", "endless", "--grid", 1, "--block", 1, *option)
        assert done.status == 2
        assert option[0][2:5] in done.err


def test_fidelity_is_listed_without_a_launch(openptx, ptx):
    done = openptx("run", ptx, "--kernel", "saxpy", "--fidelity")
    assert done.status == 0
    assert done.out == "fidelity of `saxpy`:\nexact: 18 statements\n"


def test_fidelity_of_what_is_contracted_and_measured(openptx, tmp_path):
    """Each statement that is not exact, with its line and the reason."""
    (tmp_path / "k.ptx").write_text(""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 o; .reg .f32 a, x; ld.param.u64 o, [p]; ld.global.f32 a, [o];
mul.f32 x, a, a;
add.f32 x, x, a;
cos.approx.f32 x, x;
st.global.f32 [o], x; ret; }""")
    found = openptx("run", tmp_path / "k.ptx", "--fidelity").out
    assert "line 7: add.f32 x, x, a\n    modelled: ptxas 13.0, which contracts the product and the sum" in found
    assert "line 8: cos.approx.f32 x, x\n    bounded: as measured on sm_90; allowed: 2^-20.5 absolute" in found
    assert "beyond what is allowed at 2,349 operands" in found
    assert found.endswith("exact: 4 statements\n")
    off = openptx("run", tmp_path / "k.ptx", "--fidelity", "--contract", "off").out
    assert "ptxas" not in off
    assert off.endswith("exact: 6 statements\n")


@pytest.mark.parametrize("command", [["run"], ["sanitize"], ["profile"], ["debug", "-e", "quit"]])
def test_another_target_than_the_files(openptx, tmp_path, command):
    """What the file's target lacks is an error; the named one has it."""
    text = SAXPY.replace("sm_80", "sm_70").replace("[a], 1;", "[a], 1; .reg .b32 r; redux.sync.add.u32 r, r, 1;")
    (tmp_path / "k.ptx").write_text(text)
    shape = ("--kernel", "one", "--grid", 1, "--block", 1, "--arg", "zeros:u32:1")
    assert openptx(*command, tmp_path / "k.ptx", *shape).status == 1
    assert openptx(*command, tmp_path / "k.ptx", *shape, "--target", "sm_80").status == 0


def test_initcheck(openptx, tmp_path):
    text = SAXPY.replace("st.global.u32 [a], 1;", ".reg .b32 x; st.global.u32 [a], x;")
    (tmp_path / "k.ptx").write_text(text)
    options = ("--kernel", "one", "--grid", 1, "--block", 1, "--arg", "zeros:u32:1", "--quiet")
    assert openptx("run", tmp_path / "k.ptx", *options).status == 0
    done = openptx("run", tmp_path / "k.ptx", *options, "--initcheck")
    assert (done.status, done.err[:14]) == (1, "fault[PTX9014]")
