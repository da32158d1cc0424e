; What front ends other than CUDA's emit: atomics with orders and scopes, vectors, aggregates, indirect calls, intrinsics.

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare double @llvm.floor.f64(double)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maximum.f32(float, float)
declare half @llvm.fma.f16(half, half, half)
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i128 @llvm.ctpop.i128(i128)
declare i16 @llvm.uadd.sat.i16(i16, i16)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)

@table = addrspace(1) constant [8 x i32] [i32 1, i32 2, i32 3, i32 5, i32 8, i32 13, i32 21, i32 34], align 16
@functions = addrspace(1) constant [2 x ptr] [ptr @twice, ptr @thrice]
@tile = internal addrspace(3) global [64 x i32] undef, align 4

define i32 @twice(i32 %x) noinline {
  %r = shl i32 %x, 1
  ret i32 %r
}
define i32 @thrice(i32 %x) noinline {
  %r = mul i32 %x, 3
  ret i32 %r
}
define { i32, double } @pair(<4 x float> %v, [3 x i16] %a, i1 %flag) noinline {
  %f = extractelement <4 x float> %v, i32 2
  %d = fpext float %f to double
  %h = extractvalue [3 x i16] %a, 1
  %i = sext i16 %h to i32
  %j = select i1 %flag, i32 %i, i32 -7
  %r = insertvalue { i32, double } undef, i32 %j, 0
  %s = insertvalue { i32, double } %r, double %d, 1
  ret { i32, double } %s
}

define ptx_kernel void @calls(ptr addrspace(1) %out, <4 x float> %v, i1 %flag) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %which = and i32 %t, 1
  %slot = getelementptr [2 x ptr], ptr addrspace(1) @functions, i32 0, i32 %which
  %f = load ptr, ptr addrspace(1) %slot
  %r = call i32 %f(i32 %t)
  %p = call { i32, double } @pair(<4 x float> %v, [3 x i16] [i16 1, i16 -2, i16 3], i1 %flag)
  %i = extractvalue { i32, double } %p, 0
  %d = extractvalue { i32, double } %p, 1
  %k = fptosi double %d to i32
  %s = add i32 %r, %i
  %u = add i32 %s, %k
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %u, ptr addrspace(1) %q
  ret void
}

define ptx_kernel void @atomics(ptr addrspace(1) %p, ptr addrspace(1) %w, ptr addrspace(1) %f, ptr addrspace(1) %d) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %b = atomicrmw max ptr addrspace(1) %p, i32 %a monotonic
  %c = atomicrmw umin ptr addrspace(1) %p, i32 %b monotonic
  %e = atomicrmw xchg ptr addrspace(1) %w, i64 5 monotonic
  %g = atomicrmw fadd ptr addrspace(1) %f, float 1.5 monotonic
  %h = atomicrmw fadd ptr addrspace(1) %d, double 2.5 monotonic
  %i = atomicrmw xor ptr addrspace(1) %p, i32 255 monotonic
  %x = cmpxchg ptr addrspace(1) %w, i64 %e, i64 9 monotonic monotonic
  %l = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  store atomic i32 %l, ptr addrspace(1) %p monotonic, align 4
  %v = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %v, ptr addrspace(1) %p
  fence seq_cst
  ret void
}

define ptx_kernel void @numbers(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %wide) {
  %x = load float, ptr addrspace(1) %in
  %p1 = getelementptr float, ptr addrspace(1) %in, i32 1
  %y = load float, ptr addrspace(1) %p1
  %f = call float @llvm.fma.f32(float %x, float %y, float 0x3FB99999A0000000)
  %s = call float @llvm.sqrt.f32(float %f)
  %m = call float @llvm.minnum.f32(float %s, float %y)
  %n = call float @llvm.maximum.f32(float %m, float %x)
  %e = call float @llvm.nvvm.ex2.approx.ftz.f(float %n)
  %z = fdiv float %e, %y
  %h = fptrunc float %z to half
  %hh = call half @llvm.fma.f16(half %h, half %h, half 0xH3C00)
  %hv = insertelement <2 x half> undef, half %hh, i32 0
  %hw = insertelement <2 x half> %hv, half %h, i32 1
  %hf = call <2 x half> @llvm.fma.v2f16(<2 x half> %hw, <2 x half> %hw, <2 x half> %hw)
  store <2 x half> %hf, ptr addrspace(1) %out
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %z)
  %c = call i32 @llvm.cttz.i32(i32 %i, i1 false)
  %w = load i64, ptr addrspace(1) %wide
  %lz = call i64 @llvm.ctlz.i64(i64 %w, i1 false)
  %big = zext i64 %w to i128
  %sq = mul i128 %big, %big
  %pc = call i128 @llvm.ctpop.i128(i128 %sq)
  %pl = trunc i128 %pc to i64
  %ws = add i64 %lz, %pl
  %un = uitofp i64 %ws to double
  %fl = call double @llvm.floor.f64(double %un)
  %fi = fptoui double %fl to i64
  store i64 %fi, ptr addrspace(1) %wide
  %sh = trunc i32 %c to i16
  %ss = call i16 @llvm.uadd.sat.i16(i16 %sh, i16 65530)
  %b = fptrunc float %z to bfloat
  %q = getelementptr i16, ptr addrspace(1) %out, i32 2
  store i16 %ss, ptr addrspace(1) %q
  %qb = getelementptr i16, ptr addrspace(1) %out, i32 3
  store bfloat %b, ptr addrspace(1) %qb
  ret void
}

define ptx_kernel void @exchange(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %s = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  store i32 %lane, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %o = xor i32 %t, 63
  %so = getelementptr [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %o
  %v = load i32, ptr addrspace(3) %so
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 3, i32 31)
  %odd = trunc i32 %x to i1
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  %buffer = alloca [16 x i32], align 16
  %slot = and i32 %x, 15
  %l = getelementptr [16 x i32], ptr %buffer, i32 0, i32 %slot
  store i32 %b, ptr %l
  %k = and i32 %t, 15
  %l2 = getelementptr [16 x i32], ptr %buffer, i32 0, i32 %k
  store i32 %t, ptr %l2
  %back = load i32, ptr %l
  %ti = and i32 %t, 7
  %tp = getelementptr [8 x i32], ptr addrspace(1) @table, i32 0, i32 %ti
  %tv = load i32, ptr addrspace(1) %tp
  %sum = add i32 %back, %tv
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %q
  ret void
}
