"""What compiled code knows of its worker and of the lanes that execute, and how it leaves with a fault."""

from __future__ import annotations

from openptx.engines.native import layout
from openptx.engines.native.floats import Floats
from openptx.engines.native.values import N, Value, vector_type
from openptx.numerics import Bits


class State(Floats):
    address_size: int
    site: int = 0
    site_base: int = 0  # above the positions: the function's number
    fail: str = ""  # the label of the code that leaves with a fault
    mask: Bits  # the lanes that execute
    uncertain = False  # they may be none
    stepping = ""  # the lane whose steps take the place of lanes, if they do
    local_size: int = 0
    static_shared: int = 0  # bytes of shared memory that every CTA has
    constants: int = 0  # bytes of constant memory that the module has
    has_local = False
    dry = False  # nothing is kept of the text being made but what is learnt on the way
    checked = True
    careful = ""  # the label of a copy of the block, to begin anew there, as long as nothing was written to memory
    entries: dict[object, str]
    messages: list[tuple[str, str]]
    parameter_size: int = 0

    def state(self, offset: int, t: str) -> str:
        """What the worker's state holds when the function begins."""
        key = (offset, t)
        found = self.entries.get(key)
        if found is None:
            where = self.out.first(f"getelementptr i8, ptr %w, i64 {offset}")
            found = self.entries[key] = self.out.first(f"load {t}, ptr {where}, align 4, !tbaa !5")
        return found

    def field(self, offset: int) -> str:
        return self.out.emit(f"getelementptr i8, ptr %w, i64 {offset}")

    def local_limit(self) -> str:
        return str(self.local_size)

    def lane_offsets(self) -> str:
        """Where each lane's local memory lies in its CTA's."""
        found = self.entries.get("lane offsets")
        if found is None:
            out, t = self.out, vector_type(64)
            stride = self.state(layout.STRIDE, "i64")
            first = out.first(f"mul i64 %first, {stride}")
            lanes: list[str] = []
            for scalar in (stride, first):
                one = out.first(f"insertelement {t} poison, i64 {scalar}, i32 0")
                lanes.append(out.first(f"shufflevector {t} {one}, {t} poison, <{N} x i32> zeroinitializer"))
            steps = out.first(f"mul {t} {lanes[0]}, {self.literal_vector(tuple(range(N)), 64)}")
            found = self.entries["lane offsets"] = out.first(f"add {t} {steps}, {lanes[1]}")
        return found

    def parameters(self) -> str:
        """The parameter buffer's place in this process."""
        if "parameters" not in self.entries:
            out = self.out
            row = out.first(f"getelementptr i8, ptr {self.state(layout.TABLE, 'ptr')}, i64 {4 * layout.ROW}")
            base = out.first(f"load i64, ptr {row}, align 8, !tbaa !5")
            last = out.first(f"getelementptr i8, ptr {row}, i64 24")
            delta = out.first(f"load i64, ptr {last}, align 8, !tbaa !5")
            host = out.first(f"add i64 {base}, {delta}")
            self.entries["parameters"] = out.first(f"inttoptr i64 {host} to ptr")
        return self.entries["parameters"]

    def active_mask(self) -> str:
        return self.vector(self.mask)

    def mask_word(self) -> str:
        """The executing lanes as an i32."""
        if isinstance(self.mask.v, int):
            return str(-1 if self.mask.v else 0)
        return self.out.emit(f"bitcast <{N} x i1> {self.active_mask()} to i{N}")

    @property
    def full(self) -> bool:
        return self.mask.v == 1

    def first_active(self, a: Bits) -> str:
        """The scalar of the lowest executing lane."""
        if self.full:
            return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 0")
        lane = self.out.emit(f"call i32 @llvm.cttz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.out.emit(f"and i32 {lane}, 31")
        return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 {lane}")

    def last_active(self, a: Bits) -> str:
        if self.uniform(a):
            return self.scalar(a)
        if self.full:
            return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 {N - 1}")
        zeros = self.out.emit(f"call i32 @llvm.ctlz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.out.emit(f"sub i32 31, {zeros}")
        lane = self.out.emit(f"and i32 {lane}, 31")
        return self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 {lane}")

    def held(self, a: Bits) -> Bits:
        """The value with its bits made here, so that code aside may use them."""
        if isinstance(a.v, Value):
            (self.scalar if self.uniform(a) else self.vector)(a)
        return a

    def leave_if(self, failed: str) -> None:
        """Ends the warp where a fault was recorded."""
        out = self.out
        where, on = out.fresh(), out.fresh()
        out.unlikely(failed, where, on)
        out.start(where)
        self.leave()
        out.start(on)

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        if isinstance(p.v, int) and p.v:
            return
        out = self.out
        wrong = out.emit(f"xor <{N} x i1> {self.vector(p)}, splat (i1 true)")
        if not self.full:
            wrong = out.emit(f"and <{N} x i1> {wrong}, {self.active_mask()}")
        word = out.emit(f"bitcast <{N} x i1> {wrong} to i{N}")
        with out.seldom(out.emit(f"icmp ne i{N} {word}, 0")):
            self.report(layout.REQUIRED, word, self.message(code, message))
            if value is not None:
                lane = out.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {word}, i1 true)")
                told = out.emit(f"extractelement <{N} x i64> {self.vector(self.resize(value, 64))}, i{N} {lane}")
                out.line(f"store i64 {told}, ptr {self.field(layout.ADDRESS)}, align 8")
            self.leave()
            out.start(out.fresh())

    def leave(self) -> None:
        """Ends the warp with the fault that was recorded, here."""
        out = self.out
        out.line(f"store i32 {self.site + self.site_base}, ptr {self.field(layout.SITE)}, align 4")
        if self.stepping:  # not a step's place, but the lane that made it
            out.line(f"store i32 {out.emit(f'shl i32 1, {self.stepping}')}, ptr {self.field(layout.LANES)}, align 4")
        out.jump("failed")

    def report(self, kind: int, lanes: str, detail: int = 0) -> None:
        for offset, value in ((layout.KIND, kind), (layout.LANES, lanes), (layout.SPACE, detail)):
            self.out.line(f"store i32 {value}, ptr {self.field(offset)}, align 4")

    def message(self, code: str, message: str) -> int:
        if (code, message) not in self.messages:
            self.messages.append((code, message))
        return self.messages.index((code, message))
