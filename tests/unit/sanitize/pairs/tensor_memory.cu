// Pairs: races and undefined words in tensor memory. Comments are as in basics.cu. tensor_memory.ptx: nvcc -arch=compute_100a
// -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define FI __device__ __forceinline__
typedef unsigned u32; typedef unsigned long long u64;
extern __shared__ __align__(1024) int dyn[];
FI u32 sa(const void *p) { return (u32)__cvta_generic_to_shared(p); }
FI void mb_init(u64 *m, u32 c) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(sa(m)), "r"(c) : "memory"); }
FI void mb_arrive(u64 *m) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(sa(m)) : "memory"); }
FI bool mb_try(u64 *m, u32 par) { u32 r; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(sa(m)), "r"(par) : "memory"); return r; }
FI void mb_wait(u64 *m, u32 par) { while (!mb_try(m, par)) { } }
FI void proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
FI void t_alloc(u32 *p, u32 n) { asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(sa(p)), "r"(n) : "memory"); }
FI void t_free(u32 t, u32 n) { asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" :: "r"(t), "r"(n) : "memory"); }
FI void t_mma(u32 d, u64 x, u64 y, u32 add) { asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" :: "r"(d), "l"(x), "l"(y), "r"((2u << 17) | (8u << 24) | 16u), "r"(add) : "memory"); }
FI void t_mma_a(u32 d, u32 x, u64 y, u32 add) { asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" :: "r"(d), "r"(x), "l"(y), "r"((2u << 17) | (8u << 24) | 16u), "r"(add) : "memory"); }
FI void t_commit(u64 *m) { asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(sa(m)) : "memory"); }
FI void t_cp(u32 t, u64 d) { asm volatile("tcgen05.cp.cta_group::1.128x128b [%0], %1;" :: "r"(t), "l"(d) : "memory"); }
FI u32 t_ld(u32 t) { u32 r; asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(r) : "r"(t) : "memory"); return r; }
FI void t_st(u32 t, u32 v) { asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" :: "r"(t), "r"(v) : "memory"); }
FI void t_wait_ld() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
FI void t_wait_st() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }
FI void t_before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
FI void t_after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
FI u64 td(const void *p) { return (u64)((sa(p) & 0x3FFFF) >> 4) | (8ull << 16) | (16ull << 32) | (1ull << 46); }
#define W ((T / 32 % 4) << 21)
// A product's operands, an mbarrier and 64 columns.
#define SETUP(columns) __shared__ u64 m, m2; __shared__ u32 slot; \
  for (int i = T; i < 1152; i += blockDim.x) dyn[i] = 0x3C003C00; \
  if (T == 0) { mb_init(&m, 1); mb_init(&m2, 1); asm volatile("fence.mbarrier_init.release.cluster;"); } \
  if (T < 32) t_alloc(&slot, columns); proxy(); t_before(); __syncthreads(); t_after(); u32 t = slot; u64 da = td(dyn), db = td(dyn + 1024);
#define END(columns) t_before(); __syncthreads(); if (T < 32) t_free(t, columns);

//! race block=128 dyn=8192 oinit=1
K(t_no_wait_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } //@A
  __syncthreads(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; mb_wait(&m, 0); END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_no_wait_ok) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); }
  mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) }
//! race block=128 dyn=8192 oinit=1
K(t_commit_early_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); t_mma(t, da, db, 1); t_commit(&m2); } //@A
  mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; mb_wait(&m2, 0); END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_commit_early_ok) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_mma(t, da, db, 1); t_commit(&m); }
  mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) }
//! init block=128 dyn=8192 oinit=1
K(t_garbage_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 1); t_commit(&m); } //@A
  mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) } //@B
//! init block=128 dyn=8192 oinit=1
K(t_garbage_ok) { SETUP(32) if (T == 0) { for (int k = 0; k < 3; k++) t_mma(t, da, db, k > 0); t_commit(&m); }
  mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) }
//! race block=256 dyn=8192 oinit=1
K(t_st_no_wait_bad) { SETUP(32) if (T < 128) t_st(t + W, T); //@A
  __syncthreads(); if (T >= 128) { u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; } END(32) } //@B
//! race block=256 dyn=8192 oinit=1
K(t_st_no_wait_ok) { SETUP(32) if (T < 128) { t_st(t + W, T); t_wait_st(); t_before(); }
  __syncthreads(); t_after(); if (T >= 128) { u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; } END(32) }
//! race block=256 dyn=8192 oinit=1
K(t_st_no_barrier_bad) { SETUP(32) if (T < 128) { t_st(t + W, T); t_wait_st(); } //@A
  if (T >= 128) { u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; } END(32) } //@B
//! race block=256 dyn=8192 oinit=1
K(t_st_named_ok) { SETUP(32) if (T < 128) { t_st(t + W, T); t_wait_st(); t_before(); asm volatile("bar.arrive 1, 256;" ::: "memory"); }
  if (T >= 128) { asm volatile("bar.sync 1, 256;" ::: "memory"); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; } END(32) }
//! race block=128 dyn=8192 oinit=1
K(t_st_ld_bad) { SETUP(32) t_st(t + W, T); //@A
  u32 v = t_ld(t + W); t_wait_ld(); t_wait_st(); o[T] = v; END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_st_ld_ok) { SETUP(32) t_st(t + W, T); t_wait_st(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) }
//! race block=128 dyn=8192 oinit=1
K(t_ld_overwritten_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + W); __syncthreads(); //@A
  if (T == 0) { t_mma(t, da, db, 0); t_commit(&m2); } t_wait_ld(); o[T] = v; mb_wait(&m2, 0); END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_ld_overwritten_ok) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + W); t_wait_ld(); t_before(); __syncthreads(); t_after();
  if (T == 0) { t_mma(t, da, db, 0); t_commit(&m2); } o[T] = v; mb_wait(&m2, 0); END(32) }
//! race block=128 dyn=8192 oinit=1
K(t_next_no_barrier_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; //@A
  if (T == 0) { t_mma(t, da, db, 0); t_commit(&m2); } mb_wait(&m2, 0); END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_next_buffer_ok) { SETUP(64) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + W); t_wait_ld(); o[T] = v;
  if (T == 0) { t_mma(t + 32, da, db, 0); t_commit(&m2); } mb_wait(&m2, 0); t_after(); v = t_ld(t + 32 + W); t_wait_ld(); o[T + 128] = v; END(64) }
//! race block=128 dyn=8192 oinit=1
K(t_free_early_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; //@A
  __syncwarp(); if (T >= 96) t_free(t, 32); } //@B
//! race block=128 dyn=8192 oinit=1
K(t_free_pending_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } __syncthreads(); //@A
  if (T < 32) t_free(t, 32); mb_wait(&m, 0); o[T] = 1; } //@B
//! race block=128 dyn=8192 oinit=1
K(t_free_late_ok) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); __syncthreads(); if (T >= 96) t_free(t, 32); o[T] = 1; }
//! init block=128 dyn=8192 oinit=1
K(t_unwritten_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + 16 + W); t_wait_ld(); o[T] = v + 1; END(32) } //@A
//! init block=128 dyn=8192 oinit=1
K(t_unused_ok) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after();
  u32 v = t_ld(t + 15 + W), w = t_ld(t + 16 + W); t_wait_ld(); o[T] = n > 5000 ? w : v; END(32) }
//! init block=128 dyn=8192 oinit=1
K(t_reallocated_bad) { SETUP(32) t_st(t + W, T); t_wait_st(); END(32) __syncthreads(); if (T < 32) t_alloc(&slot, 32); __syncthreads();
  t = slot; u32 v = t_ld(t + W); t_wait_ld(); o[T] = v + 1; END(32) } //@A
//! race block=128 dyn=8192 oinit=1
K(t_a_no_wait_bad) { SETUP(64) for (int i = 0; i < 8; i++) t_st(t + 32 + i + W, 0x3C003C00); //@A
  __syncthreads(); if (T == 0) { t_mma_a(t, t + 32, db, 0); t_commit(&m); } t_wait_st(); mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(64) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_a_no_wait_ok) { SETUP(64) for (int i = 0; i < 8; i++) t_st(t + 32 + i + W, 0x3C003C00);
  t_wait_st(); t_before(); __syncthreads(); t_after(); if (T == 0) { t_mma_a(t, t + 32, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(64) }
//! init block=128 dyn=8192 oinit=1
K(t_a_part_bad) { SETUP(64) for (int i = 0; i < 7; i++) t_st(t + 32 + i + W, 0x3C003C00);
  t_wait_st(); t_before(); __syncthreads(); t_after(); if (T == 0) { t_mma_a(t, t + 32, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after(); //@A
  u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(64) }
//! race block=128 dyn=8192 oinit=1
K(t_two_issuers_bad) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); } //@A
  if (T == 32) { t_mma(t, da, db, 0); t_commit(&m2); } mb_wait(&m, 0); mb_wait(&m2, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_two_issuers_ok) { SETUP(32) if (T == 0) { t_mma(t, da, db, 0); t_commit(&m); t_before(); } __syncthreads();
  if (T == 32) { t_after(); t_mma(t, da, db, 1); t_commit(&m2); } mb_wait(&m, 0); mb_wait(&m2, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) }
//! race block=128 dyn=8192 oinit=1
K(t_cp_ld_bad) { SETUP(32) if (T == 0) { t_cp(t, da); t_commit(&m); } __syncthreads(); //@A
  u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; mb_wait(&m, 0); END(32) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_cp_ld_ok) { SETUP(32) if (T == 0) { t_cp(t, da); t_commit(&m); } mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(32) }
//! race block=128 dyn=8192 oinit=1
K(t_cp_mma_ok) { SETUP(64) if (T == 0) { t_cp(t + 32, da); t_cp(t + 36, da); t_mma_a(t, t + 32, db, 0); t_commit(&m); } mb_wait(&m, 0); t_after(); u32 v = t_ld(t + W); t_wait_ld(); o[T] = v; END(64) }
//! race block=128 dyn=8192 oinit=1
K(t_slot_bad) { __shared__ u32 slot; if (T < 32) t_alloc(&slot, 32); //@A
  u32 t = slot; t_st(t + W, T); t_wait_st(); END(32) o[T] = t; } //@B
//! race block=128 dyn=8192 oinit=1
K(t_slot_ok) { __shared__ u32 slot; if (T < 32) t_alloc(&slot, 32); __syncthreads(); u32 t = slot; t_st(t + W, T); t_wait_st(); END(32) o[T] = t; }
//! race block=128 dyn=8192 oinit=1
K(t_ring_bad) { SETUP(64) int p[2] = {0, 0}; for (int k = 0; k < 4; k++) { u32 d = t + (k & 1) * 32; u64 *w = k & 1 ? &m2 : &m;
    if (T == 0) { t_mma(d, da, db, 0); t_commit(w); } mb_wait(w, 0); t_after(); p[k & 1] ^= 1; //@A
    u32 v = t_ld(d + W); t_wait_ld(); o[T] += v; t_before(); __syncthreads(); } END(64) } //@B
//! race block=128 dyn=8192 oinit=1
K(t_ring_ok) { SETUP(64) for (int k = 0; k < 4; k++) { u32 d = t + (k & 1) * 32; u64 *w = k & 1 ? &m2 : &m;
    if (T == 0) { t_mma(d, da, db, 0); t_commit(w); } mb_wait(w, k >> 1 & 1); t_after();
    u32 v = t_ld(d + W); t_wait_ld(); o[T] += v; t_before(); __syncthreads(); } END(64) }
// An epilogue overlaps the next product: four warps read one accumulator while a fifth issues into the other.
//! race block=160 dyn=8192 oinit=1
K(t_overlap_ok) { __shared__ u64 full[2], empty[2]; __shared__ u32 slot; for (int i = T; i < 1152; i += 160) dyn[i] = 0x3C003C00;
  if (T == 0) { for (int i = 0; i < 2; i++) { mb_init(&full[i], 1); mb_init(&empty[i], 4); } } if (T / 32 == 4) t_alloc(&slot, 64); proxy(); __syncthreads(); u32 t = slot; u64 da = td(dyn), db = td(dyn + 1024);
  if (T == 128) { for (int k = 0; k < 6; k++) { int s = k & 1; mb_wait(&empty[s], (k >> 1 & 1) ^ 1); t_after(); t_mma(t + 32 * s, da, db, 0); t_mma(t + 32 * s, da, db, 1); t_commit(&full[s]); } }
  if (T < 128) { for (int k = 0; k < 6; k++) { int s = k & 1; mb_wait(&full[s], k >> 1 & 1); t_after(); u32 v = t_ld(t + 32 * s + W); t_wait_ld(); t_before(); if (T % 32 == 0) mb_arrive(&empty[s]); o[T] += v; } }
  __syncthreads(); if (T / 32 == 4) t_free(t, 64); }
//! race block=160 dyn=8192 oinit=1
K(t_overlap_bad) { __shared__ u64 full[2], empty[2]; __shared__ u32 slot; for (int i = T; i < 1152; i += 160) dyn[i] = 0x3C003C00;
  if (T == 0) { for (int i = 0; i < 2; i++) { mb_init(&full[i], 1); mb_init(&empty[i], 4); } } if (T / 32 == 4) t_alloc(&slot, 64); proxy(); __syncthreads(); u32 t = slot; u64 da = td(dyn), db = td(dyn + 1024);
  if (T == 128) { for (int k = 0; k < 6; k++) { int s = k & 1; mb_wait(&empty[s], (k >> 1 & 1) ^ 1); t_after(); t_mma(t + 32 * s, da, db, 0); t_mma(t + 32 * s, da, db, 1); t_commit(&full[s]); } } //@A
  if (T < 128) { for (int k = 0; k < 6; k++) { int s = k & 1; mb_wait(&full[s], k >> 1 & 1); t_after(); if (T % 32 == 0) mb_arrive(&empty[s]); u32 v = t_ld(t + 32 * s + W); t_wait_ld(); o[T] += v; } } //@B
  __syncthreads(); if (T / 32 == 4) t_free(t, 64); }
