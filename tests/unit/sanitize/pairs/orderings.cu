// Pairs of kernels: every way of ordering accesses, and every check. Comments are as in basics.cu.
// orderings.ptx: nvcc 13.0 -arch=compute_90 -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cooperative_groups/memcpy_async.h>
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define FI __device__ __forceinline__
namespace cg = cooperative_groups;
FI unsigned sm32(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
FI void mb_init(uint64_t *m, int c) { asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" :: "r"(sm32(m)), "r"(c) : "memory"); }
FI void mb_arrive(uint64_t *m) { asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t,[%0]; }" :: "r"(sm32(m)) : "memory"); }
FI void mb_arrive_n(uint64_t *m, int c) { asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t,[%0],%1; }" :: "r"(sm32(m)), "r"(c) : "memory"); }
FI void mb_arrive_relaxed(uint64_t *m) { asm volatile("{ .reg .b64 t; mbarrier.arrive.relaxed.cta.shared::cta.b64 t,[%0]; }" :: "r"(sm32(m)) : "memory"); }
FI void mb_expect(uint64_t *m, int bytes) { asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t,[%0],%1; }" :: "r"(sm32(m)), "r"(bytes) : "memory"); }
FI int  mb_try(uint64_t *m, int parity) { int r; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p,[%1],%2; selp.s32 %0,1,0,p; }" : "=r"(r) : "r"(sm32(m)), "r"(parity) : "memory"); return r; }
FI void mb_wait(uint64_t *m, int parity) { while (!mb_try(m, parity)) { } }
FI void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
FI void bulk_g2s(void *s, const void *g, int bytes, uint64_t *m) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" :: "r"(sm32(s)), "l"(g), "r"(bytes), "r"(sm32(m)) : "memory"); }
FI void bulk_s2g(void *g, const void *s, int bytes) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" :: "l"(g), "r"(sm32(s)), "r"(bytes) : "memory"); }
FI void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
FI void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
FI void cl_sync() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
FI int  cl_rank() { int r; asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r)); return r; }
FI unsigned cl_map(const void *p, int rank) { unsigned r; asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(sm32(p)), "r"(rank)); return r; }
FI int  cl_ld(unsigned addr) { int v; asm volatile("ld.shared::cluster.s32 %0,[%1];" : "=r"(v) : "r"(addr) : "memory"); return v; }
FI void cl_st(unsigned addr, int v) { asm volatile("st.shared::cluster.s32 [%0],%1;" :: "r"(addr), "r"(v) : "memory"); }

FI void fence_proxy() { asm volatile("fence.proxy.async;" ::: "memory"); }
FI void cl_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
FI void cl_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
FI void named_bar(int id, int cnt) { asm volatile("bar.sync %0,%1;" :: "r"(id), "r"(cnt) : "memory"); }
FI void named_arrive(int id, int cnt) { asm volatile("bar.arrive %0,%1;" :: "r"(id), "r"(cnt) : "memory"); }
FI int ld_acquire(const int *p) { int v; asm volatile("ld.acquire.gpu.global.s32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
FI int ld_relaxed(const int *p) { int v; asm volatile("ld.relaxed.gpu.global.s32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
FI void st_release(int *p, int v) { asm volatile("st.release.gpu.global.s32 [%0],%1;" :: "l"(p), "r"(v) : "memory"); }
FI void st_relaxed(int *p, int v) { asm volatile("st.relaxed.gpu.global.s32 [%0],%1;" :: "l"(p), "r"(v) : "memory"); }
FI void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
extern __shared__ int dyn[];
struct Quad { int x, y, z, w; };
struct Pad { char c; int v; };
__constant__ int cbuf[64] = {1, 2, 3, 4};

// ---- race: shared memory
//! race block=256
K(raw_neighbour_bad) { __shared__ int s[256];
  s[T] = a[T] * 2; //@A
  o[T] = T ? s[T - 1] : 0; //@B
}
//! race block=256
K(raw_neighbour_ok) { __shared__ int s[256]; s[T] = a[T] * 2; __syncthreads(); o[T] = T ? s[T - 1] : 0; }
//! race block=128
K(transpose_in_place_bad) { __shared__ int s[128];
  s[T] = a[T]; __syncthreads();
  int v = s[127 - T]; //@B
  s[T] = v;  //@A
  __syncthreads(); o[T] = s[T]; }
//! race block=128
K(transpose_in_place_ok) { __shared__ int s[128]; s[T] = a[T]; __syncthreads(); int v = s[127 - T]; __syncthreads(); s[T] = v; __syncthreads(); o[T] = s[T]; }
//! race block=128
K(scan_in_place_bad) { __shared__ int s[128]; s[T] = a[T]; __syncthreads();
  #pragma unroll 1
  for (int d = 1; d < 128; d <<= 1) {
    int v = T >= d ? s[T - d] : 0; //@A
    s[T] += v; //@B
    __syncthreads(); }
  o[T] = s[T]; }
//! race block=128
K(scan_in_place_ok) { __shared__ int s[128]; s[T] = a[T]; __syncthreads();
  #pragma unroll 1
  for (int d = 1; d < 128; d <<= 1) { int v = T >= d ? s[T - d] : 0; __syncthreads(); s[T] += v; __syncthreads(); } o[T] = s[T]; }
//! race block=64
K(broadcast_reuse_bad) { __shared__ int s; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) {
    if (T == i) s = a[i]; //@A
    __syncthreads();
    acc += s; //@B
  } o[T] = acc; }
//! race block=64
K(broadcast_reuse_ok) { __shared__ int s; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { if (T == i) s = a[i]; __syncthreads(); acc += s; __syncthreads(); } o[T] = acc; }
//! race block=96
K(last_warp_reduce_bad) { __shared__ int s[96]; s[T] = a[T]; __syncthreads();
  if (T < 32) { int v = s[T] + s[T + 32] + s[T + 64]; __syncwarp(); s[T] = v; //@A
  }
  o[T] = s[0]; //@B
}
//! race block=96
K(last_warp_reduce_ok) { __shared__ int s[96]; s[T] = a[T]; __syncthreads();
  if (T < 32) { int v = s[T] + s[T + 32] + s[T + 64]; __syncwarp(); s[T] = v; } __syncthreads(); o[T] = s[0]; }
//! race block=64
K(waw_two_statements_bad) { __shared__ int s[2]; if (T == 0) { s[0] = a[0]; //@A
  } else if (T == 32) { s[0] = a[32]; //@B
  } __syncthreads(); o[T] = s[0]; }
//! race block=64
K(waw_two_statements_ok) { __shared__ int s[2]; if (T == 0) s[0] = a[0]; else if (T == 32) s[1] = a[32]; __syncthreads(); o[T] = s[T & 1]; }
//! race block=64 dyn=512
K(dyn_overlap_bad) { int *x = dyn; int *y = dyn + 32; // should be 64
  x[T] = a[T]; //@A
  y[T] = a[T + 64]; //@B
  __syncthreads(); o[T] = x[T] + y[T]; }
//! race block=64 dyn=512
K(dyn_overlap_ok) { int *x = dyn; int *y = dyn + 64; x[T] = a[T]; y[T] = a[T + 64]; __syncthreads(); o[T] = x[T] + y[T]; }
//! race block=64
K(vector_store_bad) { __shared__ alignas(16) int s[128];
  *(int2 *)&s[2 * T] = make_int2(T, T); //@A
  o[T] = s[(2 * T + 3) & 127]; //@B
}
//! race block=64
K(vector_store_ok) { __shared__ alignas(16) int s[128]; *(int2 *)&s[2 * T] = make_int2(T, T); o[T] = s[2 * T + 1]; }
//! race block=64
K(bitfield_bad) { __shared__ unsigned s[2]; if (T < 2) s[T] = 0; __syncthreads();
  if (a[T] & 1) s[T >> 5] |= 1u << (T & 31); //@A
  __syncthreads(); o[T] = s[T >> 5]; }
//! race block=64
K(bitfield_ok) { __shared__ unsigned s[2]; if (T < 2) s[T] = 0; __syncthreads();
  if (a[T] & 1) atomicOr(&s[T >> 5], 1u << (T & 31)); __syncthreads(); o[T] = s[T >> 5]; }
//! race block=64
K(reset_counter_bad) { __shared__ int c; if (T == 0) c = 0; __syncthreads();
  int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) {
    atomicAdd(&c, a[T] & 1); //@A
    __syncthreads(); acc += c;
    if (T == 0) c = 0; //@B
  } o[T] = acc; }
//! race block=64
K(reset_counter_ok) { __shared__ int c; if (T == 0) c = 0; __syncthreads(); int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { atomicAdd(&c, a[T] & 1); __syncthreads(); acc += c; __syncthreads(); if (T == 0) c = 0; __syncthreads(); } o[T] = acc; }
//! race block=64
K(queue_bad) { __shared__ int q[64]; __shared__ int c; if (T == 0) c = 0; __syncthreads();
  if (T & 1) { int i = atomicAdd(&c, 1); q[i] = T; } //@A
  if (T < 8) o[T] = q[T]; //@B
  __syncthreads(); }
//! race block=64
K(queue_ok) { __shared__ int q[64]; __shared__ int c; if (T == 0) c = 0; __syncthreads();
  if (T & 1) { int i = atomicAdd(&c, 1); q[i] = T; } __syncthreads(); if (T < 8) o[T] = q[T]; }
//! race block=64
K(shared_lock_bad) { __shared__ int l, v; if (T == 0) { l = 0; v = 0; } __syncthreads();
  if ((T & 31) == 0) { while (atomicCAS(&l, 0, 1)) { } 
    v += T + 1; //@A
    atomicExch(&l, 0); } __syncthreads(); o[T] = v; }
//! race block=64
K(shared_lock_ok) { __shared__ int l, v; if (T == 0) { l = 0; v = 0; } __syncthreads();
  if ((T & 31) == 0) { while (atomicCAS(&l, 0, 1)) { } __threadfence_block(); v += T + 1; __threadfence_block(); atomicExch(&l, 0); } __syncthreads(); o[T] = v; }
//! race block=64
K(volatile_flag_bad) { __shared__ volatile int f; __shared__ int s; if (T == 0) f = 0; __syncthreads();
  if (T == 0) { s = n; //@A
    f = 1; }
  if (T == 32) { while (!f) { } o[0] = s; //@B
  } }
//! race block=64
K(volatile_flag_ok) { __shared__ volatile int f; __shared__ int s; if (T == 0) f = 0; __syncthreads();
  if (T == 0) { s = n; __threadfence_block(); f = 1; } if (T == 32) { while (!f) { } __threadfence_block(); o[0] = s; } }
//! race block=32
K(ballot_orders_bad) { __shared__ int s[32];
  s[T] = a[T]; //@A
  unsigned m = __ballot_sync(~0u, T & 1);
  o[T] = s[31 - T] + m; //@B
}
//! race block=32
K(ballot_orders_ok) { __shared__ int s[32]; s[T] = a[T]; unsigned m = __ballot_sync(~0u, T & 1); __syncwarp(); o[T] = s[31 - T] + m; }
//! race block=32
K(warp_scan_half_bad) { __shared__ int s[32];
  s[T] = a[T]; __syncwarp();
  #pragma unroll 1
  for (int d = 1; d < 32; d <<= 1) {
    int v = T >= d ? s[T - d] : 0; __syncwarp();
    s[T] += v; //@A
  } o[T] = s[T]; }
//! race block=32
K(warp_scan_half_ok) { __shared__ int s[32]; s[T] = a[T]; __syncwarp();
  #pragma unroll 1
  for (int d = 1; d < 32; d <<= 1) { int v = T >= d ? s[T - d] : 0; __syncwarp(); s[T] += v; __syncwarp(); } o[T] = s[T]; }
//! race block=64
K(warp_barrier_for_block_bad) { __shared__ int s[64];
  s[T] = a[T]; //@A
  __syncwarp();
  o[T] = s[63 - T]; //@B
}
//! race block=64
K(warp_barrier_for_block_ok) { __shared__ int s[64]; s[T] = a[T]; __syncwarp(); o[T] = s[T ^ 31]; }
//! race block=64
K(fence_for_barrier_bad) { __shared__ int s[64];
  s[T] = a[T]; //@A
  __threadfence_block();
  o[T] = s[63 - T]; //@B
}
//! race block=64
K(fence_for_barrier_ok) { __shared__ int s[64]; s[T] = a[T]; __threadfence_block(); __syncthreads(); o[T] = s[63 - T]; }
//! race block=96
K(arrive_pair_bad) { __shared__ int s[64];
  if (T < 32) { 
    #pragma unroll 1
    for (int i = 0; i < 3; i++) {
      s[T] = a[i * 32 + T]; //@A
      named_arrive(1, 64); } }
  else if (T < 64) { int acc = 0;
    #pragma unroll 1
    for (int i = 0; i < 3; i++) { named_bar(1, 64); 
      acc += s[63 - T]; //@B
    } o[T] = acc; } }
//! race block=96
K(arrive_pair_ok) { __shared__ int s[64];
  if (T < 32) { 
    #pragma unroll 1
    for (int i = 0; i < 3; i++) { if (i) named_bar(2, 64); s[T] = a[i * 32 + T]; named_arrive(1, 64); } }
  else if (T < 64) { int acc = 0;
    #pragma unroll 1
    for (int i = 0; i < 3; i++) { named_bar(1, 64); acc += s[63 - T]; if (i < 2) named_arrive(2, 64); } o[T] = acc; } }
// ---- race: asynchronous copies
//! race block=64
K(cp_missing_commit_bad) { __shared__ int s[64];
  __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  __pipeline_wait_prior(0); __syncthreads();
  o[T] = s[63 - T]; //@B
  __pipeline_commit(); __pipeline_wait_prior(0); }
//! race block=64
K(cp_missing_commit_ok) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); o[T] = s[63 - T]; }
//! race block=64
K(cp_before_wait_bad) { __shared__ int s[64];
  __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  __pipeline_commit(); __syncthreads();
  int v = s[T]; //@B
  __pipeline_wait_prior(0); o[T] = v; }
//! race block=64
K(cp_before_wait_ok) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4); __pipeline_commit(); __pipeline_wait_prior(0); int v = s[T]; o[T] = v; }
//! race block=128
K(cp_three_stage_bad) { __shared__ int s[3][128]; int acc = 0;
  for (int i = 0; i < 2; i++) { __pipeline_memcpy_async(&s[i][T], &a[i * 128 + T], 4); __pipeline_commit(); }
  #pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if (i + 2 < 6) __pipeline_memcpy_async(&s[(i + 2) % 3][T], &a[(i + 2) * 128 + T], 4); //@A
    __pipeline_commit();
    __pipeline_wait_prior(3);
    __syncthreads();
    acc += s[i % 3][127 - T]; //@B
    __syncthreads();
  } __pipeline_wait_prior(0); o[T] = acc; }
//! race block=128
K(cp_three_stage_ok) { __shared__ int s[3][128]; int acc = 0;
  for (int i = 0; i < 2; i++) { __pipeline_memcpy_async(&s[i][T], &a[i * 128 + T], 4); __pipeline_commit(); }
  #pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if (i + 2 < 6) __pipeline_memcpy_async(&s[(i + 2) % 3][T], &a[(i + 2) * 128 + T], 4);
    __pipeline_commit(); __pipeline_wait_prior(2); __syncthreads(); acc += s[i % 3][127 - T]; __syncthreads();
  } __pipeline_wait_prior(0); o[T] = acc; }
//! race block=64
K(cp_overwrite_bad) { __shared__ int s[64]; s[T] = -1;  __syncthreads();
  int v = s[63 - T]; //@B
  __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); o[T] = s[63 - T] + v; }
//! race block=64
K(cp_overwrite_ok) { __shared__ int s[64]; s[T] = -1;  __syncthreads(); int v = s[63 - T]; __syncthreads();
  __pipeline_memcpy_async(&s[T], &a[T], 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); o[T] = s[63 - T] + v; }
//! race block=64
K(cp_mbar_bad) { __shared__ int s[64]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads();
  __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  mb_arrive(&m); mb_wait(&m, 0);
  o[T] = s[63 - T]; //@B
  __pipeline_commit(); __pipeline_wait_prior(0); }
//! race block=64
K(cp_mbar_ok) { __shared__ int s[64]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads();
  __pipeline_memcpy_async(&s[T], &a[T], 4);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(sm32(&m)) : "memory"); mb_wait(&m, 0); o[T] = s[63 - T]; }
//! race block=64
K(proxy_store_bad) { __shared__ alignas(16) int s[64];
  s[T] = a[T]; //@A
  __syncthreads();
  if (T == 0) { 
    bulk_s2g(o, s, 256); //@B
    bulk_commit(); bulk_wait(); } }
//! race block=64
K(proxy_store_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); bulk_wait(); } }
//! race block=64
K(proxy_store_own_bad) { __shared__ alignas(16) int s[64];
  if (T == 0) { for (int i = 0; i < 64; i++) s[i] = a[i]; //@A
    bulk_s2g(o, s, 256); //@B
    bulk_commit(); bulk_wait(); } }
//! race block=64
K(proxy_store_own_ok) { __shared__ alignas(16) int s[64];
  if (T == 0) { for (int i = 0; i < 64; i++) s[i] = a[i]; fence_async(); bulk_s2g(o, s, 256); bulk_commit(); bulk_wait(); } }
//! race block=64
K(proxy_fence_after_barrier_bad) { __shared__ alignas(16) int s[64];
  s[T] = a[T]; //@A
  __syncthreads();
  if (T == 32) fence_async();
  if (T == 0) { bulk_s2g(o, s, 256); //@B
    bulk_commit(); bulk_wait(); } }
//! race block=64
K(proxy_fence_after_barrier_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; __syncthreads();
  if (T == 0) { fence_async(); bulk_s2g(o, s, 256); bulk_commit(); bulk_wait(); } }
//! race block=64
K(proxy_refill_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  s[T] = T; //@A
  __syncthreads();
  int v = s[63 - T];
  __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } //@B
  mb_wait(&m, 0); o[T] = s[T] + v; }
//! race block=64
K(proxy_refill_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  s[T] = T; __syncthreads(); int v = s[63 - T]; fence_async(); __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); o[T] = s[T] + v; }
//! race block=64
K(proxy_source_global_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  b[T] = T; //@A
  __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, b, 256, &m); } //@B
  mb_wait(&m, 0); o[T] = s[T]; }
//! race block=64
K(proxy_source_global_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  b[T] = T; fence_proxy(); __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, b, 256, &m); } mb_wait(&m, 0); o[T] = s[T]; }
//! race block=64
K(bulk_store_read_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); //@A
    bulk_commit(); bulk_wait_read(); } __syncthreads();
  b[T] = o[T]; //@B
}
//! race block=64
K(bulk_store_read_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); bulk_wait(); } __syncthreads(); b[T] = o[T]; }
//! race block=64
K(bulk_one_waits_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); 
    bulk_g2s(s, a, 256, &m); //@A
    mb_wait(&m, 0); }
  o[T] = s[63 - T]; //@B
}
//! race block=64
K(bulk_one_waits_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); mb_wait(&m, 0); } __syncthreads(); o[T] = s[63 - T]; }
//! race block=64
K(bulk_parity_bad) { __shared__ alignas(16) int s[2][64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 2; i++) {
    if (T == 0) { mb_expect(&m, 256); bulk_g2s(s[i], a + 64 * i, 256, &m); } //@A
    mb_wait(&m, 0); // always parity 0
    acc += s[i][63 - T]; //@B
    __syncthreads(); } mb_wait(&m, 1); o[T] = acc; }
//! race block=64
K(bulk_parity_ok) { __shared__ alignas(16) int s[2][64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 2; i++) { if (T == 0) { mb_expect(&m, 256); bulk_g2s(s[i], a + 64 * i, 256, &m); }
    mb_wait(&m, i & 1); acc += s[i][63 - T]; __syncthreads(); } o[T] = acc; }
//! race block=64
K(bulk_no_expect_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_arrive(&m);
    bulk_g2s(s, a, 256, &m); } //@A
  mb_wait(&m, 0);
  o[T] = s[63 - T]; //@B
}
//! race block=64
K(bulk_no_expect_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); o[T] = s[63 - T]; }
// ---- race: mbarriers
//! race block=64
K(mbar_empty_bad) { __shared__ int s[32]; __shared__ uint64_t full, empty; if (T == 0) { mb_init(&full, 32); mb_init(&empty, 32); } __syncthreads();
  if (T < 32) {
    #pragma unroll 1
    for (int i = 0; i < 3; i++) {
      s[T] = a[32 * i + T]; //@A
      mb_arrive(&full); } }
  else { int acc = 0;
    #pragma unroll 1
    for (int i = 0; i < 3; i++) { mb_wait(&full, i & 1);
      acc += s[63 - T]; //@B
      mb_arrive(&empty); } o[T] = acc; } }
//! race block=64
K(mbar_empty_ok) { __shared__ int s[32]; __shared__ uint64_t full, empty; if (T == 0) { mb_init(&full, 32); mb_init(&empty, 32); } __syncthreads();
  if (T < 32) {
    #pragma unroll 1
    for (int i = 0; i < 3; i++) { if (i) mb_wait(&empty, (i - 1) & 1); s[T] = a[32 * i + T]; mb_arrive(&full); } }
  else { int acc = 0;
    #pragma unroll 1
    for (int i = 0; i < 3; i++) { mb_wait(&full, i & 1); acc += s[63 - T]; mb_arrive(&empty); } o[T] = acc; } }
//! race block=64
K(mbar_arrive_first_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T < 32) { mb_arrive(&m);
    s[T] = a[T]; //@A
  } else { mb_wait(&m, 0); o[T] = s[63 - T]; //@B
  } }
//! race block=64
K(mbar_arrive_first_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T < 32) { s[T] = a[T]; mb_arrive(&m); } else { mb_wait(&m, 0); o[T] = s[63 - T]; } }
//! race block=64
K(mbar_count_one_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 1); __syncthreads();
  if (T < 32) { 
    s[T] = a[T]; //@A
    if (T == 0) mb_arrive(&m);
  } else { mb_wait(&m, 0); o[T] = s[63 - T]; //@B
  } }
//! race block=64
K(mbar_count_one_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 1); __syncthreads();
  if (T < 32) { s[T] = a[T]; __syncwarp(); if (T == 0) mb_arrive(&m); } else { mb_wait(&m, 0); o[T] = s[63 - T]; } }
//! race block=64
K(mbar_init_nosync_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); //@A
  mb_arrive(&m); //@B
  mb_wait(&m, 0); o[T] = 1; }
//! race block=64
K(mbar_init_nosync_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); o[T] = 1; }
// ---- race: clusters
//! race grid=2 block=64 cluster=2
K(dsm_read_early_bad) { __shared__ int s[64];
  s[T] = a[T]; //@A
  cl_arrive();
  int v = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); //@B
  cl_wait(); cl_sync(); o[B * 64 + T] = v; }
//! race grid=2 block=64 cluster=2
K(dsm_read_early_ok) { __shared__ int s[64]; s[T] = a[T]; cl_arrive(); cl_wait(); int v = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); cl_sync(); o[B * 64 + T] = v; }
//! race grid=2 block=64 cluster=2
K(dsm_relaxed_bad) { __shared__ int s[64];
  s[T] = a[T]; //@A
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  int v = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); //@B
  cl_sync(); o[B * 64 + T] = v; }
//! race grid=2 block=64 cluster=2
K(dsm_relaxed_ok) { __shared__ int s[64]; s[T] = a[T];
  asm volatile("fence.acq_rel.cluster; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  int v = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); cl_sync(); o[B * 64 + T] = v; }
//! race grid=2 block=64 cluster=2
K(dsm_hist_bad) { __shared__ int s[8]; if (T < 8) s[T] = 0; //@A
  __syncthreads();
  unsigned p = cl_map(&s[a[T] & 7], a[T] >> 3 & 1);
  asm volatile("red.shared::cluster.add.u32 [%0], 1;" :: "r"(p) : "memory"); //@B
  cl_sync(); if (T < 8) o[B * 8 + T] = s[T]; }
//! race grid=2 block=64 cluster=2
K(dsm_hist_ok) { __shared__ int s[8]; if (T < 8) s[T] = 0; cl_sync();
  unsigned p = cl_map(&s[a[T] & 7], a[T] >> 3 & 1);
  asm volatile("red.shared::cluster.add.u32 [%0], 1;" :: "r"(p) : "memory"); cl_sync(); if (T < 8) o[B * 8 + T] = s[T]; }
//! race grid=2 block=64 cluster=2
K(dsm_reuse_bad) { __shared__ int s[64]; s[T] = a[T]; cl_sync();
  int v = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); //@A
  s[T] = 2 * T; //@B
  cl_sync(); o[B * 64 + T] = v + s[63 - T]; }
//! race grid=2 block=64 cluster=2
K(dsm_reuse_ok) { __shared__ int s[64]; s[T] = a[T]; cl_sync(); int v = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); cl_sync(); s[T] = 2 * T; cl_sync(); o[B * 64 + T] = v + s[63 - T]; }
//! race grid=2 block=64 cluster=2
K(dsm_early_exit_bad) { __shared__ int s[64]; s[T] = a[T]; cl_sync();
  if (cl_rank() == 0) { cl_st(cl_map(&s[T], 1), T); //@A
  } }
//! race grid=2 block=64 cluster=2
K(dsm_early_exit_ok) { __shared__ int s[64]; s[T] = a[T]; cl_sync(); if (cl_rank() == 0) { cl_st(cl_map(&s[T], 1), T); } cl_sync(); }
// ---- race: global memory
//! race grid=4 block=64
K(g_overlap_bad) { int i = B * 60 + T;
  a[i] = T; //@A
}
//! race grid=4 block=64
K(g_overlap_ok) { int i = B * 64 + T; a[i] = T; }
//! race grid=4 block=64
K(g_stencil_bad) { int i = B * 64 + T;
  if (i > 0 && i < 255) a[i] = (a[i - 1] + a[i + 1]) / 2; //@A
}
//! race grid=4 block=64
K(g_stencil_ok) { int i = B * 64 + T; if (i > 0 && i < 255) o[i] = (a[i - 1] + a[i + 1]) / 2; }
//! race grid=4 block=64
K(g_stride_bad) {
  #pragma unroll 1
  for (int i = B * 64 + T; i < 512; i += 4 * 64 - 32) a[i] = i + B; //@A
}
//! race grid=4 block=64
K(g_stride_ok) {
  #pragma unroll 1
  for (int i = B * 64 + T; i < 512; i += 4 * 64) a[i] = i + B; }
//! race grid=4 block=64
K(g_hist_bad) { b[a[B * 64 + T] & 15]++; //@A
}
//! race grid=4 block=64
K(g_hist_ok) { atomicAdd(&b[a[B * 64 + T] & 15], 1); }
//! race grid=4 block=32
K(g_init_by_block0_bad) { if (B == 0 && T == 0) b[0] = 100; //@A
  atomicAdd(&b[0], T); //@B
}
//! race grid=4 block=32
K(g_init_by_block0_ok) { atomicAdd(&b[0], T); }
//! race grid=4 block=32
K(g_publish_nofence_bad) {
  if (B == 0) { b[8 + T] = T + 1; //@A
    __syncthreads(); if (T == 0) atomicExch(&b[0], 1); }
  else { if (T == 0) while (atomicAdd(&b[0], 0) == 0) { } __syncthreads();
    o[B * 32 + T] = b[8 + T]; //@B
  } }
//! race grid=4 block=32
K(g_publish_nofence_ok) {
  if (B == 0) { b[8 + T] = T + 1; __threadfence(); __syncthreads(); if (T == 0) atomicExch(&b[0], 1); }
  else { if (T == 0) while (atomicAdd(&b[0], 0) == 0) { } __syncthreads(); __threadfence(); o[B * 32 + T] = b[8 + T]; } }
//! race grid=2 block=1
K(g_publish_order_bad) { if (B == 0) { st_release(&b[0], 1);
    b[1] = 7; //@A
  } else { while (!ld_acquire(&b[0])) { } o[0] = b[1]; //@B
  } }
//! race grid=2 block=1
K(g_publish_order_ok) { if (B == 0) { b[1] = 7; st_release(&b[0], 1); } else { while (!ld_acquire(&b[0])) { } o[0] = b[1]; } }
//! race grid=2 block=1
K(g_read_before_flag_bad) { if (B == 0) { b[1] = 7; //@A
    st_release(&b[0], 1); } else { int v; asm volatile("ld.global.s32 %0,[%1];" : "=r"(v) : "l"(b + 1) : "memory"); //@B
    while (!ld_acquire(&b[0])) { } o[0] = v; } }
//! race grid=2 block=1
K(g_read_before_flag_ok) { if (B == 0) { b[1] = 7; st_release(&b[0], 1); } else { while (!ld_acquire(&b[0])) { } int v; asm volatile("ld.global.s32 %0,[%1];" : "=r"(v) : "l"(b + 1) : "memory"); o[0] = v; } }
//! race grid=2 block=1
K(g_scope_cta_bad) { if (B == 0) { b[1] = 7; //@A
    asm volatile("fence.acq_rel.cta;" ::: "memory"); st_relaxed(&b[0], 1); }
  else { while (!ld_relaxed(&b[0])) { } asm volatile("fence.acq_rel.cta;" ::: "memory"); o[0] = b[1]; //@B
  } }
//! race grid=2 block=1
K(g_scope_cta_ok) { if (B == 0) { b[1] = 7; asm volatile("fence.acq_rel.gpu;" ::: "memory"); st_relaxed(&b[0], 1); }
  else { while (!ld_relaxed(&b[0])) { } asm volatile("fence.acq_rel.gpu;" ::: "memory"); o[0] = b[1]; } }
//! race grid=2 block=1
K(g_threadfence_block_bad) { if (B == 0) { b[1] = 7; //@A
    __threadfence_block(); *(volatile int *)&b[0] = 1; }
  else { while (!*(volatile int *)&b[0]) { } __threadfence_block(); o[0] = b[1]; //@B
  } }
//! race grid=2 block=1
K(g_threadfence_block_ok) { if (B == 0) { b[1] = 7; __threadfence_system(); *(volatile int *)&b[0] = 1; }
  else { while (!*(volatile int *)&b[0]) { } __threadfence_system(); o[0] = b[1]; } }
//! race grid=3 block=1
K(g_chain_bad) { if (B == 0) { b[2] = 7; //@A
    st_release(&b[0], 1); } else if (B == 1) { while (!ld_acquire(&b[0])) { } st_relaxed(&b[1], 1); }
  else { while (!ld_acquire(&b[1])) { } o[0] = b[2]; //@B
  } }
//! race grid=3 block=1
K(g_chain_ok) { if (B == 0) { b[2] = 7; st_release(&b[0], 1); } else if (B == 1) { while (!ld_acquire(&b[0])) { } st_release(&b[1], 1); }
  else { while (!ld_acquire(&b[1])) { } o[0] = b[2]; } }
//! race grid=4 block=32
K(g_ticket_bad) { if (T == 0) { int t = atomicAdd(&b[0], 1); while (*(volatile int *)&b[1] != t) { }
    b[2] += B; //@A
    *(volatile int *)&b[1] = t + 1; } }
//! race grid=4 block=32
K(g_ticket_ok) { if (T == 0) { int t = atomicAdd(&b[0], 1); while (*(volatile int *)&b[1] != t) { } __threadfence(); b[2] += B; __threadfence(); *(volatile int *)&b[1] = t + 1; } }
//! race grid=4 block=32
K(g_unlock_plain_bad) { if (T == 0) { while (atomicCAS(&b[0], 0, 1)) { } //@B
    __threadfence(); b[1] += 1; __threadfence(); b[0] = 0; } } //@A
//! race grid=4 block=32
K(g_unlock_plain_ok) { if (T == 0) { while (atomicCAS(&b[0], 0, 1)) { } __threadfence(); b[1] += 1; __threadfence(); atomicExch(&b[0], 0); } }
//! race grid=4 block=32
K(g_lock_outside_bad) { if (T == 0) { while (atomicCAS(&b[0], 0, 1)) { } __threadfence(); b[1] += 1; //@A
    __threadfence(); atomicExch(&b[0], 0); o[B] = b[1]; } } //@B
//! race grid=4 block=32
K(g_lock_outside_ok) { if (T == 0) { while (atomicCAS(&b[0], 0, 1)) { } __threadfence(); int v = b[1] += 1; __threadfence(); atomicExch(&b[0], 0); o[B] = v; } }
//! race grid=4 block=32
K(g_two_locks_bad) { if (T == 0) { int *l = &b[B & 1]; while (atomicCAS(l, 0, 1)) { } __threadfence();
    b[4] += 1; //@A
    __threadfence(); atomicExch(l, 0); } }
//! race grid=4 block=32
K(g_two_locks_ok) { if (T == 0) { int *l = &b[B & 1]; while (atomicCAS(l, 0, 1)) { } __threadfence(); b[4 + (B & 1)] += 1; __threadfence(); atomicExch(l, 0); } }
//! race grid=4 block=64
K(g_last_block_early_bad) { __shared__ bool last;
  if (T == 0) { __threadfence(); last = atomicAdd(&b[0], 1) == 3; }
  o[B * 64 + T] = a[B * 64 + T]; //@A
  __threadfence(); __syncthreads();
  if (last) { __threadfence(); int v = o[T] + o[64 + T]; //@B
    b[64 + T] = v; } }
//! race grid=4 block=64
K(g_last_block_early_ok) { __shared__ bool last; o[B * 64 + T] = a[B * 64 + T]; __threadfence(); __syncthreads();
  if (T == 0) last = atomicAdd(&b[0], 1) == 3;
  __syncthreads(); if (last) { __threadfence(); int v = o[T] + o[64 + T]; b[64 + T] = v; } }
//! race grid=4 block=64
K(g_last_block_nosync_bad) { __shared__ bool last;
  o[B * 64 + T] = a[B * 64 + T]; //@A
  __threadfence();
  if (T == 0) last = atomicAdd(&b[0], 1) == 3;
  __syncthreads(); if (last) { __threadfence(); int v = o[T] + o[64 + T]; //@B
    b[64 + T] = v; } }
//! race grid=4 block=64
K(g_last_block_nosync_ok) { __shared__ bool last; o[B * 64 + T] = a[B * 64 + T]; __syncthreads(); 
  if (T == 0) { __threadfence(); last = atomicAdd(&b[0], 1) == 3; __threadfence(); } __syncthreads(); if (last) { int v = o[T] + o[64 + T]; b[64 + T] = v; } }
//! race grid=2 block=32
K(g_atomic_plain_bad) { if (B == 0) { atomicAdd(&b[0], 1); //@A
  } else o[T] = b[0]; } //@B
//! race grid=2 block=32
K(g_atomic_plain_ok) { if (B == 0) { atomicAdd(&b[0], 1); } else o[T] = atomicAdd(&b[0], 0); }
//! race grid=2 block=32
K(g_atomic_block_scope_bad) { atomicAdd_block(&b[T], 1); //@A
}
//! race grid=2 block=64
K(g_atomic_block_scope_ok) { atomicAdd_block(&b[B * 32 + (T & 31)], 1); }
//! race grid=2 block=1
K(g_mixed_size_bad) { if (B == 0) atomicExch(&b[0], 5); //@A
  else atomicAdd((unsigned long long *)b, 1ull); } //@B
//! race grid=2 block=1
K(g_mixed_size_ok) { if (B == 0) atomicExch(&b[2], 5); else atomicAdd((unsigned long long *)b, 1ull); }
//! race grid=4 block=64
K(g_grid_sync_ok) { cg::grid_group g = cg::this_grid(); for (int i = 0; i < 3; i++) { int *x = i & 1 ? a : b, *y = i & 1 ? b : a; int k = g.thread_rank(); y[k] = x[(k + 1) & 255] + 1; g.sync(); } }
//! race grid=4 block=64
K(g_grid_sync_bad) { cg::grid_group g = cg::this_grid(); for (int i = 0; i < 3; i++) { int *x = i & 1 ? a : b, *y = i & 1 ? b : a; int k = g.thread_rank();
   y[k] = x[(k + 1) & 255] + 1; //@A
   if (i == 0) g.sync(); else __syncthreads(); } }
__device__ int gcount, gdone;
//! race grid=4 block=64
K(g_counter_reset_bad) { if (T == 0) { int t = atomicAdd(&gcount, 1); if (t == 3) gcount = 0; //@A
   o[B] = t; if (gcount > 99) o[B] = 1; } } //@B
//! race grid=4 block=64
K(g_counter_reset_ok) { if (T == 0) { int t = atomicInc((unsigned *)&gdone, 3); o[B] = t; } }
//! race block=64
K(g_cluster_of_warps_bad) { int *p = b + (T & ~1);
  p[0] = T; //@A
}
//! race block=64
K(g_cluster_of_warps_ok) { int *p = b + (T & ~1); if (!(T & 1)) p[0] = T; }
//! race grid=2 block=32
K(g_memcpy_bad) { if (B == 0) memcpy(b + 4 * T, a + 4 * T, 16); //@A
  else o[T] = b[T]; } //@B
//! race grid=2 block=32
K(g_memcpy_ok) { if (B == 0) memcpy(b + 4 * T, a + 4 * T, 16); else o[T] = b[512 + T]; }
// ---- init
//! init block=64
K(i_quad_w_bad) { __shared__ Quad q[64]; q[T].x = T; q[T].y = a[T]; q[T].z = 1; __syncthreads();
  Quad r = q[63 - T]; if (r.x + r.w > 70) b[T] = 1; o[T] = 1; } //@A
//! init block=64
K(i_quad_w_ok) { __shared__ Quad q[64]; q[T].x = T; q[T].y = a[T]; q[T].z = 1; __syncthreads(); Quad r = q[63 - T]; if (r.x + r.z > 70) b[T] = 1; o[T] = 1; }
//! init block=64
K(i_shared_acc_bad) { __shared__ int acc[2]; atomicMax(&acc[T >> 5], a[T]); //@A
  __syncthreads(); o[T] = acc[T & 1]; }
//! init block=64
K(i_shared_acc_ok) { __shared__ int acc[2]; if (T < 2) acc[T] = -1; __syncthreads(); atomicMax(&acc[T >> 5], a[T]); __syncthreads(); o[T] = acc[T & 1]; }
//! init block=64
K(i_halo_bad) { __shared__ int s[66]; s[T + 1] = a[T]; if (T == 0) s[0] = 0; __syncthreads();
  int v = s[T] + s[T + 2]; //@A
  if (v > 3) b[T] = v; o[T] = 0; }
//! init block=64
K(i_halo_ok) { __shared__ int s[66]; s[T + 1] = a[T]; if (T == 0) s[0] = s[65] = 0; __syncthreads(); int v = s[T] + s[T + 2]; if (v > 3) b[T] = v; o[T] = 0; }
//! init block=64
K(i_heap_bad) { int *p = (int *)malloc(32); if (!p) return; for (int i = 0; i < 7; i++) p[i] = i; int k = p[a[T] & 7]; if (k > 3) b[T] = 1; free(p); } //@A
//! init block=64
K(i_heap_ok) { int *p = (int *)malloc(32); if (!p) return; for (int i = 0; i < 8; i++) p[i] = i; int k = p[a[T] & 7]; if (k > 3) b[T] = 1; free(p); }
//! init block=64
K(i_output_partly_bad) { if (T < 60) o[T] = a[T]; __syncthreads(); int k = o[63 - T]; b[T] = a[k & 1023]; } //@A
//! init block=64
K(i_output_partly_ok) { if (T < 60) o[T] = a[T]; else o[T] = 0; __syncthreads(); int k = o[63 - T]; b[T] = a[k & 1023]; }
//! init block=64
K(i_loop_bound_bad) { int acc = 0; 
  #pragma unroll 1
  for (int i = 0; i < (o[T] & 15); i++) acc += a[i]; b[T] = acc; } //@A
//! init block=64 oinit=1
K(i_loop_bound_ok) { int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < (o[T] & 15); i++) acc += a[i]; b[T] = acc; }
//! init block=64
K(i_pointer_bad) { __shared__ int *p[2]; if (T == 0) p[0] = a; __syncthreads(); o[T] = p[T >> 5][T]; } //@A
//! init block=64
K(i_pointer_ok) { __shared__ int *p[2]; if (T == 0) { p[0] = a; p[1] = b; } __syncthreads(); o[T] = p[T >> 5][T]; }
//! init block=64
K(i_char_bad) { __shared__ char s[64]; if (T != 13) s[T] = (char)a[T]; __syncthreads(); int w = ((int *)s)[T & 15]; if (__popc(w) > 2) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(i_char_ok) { __shared__ char s[64]; s[T] = (char)a[T]; __syncthreads(); int w = ((int *)s)[T & 15]; if (__popc(w) > 2) b[T] = 1; o[T] = 0; }
//! init block=64
K(i_reduce_tail_bad) { __shared__ int s[64]; int m = 50; if (T < m) s[T] = a[T]; __syncthreads();
  for (int w = 32; w; w >>= 1) { if (T < w) s[T] += s[T + w]; __syncthreads(); } //@A
  if (T == 0) b[0] = s[0]; } //@A
//! init block=64
K(i_reduce_tail_ok) { __shared__ int s[64]; int m = 50; s[T] = T < m ? a[T] : 0; __syncthreads();
  for (int w = 32; w; w >>= 1) { if (T < w) s[T] += s[T + w]; __syncthreads(); } if (T == 0) b[0] = s[0]; }
//! init block=64
K(i_copy_ok) { Quad *q = (Quad *)o; q[T].x = T; q[T].z = 4; __syncthreads(); Quad r = q[63 - T]; ((Quad *)a)[T] = r; int v = r.x & 0xff; if (v > 3) b[T] = r.z; }
//! init block=64
K(i_copy_bad) { Quad *q = (Quad *)o; q[T].x = T; q[T].z = 4; __syncthreads(); Quad r = q[63 - T]; ((Quad *)a)[T] = r; int v = r.y & 0xff; if (v > 3) b[T] = r.z; } //@A
//! init block=64
K(i_switch_bad) { __shared__ int s[64]; if (T & 1) s[T] = a[T] & 3; __syncthreads(); switch (s[T ^ 2]) { case 0: b[T] = 1; break; case 1: o[T] = 4; break; case 2: b[T + 64] = 9; break; default: a[T] = 2; } } //@A
//! init block=64
K(i_switch_ok) { __shared__ int s[64]; s[T] = a[T] & 3; __syncthreads(); switch (s[T ^ 2]) { case 0: b[T] = 1; break; case 1: o[T] = 4; break; case 2: b[T + 64] = 9; break; default: a[T] = 2; } }
//! init block=64 dyn=512
K(i_dyn_bad) { dyn[T] = a[T]; __syncthreads(); if (dyn[T + 64] > 3) b[T] = 1; } //@A
//! init block=64 dyn=512
K(i_dyn_ok) { dyn[T] = a[T]; dyn[T + 64] = 2; __syncthreads(); if (dyn[T + 64] > 3) b[T] = 1; }
// ---- sync
//! sync block=64
K(s_while_bad) { __shared__ int s[64]; s[T] = 0; int k = a[T] % 3;
  #pragma unroll 1
  while (k-- > 0) { s[T]++; __syncthreads(); } //@A
  o[T] = s[T]; }
//! sync block=64
K(s_while_ok) { __shared__ int s[64]; s[T] = 0; int k = a[T] % 3;
  #pragma unroll 1
  for (int i = 0; i < 2; i++) { if (i < k) s[T]++; __syncthreads(); } o[T] = s[T]; }
//! sync block=64
K(s_early_exit_bad) { __shared__ int s[64]; s[T] = a[T]; if (a[T] > 50) return; __syncthreads(); //@A
  o[T] = s[0]; }
//! sync block=64
K(s_early_exit_ok) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); if (a[T] > 50) return; o[T] = s[0]; }
//! sync block=64
K(s_else_bad) { if (T < 48) { b[T] = 1; __syncthreads(); } //@A
  else { b[T] = 2; __syncthreads(); } o[T] = b[63 - T]; }
//! sync block=64
K(s_else_ok) { if (T < 48) b[T] = 1; else b[T] = 2; __syncthreads(); o[T] = b[63 - T]; }
//! sync block=32
K(s_syncwarp_branch_bad) { __shared__ int s[32]; s[T] = T; if (T < 16) { __syncwarp(); o[T] = s[T + 1]; } else o[T] = 1; } //@A
//! sync block=32
K(s_syncwarp_branch_ok) { __shared__ int s[32]; s[T] = T; __syncwarp(); if (T < 16) { o[T] = s[T + 1]; } else o[T] = 1; }
//! sync block=32
K(s_syncwarp_mask_bad) { if (T < 16) __syncwarp(0xff00); //@A
  o[T] = 1; }
//! sync block=32
K(s_syncwarp_mask_ok) { if (T < 16) __syncwarp(0xffff); o[T] = 1; }
//! sync block=32
K(s_shfl_up_bad) { int v = a[T]; if (T >= 8) v += __shfl_up_sync(0xffffff00, v, 4); o[T] = v; } //@A
//! sync block=32
K(s_shfl_up_ok) { int v = a[T]; int u = __shfl_up_sync(0xffffffff, v, 4); if (T >= 8) v += u; o[T] = v; }
//! sync block=32
K(s_shfl_xor_branch_bad) { int v = a[T]; if (T & 1) v = __shfl_xor_sync(0xffffffff, v, 1); o[T] = v; } //@A
//! sync block=32
K(s_shfl_xor_branch_ok) { int v = a[T]; int u = __shfl_xor_sync(0xffffffff, v, 1); if (T & 1) v = u; o[T] = v; }
//! sync block=48
K(s_partial_warp_bad) { int v = a[T]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d); //@A
  if ((T & 31) == 0) o[T >> 5] = v; }
//! sync block=48
K(s_partial_warp_ok) { int v = a[T]; unsigned m = T < 32 ? 0xffffffff : 0xffff; for (int d = T < 32 ? 16 : 8; d; d >>= 1) { int u = __shfl_down_sync(m, v, d); v += u; } if ((T & 31) == 0) o[T >> 5] = v; }
//! sync block=32
K(s_any_branch_bad) { if (a[T] % 3 == 0) { if (__any_sync(0xffffffff, a[T] > 20)) o[T] = 1; else o[T] = 2; } } //@A
//! sync block=32
K(s_any_branch_ok) { bool y = __any_sync(0xffffffff, a[T] > 20); if (a[T] % 3 == 0) { if (y) o[T] = 1; else o[T] = 2; } }
//! sync block=32
K(s_match_bad) { if (T < 20) o[T] = __match_any_sync(0xffffffff, a[T] & 3); } //@A
//! sync block=32
K(s_match_ok) { if (T < 20) o[T] = __match_any_sync(0xfffff, a[T] & 3); }
//! sync block=32
K(s_reduce_bad) { if (T < 20) o[T] = __reduce_add_sync(0xffff, a[T]); } //@A
//! sync block=32
K(s_reduce_ok) { if (T < 20) o[T] = __reduce_add_sync(0xfffff, a[T]); }
//! sync block=128
K(s_named_three_bad) { if (T < 96) named_bar(1, 128); o[T] = 1; } //@A
//! sync block=128
K(s_named_three_ok) { if (T < 96) named_bar(1, 96); o[T] = 1; }
//! sync block=128
K(s_named_multiple_bad) { named_bar(1, T < 64 ? 64 : 128); o[T] = 1; } //@A
//! sync block=128
K(s_named_multiple_ok) { named_bar(T < 64 ? 1 : 2, 64); o[T] = 1; }
//! sync block=128
K(s_arrive_only_bad) { if (T < 64) named_arrive(1, 128); //@A
  o[T] = 1; }
//! sync block=128
K(s_arrive_only_ok) { if (T < 64) named_arrive(1, 128); else named_bar(1, 128); o[T] = 1; }
//! sync block=128
K(s_crossed_bad) { if (T < 64) { named_bar(1, 128); named_bar(2, 128); } else { named_bar(2, 128); named_bar(1, 128); } o[T] = 1; } //@A
//! sync block=128
K(s_crossed_ok) { if (T < 64) { named_bar(1, 128); named_bar(2, 128); } else { named_bar(1, 128); named_bar(2, 128); } o[T] = 1; }
//! sync block=64
K(s_mb_over_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 1); __syncthreads(); if (T == 0) mb_arrive_n(&m, 2); __syncthreads(); o[T] = 1; } //@A
//! sync block=64
K(s_mb_over_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 2); __syncthreads(); if (T == 0) mb_arrive_n(&m, 2); __syncthreads(); mb_wait(&m, 0); o[T] = 1; }
//! sync block=64
K(s_mb_under_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); if (T < 63) mb_arrive(&m); mb_wait(&m, 0); o[T] = 1; } //@A
//! sync block=64
K(s_mb_under_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 63); __syncthreads(); if (T < 63) mb_arrive(&m); mb_wait(&m, 0); o[T] = 1; }
//! sync block=64
K(s_mb_reinit_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); __syncthreads(); if (T == 0) mb_init(&m, 32); __syncthreads(); //@A
  if (T < 32) { mb_arrive(&m); mb_wait(&m, 0); } o[T] = 1; }
//! sync block=64
K(s_mb_reinit_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); __syncthreads();
  if (T == 0) { asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(sm32(&m)) : "memory"); mb_init(&m, 32); } __syncthreads(); if (T < 32) { mb_arrive(&m); mb_wait(&m, 0); } o[T] = 1; }
//! sync block=64
K(s_mb_zero_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 0); __syncthreads(); mb_arrive(&m); o[T] = 1; } //@A
//! sync block=64
K(s_mb_zero_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); o[T] = 1; }
//! sync block=64
K(s_tx_less_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 128); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); o[T] = s[T]; } //@A
//! sync block=64
K(s_tx_less_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 128, &m); bulk_g2s(s + 32, a + 32, 128, &m); } mb_wait(&m, 0); o[T] = s[T]; }
//! sync grid=2 block=64 cluster=2
K(s_cl_one_block_bad) { if (cl_rank() == 0) cl_sync(); o[B * 64 + T] = 1; } //@A
//! sync grid=2 block=64 cluster=2
K(s_cl_one_block_ok) { cl_sync(); o[B * 64 + T] = 1; }
//! sync grid=2 block=64 cluster=2
K(s_cl_divergent_bad) { if (T & 1) cl_sync(); o[B * 64 + T] = 1; } //@A
//! sync grid=2 block=64 cluster=2
K(s_cl_divergent_ok) { cl_sync(); if (T & 1) o[B * 64 + T] = 1; }
//! sync grid=2 block=64 cluster=2
K(s_cl_wait_first_bad) { cl_wait(); o[B * 64 + T] = 1; } //@A
//! sync grid=2 block=64 cluster=2
K(s_cl_wait_first_ok) { cl_arrive(); o[B * 64 + T] = 1; cl_wait(); }
//! sync grid=2 block=64
K(s_bulk_unwaited_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0) { bulk_s2g(o + B * 64, s, 256); bulk_commit(); } } //@A
//! sync grid=2 block=64
K(s_bulk_unwaited_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0) { bulk_s2g(o + B * 64, s, 256); bulk_commit(); bulk_wait_read(); } }
//! sync block=64
K(s_exit_mbar_pending_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } o[T] = 1; } //@A
//! sync block=64
K(s_exit_mbar_pending_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); o[T] = 1; }
//! sync grid=2 block=32
K(s_deadlock_bad) { if (T == 0) { int *x = &b[B], *y = &b[1 - B]; if (B == 0) { while (!ld_acquire(&b[4])) { } st_release(&b[5], 1); } else { while (!ld_acquire(&b[5])) { } st_release(&b[4], 1); } o[B] = *x + *y; } } //@A
//! sync grid=2 block=32
K(s_deadlock_ok) { if (T == 0) { int *x = &b[B], *y = &b[1 - B]; if (B == 0) { st_release(&b[5], 1); while (!ld_acquire(&b[4])) { } } else { while (!ld_acquire(&b[5])) { } st_release(&b[4], 1); } o[B] = *x + *y; } }
//! sync block=64
K(s_count_or_bad) { int c = 0; if (T < 40) c = __syncthreads_or(a[T] > 3); else c = __syncthreads_or(0); o[T] = c; } //@A
//! sync block=64
K(s_count_or_ok) { int c = __syncthreads_or(T < 40 ? a[T] > 3 : 0); o[T] = c; }
//! sync block=64
K(s_cg_tile_bad) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int v = a[T]; if (t.thread_rank() < 20) v = t.shfl_down(v, 4); o[T] = v; } //@A
//! sync block=64
K(s_cg_tile_ok) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int v = a[T]; int u = t.shfl_down(v, 4); if (t.thread_rank() < 20) v = u; o[T] = v; }
// ---- mem
//! mem block=64 dyn=256
K(x_dyn_small_bad) { for (int i = T; i < 128; i += 64) dyn[i] = a[i]; __syncthreads(); o[T] = dyn[T]; } //@A
//! mem block=64 dyn=512
K(x_dyn_small_ok) { for (int i = T; i < 128; i += 64) dyn[i] = a[i]; __syncthreads(); o[T] = dyn[T]; }
//! mem block=64
K(x_shared_negative_bad) { __shared__ int s[64], t[64]; t[T] = 1; s[T] = a[T]; __syncthreads(); o[T] = s[T - 1] + t[T]; } //@A
//! mem block=64
K(x_shared_negative_ok) { __shared__ int s[64], t[64]; t[T] = 1; s[T] = a[T]; __syncthreads(); o[T] = T ? s[T - 1] + t[T] : 0; }
//! mem block=64
K(x_shared_2d_bad) { __shared__ int s[8][8]; s[T >> 3][T & 7] = a[T]; __syncthreads(); o[T] = s[(T >> 3) + 1][T & 7]; } //@A
//! mem block=64
K(x_shared_2d_ok) { __shared__ int s[8][8]; s[T >> 3][T & 7] = a[T]; __syncthreads(); o[T] = s[(T >> 3) ^ 1][T & 7]; }
//! mem block=64
K(x_const_past_bad) { o[T] = cbuf[a[T] + 1]; } //@A
//! mem block=64
K(x_const_past_ok) { o[T] = cbuf[a[T] & 63]; }
//! mem block=64
K(x_vector_tail_bad) { int4 v = *(int4 *)(a + 1024 - 4 + 4 * (T & 1)); o[T] = v.x; } //@A
//! mem block=64
K(x_vector_tail_ok) { int4 v = *(int4 *)(a + 1024 - 8 + 4 * (T & 1)); o[T] = v.x; }
//! mem block=64
K(x_misaligned_shared_bad) { __shared__ alignas(16) char s[256]; ((int *)s)[T] = T; __syncthreads(); o[T] = *(int *)(s + T); } //@A
//! mem block=64
K(x_misaligned_shared_ok) { __shared__ alignas(16) char s[256]; ((int *)s)[T] = T; __syncthreads(); o[T] = *(int *)(s + 4 * (T ^ 1)); }
//! mem block=64
K(x_misaligned_atomic_bad) { atomicAdd((unsigned long long *)(b + 1), 1ull); } //@A
//! mem block=64
K(x_misaligned_atomic_ok) { atomicAdd((unsigned long long *)(b + 2), 1ull); }
//! mem block=64
K(x_wild_bad) { int *p = (int *)((unsigned long long)a + ((unsigned long long)T << 40)); o[T] = *p; } //@A
//! mem block=64
K(x_wild_ok) { int *p = (int *)((unsigned long long)a + ((unsigned long long)T << 4)); o[T] = *p; }
//! mem block=64
K(x_atomic_past_bad) { atomicAdd(&b[a[T] * 17], 1); } //@A
//! mem block=64
K(x_atomic_past_ok) { atomicAdd(&b[a[T] * 16], 1); }
//! mem block=1
K(x_uaf_bad) { int *p = (int *)malloc(64); *(int *volatile *)&b[2] = p; p[0] = 3; free(p); o[0] = **(int *volatile *)&b[2]; } //@A
//! mem block=1
K(x_uaf_ok) { int *p = (int *)malloc(64); *(int *volatile *)&b[2] = p; p[0] = 3; o[0] = **(int *volatile *)&b[2]; free(p); }
//! mem block=1
K(x_uaf_write_bad) { int *volatile p = (int *)malloc(64); free(p); p[3] = 1; o[0] = 1; } //@A
//! mem block=1
K(x_uaf_write_ok) { int *volatile p = (int *)malloc(64); p[3] = 1; free(p); o[0] = 1; }
//! mem block=1
K(x_free_inside_bad) { int *volatile p = (int *)malloc(64); p[0] = 1; free(p + 1); o[0] = 1; } //@A
//! mem block=1
K(x_free_inside_ok) { int *volatile p = (int *)malloc(64); p[0] = 1; free(p); o[0] = 1; }
//! mem block=1
K(x_free_global_bad) { free(*(int *volatile *)&b[0] ? (void *)0 : (void *)a); o[0] = 1; } //@A
//! mem block=1
K(x_free_global_ok) { int *volatile p = (int *)malloc(8); free(p); o[0] = 1; }
//! mem block=64
K(x_leak_bad) { int *volatile p = (int *)malloc(16); p[0] = T; o[T] = p[0]; if (T & 1) free(p); } //@A
//! mem block=64
K(x_leak_ok) { int *volatile p = (int *)malloc(16); p[0] = T; o[T] = p[0]; free(p); }
//! mem block=1
K(x_heap_before_bad) { int *volatile p = (int *)malloc(64); p[-1] = 1; p[0] = 1; free(p); } //@A
//! mem block=1
K(x_heap_before_ok) { int *volatile p = (int *)malloc(64); p[1] = 1; p[0] = 1; free(p); }
//! mem block=1
K(x_heap_null_bad) { int *volatile p = (int *)malloc(1ull << 40); p[0] = 1; o[0] = p[0]; free(p); } //@A
//! mem block=1
K(x_heap_null_ok) { int *volatile p = (int *)malloc(1ull << 40); if (p) { p[0] = 1; o[0] = p[0]; } free(p); }
//! mem block=64
K(x_local_negative_bad) { int l[8]; for (int i = 0; i < 8; i++) l[i] = a[i]; asm volatile("" :: "l"(l)); l[(a[T] & 7) - 1] = 3; asm volatile("" :: "l"(l) : "memory"); o[T] = l[3]; } //@A
//! mem block=64
K(x_local_negative_ok) { int l[8]; for (int i = 0; i < 8; i++) l[i] = a[i]; asm volatile("" :: "l"(l)); l[(a[T] & 7)] = 3; asm volatile("" :: "l"(l) : "memory"); o[T] = l[3]; }
__device__ __noinline__ int *escaping(int v) { int l[4]; for (int i = 0; i < 4; i++) l[i] = v + i; int *p = l; asm volatile("" : "+l"(p) :: "memory"); return p; }
__device__ __noinline__ int clobber(int v) { int l[8]; for (int i = 0; i < 8; i++) l[i] = v * i; int *p = l; asm volatile("" : "+l"(p) :: "memory"); return p[v & 7]; }
__device__ __noinline__ void fill(int *l, int v) { for (int i = 0; i < 4; i++) l[i] = v + i; }
//! mem block=32
K(x_return_local_bad) { int *p = escaping(T); int k = clobber(T); o[T] = p[T & 3] + k; } //@A
//! mem block=32
K(x_return_local_ok) { int l[4]; fill(l, T); int k = clobber(T); o[T] = l[T & 3] + k; }
//! mem block=32
K(x_other_local_bad) { __shared__ int *p; int l[4]; for (int i = 0; i < 4; i++) l[i] = a[T + i]; asm volatile("" :: "l"(l) : "memory"); if (T == 3) p = l; __syncwarp(); o[T] = p[T & 3]; } //@A
//! mem block=32
K(x_other_local_ok) { __shared__ int *p[32]; int l[4]; for (int i = 0; i < 4; i++) l[i] = a[T + i]; asm volatile("" :: "l"(l) : "memory"); p[T] = l; __syncwarp(); o[T] = p[T][T & 3]; }
__device__ int gtab[16]; __device__ int gnext[16];
//! mem block=32
K(x_device_past_bad) { gtab[a[T] & 31] = 1; if (T == 0) gnext[0] = 2; } //@A
//! mem block=32
K(x_device_past_ok) { gtab[a[T] & 15] = 1; if (T == 0) gnext[0] = 2; }
//! mem block=32
K(x_nc_intrinsic_bad) { int i = T; b[i] = a[i]; __threadfence(); __syncthreads(); int v; asm volatile("ld.global.nc.s32 %0,[%1];" : "=r"(v) : "l"(b + 31 - i) : "memory"); o[i] = v; } //@A
//! mem block=32
K(x_nc_intrinsic_ok) { int i = T; b[i] = a[i]; __threadfence(); __syncthreads(); int v; asm volatile("ld.global.s32 %0,[%1];" : "=r"(v) : "l"(b + 31 - i) : "memory"); o[i] = v; }
//! mem block=64
K(x_bulk_past_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a + 1024 - 32, 256, &m); } mb_wait(&m, 0); o[T] = s[T]; } //@A
//! mem block=64
K(x_bulk_past_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a + 1024 - 64, 256, &m); } mb_wait(&m, 0); o[T] = s[T]; }
//! mem block=64
K(x_bulk_shared_past_ok) { __shared__ alignas(16) int s[64]; __shared__ alignas(16) int t[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } t[T] = T; fence_async(); __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); o[T] = s[T & 31] + t[T]; }
//! mem block=64
K(x_cp_past_bad) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T + 961], 4); __pipeline_commit(); __pipeline_wait_prior(0); o[T] = s[T]; } //@A
//! mem block=64
K(x_cp_past_ok) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T + 960], 4); __pipeline_commit(); __pipeline_wait_prior(0); o[T] = s[T]; }
//! mem block=64
K(x_cp_misaligned_bad) { __shared__ alignas(16) int s[68]; asm volatile("cp.async.ca.shared.global [%0],[%1],8;" :: "r"(sm32(&s[T])), "l"(a + 2 * T) : "memory"); __pipeline_commit(); __pipeline_wait_prior(0); o[T] = s[T]; } //@A
//! mem block=32
K(x_cp_misaligned_ok) { __shared__ alignas(16) int s[68]; asm volatile("cp.async.ca.shared.global [%0],[%1],8;" :: "r"(sm32(&s[2 * T])), "l"(a + 2 * T) : "memory"); __pipeline_commit(); __pipeline_wait_prior(0); o[T] = s[2 * T]; }
//! mem grid=2 block=32 cluster=2
K(x_dsm_rank_bad) { __shared__ int s[32]; s[T] = T; cl_sync(); o[T] = cl_ld(cl_map(&s[T], cl_rank() + 1)); cl_sync(); } //@A
//! mem grid=2 block=32 cluster=2
K(x_dsm_rank_ok) { __shared__ int s[32]; s[T] = T; cl_sync(); o[B * 32 + T] = cl_ld(cl_map(&s[T], (cl_rank() + 1) & 1)); cl_sync(); }
//! mem grid=2 block=32 cluster=2
K(x_dsm_past_bad) { __shared__ int s[32]; __shared__ int t[32]; s[T] = T; t[T] = 1; cl_sync(); o[B * 32 + T] = cl_ld(cl_map(&s[T + 1], cl_rank() ^ 1)) + t[T]; cl_sync(); } //@A
//! mem grid=2 block=32 cluster=2
K(x_dsm_past_ok) { __shared__ int s[32]; __shared__ int t[32]; s[T] = T; t[T] = 1; cl_sync(); o[B * 32 + T] = cl_ld(cl_map(&s[T ^ 1], cl_rank() ^ 1)) + t[T]; cl_sync(); }
//! mem block=64
K(x_shared_generic_bad) { __shared__ int s[64]; s[T] = T; __syncthreads(); int *p = s; asm volatile("" : "+l"(p)); o[T] = p[T + 4096 * 16]; } //@A
//! mem block=64
K(x_shared_generic_ok) { __shared__ int s[64]; s[T] = T; __syncthreads(); int *p = s; asm volatile("" : "+l"(p)); o[T] = p[T ^ 1]; }
//! mem block=64
K(x_space_bad) { __shared__ int s[64]; s[T] = T; __syncthreads(); int v; asm volatile("ld.global.s32 %0,[%1];" : "=r"(v) : "l"(s + T) : "memory"); o[T] = v; } //@A
//! mem block=64
K(x_space_ok) { __shared__ int s[64]; s[T] = T; __syncthreads(); int v; asm volatile("ld.s32 %0,[%1];" : "=r"(v) : "l"(s + T) : "memory"); o[T] = v; }
//! mem block=64
K(x_pitch_bad) { int r = T >> 3, c = T & 7; a[(r + 1) * 128 + c * 4 + 3 - (r == 7 ? 0 : 0)] = 1; } //@A
//! mem block=64
K(x_pitch_ok) { int r = T >> 3, c = T & 7; a[r * 128 + c * 4 + 3] = 1; }
//! mem block=64
K(x_memset_bad) { if (T == 0) memset(o + 1000, 0, 25 * sizeof(int)); } //@A
//! mem block=64
K(x_memset_ok) { if (T == 0) memset(o + 1000, 0, 24 * sizeof(int)); }
//! race grid=4 block=64
K(g_last_volatile_bad) { __shared__ bool last; o[B * 64 + T] = a[B * 64 + T]; __threadfence(); //@A
  if (T == 0) last = atomicInc((unsigned *)&b[0], 3) == 3; // no barrier before it
  __syncthreads(); if (last) { int v = ((volatile int *)o)[T] + ((volatile int *)o)[64 + T]; b[64 + T] = v; } } //@B
//! race grid=4 block=64
K(g_last_volatile_ok) { __shared__ bool last; o[B * 64 + T] = a[B * 64 + T]; __threadfence(); __syncthreads();
  if (T == 0) last = atomicInc((unsigned *)&b[0], 3) == 3;
  __syncthreads(); if (last) { int v = ((volatile int *)o)[T] + ((volatile int *)o)[64 + T]; b[64 + T] = v; } }
//! race block=64
K(waw_mostly_equal_bad) { __shared__ int s[2]; s[T & 1] = (T & 1) ? T >> 5 : 7; __syncthreads(); o[T] = s[T & 1]; } //@A
//! race block=64
K(waw_mostly_equal_ok) { __shared__ int s[2]; if (T < 2) s[T & 1] = (T & 1) ? T >> 5 : 7; __syncthreads(); o[T] = s[T & 1]; }
//! race block=64
K(cg_memcpy_bad) { __shared__ int s[64]; auto g = cg::this_thread_block();
  cg::memcpy_async(g, s, a, sizeof(s)); //@A
  g.sync(); o[T] = s[63 - T]; //@B
  cg::wait(g); }
//! race block=64
K(cg_memcpy_ok) { __shared__ int s[64]; auto g = cg::this_thread_block(); cg::memcpy_async(g, s, a, sizeof(s)); cg::wait(g); o[T] = s[63 - T]; }
//! race block=64
K(pipeline_release_bad) { __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st; __shared__ int s[2][32]; auto g = cg::this_thread_block();
  auto role = T < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer; auto p = cuda::make_pipeline(g, &st, role);
  if (T < 32) for (int i = 0; i < 5; i++) { p.producer_acquire(); cuda::memcpy_async(&s[i & 1][T], a + 32 * i + T, 4, p); //@A
      p.producer_commit(); }
  else { int acc = 0; for (int i = 0; i < 5; i++) { p.consumer_wait(); p.consumer_release(); acc += s[i & 1][63 - T]; } o[T - 32] = acc; } } //@B
//! race block=64
K(pipeline_release_ok) { __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st; __shared__ int s[2][32]; auto g = cg::this_thread_block();
  auto role = T < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer; auto p = cuda::make_pipeline(g, &st, role);
  if (T < 32) for (int i = 0; i < 5; i++) { p.producer_acquire(); cuda::memcpy_async(&s[i & 1][T], a + 32 * i + T, 4, p); p.producer_commit(); }
  else { int acc = 0; for (int i = 0; i < 5; i++) { p.consumer_wait(); acc += s[i & 1][63 - T]; p.consumer_release(); } o[T - 32] = acc; } }
//! race block=64
K(bulk_reduce_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads();
  if (T == 0) { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0],[%1],256;" :: "l"(b), "r"(sm32(s)) : "memory"); //@A
    bulk_commit(); bulk_wait_read(); b[5] = 1; } } //@B
//! race block=64
K(bulk_reduce_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads();
  if (T == 0) { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0],[%1],256;" :: "l"(b), "r"(sm32(s)) : "memory"); bulk_commit(); bulk_wait(); b[5] = 1; } }
//! race grid=2 block=64 cluster=2
K(dsm_mbar_bad) { __shared__ int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 64); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); } cl_sync();
  unsigned peer = cl_map(&s[T], cl_rank() ^ 1), bar = cl_map(&m, cl_rank() ^ 1);
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(bar) : "memory");
  cl_st(peer, T); //@A
  while (!([&] { int r; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p,[%1],0; selp.s32 %0,1,0,p; }" : "=r"(r) : "r"(sm32(&m)) : "memory"); return r; }())) { }
  o[B * 64 + T] = s[63 - T]; cl_sync(); } //@B
//! race grid=2 block=64 cluster=2
K(dsm_mbar_ok) { __shared__ int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 64); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); } cl_sync();
  unsigned peer = cl_map(&s[T], cl_rank() ^ 1), bar = cl_map(&m, cl_rank() ^ 1);
  cl_st(peer, T);
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(bar) : "memory");
  while (!([&] { int r; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p,[%1],0; selp.s32 %0,1,0,p; }" : "=r"(r) : "r"(sm32(&m)) : "memory"); return r; }())) { }
  o[B * 64 + T] = s[63 - T]; cl_sync(); }
//! race grid=2 block=64 cluster=2
K(dsm_async_store_bad) { __shared__ int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); } cl_sync();
  if (T == 0) mb_expect(&m, 256);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%1,[%2];" :: "r"(cl_map(&s[T], cl_rank() ^ 1)), "r"(T), "r"(cl_map(&m, cl_rank() ^ 1)) : "memory"); //@A
  o[B * 64 + T] = s[63 - T]; //@B
  mb_wait(&m, 0); cl_sync(); }
//! race grid=2 block=64 cluster=2
K(dsm_async_store_ok) { __shared__ int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); } cl_sync();
  if (T == 0) mb_expect(&m, 256);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0],%1,[%2];" :: "r"(cl_map(&s[T], cl_rank() ^ 1)), "r"(T), "r"(cl_map(&m, cl_rank() ^ 1)) : "memory");
  mb_wait(&m, 0); o[B * 64 + T] = s[63 - T]; cl_sync(); }
//! race block=64
K(matrix_rows_bad) { __shared__ float s[8][9]; int r = T >> 3, c = T & 7;
  s[r][c] = a[T]; //@A
  __syncwarp(); o[T] = (int)s[c][r]; } //@B
//! race block=64
K(matrix_rows_ok) { __shared__ float s[8][9]; int r = T >> 3, c = T & 7; s[r][c] = a[T]; __syncthreads(); o[T] = (int)s[c][r]; }
//! race block=128
K(two_phase_bad) { __shared__ int s[128], t[4]; s[T] = a[T]; int v = s[T]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if ((T & 31) == 0) t[T >> 5] = v; //@A
  if (T == 0) o[0] = t[0] + t[1] + t[2] + t[3]; } //@B
//! race block=128
K(two_phase_ok) { __shared__ int s[128], t[4]; s[T] = a[T]; int v = s[T]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if ((T & 31) == 0) t[T >> 5] = v; __syncthreads(); if (T == 0) o[0] = t[0] + t[1] + t[2] + t[3]; }
//! race grid=4 block=64
K(g_double_buffer_bad) { cg::grid_group g = cg::this_grid(); int k = g.thread_rank();
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { int v = b[(k + 1) & 255]; //@A
    b[k] = v + 1; //@B
    g.sync(); } }
//! race grid=4 block=64
K(g_double_buffer_ok) { cg::grid_group g = cg::this_grid(); int k = g.thread_rank();
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { int v = b[(k + 1) & 255]; g.sync(); b[k] = v + 1; g.sync(); } }
//! race grid=2 block=32
K(g_cas_update_bad) { if (T == 0) { int v = b[0]; //@A
    v += B + 1; b[0] = v; } } //@B
//! race grid=2 block=32
K(g_cas_update_ok) { if (T == 0) { int v = atomicAdd(&b[0], 0), w; do { w = v; v = atomicCAS(&b[0], w, w + B + 1); } while (v != w); } }
//! race grid=2 block=32
K(g_bytes_bad) { ((char *)b)[B * 32 + T - B] = 1; } //@A
//! race grid=2 block=32
K(g_bytes_ok) { ((char *)b)[B * 32 + T] = 1; }
//! race grid=2 block=32
K(g_list_bad) { if (T == 0) { int old = atomicExch(&b[0], B + 1); b[1 + B] = old; } //@A
  if (T == 1) { int h = atomicAdd(&b[0], 0); if (h) o[B] = b[h]; } } //@B
//! race grid=2 block=32
K(g_list_ok) { if (T == 0) { b[1 + B] = 7; __threadfence(); atomicExch(&b[0], B + 1); }
  if (T == 1) { int h = atomicAdd(&b[0], 0); __threadfence(); if (h) o[B] = b[h]; } }
// ---- init
//! init block=64
K(i_cas_bad) { __shared__ int l; if (atomicCAS(&l, 0, 1) == 0) o[0] = 1; } //@A
//! init block=64
K(i_cas_ok) { __shared__ int l; if (T == 0) l = 0; __syncthreads(); if (atomicCAS(&l, 0, 1) == 0) o[0] = 1; }
//! init block=64
K(i_max_float_bad) { __shared__ float s[64]; if (T != 5) s[T] = a[T]; __syncthreads(); float m = 0; for (int i = 0; i < 64; i++) m = fmaxf(m, s[i]); if (m > 10) b[T] = 1; } //@A
//! init block=64
K(i_max_float_ok) { __shared__ float s[64]; s[T] = a[T]; __syncthreads(); float m = 0; for (int i = 0; i < 64; i++) m = fmaxf(m, s[i]); if (m > 10) b[T] = 1; }
//! init block=64
K(i_cp_partial_bad) { __shared__ alignas(16) int s[68]; if (T < 16) __pipeline_memcpy_async(&s[4 * T], &a[4 * T], 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); if (s[T + 4] > 3) b[T] = 1; } //@A
//! init block=64
K(i_cp_partial_ok) { __shared__ alignas(16) int s[68]; if (T < 17) __pipeline_memcpy_async(&s[4 * T], &a[4 * T], 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); if (s[T + 4] > 3) b[T] = 1; }
//! init block=64
K(i_bulk_partial_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 128); bulk_g2s(s, a, 128, &m); } mb_wait(&m, 0); if (s[T] > 3) b[T] = 1; } //@A
//! init block=64
K(i_bulk_partial_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); if (s[T] > 3) b[T] = 1; }
//! init block=64
K(i_shuffled_bad) { __shared__ int s[64]; if (T < 40) s[T] = a[T]; __syncthreads(); int v = s[T]; v = __shfl_down_sync(~0u, v, 1); if (v > 4) b[T] = 1; } //@A
//! init block=64
K(i_shuffled_ok) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); int v = s[T]; v = __shfl_down_sync(~0u, v, 1); if (v > 4) b[T] = 1; }
//! init block=64
K(i_divided_bad) { __shared__ int s[64]; if (T < 40) s[T] = a[T] + 1; __syncthreads(); b[T] = 100 / s[T]; } //@A
//! init block=64
K(i_divided_ok) { __shared__ int s[64]; s[T] = a[T] + 1; __syncthreads(); b[T] = 100 / s[T]; }
//! init grid=2 block=64
K(i_other_block_bad) { if (B == 0) o[T] = T; else if (o[128 + T] > 3) b[T] = 1; } //@A
//! init grid=2 block=64 oinit=1
K(i_other_block_ok) { if (B == 0) o[T] = T; else if (o[128 + T] > 3) b[T] = 1; }
// ---- sync
//! sync block=64
K(s_activemask_bad) { int v = a[T]; if (T & 1) { v = __shfl_sync(~0u, v, 0); } o[T] = v; } //@A
//! sync block=64
K(s_activemask_ok) { int v = a[T]; if (T & 1) { v = __shfl_sync(0xaaaaaaaa, v, 1); } o[T] = v; }
//! sync block=64
K(s_named_odd_bad) { named_bar(1, 48); o[T] = 1; } //@A
//! sync block=64
K(s_named_odd_ok) { named_bar(1, 64); o[T] = 1; }
//! sync block=64
K(s_barrier_id_bad) { named_bar(n >> 6, 64); o[T] = 1; } //@A
//! sync block=64
K(s_barrier_id_ok) { named_bar(n >> 7, 64); o[T] = 1; }
//! sync block=64
K(s_and_bad) { int i = 0;
  #pragma unroll 1
  while (!__syncthreads_and(i >= (a[T] & 3))) { if (T == 9 && i == 1) return; i++; } //@A
  o[T] = i; }
//! sync block=64
K(s_and_ok) { int i = 0;
  #pragma unroll 1
  while (!__syncthreads_and(i >= (a[T] & 3))) i++;
  o[T] = i; }
//! sync block=64
K(s_function_bad) { auto f = [&](int x) { __syncthreads(); return x; }; int v = a[T] < 20 ? f(1) : 2; o[T] = v; } //@A
//! sync block=64
K(s_function_ok) { auto f = [&](int x) { __syncthreads(); return x; }; int v = f(a[T] < 20 ? 1 : 2); o[T] = v; }
//! sync block=64
K(s_cg_sync_bad) { auto g = cg::this_thread_block(); if (T < 10) { b[T] = 1; g.sync(); } else b[T] = 2; o[T] = 1; } //@A
//! sync block=64
K(s_cg_sync_ok) { auto g = cg::this_thread_block(); if (T < 10) b[T] = 1; else b[T] = 2; g.sync(); o[T] = 1; }
//! sync block=64
K(s_mb_parity_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); mb_wait(&m, 1); o[T] = 1; } //@A
//! sync block=64
K(s_mb_parity_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); mb_arrive(&m); mb_wait(&m, 1); o[T] = 1; }
//! sync block=64
K(s_mb_loop_over_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); o[T] = 1; } //@A
//! sync block=64
K(s_mb_loop_over_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); mb_wait(&m, 0); o[T] = 1; }
//! sync grid=2 block=32 cluster=2
K(s_cl_twice_bad) { cl_arrive(); cl_arrive(); cl_wait(); o[B * 32 + T] = 1; } //@A
//! sync grid=2 block=32 cluster=2
K(s_cl_twice_ok) { cl_arrive(); cl_wait(); cl_arrive(); cl_wait(); o[B * 32 + T] = 1; }
// ---- mem
//! mem block=64
K(x_short_misaligned_bad) { o[T] = *(short *)((char *)a + 2 * T + (T == 7)); } //@A
//! mem block=64
K(x_short_misaligned_ok) { o[T] = *(short *)((char *)a + 2 * T); }
//! mem block=64
K(x_heap_byte_bad) { if (T == 0) { char *volatile p = (char *)malloc(10); for (int i = 0; i <= 10; i++) p[i] = i; free(p); } } //@A
//! mem block=64
K(x_heap_byte_ok) { if (T == 0) { char *volatile p = (char *)malloc(10); for (int i = 0; i < 10; i++) p[i] = i; free(p); } }
//! mem block=64
K(x_delete_bad) { if (T == 0) { int *volatile p = new int[4]; p[0] = 1; delete[] p; o[0] = p[0]; } } //@A
//! mem block=64
K(x_delete_ok) { if (T == 0) { int *volatile p = new int[4]; p[0] = 1; o[0] = p[0]; delete[] p; } }
//! mem block=64
K(x_stride_bad) { for (int i = T; i < n + 32; i += 64) a[i] = 1; } //@A
//! mem block=64
K(x_stride_ok) { for (int i = T; i < n; i += 64) a[i] = 1; }
//! mem block=64
K(x_int4_shared_bad) { __shared__ alignas(16) int s[66]; for (int i = T; i < 66; i += 64) s[i] = a[i]; __syncthreads(); int4 v = *(int4 *)&s[4 * (T & 15) + (T == 20 ? 2 : 0)]; o[T] = v.x + v.w; } //@A
//! mem block=64
K(x_int4_shared_ok) { __shared__ alignas(16) int s[66]; for (int i = T; i < 66; i += 64) s[i] = a[i]; __syncthreads(); int4 v = *(int4 *)&s[4 * (T & 15)]; o[T] = v.x + v.w; }
//! mem block=64
K(x_unsigned_bad) { unsigned i = T - 1; o[T] = a[i]; } //@A
//! mem block=64
K(x_unsigned_ok) { unsigned i = T ? T - 1 : 0; o[T] = a[i]; }
//! mem block=64
K(x_freed_by_other_bad) { __shared__ int *volatile p; if (T == 0) p = (int *)malloc(256); __syncthreads(); p[T] = T; __syncthreads(); if (T == 63) free(p); __syncthreads(); o[T] = p[T]; } //@A
//! mem block=64
K(x_freed_by_other_ok) { __shared__ int *volatile p; if (T == 0) p = (int *)malloc(256); __syncthreads(); p[T] = T; __syncthreads(); o[T] = p[T]; __syncthreads(); if (T == 63) free(p); }
