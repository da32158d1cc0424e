// Pairs: planted defects of every kind that compute-sanitizer knows, and of wgmma. Comments are as in
// basics.cu. every_kind.ptx: nvcc -arch=compute_90a -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#include <cassert>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <mma.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define NI __device__ __noinline__
#define FI __device__ __forceinline__
typedef unsigned u32; typedef unsigned long long u64;
namespace cg = cooperative_groups;
extern __shared__ __align__(1024) int dyn[];
FI u32 sa(const void *p) { return (u32)__cvta_generic_to_shared(p); }
FI void mb_init(u64 *m, u32 c) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(sa(m)), "r"(c) : "memory"); }
FI void mb_arrive(u64 *m) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(sa(m)) : "memory"); }
FI void mb_expect(u64 *m, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(sa(m)), "r"(n) : "memory"); }
FI bool mb_try(u64 *m, u32 par) { u32 r; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(sa(m)), "r"(par) : "memory"); return r; }
FI void mb_wait(u64 *m, u32 par) { while (!mb_try(m, par)) { } }
FI void bulk_g2s(void *d, const void *s, u32 n, u64 *m) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(sa(d)), "l"(s), "r"(n), "r"(sa(m)) : "memory"); }
FI void bulk_s2g(void *d, const void *s, u32 n) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(d), "r"(sa(s)), "r"(n) : "memory"); }
FI void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
FI void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
FI void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
FI void proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
FI void cpa16(void *d, const void *s) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(sa(d)), "l"(s) : "memory"); }
FI void cpa4(void *d, const void *s) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(sa(d)), "l"(s) : "memory"); }
FI void cpa_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> FI void cpa_wait() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
FI void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
FI void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> FI void wg_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory"); }
FI u64 desc(const void *p) { return (u64)((sa(p) & 0x3FFFF) >> 4) | (8ull << 16) | (16ull << 32); }
FI void wg_mma(float (&d)[4], u64 x, u64 y) { asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(x), "l"(y) : "memory"); }
FI void wg_fill(int *s) { for (int i = T; i < 640; i += 128) s[i] = 0x3C003C00; }
FI void wg_out(int *o, float (&d)[4]) { for (int i = 0; i < 4; i++) o[T * 4 + i] = (int)d[i]; }

// ---- wgmma
//! sync block=128 dyn=4096 oinit=1
K(y_wg_no_wait_bad) { float d[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_out(o, d); wg_wait<0>(); }
//! sync block=128 dyn=4096 oinit=1
K(y_wg_no_wait_ok) { float d[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_wait<0>(); wg_out(o, d); }
//! sync block=128 dyn=4096 oinit=1
K(y_wg_no_commit_bad) { float d[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); //@A
  wg_wait<0>(); wg_out(o, d); }
//! sync block=128 dyn=4096 oinit=1
K(y_wg_no_fence_bad) { float d[4]; for (int i = 0; i < 4; i++) d[i] = a[T + i]; wg_fill(dyn); proxy(); __syncthreads();
  wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_wait<0>(); wg_out(o, d); }
//! sync block=128 dyn=4096 oinit=1
K(y_wg_no_fence_ok) { float d[4]; for (int i = 0; i < 4; i++) d[i] = a[T + i]; wg_fill(dyn); proxy(); __syncthreads();
  for (int i = 0; i < 4; i++) asm volatile("" : "+f"(d[i]) :: "memory");
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_wait<0>(); wg_out(o, d); }
//! race block=128 dyn=4096 oinit=1
K(y_wg_no_proxy_bad) { float d[4] = {0, 0, 0, 0};
  wg_fill(dyn); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_wait<0>(); wg_out(o, d); }
//! race block=128 dyn=4096 oinit=1
K(y_wg_no_barrier_bad) { float d[4] = {0, 0, 0, 0};
  wg_fill(dyn); proxy();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_wait<0>(); wg_out(o, d); }
//! race block=128 dyn=4096 oinit=1
K(y_wg_overwrite_bad) { float d[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  dyn[T] = T; wg_wait<0>(); wg_out(o, d); } //@B
//! race block=128 dyn=4096 oinit=1
K(y_wg_overwrite_ok) { float d[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_wait<0>(); __syncthreads(); dyn[T] = T; wg_out(o, d); }
//! sync block=128 dyn=4096 oinit=1
K(y_wg_wait_one_bad) { float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_mma(e, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_wait<1>(); for (int i = 0; i < 4; i++) o[T * 4 + i] = (int)(d[i] + e[i]); wg_wait<0>(); }
//! sync block=128 dyn=4096 oinit=1
K(y_wg_wait_one_ok) { float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0}; wg_fill(dyn); proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_mma(e, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_wait<1>(); wg_out(o, d); wg_wait<0>(); wg_out(o, e); }
//! init block=128 dyn=4096 oinit=1
K(y_wg_unwritten_bad) { float d[4] = {0, 0, 0, 0}; if (T < 64) for (int i = T; i < 512; i += 64) dyn[i] = a[i]; proxy(); __syncthreads();
  wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_wait<0>(); wg_out(o, d); }
//! sync block=256 dyn=4096 oinit=1
K(y_wg_half_warpgroup_bad) { float d[4] = {0, 0, 0, 0}; for (int i = T; i < 640; i += 256) dyn[i] = 0; proxy(); __syncthreads();
  if (T < 192) { wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit(); //@A
  wg_wait<0>(); } if (T < 128) wg_out(o, d); }
//! sync block=256 dyn=4096 oinit=1
K(y_wg_half_warpgroup_ok) { float d[4] = {0, 0, 0, 0}; for (int i = T; i < 640; i += 256) dyn[i] = 0; proxy(); __syncthreads();
  if (T < 128) { wg_fence(); wg_mma(d, desc(dyn), desc(dyn + 512)); wg_commit();
  wg_wait<0>(); wg_out(o, d); } }

// ---- mbarrier
//! sync block=64
K(y_mb_uninit_bad) { __shared__ u64 m; __shared__ int s[64]; s[T] = a[T];
  mb_arrive(&m); //@A
  __syncthreads(); o[T] = s[T ^ 33]; }
//! sync block=64
K(y_mb_uninit_ok) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 64); __syncthreads(); s[T] = a[T];
  mb_arrive(&m); mb_wait(&m, 0); o[T] = s[T ^ 33]; }
//! race block=64
K(y_mb_init_race_bad) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 64); //@A
  s[T] = a[T]; mb_arrive(&m); mb_wait(&m, 0); o[T] = s[T ^ 33]; }
//! race block=64
K(y_mb_few_bad) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 32); __syncthreads();
  s[T] = a[T]; //@A
  mb_arrive(&m); mb_wait(&m, 0); o[T] = s[T ^ 33]; } //@B
//! sync block=64
K(y_mb_many_bad) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 65); __syncthreads();
  s[T] = a[T]; mb_arrive(&m);
  mb_wait(&m, 0); //@A
  o[T] = s[T ^ 33]; }
//! race block=64
K(y_mb_parity_bad) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 64); __syncthreads();
  s[T] = a[T]; //@A
  mb_arrive(&m); mb_wait(&m, 1); o[T] = s[T ^ 33]; } //@B
//! race block=64
K(y_mb_once_bad) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 64); __syncthreads();
  s[T] = a[T]; //@A
  mb_arrive(&m); mb_try(&m, 0); o[T] = s[T ^ 33]; } //@B
//! race block=64
K(y_mb_lane_arrives_bad) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 2); __syncthreads();
  s[T] = a[T]; //@A
  if (T % 32 == 0) mb_arrive(&m); mb_wait(&m, 0); o[T] = s[T ^ 33]; } //@B
//! race block=64
K(y_mb_lane_arrives_ok) { __shared__ u64 m; __shared__ int s[64]; if (T == 0) mb_init(&m, 2); __syncthreads();
  s[T] = a[T]; __syncwarp();
  if (T % 32 == 0) mb_arrive(&m); mb_wait(&m, 0); o[T] = s[T ^ 33]; }
//! sync block=64
K(y_mb_inval_bad) { __shared__ u64 m; if (T == 0) mb_init(&m, 64); __syncthreads();
  mb_arrive(&m); mb_wait(&m, 0); __syncthreads();
  if (T == 0) { asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(sa(&m)) : "memory"); mb_arrive(&m); } //@A
  o[T] = a[T]; }
//! race block=64
K(y_mb_ring_bad) { __shared__ u64 full[2], empty[2]; __shared__ int s[2][32];
  if (T == 0) for (int i = 0; i < 2; i++) { mb_init(full + i, 32); mb_init(empty + i, 32); } __syncthreads();
  if (T < 32) for (int i = 0; i < 4; i++) { int k = i & 1; mb_wait(empty + k, 1);
    s[k][T] = a[i * 32 + T]; mb_arrive(full + k); } //@A
  else for (int i = 0; i < 4; i++) { int k = i & 1; mb_wait(full + k, i >> 1);
    o[i * 32 + T - 32] = s[k][63 - T]; mb_arrive(empty + k); } } //@B
//! race block=64
K(y_mb_ring_ok) { __shared__ u64 full[2], empty[2]; __shared__ int s[2][32];
  if (T == 0) for (int i = 0; i < 2; i++) { mb_init(full + i, 32); mb_init(empty + i, 32); } __syncthreads();
  if (T < 32) for (int i = 0; i < 4; i++) { int k = i & 1; mb_wait(empty + k, (i >> 1) ^ 1);
    s[k][T] = a[i * 32 + T]; mb_arrive(full + k); }
  else for (int i = 0; i < 4; i++) { int k = i & 1; mb_wait(full + k, i >> 1);
    o[i * 32 + T - 32] = s[k][63 - T]; mb_arrive(empty + k); } }

// ---- bulk
//! race block=64
K(y_bk_no_wait_bad) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256);
    bulk_g2s(s, a, 256, &m); } //@A
  __syncthreads();
  o[T] = s[T]; mb_wait(&m, 0); } //@B
//! race block=64
K(y_bk_no_wait_ok) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); }
  mb_wait(&m, 0); o[T] = s[T]; }
//! race block=64
K(y_bk_one_waits_bad) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256);
    bulk_g2s(s, a, 256, &m); //@A
    mb_wait(&m, 0); }
  o[T] = s[T]; } //@B
//! race block=64
K(y_bk_one_waits_ok) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); mb_wait(&m, 0); }
  __syncthreads(); o[T] = s[T]; }
//! sync block=64
K(y_bk_tx_more_bad) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 512); bulk_g2s(s, a, 256, &m); }
  mb_wait(&m, 0); //@A
  o[T] = s[T]; }
//! race block=64
K(y_bk_refill_bad) { __shared__ alignas(16) int s[64];
  s[T] = a[T]; proxy(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); } //@A
  __syncthreads(); s[T] = a[T] + 1; __syncthreads(); //@B
  if (T == 0) bulk_wait(); o[T + 64] = s[T ^ 1]; }
//! race block=64
K(y_bk_refill_ok) { __shared__ alignas(16) int s[64];
  s[T] = a[T]; proxy(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); bulk_wait_read(); }
  __syncthreads(); s[T] = a[T] + 1; __syncthreads();
  o[T + 64] = s[T ^ 1]; if (T == 0) bulk_wait(); }
//! race block=64
K(y_bk_read_only_waited_bad) { __shared__ alignas(16) int s[64];
  s[T] = a[T]; proxy(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); bulk_wait_read(); } //@A
  __syncthreads(); o[T + 64] = o[T]; } //@B
//! race block=64
K(y_bk_store_no_proxy_bad) { __shared__ alignas(16) int s[64];
  s[T] = a[T]; __syncthreads(); //@A
  if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); bulk_wait(); } } //@B
//! mem block=32
K(y_bk_misaligned_bad) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncwarp();
  if (T == 0) { mb_expect(&m, 64);
    bulk_g2s(s, a + 1, 64, &m); } //@A
  mb_wait(&m, 0); o[T] = s[T & 15]; }
//! mem block=32
K(y_bk_past_source_bad) { __shared__ alignas(16) int s[64]; __shared__ u64 m; if (T == 0) { mb_init(&m, 1); proxy(); } __syncwarp();
  if (T == 0) { mb_expect(&m, 64);
    bulk_g2s(s, a + 1016, 64, &m); } //@A
  mb_wait(&m, 0); o[T] = s[T & 15]; }

// ---- cp.async
//! race block=64
K(y_cp_wait_one_bad) { __shared__ alignas(16) int s[2][64];
  cpa4(&s[0][T], a + T); cpa_commit();
  cpa4(&s[1][T], a + 64 + T); cpa_commit(); //@A
  cpa_wait<1>(); __syncthreads();
  o[T] = s[0][T ^ 1] + s[1][T]; } //@B
//! race block=64
K(y_cp_wait_one_ok) { __shared__ alignas(16) int s[2][64];
  cpa4(&s[0][T], a + T); cpa_commit(); cpa4(&s[1][T], a + 64 + T); cpa_commit();
  cpa_wait<1>(); __syncthreads(); o[T] = s[0][T ^ 1]; cpa_wait<0>(); o[T + 64] = s[1][T]; }
//! race block=64
K(y_cp_no_commit_bad) { __shared__ alignas(16) int s[64];
  cpa4(&s[T], a + T); //@A
  cpa_wait<0>(); __syncthreads(); o[T] = s[T ^ 1]; } //@B
//! race block=64
K(y_cp_no_barrier_bad) { __shared__ alignas(16) int s[64];
  cpa4(&s[T], a + T); cpa_commit(); cpa_wait<0>(); //@A
  o[T] = s[T ^ 32]; } //@B
//! race block=64
K(y_cp_refill_bad) { __shared__ alignas(16) int s[64]; int sum = 0;
  for (int i = 0; i < 3; i++) {
    cpa4(&s[T], a + 64 * i + T); cpa_commit(); cpa_wait<0>(); __syncthreads(); //@A
    sum += s[T ^ 32]; } //@B
  o[T] = sum; }
//! race block=64
K(y_cp_refill_ok) { __shared__ alignas(16) int s[64]; int sum = 0;
  for (int i = 0; i < 3; i++) {
    cpa4(&s[T], a + 64 * i + T); cpa_commit(); cpa_wait<0>(); __syncthreads();
    sum += s[T ^ 32]; __syncthreads(); }
  o[T] = sum; }
//! mem block=16
K(y_cp_misaligned_bad) { __shared__ alignas(16) int s[64];
  cpa16(&s[T * 4], a + T * 4 + 2); cpa_commit(); cpa_wait<0>(); __syncthreads(); //@A
  o[T] = s[T]; }

// ---- clusters
//! race block=32 grid=2 cluster=2
K(y_cl_no_sync_bad) { __shared__ int s[32]; auto c = cg::this_cluster(); c.sync();
  s[T] = a[T] + B; //@A
  int *r = c.map_shared_rank(s, 1 - B); o[B * 32 + T] = r[T]; c.sync(); } //@B
//! race block=32 grid=2 cluster=2
K(y_cl_no_sync_ok) { __shared__ int s[32]; auto c = cg::this_cluster();
  s[T] = a[T] + B; c.sync();
  int *r = c.map_shared_rank(s, 1 - B); o[B * 32 + T] = r[T]; c.sync(); }
//! race block=32 grid=2 cluster=2
K(y_cl_leaves_bad) { __shared__ int s[32]; auto c = cg::this_cluster();
  s[T] = a[T] + B; c.sync();
  int *r = c.map_shared_rank(s, 1 - B); o[B * 32 + T] = r[T]; } //@A
//! mem block=32 grid=2 cluster=2
K(y_cl_past_bad) { __shared__ int s[32]; auto c = cg::this_cluster();
  s[T] = a[T] + B; c.sync();
  int *r = c.map_shared_rank(s, 1 - B); o[B * 32 + T] = r[T + n - 1020]; c.sync(); } //@A
//! sync block=32 grid=2 cluster=2
K(y_cl_one_block_bad) { __shared__ int s[32]; auto c = cg::this_cluster(); s[T] = a[T]; __syncthreads(); o[B * 32 + T] = s[31 - T];
  if (B == 0) c.sync(); } //@A
//! race block=32 grid=2 cluster=2
K(y_cl_count_bad) { __shared__ int s; auto c = cg::this_cluster(); if (T == 0) s = 0; c.sync();
  atomicAdd(c.map_shared_rank(&s, 0), 1); //@A
  __syncthreads(); if (B == 0 && T == 0) o[0] = s; c.sync(); } //@B
//! race block=32 grid=2 cluster=2 oinit=1
K(y_cl_count_ok) { __shared__ int s; auto c = cg::this_cluster(); if (T == 0) s = 0; c.sync();
  atomicAdd(c.map_shared_rank(&s, 0), 1); c.sync(); if (B == 0 && T == 0) o[0] = s; }

// ---- shared races
//! race block=64
K(y_sh_waw_bad) { __shared__ int s[32]; s[T & 31] = T; __syncthreads(); o[T] = s[T & 31]; } //@A
//! race block=64
K(y_sh_waw_ok) { __shared__ int s[32]; if (T < 32) s[T] = T; __syncthreads(); o[T] = s[T & 31]; }
//! race block=32
K(y_sh_syncwarp_mask_bad) { __shared__ int s[32]; s[T] = a[T]; //@A
  if (T < 16) __syncwarp(0xFFFF); else __syncwarp(0xFFFF0000); o[T] = s[31 - T]; } //@B
//! race block=32
K(y_sh_syncwarp_mask_ok) { __shared__ int s[32]; s[T] = a[T];
  if (T < 16) __syncwarp(0xFFFF); else __syncwarp(0xFFFF0000); o[T] = s[T ^ 15]; }
//! race block=64
K(y_sh_bits_bad) { __shared__ u32 s[2]; if (T < 2) s[T] = 0; __syncthreads();
  if (a[T] & 1) s[T / 32] |= 1u << (T % 32); //@A
  __syncthreads(); o[T] = s[T / 32]; }
//! race block=64
K(y_sh_bits_ok) { __shared__ u32 s[2]; if (T < 2) s[T] = 0; __syncthreads();
  if (a[T] & 1) atomicOr(&s[T / 32], 1u << (T % 32));
  __syncthreads(); o[T] = s[T / 32]; }
struct Flags { unsigned x : 4; unsigned y : 12; unsigned z : 16; };
//! race block=64
K(y_sh_bitfield_bad) { __shared__ Flags f; if (T == 0) f = Flags{1, 2, 3}; __syncthreads();
  if (T == 0) f.x = a[3]; //@A
  if (T == 32) f.y = a[5]; //@B
  __syncthreads(); o[T] = f.x + f.y + f.z; }
struct Fields { unsigned char x; unsigned char y; unsigned short z; };
//! race block=64
K(y_sh_bitfield_ok) { __shared__ Fields f; if (T == 0) f = Fields{1, 2, 3}; __syncthreads();
  if (T == 0) f.x = a[3]; if (T == 32) f.y = a[5]; if (T == 40) f.z = a[7];
  __syncthreads(); o[T] = f.x + f.y + f.z; }
//! race block=64
K(y_sh_volatile_bad) { __shared__ volatile int s[64]; s[T] = a[T]; __syncthreads();
  if (T < 32) { s[T] += s[T + 32]; s[T] += s[T + 16]; } o[T] = T < 1 ? s[0] : 0; } //@B
//! race block=64
K(y_sh_volatile_ok) { __shared__ volatile int s[64]; s[T] = a[T]; __syncthreads();
  if (T < 32) s[T] = s[T] + s[T + 32]; __syncwarp(); int v = s[(T + 16) & 63]; __syncthreads(); if (T < 16) s[T] += v; o[T] = T < 1 ? s[0] : 0; }
//! race block=96
K(y_sh_barrier_part_bad) { __shared__ int s[96]; s[T] = a[T]; //@A
  if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory"); o[T] = s[(T + 32) % 96]; } //@B
//! race block=96
K(y_sh_barrier_part_ok) { __shared__ int s[96]; s[T] = a[T];
  if (T < 64) { asm volatile("bar.sync 1, 64;" ::: "memory"); o[T] = s[(T + 32) % 64]; } else o[T] = s[T]; }
//! race block=64
K(y_sh_histogram_bad) { __shared__ int h[16]; if (T < 16) h[T] = 0; __syncthreads();
  h[a[T] % 16]++; //@A
  __syncthreads(); o[T] = h[T & 15]; }
//! race block=64
K(y_sh_histogram_ok) { __shared__ int h[16]; if (T < 16) h[T] = 0; __syncthreads();
  atomicAdd(&h[a[T] % 16], 1); __syncthreads(); o[T] = h[T & 15]; }
//! race block=64
K(y_sh_zero_late_bad) { __shared__ int h[16]; if (T < 16) h[T] = 0; //@A
  atomicAdd(&h[a[T] % 16], 1); __syncthreads(); o[T] = h[T & 15]; } //@B
NI void put(int *p, int v) { *p = v; }
NI int get(int *p) { return *p; }
//! race block=64
K(y_sh_in_call_bad) { __shared__ int s[64]; put(s + T, a[T]); o[T] = get(s + (T ^ 40)); }
//! race block=64
K(y_sh_in_call_ok) { __shared__ int s[64]; put(s + T, a[T]); __syncthreads(); o[T] = get(s + (T ^ 40)); }

// ---- global races
//! race block=32 grid=4 oinit=1
K(y_gl_last_block_bad) { __shared__ bool last; b[B * 32 + T] = a[T] + B; __syncthreads(); //@A
  if (T == 0) last = atomicAdd(&o[500], 1) == 3; __syncthreads();
  if (last) { __threadfence(); int sum = 0; for (int i = 0; i < 4; i++) sum += b[i * 32 + T]; o[T] = sum; } } //@B
//! race block=32 grid=4 oinit=1
K(y_gl_last_block_ok) { __shared__ bool last; b[B * 32 + T] = a[T] + B; __threadfence(); __syncthreads();
  if (T == 0) last = atomicAdd(&o[500], 1) == 3; __syncthreads();
  if (last) { __threadfence(); int sum = 0; for (int i = 0; i < 4; i++) sum += b[i * 32 + T]; o[T] = sum; } }
//! race block=32 grid=2 oinit=1
K(y_gl_fence_block_bad) { if (B == 0) { if (T == 0) { o[0] = a[5]; //@A
    __threadfence_block(); atomicExch(&o[1], 1); } }
  else if (T == 0) { while (atomicAdd(&o[1], 0) == 0) { } __threadfence(); o[2] = o[0]; } } //@B
//! race block=32 grid=2 oinit=1
K(y_gl_fence_block_ok) { if (B == 0) { if (T == 0) { o[0] = a[5]; __threadfence(); atomicExch(&o[1], 1); } }
  else if (T == 0) { while (atomicAdd(&o[1], 0) == 0) { } __threadfence(); o[2] = o[0]; } }
//! race block=32 grid=2 oinit=1
K(y_gl_increment_bad) { if (T == 0) o[0]++; } //@A
//! race block=32 grid=2 oinit=1
K(y_gl_increment_ok) { if (T == 0) atomicAdd(o, 1); }
//! race block=32 grid=2 oinit=1
K(y_gl_lock_bad) { if (T == 0) { while (atomicCAS(&o[1], 0, 1) != 0) { } __threadfence();
    o[0] += a[B + 1]; //@A
    atomicExch(&o[1], 0); } }
//! race block=32 grid=2 oinit=1
K(y_gl_lock_ok) { if (T == 0) { while (atomicCAS(&o[1], 0, 1) != 0) { } __threadfence();
    o[0] += a[B + 1]; __threadfence(); atomicExch(&o[1], 0); } }
//! race block=64 grid=2 oinit=1
K(y_gl_halo_bad) { int i = B * 64 + T; o[i] = a[i] * 2; __syncthreads(); //@A
  if (i > 0) b[i] = o[i - 1]; } //@B
//! race block=64 grid=2 oinit=1
K(y_gl_halo_ok) { int i = B * 64 + T; o[i] = a[i] * 2; __syncthreads(); if (T > 0) b[i] = o[i - 1]; }

// ---- mem
//! mem block=64
K(y_me_vector_bad) { int4 *v = (int4 *)(a + T * 16 + 1); int4 x = *v; o[T] = x.x + x.w; } //@A
//! mem block=64
K(y_me_pitch_bad) { int x = T & 31, y = T >> 5; o[(y * 1000 + x) + (n - 1024)] = a[y * 1024 + x]; } //@A
//! mem block=64
K(y_me_null_bad) { int *p = *(int **)(b + 2); p[T] = 1; } //@A
//! mem block=64
K(y_me_int_pointer_bad) { int *p = (int *)(u64)(u32)(u64)(o + T); *p = a[T]; } //@A
//! mem block=64
K(y_me_atomic_bad) { atomicAdd(o + T * 17, 1); } //@A
//! mem block=64
K(y_me_shared_as_global_bad) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); int v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(s + T) : "memory"); o[T] = v; } //@A
//! mem block=64
K(y_me_shared_offset_bad) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); int v;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"((u64)sa(s + T)) : "memory"); o[T] = v; } //@A
//! mem block=64 dyn=128
K(y_me_dynamic_bad) { dyn[T] = a[T]; __syncthreads(); o[T] = dyn[T ^ 1]; } //@A
//! mem block=64 dyn=256
K(y_me_dynamic_ok) { dyn[T] = a[T]; __syncthreads(); o[T] = dyn[T ^ 1]; }
//! mem block=64
K(y_me_shared_misaligned_bad) { __shared__ alignas(16) char s[1024]; for (int i = T; i < 1024; i += 64) s[i] = a[i]; __syncthreads();
  o[T] = *(int *)(s + T * 5); } //@A
//! mem block=32
K(y_me_local_bad) { int l[8]; for (int i = 0; i < 8; i++) l[i] = a[T + i]; int s = 0;
  for (int i = 0; i <= 8; i++) s += l[(i * (n / 1024))]; //@A
  o[T] = s; }
//! mem block=32
K(y_me_local_ok) { int l[8]; for (int i = 0; i < 8; i++) l[i] = a[T + i]; int s = 0;
  for (int i = 0; i < 8; i++) s += l[(i * (n / 1024))]; o[T] = s; }
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
//! mem block=32
K(y_me_const_bad) { o[T] = table[a[T] / 3]; } //@A
//! mem block=32
K(y_me_const_ok) { o[T] = table[a[T] / 4]; }
__device__ int counters[8];
//! mem block=32
K(y_me_device_var_bad) { o[T] = counters[T]; } //@A
//! mem block=32
K(y_me_uaf_bad) { int *p = (int *)malloc(32); p[0] = T; p[1] = a[T]; o[T] = p[0]; free(p);
  o[T + 32] = p[1]; } //@A
//! mem block=32
K(y_me_uaf_ok) { int *p = (int *)malloc(32); p[0] = T; p[1] = a[T]; o[T] = p[0]; o[T + 32] = p[1]; free(p); }
//! mem block=32
K(y_me_overrun_bad) { int *p = (int *)malloc(32); for (int i = 0; i < 8; i++) p[i] = a[i];
  p[n / 128] = 1; o[T] = p[1]; free(p); } //@A
//! mem block=32
K(y_me_free_middle_bad) { int *p = (int *)malloc(32); p[0] = T; p[1] = 1; o[T] = p[0] + p[1];
  free(p + 2); } //@A
//! mem block=32
K(y_me_leak_bad) { int *p = (int *)malloc(32); p[0] = T; p[1] = 2; o[T] = p[a[T] & 1]; //@A
  if (T) free(p); }
//! mem block=32
K(y_me_exhausted_bad) { int *p = (int *)malloc(1 << 30); p[T] = a[T]; //@A
  o[T] = p[T]; free(p); }
NI int deep(int v, int *p) { volatile int l[4096]; l[v & 4095] = p[v & 63]; if (v == 0) return 0;
  return deep(v - 1, p) + l[v & 4095]; }
//! mem block=32
K(y_me_stack_bad) { o[T] = deep(n * 64, a); }
//! mem block=32
K(y_me_stack_ok) { o[T] = deep(2, a); }
typedef int (*Fn)(int);
NI int twice(int v) { return v * 2; }
NI int thrice(int v) { return v * 3; }
__device__ Fn fns[3] = {twice, thrice};
//! mem block=32
K(y_me_null_call_bad) { o[T] = fns[a[T] % 3](T); } //@A
//! mem block=32
K(y_me_null_call_ok) { o[T] = fns[a[T] % 2](T); }
//! mem block=32
K(y_me_assert_bad) { assert(a[T] < 30); o[T] = a[T]; } //@A
//! mem block=32
K(y_me_assert_ok) { assert(a[T] < 32); o[T] = a[T]; }
//! mem block=32
K(y_me_write_const_bad) { int *p = n > 2000 ? o : table; p[T & 7] = 1; o[T] = 1; } //@A

// ---- init
//! init block=64
K(y_in_tail_bad) { __shared__ int s[64]; if (T < n / 17) s[T] = a[T]; __syncthreads(); o[T] = s[T] + 1; } //@A
//! init block=64
K(y_in_tail_ok) { __shared__ int s[64]; if (T < n / 16) s[T] = a[T]; __syncthreads(); o[T] = s[T] + 1; }
NI void fill(int *p, int k, int v) { for (int i = 0; i < k; i++) p[i] = v + i; }
//! init block=32
K(y_in_by_reference_bad) { int l[8]; fill(l, n / 146, a[T]); int s = 0; for (int i = 0; i < 8; i++) s += l[i]; //@A
  o[T] = s; }
//! init block=32
K(y_in_by_reference_ok) { int l[8]; fill(l, n / 128, a[T]); int s = 0; for (int i = 0; i < 8; i++) s += l[i];
  o[T] = s; }
//! init block=32
K(y_in_malloc_bad) { int *p = (int *)malloc(16); p[0] = T; o[T] = p[0] + p[1]; free(p); } //@A
//! init block=32
K(y_in_malloc_ok) { int *p = (int *)malloc(16); p[0] = T; p[1] = 3; o[T] = p[0] + p[1]; free(p); }
//! init block=64
K(y_in_index_bad) { __shared__ int at[64]; if (T % 2) at[T] = T; __syncthreads(); o[T] = a[at[T] & 63]; } //@A
//! init block=64
K(y_in_bound_bad) { __shared__ int count[2]; if (T == 0) count[a[0] + 1] = 3; __syncthreads(); int s = 0;
  for (int i = 0; i < (count[0] & 7); i++) s += a[i]; o[T] = s; } //@A
//! init block=64
K(y_in_bound_ok) { __shared__ int count[2]; if (T == 0) count[a[0]] = 3; __syncthreads(); int s = 0;
  for (int i = 0; i < (count[0] & 7); i++) s += a[i]; o[T] = s; }
//! init block=32
K(y_in_mma_bad) { using namespace nvcuda::wmma; __shared__ __half s[256]; if (T < 30) for (int i = 0; i < 8; i++) s[T * 8 + i] = __int2half_rn(a[i]);
  __syncwarp(); fragment<matrix_a, 16, 16, 16, __half, row_major> x; fragment<matrix_b, 16, 16, 16, __half, col_major> y; fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.0f); load_matrix_sync(x, s, 16); load_matrix_sync(y, s, 16); mma_sync(c, x, y, c); store_matrix_sync((float *)o, c, 16, mem_row_major); } //@A
//! init block=32
K(y_in_mma_ok) { using namespace nvcuda::wmma; __shared__ __half s[256]; for (int i = 0; i < 8; i++) s[T * 8 + i] = __int2half_rn(a[i]);
  __syncwarp(); fragment<matrix_a, 16, 16, 16, __half, row_major> x; fragment<matrix_b, 16, 16, 16, __half, col_major> y; fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.0f); load_matrix_sync(x, s, 16); load_matrix_sync(y, s, 16); mma_sync(c, x, y, c); store_matrix_sync((float *)o, c, 16, mem_row_major); }
//! init block=32
K(y_in_cp_zfill_ok) { __shared__ alignas(16) int s[32];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(sa(s + T)), "l"(a + T), "r"(T < 20 ? 4 : 0) : "memory");
  cpa_commit(); cpa_wait<0>(); __syncwarp(); o[T] = s[31 - T] + 1; }
//! init block=32
K(y_in_shared_atomic_bad) { __shared__ int h[8]; atomicAdd(h + (T & 7), 1); __syncwarp(); o[T] = h[T & 7]; } //@A
//! init block=32
K(y_in_output_bad) { int s = 0; if (T == 0) { for (int i = 0; i < 32; i++) s += o[i]; o[0] = s; } } //@A
//! init block=32
K(y_in_output_ok) { o[T] = a[T]; __syncwarp(); int s = 0; if (T == 0) { for (int i = 0; i < 32; i++) s += o[i]; o[32] = s; } }
struct Node { int key; int next; float w; };
//! init block=32
K(y_in_member_bad) { __shared__ Node t[32]; t[T].key = a[T]; t[T].next = (T + 1) & 31; __syncwarp();
  o[T] = (int)(t[t[T].next].w * 2.0f); } //@A
//! init block=32
K(y_in_member_ok) { __shared__ Node t[32]; t[T].key = a[T]; t[T].next = (T + 1) & 31; t[T].w = T; __syncwarp();
  o[T] = (int)(t[t[T].next].w * 2.0f); }

// ---- sync
//! sync block=64
K(y_sy_if_bad) { __shared__ int s[64]; s[T] = a[T]; if (a[T] % 3) __syncthreads(); o[T] = s[T]; } //@A
//! sync block=64
K(y_sy_if_ok) { __shared__ int s[64]; s[T] = a[T]; if (n % 3) __syncthreads(); o[T] = s[T]; }
//! sync block=96
K(y_sy_count_bad) { __shared__ int s[96]; s[T] = a[T]; o[T + 100] = 1;
  if (T < 64) asm volatile("bar.sync 1, 96;" ::: "memory"); o[T] = s[T]; } //@A
//! sync block=96
K(y_sy_count_odd_bad) { __shared__ int s[96]; s[T] = a[T];
  if (T < 64) asm volatile("bar.sync 1, %0;" :: "r"(n / 16 - 4) : "memory"); o[T] = s[T]; } //@A
//! sync block=64
K(y_sy_barrier_number_bad) { o[T] = a[T]; asm volatile("bar.sync %0;" :: "r"(n / 64) : "memory"); } //@A
//! race block=64
K(y_sy_arrive_only_bad) { __shared__ int s[64]; s[T] = a[T]; //@A
  if (T < 32) asm volatile("bar.arrive 1, 64;" ::: "memory"); else asm volatile("bar.arrive 1, 64;" ::: "memory");
  o[T] = s[T ^ 32]; } //@B
//! sync block=32
K(y_sy_shfl_mask_bad) { int v = a[T]; if (T < 20) v = __shfl_sync(0xFFFFF, v, T + 4); o[T] = v; } //@A
//! sync block=32
K(y_sy_shfl_mask_ok) { int v = a[T]; if (T < 20) v = __shfl_sync(0xFFFFF, v, (T + 4) % 20); o[T] = v; }
//! sync block=32
K(y_sy_syncwarp_bad) { o[T] = a[T]; if (T < 16) __syncwarp(0xFF); } //@A
//! sync block=32
K(y_sy_syncwarp_ok) { o[T] = a[T]; if (T < 16) __syncwarp(0xFFFF); }
//! sync block=32
K(y_sy_match_bad) { u32 m = 0; if (a[T] > 5) m = __match_any_sync(~0u, T / 4); o[T] = m; } //@A
//! sync block=32
K(y_sy_match_ok) { u32 m = 0; u32 w = __ballot_sync(~0u, a[T] > 5); if (a[T] > 5) m = __match_any_sync(w, T / 4); o[T] = m; }
//! sync block=32
K(y_sy_tile_bad) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int v = a[T];
  if (t.thread_rank() != 3) v = t.shfl_down(v, 1); o[T] = v; } //@A
//! sync block=32
K(y_sy_tile_ok) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int v = a[T];
  if (t.meta_group_rank() != 3) v = t.shfl_down(v, 1); o[T] = v; }
//! sync block=32
K(y_sy_mma_branch_bad) { using namespace nvcuda::wmma; __shared__ __half s[256]; for (int i = 0; i < 8; i++) s[T * 8 + i] = __int2half_rn(a[i]);
  __syncwarp(); fragment<matrix_a, 16, 16, 16, __half, row_major> x; if (T < 16) {
  load_matrix_sync(x, s, 16); } o[T] = T < 16 ? (int)__half2float(x.x[0]) : 0; } //@A
//! sync block=64 grid=2
K(y_sy_loop_bad) { __shared__ int s[64]; s[T] = 0; for (int i = 0; i < 1 + (T >> 5); i++) { __syncthreads(); s[T] += i; } //@A
  o[B * 64 + T] = s[T]; }
//! sync block=64 grid=2
K(y_sy_loop_ok) { __shared__ int s[64]; s[T] = 0; for (int i = 0; i < 1 + B; i++) { __syncthreads(); s[T] += i; }
  o[B * 64 + T] = s[T]; }
//! sync block=32
K(y_sy_activemask_bad) { int v = 0; if (T & 1) v = __shfl_down_sync(~0u, T, 1); o[T] = v; } //@A
//! sync block=32 grid=2 cluster=2
K(y_sy_cluster_arrive_bad) { o[B * 32 + T] = a[T];
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); //@A
  }
//! sync block=32 grid=2 cluster=2
K(y_sy_cluster_twice_bad) { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); //@A
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); o[B * 32 + T] = a[T]; }
//! sync block=32 grid=2 cluster=2
K(y_sy_cluster_wait_bad) { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); //@A
  o[B * 32 + T] = a[T]; }

// ---- more
//! sync block=64
K(y_f_warp_skips_bad) { __shared__ int s[64]; s[T] = a[T]; if (T < 32) __syncthreads(); o[T] = s[T]; } //@A
//! sync block=64
K(y_f_warp_skips_race_bad) { __shared__ int s[64]; s[T] = a[T]; if (T < 32) __syncthreads(); o[T] = s[63 - T]; } //@A
//! sync block=64
K(y_f_two_barriers_ok) { __shared__ int s[64]; s[T] = a[T]; if (T < 32) { __syncthreads(); o[T] = s[T]; } else { o[T] = s[T] + 1; __syncthreads(); } }
//! sync block=128
K(y_f_warps_return_ok) { __shared__ int s[64]; if (T >= 64) return; s[T] = a[T]; __syncthreads(); o[T] = s[63 - T]; }
//! sync block=64 oinit=1
K(y_f_loop_warps_bad) { __shared__ int s[64]; int sum = 0; for (int i = T / 32; i < 3; i++) { s[T] = a[T + i]; __syncthreads(); sum += s[T]; } o[T] = sum; } //@A
//! sync block=33
K(y_f_odd_block_ok) { __shared__ int s[33]; s[T] = a[T]; __syncthreads(); o[T] = s[32 - T]; }
//! race block=64
K(y_f_scan_bad) { __shared__ int s[64]; s[T] = a[T]; __syncthreads();
  for (int d = 1; d < 64; d *= 2) { int v = T >= d ? s[T - d] : 0; //@A
    s[T] += v; __syncthreads(); } o[T] = s[T]; } //@B
//! race block=64
K(y_f_scan_ok) { __shared__ int s[64]; s[T] = a[T]; __syncthreads();
  for (int d = 1; d < 64; d *= 2) { int v = T >= d ? s[T - d] : 0; __syncthreads(); s[T] += v; __syncthreads(); } o[T] = s[T]; }
//! mem block=32
K(y_f_local_escape_bad) { __shared__ int *p; int l[4]; for (int i = 0; i < 4; i++) l[i] = a[T + i]; if (T == 0) p = l; __syncwarp();
  o[T] = p[T & 3] + l[a[T] & 3]; } //@A
//! mem block=32
K(y_f_struct_bad) { struct S { int k[3]; int tag; }; __shared__ S s[32]; s[T].tag = 7; for (int i = 0; i < 3; i++) s[T].k[i] = a[T]; __syncwarp();
  o[T] = s[T].k[n / 128]; } //@A
//! mem block=32
K(y_f_half_align_bad) { *(short *)((char *)o + T * 4 + 1) = 3; } //@A
//! mem block=32
K(y_f_double_align_bad) { *(double *)(o + T * 2 + 1) = 3; } //@A
//! mem block=32
K(y_f_local_align_bad) { char l[64]; for (int i = 0; i < 64; i++) l[i] = a[i]; o[T] = *(int *)(l + (n >> 10)); } //@A
//! mem block=32
K(y_f_atomic_align_bad) { atomicAdd((int *)((char *)o + 2), 1); } //@A
//! mem block=32
K(y_f_shared_atomic_bad) { __shared__ int h[32]; h[T] = 0; __syncwarp(); atomicAdd(h + a[T] * 2, 1); __syncwarp(); o[T] = h[T]; } //@A
//! mem block=32
K(y_f_negative_bad) { o[(int)(T - (n >> 8))] = 1; } //@A
//! mem block=32
K(y_f_memcpy_bad) { memcpy(o + T * 4, a + T * 33, 16); } //@A
//! mem block=32
K(y_f_memset_bad) { memset(o + T * 32 + 31, 0, n >> 5); } //@A
//! mem block=32
K(y_f_trap_bad) { if (a[T] == 9) __trap(); o[T] = 1; } //@A
//! mem block=32
K(y_f_printf_ok) { if (T == 0) printf("%d\n", a[T]); o[T] = 1; }
//! init block=32
K(y_f_printf_bad) { __shared__ int s[32]; if (T) s[T] = 3; __syncwarp(); if (T == 0) printf("%d\n", s[0]); o[T] = 1; } //@A
//! init block=32
K(y_f_pointer_bad) { __shared__ int *p[32]; if (T != 4) p[T] = o + T; __syncwarp(); *p[T] = 4; } //@A
//! init block=32
K(y_f_uninit_shfl_bad) { __shared__ int s[32]; if (T < 31) s[T] = a[T]; __syncwarp(); int v = s[T]; o[T] = __shfl_sync(~0u, v, (T + 1) & 31) * 3; } //@A
//! init block=32
K(y_f_uninit_max_bad) { __shared__ int s[32]; if (T < 31) s[T] = a[T]; __syncwarp(); o[T] = __reduce_max_sync(~0u, s[T]); } //@A
//! init block=32
K(y_f_uninit_switch_bad) { __shared__ int s[32]; if (T < 31) s[T] = a[T]; __syncwarp(); switch (s[T]) { case 0: o[T] = 4; break; case 1: o[T] = n; break; case 2: o[T] = n * n; break; case 3: o[T] = a[9]; break; case 4: o[T] = a[n >> 4]; break; default: o[T] = 0; } } //@A
//! sync block=32
K(y_f_bar_zero_bad) { o[T] = a[T]; asm volatile("bar.sync 1, %0;" :: "r"(n >> 11) : "memory"); } //@A
//! sync block=64
K(y_f_named_twice_bad) { __shared__ int s[64]; s[T] = a[T];
  if (T < 32) asm volatile("bar.sync 1, 64;" ::: "memory"); else asm volatile("bar.sync 2, 64;" ::: "memory"); o[T] = s[T]; } //@A
//! sync block=32
K(y_f_vote_bad) { int v = 0; if (T < 7) v = __any_sync(0xFF, a[T] > 3); o[T] = v; } //@A
//! sync block=32
K(y_f_zero_mask_bad) { o[T] = __shfl_sync(n >> 12, a[T], 0); } //@A
//! sync block=16
K(y_f_partial_warp_bad) { o[T] = __shfl_sync(~0u, a[T], T + 8); } //@A
//! sync block=32
K(y_f_return_shfl_bad) { if (T > 20) return; int v = a[T]; v += __shfl_down_sync(~0u, v, 4); o[T] = v; } //@A
//! race block=64
K(y_f_pipeline_bad) { __shared__ alignas(16) int s[2][64]; auto p = cuda::make_pipeline(); int sum = 0;
  p.producer_acquire(); cuda::memcpy_async(&s[0][T], a + T, cuda::aligned_size_t<4>(4), p); p.producer_commit();
  for (int i = 0; i < 3; i++) { 
    p.producer_acquire(); cuda::memcpy_async(&s[(i + 1) & 1][T], a + T + i, cuda::aligned_size_t<4>(4), p); p.producer_commit(); //@A
    p.consumer_wait(); sum += s[i & 1][T ^ 1]; p.consumer_release(); } //@B
  o[T] = sum; }
//! race block=32 grid=2 oinit=1
K(y_f_volatile_flag_bad) { volatile int *flag = o + 40; if (B == 0) { if (T == 0) { o[0] = a[3]; *flag = 1; } } //@A
  else if (T == 0) { while (*flag == 0) { } o[1] = o[0]; } } //@B
//! race block=32 grid=4 oinit=1
K(y_f_atomic_float_ok) { atomicAdd((float *)o, (float)a[T]); }
//! race block=32 grid=4 oinit=1
K(y_f_atomic_read_bad) { atomicMax(o, a[T] + B); if (T == 0) o[B + 1] = o[0]; } //@A
//! race block=32 grid=4 oinit=1
K(y_f_atomic_block_scope_bad) { atomicAdd_block(o, 1); } //@A
//! race block=256
K(y_f_reduce_bad) { __shared__ int s[256]; s[T] = a[T]; for (int d = 128; d; d >>= 1) { __syncthreads(); if (T < d) s[T] += s[T + d]; }
  o[T] = s[0]; } //@A
//! race block=256
K(y_f_reduce_ok) { __shared__ int s[256]; s[T] = a[T]; for (int d = 128; d; d >>= 1) { __syncthreads(); if (T < d) s[T] += s[T + d]; }
  __syncthreads(); o[T] = s[0]; }
//! race block=64
K(y_f_char_neighbours_ok) { __shared__ char s[64]; s[T] = a[T]; __syncthreads(); o[T] = s[63 - T]; }
//! race block=64
K(y_f_char_overlap_bad) { __shared__ alignas(4) char s[64]; s[T] = a[T]; __syncthreads(); if (T < 16) ((int *)s)[T] = 3; //@A
  o[T] = s[63 - T]; } //@B
//! mem block=32
K(y_f_nc_bad) { o[T] = 3; __syncwarp(); o[T + 32] = __ldg(o + (T ^ 1)); } //@A
