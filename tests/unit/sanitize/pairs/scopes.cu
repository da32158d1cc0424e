// Pairs of kernels: rarer instructions and scopes. Comments are as in basics.cu.
// scopes.ptx: nvcc 13.5 -arch=compute_90 -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#include <cooperative_groups.h>
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define NI __device__ __noinline__
#define FI __device__ __forceinline__
namespace cg = cooperative_groups;
FI unsigned sm32(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
FI void mb_init(uint64_t *m, int c) { asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" :: "r"(sm32(m)), "r"(c) : "memory"); }
FI void mb_arrive(uint64_t *m) { asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t,[%0]; }" :: "r"(sm32(m)) : "memory"); }
FI void mb_expect(uint64_t *m, int bytes) { asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t,[%0],%1; }" :: "r"(sm32(m)), "r"(bytes) : "memory"); }
FI int  mb_try(uint64_t *m, int parity) { int r; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p,[%1],%2; selp.s32 %0,1,0,p; }" : "=r"(r) : "r"(sm32(m)), "r"(parity) : "memory"); return r; }
FI void mb_wait(uint64_t *m, int parity) { while (!mb_try(m, parity)) { } }
FI void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
FI void bulk_g2s(void *s, const void *g, int bytes, uint64_t *m) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" :: "r"(sm32(s)), "l"(g), "r"(bytes), "r"(sm32(m)) : "memory"); }
FI void cl_sync() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
FI int  cl_rank() { int r; asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r)); return r; }
FI unsigned cl_map(const void *p, int rank) { unsigned r; asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(sm32(p)), "r"(rank)); return r; }
FI int  cl_ld(unsigned addr) { int v; asm volatile("ld.shared::cluster.s32 %0,[%1];" : "=r"(v) : "r"(addr) : "memory"); return v; }
FI void cl_st(unsigned addr, int v) { asm volatile("st.shared::cluster.s32 [%0],%1;" :: "r"(addr), "r"(v) : "memory"); }

FI void fence_proxy() { asm volatile("fence.proxy.async;" ::: "memory"); }
FI void cl_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
FI void cl_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
FI void named_bar(int id, int cnt) { asm volatile("bar.sync %0,%1;" :: "r"(id), "r"(cnt) : "memory"); }
FI int ld_acquire(const int *p) { int v; asm volatile("ld.acquire.gpu.global.s32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
FI int ld_relaxed(const int *p) { int v; asm volatile("ld.relaxed.gpu.global.s32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
FI void st_release(int *p, int v) { asm volatile("st.release.gpu.global.s32 [%0],%1;" :: "l"(p), "r"(v) : "memory"); }
FI void st_relaxed(int *p, int v) { asm volatile("st.relaxed.gpu.global.s32 [%0],%1;" :: "l"(p), "r"(v) : "memory"); }
extern __shared__ int dyn[];
FI void named_arrive(int id, int cnt) { asm volatile("bar.arrive %0,%1;" :: "r"(id), "r"(cnt) : "memory"); }
FI int mb_test(uint64_t *m, int parity) { int r; asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p,[%1],%2; selp.s32 %0,1,0,p; }" : "=r"(r) : "r"(sm32(m)), "r"(parity) : "memory"); return r; }
FI void mb_wait_cluster(uint64_t *m, int parity) { int r; do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p,[%1],%2; selp.s32 %0,1,0,p; }" : "=r"(r) : "r"(sm32(m)), "r"(parity) : "memory"); while (!r); }
FI void mb_arrive_remote(unsigned m) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0];" :: "r"(m) : "memory"); }
FI void st_async(unsigned p, int v, unsigned m) { asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0],%1,[%2];" :: "r"(p), "r"(v), "r"(m) : "memory"); }
FI void cp4(void *s, const void *g, int size) { asm volatile("cp.async.ca.shared.global [%0],[%1],4,%2;" :: "r"(sm32(s)), "l"(g), "r"(size) : "memory"); }
FI void cp16(void *s, const void *g, int size) { asm volatile("cp.async.ca.shared.global [%0],[%1],16,%2;" :: "r"(sm32(s)), "l"(g), "r"(size) : "memory"); }
FI void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
FI void cp_wait() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

// ---- race: barriers, mbarriers and copies
//! race block=96
K(v_bar_red_bad) { __shared__ int s[96]; s[T] = a[T]; //@A
  int c = 0; if (T < 64) asm volatile("{ .reg .pred p; setp.gt.s32 p,%1,10; barrier.cta.red.popc.u32 %0,1,64,p; }" : "=r"(c) : "r"(a[T]) : "memory");
  o[T] = s[95 - T] + c; } //@B
//! race block=96
K(v_bar_red_ok) { __shared__ int s[96]; s[T] = a[T];
  int c = 0; if (T < 64) asm volatile("{ .reg .pred p; setp.gt.s32 p,%1,10; barrier.cta.red.popc.u32 %0,1,64,p; }" : "=r"(c) : "r"(a[T]) : "memory");
  o[T] = s[T < 64 ? 63 - T : T] + c; }
//! race block=64
K(v_full_empty_bad) { __shared__ int s[32]; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { if (T < 32) { if (i) named_bar(2, 64); s[T] = a[T + i]; //@A
      named_arrive(1, 64); }
    else { named_bar(1, 64); if (i < 2) named_arrive(2, 64); acc += s[63 - T]; } } //@B
  o[T] = acc; }
//! race block=64
K(v_full_empty_ok) { __shared__ int s[32]; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { if (T < 32) { if (i) named_bar(2, 64); s[T] = a[T + i]; named_arrive(1, 64); }
    else { named_bar(1, 64); acc += s[63 - T]; if (i < 2) named_arrive(2, 64); } }
  o[T] = acc; }
//! race block=64
K(v_test_ignored_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T >= 32) { s[T - 32] = a[T]; //@A
    mb_arrive(&m); } else { mb_test(&m, 0); o[T] = s[31 - T]; } } //@B
//! race block=64
K(v_test_ignored_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T >= 32) { s[T - 32] = a[T]; mb_arrive(&m); } else { while (!mb_test(&m, 0)) ; o[T] = s[31 - T]; } }
//! race grid=2 block=32 cluster=2
K(v_remote_arrive_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); cl_sync();
  if (cl_rank() == 1) { cl_st(cl_map(&s[T], 0), a[T]); //@A
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,[%0];" :: "r"(cl_map(&m, 0)) : "memory"); } else { mb_wait_cluster(&m, 0); o[T] = s[31 - T]; } //@B
  cl_sync(); }
//! race grid=2 block=32 cluster=2
K(v_remote_arrive_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); cl_sync();
  if (cl_rank() == 1) { cl_st(cl_map(&s[T], 0), a[T]); mb_arrive_remote(cl_map(&m, 0)); } else { mb_wait_cluster(&m, 0); o[T] = s[31 - T]; }
  cl_sync(); }
//! race grid=2 block=32 cluster=2
K(v_st_async_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); mb_expect(&m, 128); } cl_sync();
  st_async(cl_map(&s[T], cl_rank() ^ 1), a[T], cl_map(&m, cl_rank() ^ 1)); //@A
  cl_sync(); o[B * 32 + T] = s[31 - T]; //@B
  mb_wait_cluster(&m, 0); }
//! race grid=2 block=32 cluster=2
K(v_st_async_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); mb_expect(&m, 128); } cl_sync();
  st_async(cl_map(&s[T], cl_rank() ^ 1), a[T], cl_map(&m, cl_rank() ^ 1));
  mb_wait_cluster(&m, 0); o[B * 32 + T] = s[31 - T]; }
//! race grid=2 block=32 cluster=2
K(v_bulk_peer_bad) { __shared__ alignas(16) int s[32], d[32]; __shared__ uint64_t m; s[T] = a[T]; fence_async(); if (T == 0) { mb_init(&m, 1); mb_expect(&m, 128); } cl_sync();
  if (T == 0) asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],128,[%2];" :: "r"(cl_map(d, cl_rank() ^ 1)), "r"(sm32(s)), "r"(cl_map(&m, cl_rank() ^ 1)) : "memory"); //@A
  __syncwarp(); s[T] = 0; //@B
  mb_wait_cluster(&m, 0); o[B * 32 + T] = d[31 - T] + s[T]; cl_sync(); }
//! race grid=2 block=32 cluster=2
K(v_bulk_peer_ok) { __shared__ alignas(16) int s[32], d[32]; __shared__ uint64_t m; s[T] = a[T]; fence_async(); if (T == 0) { mb_init(&m, 1); mb_expect(&m, 128); } cl_sync();
  if (T == 0) asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0],[%1],128,[%2];" :: "r"(cl_map(d, cl_rank() ^ 1)), "r"(sm32(s)), "r"(cl_map(&m, cl_rank() ^ 1)) : "memory");
  mb_wait_cluster(&m, 0); o[B * 32 + T] = d[31 - T] + s[T]; cl_sync(); }
//! race grid=2 block=32 cluster=2
K(v_multicast_bad) { __shared__ alignas(16) int s[32]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); mb_expect(&m, 128); fence_proxy(); } cl_sync();
  if (T == 0 && cl_rank() == 0) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0],[%1],128,[%2],%3;" :: "r"(sm32(s)), "l"(a), "r"(sm32(&m)), "h"((short)3) : "memory"); //@A
  if (cl_rank() == 0) mb_wait(&m, 0); cl_sync(); o[B * 32 + T] = s[31 - T]; } //@B
//! race grid=2 block=32 cluster=2
K(v_multicast_ok) { __shared__ alignas(16) int s[32]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); mb_expect(&m, 128); fence_proxy(); } cl_sync();
  if (T == 0 && cl_rank() == 0) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0],[%1],128,[%2],%3;" :: "r"(sm32(s)), "l"(a), "r"(sm32(&m)), "h"((short)3) : "memory");
  mb_wait(&m, 0); cl_sync(); o[B * 32 + T] = s[31 - T]; }
//! race block=64
K(v_zero_fill_bad) { __shared__ alignas(16) int s[128]; if (T < 32) { cp16(&s[4 * T], &a[4 * T], 4); cp_commit(); cp_wait(); } //@A
  else s[4 * T - 127] = T; //@B
  __syncthreads(); o[T] = s[T]; }
//! race block=64
K(v_zero_fill_ok) { __shared__ alignas(16) int s[128]; if (T < 32) { cp4(&s[4 * T], &a[4 * T], 4); cp_commit(); cp_wait(); }
  else s[4 * T - 127] = T;
  __syncthreads(); o[T] = s[4 * (T >> 1) + (T & 1)]; }
// ---- race: sizes, scopes and address spaces
//! race grid=2 block=64
K(v_short_byte_bad) { short *h = (short *)b; char *c = (char *)b; int i = T; if (B == 0) h[i] = 5; //@A
  else c[2 * i + 1] = 3; } //@B
//! race grid=2 block=64
K(v_short_byte_ok) { char *c = (char *)b; c[2 * T + B] = (char)a[T]; }
//! race block=64
K(v_short_pair_bad) { __shared__ alignas(8) short s[130]; s[T] = (short)a[T]; if (T == 40) { asm volatile("st.shared.u32 [%0],%1;" :: "r"(sm32(s) + 76), "r"(a[T]) : "memory"); } //@A
  __syncthreads(); o[T] = s[T]; }
//! race block=64
K(v_short_pair_ok) { __shared__ alignas(8) short s[130]; s[T] = (short)a[T]; if (T == 40) { asm volatile("st.shared.u32 [%0],%1;" :: "r"(sm32(s) + 128), "r"(a[T]) : "memory"); }
  __syncthreads(); o[T] = s[T]; }
//! race grid=2 block=1
K(v_block_lock_bad) { while (atomicCAS_block(&b[0], 0, 1)) ; //@A
  __threadfence(); b[1]++; __threadfence(); atomicExch_block(&b[0], 0); }
//! race grid=2 block=1
K(v_block_lock_ok) { while (atomicCAS(&b[B], 0, 1)) ; __threadfence(); b[4 + B]++; __threadfence(); atomicExch(&b[B], 0); }
//! race grid=2 block=32 cluster=2
K(v_cluster_atomic_bad) { __shared__ int s; if (T == 0) s = 0; cl_sync();
  asm volatile("red.relaxed.cta.shared::cluster.add.s32 [%0],%1;" :: "r"(cl_map(&s, 0)), "r"(a[T]) : "memory"); //@A
  cl_sync(); if (cl_rank() == 0) o[T] = s; }
//! race grid=2 block=32 cluster=2
K(v_cluster_atomic_ok) { __shared__ int s; if (T == 0) s = 0; cl_sync();
  asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0],%1;" :: "r"(cl_map(&s, 0)), "r"(a[T]) : "memory");
  cl_sync(); if (cl_rank() == 0) o[T] = s; }
//! race grid=4 block=1 cluster=2
K(v_cluster_fence_bad) { if (B == 0) { a[0] = 5; asm volatile("fence.acq_rel.cluster;" ::: "memory"); st_relaxed(&b[0], 1); } //@A
  else if (B == 2) { while (!ld_acquire(&b[0])) ; o[0] = a[0]; } } //@A
//! race grid=4 block=1 cluster=2
K(v_cluster_fence_ok) { if (B == 0) { a[0] = 5; asm volatile("fence.acq_rel.cluster;" ::: "memory"); st_relaxed(&b[0], 1); }
  else if (B == 1) { while (!ld_acquire(&b[0])) ; o[0] = a[0]; } }
//! race block=64
K(v_generic_bad) { __shared__ int s[64]; int *p = a[T] & 1 ? &s[T] : &b[T]; *p = T; //@A
  __syncwarp(); int *q = a[T ^ 32] & 1 ? &s[T ^ 32] : &b[T ^ 32]; o[T] = *q; } //@B
//! race block=64
K(v_generic_ok) { __shared__ int s[64]; int *p = a[T] & 1 ? &s[T] : &b[T]; *p = T;
  __syncthreads(); int *q = a[T ^ 32] & 1 ? &s[T ^ 32] : &b[T ^ 32]; o[T] = *q; }
//! race grid=2 block=32
K(v_heap_shared_bad) { __shared__ int *p; if (T == 0) p = (int *)malloc(128); __syncwarp(); p[T] = a[T]; //@A
  o[B * 32 + T] = p[31 - T]; //@B
  __syncwarp(); if (T == 0) free(p); }
//! race grid=2 block=32
K(v_heap_shared_ok) { __shared__ int *p; if (T == 0) p = (int *)malloc(128); __syncwarp(); p[T] = a[T]; __syncwarp(); o[B * 32 + T] = p[31 - T];
  __syncwarp(); if (T == 0) free(p); }
//! race grid=2 block=32
K(v_sense_bad) { volatile int *f = b; b[64 + B * 32 + T] = a[T]; //@A
  if (T == 0) { __threadfence(); if (atomicAdd(&b[0], 1) == 1) f[1] = 1; else while (!f[1]) ; __threadfence(); }
  __syncthreads(); o[B * 32 + T] = b[64 + (B ^ 1) * 32 + T]; } //@B
//! race grid=2 block=32
K(v_sense_ok) { volatile int *f = b; b[64 + B * 32 + T] = a[T]; __syncthreads();
  if (T == 0) { __threadfence(); if (atomicAdd(&b[0], 1) == 1) { __threadfence(); f[1] = 1; } else while (!f[1]) ; __threadfence(); }
  __syncthreads(); o[B * 32 + T] = b[64 + (B ^ 1) * 32 + T]; }
//! race block=64
K(v_same_value_bad) { __shared__ int f; if (T == 0) f = 0; __syncthreads(); if (a[T] > 20) f = a[T] > 40 ? 2 : 1; //@A
  __syncthreads(); o[T] = f; }
//! race block=64
K(v_same_value_ok) { __shared__ int f; if (T == 0) f = 0; __syncthreads(); if (a[T] > 20) atomicMax(&f, a[T] > 40 ? 2 : 1); __syncthreads(); o[T] = f; }
// ---- init
//! init block=64
K(v_permute_bad) { __shared__ unsigned char s[256]; s[4 * T] = (char)a[T]; s[4 * T + 2] = 1; __syncthreads(); unsigned v = ((unsigned *)s)[63 - T];
  if (__byte_perm(v, 0, 0x4410) > 70) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(v_permute_ok) { __shared__ unsigned char s[256]; s[4 * T] = (char)a[T]; s[4 * T + 2] = 1; __syncthreads(); unsigned v = ((unsigned *)s)[63 - T];
  if (__byte_perm(v, 0, 0x4420) > 70) b[T] = 1; o[T] = 0; }
//! init block=64
K(v_funnel_bad) { __shared__ short s[128]; s[2 * T + 1] = (short)a[T]; __syncthreads(); unsigned v = ((unsigned *)s)[63 - T];
  if (__funnelshift_r(v, 0, (n >> 10) + 14) > 70) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(v_funnel_ok) { __shared__ short s[128]; s[2 * T + 1] = (short)a[T]; __syncthreads(); unsigned v = ((unsigned *)s)[63 - T];
  if (__funnelshift_r(v, 0, (n >> 10) + 15) > 70) b[T] = 1; o[T] = 0; }
//! init block=32
K(v_shuffle_lane_bad) { __shared__ int s[32]; if (T < 16) s[T] = a[T]; __syncwarp(); int v = __shfl_sync(~0u, s[T], T >> 1 | (n >> 10) << 4); if (v > 5) b[T] = 1; o[T] = 0; } //@A
//! init block=32
K(v_shuffle_lane_ok) { __shared__ int s[32]; if (T < 16) s[T] = a[T]; __syncwarp(); int v = __shfl_sync(~0u, s[T], T >> 1); if (v > 5) b[T] = 1; o[T] = 0; }
//! init block=32
K(v_redux_bad) { __shared__ int s[32]; if (T < 30) s[T] = a[T]; __syncwarp(); int v = __reduce_max_sync(~0u, s[T]); if (v > 5) b[T] = 1; o[T] = 0; } //@A
//! init block=32
K(v_redux_ok) { __shared__ int s[32]; if (T < 30) s[T] = a[T]; __syncwarp(); int v = __reduce_max_sync(~0u, T < 30 ? s[T] : 0); if (v > 5) b[T] = 1; o[T] = 0; }
//! init block=64
K(v_async_junk_bad) { __shared__ int s[64]; cp4(&s[T], &o[T], 4); cp_commit(); cp_wait(); __syncthreads(); if (s[63 - T] > 3) b[T] = 1; } //@A
//! init block=64
K(v_async_junk_ok) { __shared__ int s[64]; cp4(&s[T], &o[T], 0); cp_commit(); cp_wait(); __syncthreads(); if (s[63 - T] > 3) b[T] = 1; }
//! init block=64
K(v_dot_bad) { __shared__ unsigned char s[256]; for (int i = 0; i < 3; i++) s[4 * T + i] = (char)a[T + i]; __syncthreads(); if (__dp4a(((int *)s)[63 - T], 0x01010101, 0) > 70) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(v_dot_ok) { __shared__ unsigned char s[256]; for (int i = 0; i < 4; i++) s[4 * T + i] = (char)a[T + i]; __syncthreads(); if (__dp4a(((int *)s)[63 - T], 0x01010101, 0) > 70) b[T] = 1; o[T] = 0; }
//! init block=64
K(v_low_bits_bad) { __shared__ int s[64]; if (T & 1) s[T] = a[T]; __syncthreads(); o[T] = a[s[T] & 7]; } //@A
//! init block=64
K(v_low_bits_ok) { __shared__ int s[64]; if (T & 1) s[T] = a[T]; __syncthreads(); o[T] = a[s[T] & (T & 1 ? 7 : 0)]; }
// ---- sync
//! sync block=32
K(v_elect_absent_bad) { int e = 0; if (T < 24) asm volatile("{ .reg .pred p; elect.sync _|p,0xffffffff; selp.s32 %0,1,0,p; }" : "=r"(e)); o[T] = e; } //@A
//! sync block=32
K(v_elect_absent_ok) { int e = 0; if (T < 24) asm volatile("{ .reg .pred p; elect.sync _|p,0x00ffffff; selp.s32 %0,1,0,p; }" : "=r"(e)); o[T] = e; }
//! sync block=32
K(v_not_in_mask_bad) { unsigned m = 0x0000ffff; o[T] = __ballot_sync(m, a[T] & 1); } //@A
//! sync block=32
K(v_not_in_mask_ok) { unsigned m = 0x0000ffff; o[T] = 0; if (T < 16) o[T] = __ballot_sync(m, a[T] & 1); }
//! sync block=32
K(v_no_complete_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 2); __syncwarp(); if (T < 2) asm volatile("{ .reg .b64 t; mbarrier.arrive.noComplete.shared::cta.b64 t,[%0],1; }" :: "r"(sm32(&m)) : "memory"); //@A
  o[T] = 1; }
//! sync block=32
K(v_no_complete_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 3); __syncwarp(); if (T < 2) asm volatile("{ .reg .b64 t; mbarrier.arrive.noComplete.shared::cta.b64 t,[%0],1; }" :: "r"(sm32(&m)) : "memory");
  if (T == 2) mb_arrive(&m); mb_wait(&m, 0); o[T] = 1; }
//! sync block=32
K(v_inval_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncwarp(); mb_arrive(&m); mb_wait(&m, 0); __syncwarp(); if (T == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(sm32(&m)) : "memory");
  __syncwarp(); mb_arrive(&m); o[T] = 1; } //@A
//! sync block=32
K(v_inval_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncwarp(); mb_arrive(&m); mb_wait(&m, 0); __syncwarp(); if (T == 0) { asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(sm32(&m)) : "memory"); mb_init(&m, 32); }
  __syncwarp(); mb_arrive(&m); o[T] = 1; }
//! sync block=32
K(v_overwritten_bad) { __shared__ uint64_t m[2]; if (T == 0) mb_init(&m[0], 32); __syncwarp(); mb_arrive(&m[0]); mb_wait(&m[0], 0); __syncwarp(); ((int *)m)[T & 3] = 0; //@A
  __syncwarp(); mb_arrive(&m[0]); o[T] = 1; }
//! sync block=32
K(v_overwritten_ok) { __shared__ uint64_t m[2]; if (T == 0) mb_init(&m[0], 32); __syncwarp(); mb_arrive(&m[0]); mb_wait(&m[0], 0); __syncwarp(); if (T < 2) ((int *)m)[2 + T] = 0;
  __syncwarp(); mb_arrive(&m[0]); o[T] = 1; }
//! sync block=64
K(v_two_places_bad) { if (T & 1) { b[T] = 1; asm volatile("bar.sync 1,64;" ::: "memory"); } else { b[T] = 2; asm volatile("barrier.sync.aligned 1,64;" ::: "memory"); b[T + 64] = 1; } //@A
  o[T] = b[63 - T]; }
//! sync block=64
K(v_two_places_ok) { if (T & 1) { b[T] = 1; asm volatile("barrier.sync 1,64;" ::: "memory"); } else { b[T] = 2; asm volatile("barrier.sync 1,64;" ::: "memory"); b[T + 64] = 1; }
  o[T] = b[63 - T]; }
//! sync block=32
K(v_parity_two_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncwarp(); mb_arrive(&m); mb_wait(&m, 0); mb_arrive(&m); mb_wait(&m, 1); mb_wait(&m, 0); o[T] = 1; } //@A
//! sync block=32
K(v_parity_two_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncwarp(); mb_arrive(&m); mb_wait(&m, 0); mb_arrive(&m); mb_wait(&m, 1); o[T] = 1; }
// ---- mem
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8}, after[8] = {1, 2, 3};
//! mem block=32
K(v_const_bad) { o[T] = table[(a[T] & 7) + 1] + after[a[T] & 7]; } //@A
//! mem block=32
K(v_const_ok) { o[T] = table[a[T] & 7] + after[a[T] & 7]; }
//! mem block=64
K(v_async_past_bad) { __shared__ alignas(16) int s[64]; int i = n - 32 + T; cp4(&s[T], &a[i], 4); cp_commit(); cp_wait(); __syncthreads(); o[T] = s[63 - T]; } //@A
//! mem block=64
K(v_async_past_ok) { __shared__ alignas(16) int s[64]; int i = n - 32 + T; cp4(&s[T], &a[i], i < n ? 4 : 0); cp_commit(); cp_wait(); __syncthreads(); o[T] = s[63 - T]; }
//! mem block=32
K(v_async_dest_bad) { __shared__ alignas(16) int s[32], t[32]; t[T] = 1; cp16(&s[T & ~3], &a[T & ~3], 16); if (T == 31) { cp16(&s[(n >> 10) * 32], a, 16); } //@A
  cp_commit(); cp_wait(); __syncwarp(); o[T] = s[31 - T] + t[31 - T]; }
//! mem block=32
K(v_async_dest_ok) { __shared__ alignas(16) int s[32], t[32]; t[T] = 1; if (!(T & 3)) cp16(&s[T], &a[T], 16);
  cp_commit(); cp_wait(); __syncwarp(); o[T] = s[31 - T] + t[31 - T]; }
//! mem block=32
K(v_straddle_bad) { __shared__ alignas(16) int s[6]; __shared__ int t[6]; if (T < 6) { s[T] = T; t[T] = T; } __syncwarp(); int x, y, z, w;
  asm volatile("ld.shared.v4.s32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(sm32(s) + 16 * (n >> 10)) : "memory"); o[T] = x + y + t[T & 3]; } //@A
//! mem block=32
K(v_straddle_ok) { __shared__ alignas(16) int s[8]; __shared__ int t[6]; if (T < 8) s[T] = T; if (T < 6) t[T] = T; __syncwarp(); int x, y, z, w;
  asm volatile("ld.shared.v4.s32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(sm32(s) + 16 * (n >> 10)) : "memory"); o[T] = x + y + t[T & 3]; }
//! mem block=32
K(v_wrong_space_bad) { __shared__ int s[32]; s[T] = a[T]; int v; asm volatile("ld.global.s32 %0,[%1];" : "=r"(v) : "l"(&s[T]) : "memory"); o[T] = v; } //@A
//! mem block=32
K(v_wrong_space_ok) { __shared__ int s[32]; s[T] = a[T]; int v; asm volatile("ld.s32 %0,[%1];" : "=r"(v) : "l"(&s[T]) : "memory"); o[T] = v; }
//! mem grid=2 block=32 cluster=2
K(v_peer_past_bad) { __shared__ int s[32]; __shared__ int t[8]; s[T] = a[T]; if (T < 8) t[T] = T; cl_sync(); o[B * 32 + T] = cl_ld(cl_map(&s[T + (n >> 10)], cl_rank() ^ 1)) + t[T & 7]; //@A
  cl_sync(); }
//! mem grid=2 block=32 cluster=2
K(v_peer_past_ok) { __shared__ int s[33]; __shared__ int t[8]; s[T] = a[T]; if (T == 0) s[32] = 1; if (T < 8) t[T] = T; cl_sync(); o[B * 32 + T] = cl_ld(cl_map(&s[T + (n >> 10)], cl_rank() ^ 1)) + t[T & 7];
  cl_sync(); }
//! mem block=32
K(v_stale_heap_bad) { int *p = (int *)malloc(16); p[0] = T; free(p); int *q = (int *)malloc(16); q[0] = a[T]; o[T] = p[0] + q[0]; free(q); } //@A
//! mem block=32
K(v_stale_heap_ok) { int *p = (int *)malloc(16); p[0] = T; int v = p[0]; free(p); int *q = (int *)malloc(16); q[0] = a[T]; o[T] = v + q[0]; free(q); }
//! mem block=32
K(v_inner_free_bad) { int *p = (int *)malloc(64); p[a[T] & 3] = T; o[T] = p[a[T] & 3]; free(p + (n >> 10)); } //@A
//! mem block=32
K(v_inner_free_ok) { int *p = (int *)malloc(64); p[a[T] & 3] = T; o[T] = p[a[T] & 3]; free(p); }
//! mem block=32
K(v_wide_atomic_bad) { atomicAdd((unsigned long long *)(b + 2 * T + (n >> 10)), 1ull); } //@A
//! mem block=32
K(v_wide_atomic_ok) { atomicAdd((unsigned long long *)(b + 2 * T), 1ull); }
//! mem block=32
K(v_bulk_past_bad) { __shared__ alignas(16) int s[32]; __shared__ alignas(16) int t[32]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } t[T] = T; __syncwarp();
  if (T == 0) { mb_expect(&m, 144); bulk_g2s(s, a, 144, &m); } //@A
  mb_wait(&m, 0); o[T] = s[T] + t[31 - T]; }
//! mem block=32
K(v_bulk_past_ok) { __shared__ alignas(16) int s[36]; __shared__ alignas(16) int t[32]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } t[T] = T; __syncwarp();
  if (T == 0) { mb_expect(&m, 144); bulk_g2s(s, a, 144, &m); }
  mb_wait(&m, 0); o[T] = s[T] + t[31 - T]; }
