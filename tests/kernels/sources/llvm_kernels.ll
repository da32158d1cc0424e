; Kernels in LLVM IR for what CUDA C++ seldom gives: branch tables, funnel shifts, overflow flags, odd widths, vectors.

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.fshr.i64(i64, i64, i64)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare i16 @llvm.ctpop.i16(i16)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.bswap.i32(i32)

; a dense switch with different work in each case: brx.idx
define ptx_kernel void @branch_table(ptr %op, ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i32, ptr %op, i32 %t
  %pi = getelementptr i32, ptr %in, i32 %t
  %pr = getelementptr i32, ptr %out, i32 %t
  %o = load i32, ptr %po
  %v = load i32, ptr %pi
  switch i32 %o, label %other [ i32 0, label %c0 i32 1, label %c1 i32 2, label %c2 i32 3, label %c3 i32 4, label %c4
                                i32 5, label %c5 i32 6, label %c6 i32 7, label %c7 i32 8, label %c8 i32 9, label %c9 ]
c0: %r0 = add i32 %v, 1
    store i32 %r0, ptr %pr
    ret void
c1: %r1 = mul i32 %v, %v
    store i32 %r1, ptr %pr
    br label %double
c2: %r2 = xor i32 %v, 85
    br label %done
c3: %r3 = shl i32 %v, 3
    br label %done
c4: %r4 = sdiv i32 %v, 7
    br label %done
c5: %r5 = srem i32 %v, 11
    br label %done
c6: %r6 = call i32 @llvm.bitreverse.i32(i32 %v)
    br label %done
c7: %r7 = call i32 @llvm.bswap.i32(i32 %v)
    br label %done
c8: %r8 = sub i32 1000, %v
    br label %double
c9: %r9 = ashr i32 %v, 2
    br label %done
other:
    br label %done
double:
    %d = phi i32 [ %r1, %c1 ], [ %r8, %c8 ]
    %dd = add i32 %d, %d
    br label %done
done:
    %r = phi i32 [ %r2, %c2 ], [ %r3, %c3 ], [ %r4, %c4 ], [ %r5, %c5 ], [ %r6, %c6 ], [ %r7, %c7 ], [ %r9, %c9 ], [ %dd, %double ], [ -1, %other ]
    store i32 %r, ptr %pr
    ret void
}

define ptx_kernel void @overflows(ptr %a, ptr %b, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i64, ptr %a, i32 %t
  %pb = getelementptr i64, ptr %b, i32 %t
  %base = mul i32 %t, 6
  %po = getelementptr i64, ptr %out, i32 %base
  %x = load i64, ptr %pa
  %y = load i64, ptr %pb
  %xl = trunc i64 %x to i32
  %yl = trunc i64 %y to i32
  %s = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %xl, i32 %yl)
  %sf = extractvalue { i32, i1 } %s, 1
  %m = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %x, i64 %y)
  %mf = extractvalue { i64, i1 } %m, 1
  %sz = zext i1 %sf to i64
  %mz = zext i1 %mf to i64
  %two = shl i64 %mz, 1
  %flags = or i64 %sz, %two
  store i64 %flags, ptr %po
  %sat = call i32 @llvm.sadd.sat.i32(i32 %xl, i32 %yl)
  %sat64 = sext i32 %sat to i64
  %p1 = getelementptr i64, ptr %po, i32 1
  store i64 %sat64, ptr %p1
  %f = call i32 @llvm.fshl.i32(i32 %xl, i32 %yl, i32 %t)
  %f64 = zext i32 %f to i64
  %p2 = getelementptr i64, ptr %po, i32 2
  store i64 %f64, ptr %p2
  %t64 = zext i32 %t to i64
  %g = call i64 @llvm.fshr.i64(i64 %x, i64 %y, i64 %t64)
  %p3 = getelementptr i64, ptr %po, i32 3
  store i64 %g, ptr %p3
  %h = trunc i64 %x to i16
  %c = call i16 @llvm.ctpop.i16(i16 %h)
  %c64 = zext i16 %c to i64
  %p4 = getelementptr i64, ptr %po, i32 4
  store i64 %c64, ptr %p4
  ; 20 bits, signed: a width that no register has
  %o20 = trunc i64 %x to i20
  %q20 = trunc i64 %y to i20
  %w = mul i20 %o20, %q20
  %w64 = sext i20 %w to i64
  %p5 = getelementptr i64, ptr %po, i32 5
  store i64 %w64, ptr %p5
  ret void
}

; vectors of four floats, loaded, shuffled and stored at once
define ptx_kernel void @float_vectors(ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr <4 x float>, ptr %in, i32 %t
  %q = getelementptr <4 x float>, ptr %out, i32 %t
  %v = load <4 x float>, ptr %p
  %r = shufflevector <4 x float> %v, <4 x float> poison, <4 x i32> <i32 3, i32 1, i32 0, i32 2>
  %s = fmul <4 x float> %r, <float 2.0, float 0.5, float -1.0, float 4.0>
  %less = fcmp olt <4 x float> %v, zeroinitializer
  %w = select <4 x i1> %less, <4 x float> %s, <4 x float> %v
  store <4 x float> %w, ptr %q
  ret void
}
