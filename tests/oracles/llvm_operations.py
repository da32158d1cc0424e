"""The parts of random functions in LLVM IR: arithmetic, conversions, memory accesses and control flow."""

from __future__ import annotations

from collections.abc import Callable

from llvm_writer import FLOATS, INTEGERS, WIDTH, Value, Writer

SUFFIX = {"half": "f16", "float": "f32", "double": "f64"}


def integer_operation(w: Writer) -> Value:
    t = w.dice.choice((*INTEGERS, "i32", "i64", "i128"))
    a, b = w.pick(t), w.pick(t)
    op = w.dice.choice(("add", "sub", "mul", "and", "or", "xor", "add", "mul"))
    return w.let(t, f"{op} {t} {a.name}, {b.name}")


def shift(w: Writer) -> Value:
    t = w.dice.choice((*INTEGERS, "i128"))
    a, by = w.pick(t), w.let(t, f"and {t} {w.pick(t).name}, {WIDTH[t] - 1}")
    return w.let(t, f"{w.dice.choice(('shl', 'lshr', 'ashr'))} {t} {a.name}, {by.name}")


def division(w: Writer) -> Value:
    t = w.dice.choice(INTEGERS)
    a, b = w.pick(t), w.pick(t)
    bad = w.let("i1", f"icmp eq {t} {b.name}, 0")
    minus = w.let("i1", f"icmp eq {t} {b.name}, -1")
    either = w.let("i1", f"or i1 {bad.name}, {minus.name}")
    safe = w.let(t, f"select i1 {either.name}, {t} 3, {t} {b.name}")
    return w.let(t, f"{w.dice.choice(('udiv', 'sdiv', 'urem', 'srem'))} {t} {a.name}, {safe.name}")


def comparison(w: Writer) -> Value:
    if w.dice.random() < 0.5:
        t = w.dice.choice((*INTEGERS, "i128"))
        how = w.dice.choice(("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"))
        return w.let("i1", f"icmp {how} {t} {w.pick(t).name}, {w.pick(t).name}")
    t = w.dice.choice(FLOATS)
    how = w.dice.choice(
        ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
    )
    return w.let("i1", f"fcmp {how} {t} {w.pick(t).name}, {w.pick(t).name}")


def selection(w: Writer) -> Value:
    t = w.dice.choice((*INTEGERS, *FLOATS, "i128"))
    return w.let(t, f"select i1 {w.pick('i1').name}, {t} {w.pick(t).name}, {t} {w.pick(t).name}")


def bit_intrinsic(w: Writer) -> Value:
    t = w.dice.choice(INTEGERS)
    a, b, c = (f"{t} {w.pick(t).name}" for _ in "abc")
    name = w.dice.choice(
        ("ctpop", "ctlz", "cttz", "bswap", "bitreverse", "fshl", "fshr", "abs", *(["smin", "smax", "umin", "umax"]))
    )
    if name == "bswap" and t == "i8":
        name = "bitreverse"
    if name in ("ctlz", "cttz", "abs"):
        return w.call(t, f"llvm.{name}.{t}", a, "i1 false")
    if name in ("ctpop", "bswap", "bitreverse"):
        return w.call(t, f"llvm.{name}.{t}", a)
    return w.call(t, f"llvm.{name}.{t}", a, b, c) if name in ("fshl", "fshr") else w.call(t, f"llvm.{name}.{t}", a, b)


def saturation(w: Writer) -> Value:
    t = w.dice.choice(INTEGERS)
    name = w.dice.choice(("uadd", "sadd", "usub", "ssub"))
    return w.call(t, f"llvm.{name}.sat.{t}", f"{t} {w.pick(t).name}", f"{t} {w.pick(t).name}")


def overflow(w: Writer) -> Value:
    t = w.dice.choice(("i32", "i64"))
    name = w.dice.choice(("uadd", "sadd", "usub", "ssub", "umul", "smul"))
    pair = w.call(f"{{ {t}, i1 }}", f"llvm.{name}.with.overflow.{t}", f"{t} {w.pick(t).name}", f"{t} {w.pick(t).name}")
    w.keep(w.let("i1", f"extractvalue {pair.type} {pair.name}, 1"))
    return w.let(t, f"extractvalue {pair.type} {pair.name}, 0")


def widening(w: Writer) -> Value:
    """The upper half of a product, signed or not."""
    t, wide = w.dice.choice((("i32", "i64"), ("i64", "i128"), ("i16", "i32")))
    how = w.dice.choice(("zext", "sext"))
    a, b = (w.let(wide, f"{how} {t} {w.pick(t).name} to {wide}") for _ in "ab")
    product = w.let(wide, f"mul {wide} {a.name}, {b.name}")
    high = w.let(wide, f"lshr {wide} {product.name}, {WIDTH[t]}")
    return w.let(t, f"trunc {wide} {high.name} to {t}")


def resizing(w: Writer) -> Value:
    a = w.pick("i1", *INTEGERS, "i128")
    t = w.dice.choice([t for t in (*INTEGERS, "i128") if t != a.type])
    op = "trunc" if WIDTH[t] < WIDTH[a.type] else w.dice.choice(("zext", "sext"))
    return w.let(t, f"{op} {a.type} {a.name} to {t}")


def joining(w: Writer) -> Value:
    """128 bits of two times 64, and carries between them."""
    low, high = (w.let("i128", f"zext i64 {w.pick('i64').name} to i128") for _ in "ab")
    raised = w.let("i128", f"shl i128 {high.name}, 64")
    return w.let("i128", f"{w.dice.choice(('or', 'add', 'sub'))} i128 {raised.name}, {low.name}")


def float_operation(w: Writer) -> Value:
    t = w.dice.choice((*FLOATS, "float", "double"))
    a, b = w.pick(t), w.pick(t)
    return w.let(t, f"{w.dice.choice(('fadd', 'fsub', 'fmul', 'fdiv', 'fadd', 'fmul'))} {t} {a.name}, {b.name}")


def float_intrinsic(w: Writer) -> Value:
    t = w.dice.choice(("float", "double"))
    a, b, c = (f"{t} {w.pick(t).name}" for _ in "abc")
    name = w.dice.choice(
        (
            "fma",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "roundeven",
            "fabs",
            "copysign",
            "minimum",
            "maximum",
            "minnum",
            "maxnum",
        )
    )
    if name == "fma":
        return w.call(t, f"llvm.fma.{SUFFIX[t]}", a, b, c)
    if name == "copysign":
        sign = w.quiet(Value(b.split()[1], t))
        return w.call(t, f"llvm.copysign.{SUFFIX[t]}", a, f"{t} {sign.name}")
    if name in ("minimum", "maximum"):
        return w.call(t, f"llvm.{name}.{SUFFIX[t]}", a, b)
    if name in (
        "minnum",
        "maxnum",
    ):  # which zero is left open: adding +0 makes both +0; a NaN must be quiet to be ignored
        x, y = (f"{t} {w.quiet(Value(v.split()[1], t)).name}" for v in (a, b))
        either = w.call(t, f"llvm.{name}.{SUFFIX[t]}", x, y)
        return w.let(t, f"fadd {t} {either.name}, 0.0")
    return w.call(t, f"llvm.{name}.{SUFFIX[t]}", a)


def negation(w: Writer) -> Value:
    t = w.dice.choice(FLOATS)
    return w.let(t, f"fneg {t} {w.pick(t).name}")


def float_conversion(w: Writer) -> Value:
    kind = w.dice.randrange(4)
    t = w.dice.choice(("float", "double"))
    if kind == 0:
        a = w.pick("i8", "i16", "i32", "i64")
        return w.let(t, f"{w.dice.choice(('sitofp', 'uitofp'))} {a.type} {a.name} to {t}")
    if kind == 1:
        i = w.dice.choice(("i32", "i64"))
        name = w.dice.choice(("fptosi", "fptoui"))
        return w.call(i, f"llvm.{name}.sat.{i}.{SUFFIX[t]}", f"{t} {w.pick(t).name}")
    if kind == 2:
        a, to = w.dice.choice((("half", "float"), ("float", "double"), ("half", "double")))
        return w.let(to, f"fpext {a} {w.pick(a).name} to {to}")
    a, to = w.dice.choice((("double", "float"), ("float", "half")))
    return w.let(to, f"fptrunc {a} {w.pick(a).name} to {to}")


def reinterpretation(w: Writer) -> Value:
    t = w.dice.choice(FLOATS)
    if w.dice.random() < 0.5:
        return w.one_nan(w.pick(t))
    whole = f"i{WIDTH[t]}"
    return w.quiet(w.let(t, f"bitcast {whole} {w.pick(whole).name} to {t}"))


def local_array(w: Writer) -> Value:
    """Eight slots: three stores, and a load, at places that the data decide."""
    t = w.dice.choice(("i8", "i16", "i32", "i64", "float", "double"))
    slots = w.let("ptr", f"alloca [8 x {t}], align 8")
    zero = f"[{', '.join([f'{t} ' + ('0.0' if t in FLOATS else '0')] * 8)}]"
    w.lines.append(f"  store [8 x {t}] {zero}, ptr {slots.name}")
    for _ in range(3):
        w.lines.append(f"  store {t} {w.pick(t).name}, ptr {_slot(w, slots, t).name}")
    return w.let(t, f"load {t}, ptr {_slot(w, slots, t).name}")


def _slot(w: Writer, slots: Value, t: str) -> Value:
    at = w.let("i32", f"and i32 {w.pick('i32').name}, 7")
    return w.let("ptr", f"getelementptr [8 x {t}], ptr {slots.name}, i32 0, i32 {at.name}")


def table(w: Writer) -> Value:
    at = w.let("i32", f"and i32 {w.pick('i32').name}, 15")
    place = w.let("ptr", f"getelementptr [16 x i32], ptr @table, i32 0, i32 {at.name}")
    return w.let("i32", f"load i32, ptr {place.name}")


def helper_call(w: Writer) -> Value:
    """A call that is not inlined, of a function that calls itself a few times."""
    n = w.let("i32", f"and i32 {w.pick('i32').name}, 7")
    return w.let(
        "i64", f"call i64 @helper(i32 {n.name}, i64 {w.pick('i64').name}, double {w.quiet(w.pick('double')).name})"
    )


def diamond(w: Writer) -> Value:
    """If and else, each with a few steps of its own."""
    t = w.dice.choice((*INTEGERS, "float", "double"))
    names = [w.fresh(p) for p in ("then", "other", "join")]
    w.jump(f"i1 {w.pick('i1').name}, label %{names[0]}, label %{names[1]}")
    ends = []
    for name in names[:2]:
        w.label(name)
        ends.append(f"[ {_branch(w, t).name}, %{_last_label(w)} ]")
        w.jump(f"label %{names[2]}")
    w.label(names[2])
    return w.let(t, f"phi {t} {', '.join(ends)}")


def multiway(w: Writer) -> Value:
    """A switch over five to nine neighbours: a branch table."""
    t, cases = w.dice.choice(("i32", "i64", "float")), w.dice.randrange(5, 10)
    names, join = [w.fresh("case") for _ in range(cases + 1)], w.fresh("join")
    key = w.let("i32", f"and i32 {w.pick('i32').name}, 15")
    arms = " ".join(f"i32 {i}, label %{name}" for i, name in enumerate(names[1:]))
    w.lines.append(f"  switch i32 {key.name}, label %{names[0]} [ {arms} ]")
    ends = []
    for name in names:
        w.label(name)
        ends.append(f"[ {_branch(w, t).name}, %{_last_label(w)} ]")
        w.jump(f"label %{join}")
    w.label(join)
    return w.let(t, f"phi {t} {', '.join(ends)}")


def loop(w: Writer) -> Value:
    """A loop of up to fifteen rounds, as many as the data say, carrying one value."""
    t = w.dice.choice((*INTEGERS, "float", "double"))
    limit, first = w.let("i32", f"and i32 {w.pick('i32').name}, 15"), w.pick(t)
    before, head, body, done = _last_label(w), w.fresh("head"), w.fresh("body"), w.fresh("done")
    next_count, next_value = f"%{w.fresh('n')}", f"%{w.fresh('c')}"
    w.jump(f"label %{head}")
    w.label(head)
    hole = len(w.lines)
    count, carried = Value(f"%{w.fresh()}", "i32"), Value(f"%{w.fresh()}", t)
    w.lines += ["", ""]
    more = w.let("i1", f"icmp ult i32 {count.name}, {limit.name}")
    w.jump(f"i1 {more.name}, label %{body}, label %{done}")
    w.label(body)
    known = list(w.values)
    w.values += [count, carried]
    result = _branch(w, t)
    again = _last_label(w)
    identity = {"float": "fadd", "double": "fadd"}.get(t, "xor")
    w.lines.append(f"  {next_value} = {identity} {t} {result.name}, {carried.name}")
    w.lines.append(f"  {next_count} = add i32 {count.name}, 1")
    w.jump(f"label %{head}")
    w.values[:] = known
    w.lines[hole] = f"  {count.name} = phi i32 [ 0, %{before} ], [ {next_count}, %{again} ]"
    w.lines[hole + 1] = f"  {carried.name} = phi {t} [ {first.name}, %{before} ], [ {next_value}, %{again} ]"
    w.label(done)
    return w.let(t, f"select i1 true, {t} {carried.name}, {t} {carried.name}")


def _branch(w: Writer, t: str) -> Value:
    """A few steps whose values are forgotten afterwards, but for a last one of type `t`."""
    known = list(w.values)
    for _ in range(w.dice.randrange(1, 4)):
        w.keep(w.dice.choice(SIMPLE)(w))
    v = w.pick(t)
    if not v.name.startswith("%"):
        op = "fadd" if t in FLOATS else "add"
        v = w.let(t, f"{op} {t} {v.name}, {v.name}")
    w.values[:] = known
    return v


def _last_label(w: Writer) -> str:
    return next(line[:-1] for line in reversed(w.lines) if line.endswith(":"))


Step = Callable[[Writer], Value]
SIMPLE: tuple[Step, ...] = (
    integer_operation, shift, division, comparison, selection, bit_intrinsic, saturation, overflow, widening, resizing,
    joining, float_operation, float_intrinsic, negation, float_conversion, reinterpretation, table,
)  # fmt: skip
STEPS: tuple[Step, ...] = (*SIMPLE, *SIMPLE, local_array, helper_call, diamond, multiway, loop)
