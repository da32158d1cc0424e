// Pairs of kernels: subjects of other benchmarks and textbooks. Comments are as in basics.cu.
// textbook.ptx: nvcc 13.0 -arch=compute_90 -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define NI __device__ __noinline__
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

// ---- race: shared memory
//! race block=256
K(u_matmul_tile_bad) { __shared__ int x[16][16], y[16][16]; int r = T >> 4, c = T & 15, acc = 0;
  #pragma unroll 1
  for (int t = 0; t < 2; t++) { x[r][c] = a[r * 32 + t * 16 + c]; y[r][c] = a[(t * 16 + r) * 16 + c]; //@A
    __syncthreads();
    for (int k = 0; k < 16; k++) acc += x[r][k] * y[k][c]; //@B
  } o[T] = acc; }
//! race block=256
K(u_matmul_tile_ok) { __shared__ int x[16][16], y[16][16]; int r = T >> 4, c = T & 15, acc = 0;
  #pragma unroll 1
  for (int t = 0; t < 2; t++) { x[r][c] = a[r * 32 + t * 16 + c]; y[r][c] = a[(t * 16 + r) * 16 + c]; __syncthreads();
    for (int k = 0; k < 16; k++) acc += x[r][k] * y[k][c];
    __syncthreads(); } o[T] = acc; }
//! race block=256
K(u_transpose_tile_bad) { __shared__ int t[32][33]; int x = T & 31, y = T >> 5;
  for (int j = 0; j < 32; j += 8) t[y + j][x] = a[(y + j) * 32 + x]; //@A
  __syncwarp();
  for (int j = 0; j < 32; j += 8) o[(y + j) * 32 + x] = t[x][y + j]; } //@B
//! race block=256
K(u_transpose_tile_ok) { __shared__ int t[32][33]; int x = T & 31, y = T >> 5;
  for (int j = 0; j < 32; j += 8) t[y + j][x] = a[(y + j) * 32 + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8) o[(y + j) * 32 + x] = t[x][y + j]; }
//! race block=64
K(u_stencil_halo_bad) { __shared__ int s[66]; s[T + 1] = a[T + 1]; //@A
  if (T == 0) { s[0] = a[0]; s[65] = a[65]; }
  o[T] = s[T] + s[T + 1] + s[T + 2]; } //@B
//! race block=64
K(u_stencil_halo_ok) { __shared__ int s[66]; s[T + 1] = a[T + 1]; if (T == 0) { s[0] = a[0]; s[65] = a[65]; }
  __syncthreads(); o[T] = s[T] + s[T + 1] + s[T + 2]; }
//! race block=64
K(u_warp_hist_merge_bad) { __shared__ int h[2][32]; h[T >> 5][T & 31] = 0; __syncwarp();
  atomicAdd(&h[T >> 5][a[T] & 7], 1); //@A
  __syncwarp(); if (T < 32) o[T] = h[0][T] + h[1][T]; } //@B
//! race block=64
K(u_warp_hist_merge_ok) { __shared__ int h[2][32]; h[T >> 5][T & 31] = 0; __syncwarp();
  atomicAdd(&h[T >> 5][a[T] & 7], 1); __syncthreads(); if (T < 32) o[T] = h[0][T] + h[1][T]; }
//! race block=64
K(u_downsweep_bad) { __shared__ int s[128]; s[2 * T] = a[2 * T]; s[2 * T + 1] = a[2 * T + 1];
  int d = 1;
  for (int m = 64; m > 0; m >>= 1, d <<= 1) { __syncthreads(); if (T < m) s[d * (2 * T + 2) - 1] += s[d * (2 * T + 1) - 1]; }
  if (T == 0) s[127] = 0;
  #pragma unroll 1
  for (int m = 1; m < 128; m <<= 1) { d >>= 1; if (m < 64) __syncthreads();
    if (T < m) { int i = d * (2 * T + 1) - 1, j = d * (2 * T + 2) - 1; int t = s[i]; s[i] = s[j]; //@A
      s[j] += t; } } //@B
  __syncthreads(); o[2 * T] = s[2 * T]; o[2 * T + 1] = s[2 * T + 1]; }
//! race block=64
K(u_downsweep_ok) { __shared__ int s[128]; s[2 * T] = a[2 * T]; s[2 * T + 1] = a[2 * T + 1];
  int d = 1;
  for (int m = 64; m > 0; m >>= 1, d <<= 1) { __syncthreads(); if (T < m) s[d * (2 * T + 2) - 1] += s[d * (2 * T + 1) - 1]; }
  if (T == 0) s[127] = 0;
  #pragma unroll 1
  for (int m = 1; m < 128; m <<= 1) { d >>= 1; __syncthreads();
    if (T < m) { int i = d * (2 * T + 1) - 1, j = d * (2 * T + 2) - 1; int t = s[i]; s[i] = s[j]; s[j] += t; } }
  __syncthreads(); o[2 * T] = s[2 * T]; o[2 * T + 1] = s[2 * T + 1]; }
//! race block=64
K(u_bitonic_bad) { __shared__ int s[64]; s[T] = a[T] * 37 & 63; __syncthreads();
  #pragma unroll 1
  for (int k = 2; k <= 64; k <<= 1)
    #pragma unroll 1
    for (int j = k >> 1; j > 0; j >>= 1) { int p = T ^ j;
      if (p > T) { int x = s[T], y = s[p]; if ((x > y) == !(T & k)) { s[T] = y; s[p] = x; } } //@A
      if (j >= 32) __syncthreads(); }
  __syncthreads(); o[T] = s[T]; }
//! race block=64
K(u_bitonic_ok) { __shared__ int s[64]; s[T] = a[T] * 37 & 63; __syncthreads();
  #pragma unroll 1
  for (int k = 2; k <= 64; k <<= 1)
    #pragma unroll 1
    for (int j = k >> 1; j > 0; j >>= 1) { int p = T ^ j;
      if (p > T) { int x = s[T], y = s[p]; if ((x > y) == !(T & k)) { s[T] = y; s[p] = x; } }
      __syncthreads(); }
  o[T] = s[T]; }
//! race block=32
K(u_tile16_bad) { __shared__ int s[32]; auto t = cg::tiled_partition<16>(cg::this_thread_block());
  s[T] = a[T]; //@A
  t.sync(); o[T] = s[31 - T]; } //@B
//! race block=32
K(u_tile16_ok) { __shared__ int s[32]; auto t = cg::tiled_partition<16>(cg::this_thread_block());
  s[T] = a[T]; t.sync(); o[T] = s[T ^ 15]; }
//! race block=32
K(u_coalesced_bad) { __shared__ int s; o[T] = 0; if (a[T] % 3 == 0) { auto g = cg::coalesced_threads();
  if (g.thread_rank() == 0) s = a[T + 1]; //@A
  o[T] = s; } } //@B
//! race block=32
K(u_coalesced_ok) { __shared__ int s; o[T] = 0; if (a[T] % 3 == 0) { auto g = cg::coalesced_threads();
  if (g.thread_rank() == 0) s = a[T + 1];
  g.sync(); o[T] = s; } }
//! race block=64
K(u_counter_init_bad) { __shared__ int c; if (T == 0) c = 0; //@A
  atomicAdd(&c, a[T]); //@B
  __syncthreads(); o[T] = c; }
//! race block=64
K(u_counter_init_ok) { __shared__ int c; if (T == 0) c = 0; __syncthreads(); atomicAdd(&c, a[T]); __syncthreads(); o[T] = c; }
//! race block=64 dyn=512
K(u_carve_bad) { float *x = (float *)dyn; short *y = (short *)(x + 48); // should be 64
  x[T] = a[T]; //@A
  y[T] = (short)a[T]; //@B
  __syncthreads(); o[T] = (int)x[T] + y[T]; }
//! race block=64 dyn=512
K(u_carve_ok) { float *x = (float *)dyn; short *y = (short *)(x + 64); x[T] = a[T]; y[T] = (short)a[T]; __syncthreads(); o[T] = (int)x[T] + y[T]; }
//! race block=128
K(u_ping_pong_bad) { __shared__ int s[2][128]; s[0][T] = a[T]; __syncthreads(); int p = 0;
  #pragma unroll 1
  for (int d = 1; d < 128; d <<= 1) { s[p][T] = s[p][T] + (T >= d ? s[p][T - d] : 0); //@A
    __syncthreads(); } o[T] = s[p][T]; }
//! race block=128
K(u_ping_pong_ok) { __shared__ int s[2][128]; s[0][T] = a[T]; __syncthreads(); int p = 0;
  #pragma unroll 1
  for (int d = 1; d < 128; d <<= 1) { s[p ^ 1][T] = s[p][T] + (T >= d ? s[p][T - d] : 0); p ^= 1; __syncthreads(); } o[T] = s[p][T]; }
//! race block=64
K(u_token_bad) { using bar = cuda::barrier<cuda::thread_scope_block>; __shared__ bar m; __shared__ int s[64];
  if (T == 0) init(&m, 64); __syncthreads();
  auto t = m.arrive(); s[T] = a[T]; //@A
  m.wait(std::move(t)); o[T] = s[63 - T]; } //@B
//! race block=64
K(u_token_ok) { using bar = cuda::barrier<cuda::thread_scope_block>; __shared__ bar m; __shared__ int s[64];
  if (T == 0) init(&m, 64); __syncthreads();
  s[T] = a[T]; auto t = m.arrive(); m.wait(std::move(t)); o[T] = s[63 - T]; }
//! race block=64
K(u_stage_phase_bad) { __shared__ int s[64]; __shared__ uint64_t full; if (T == 0) mb_init(&full, 32); __syncthreads(); int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 2; i++) { 
    if (T < 32) { s[i * 32 + T] = a[T] + i; //@A
      mb_arrive(&full); }
    else { mb_wait(&full, 0); acc += s[i * 32 + 63 - T]; } //@B
  } o[T] = acc; }
//! race block=64
K(u_stage_phase_ok) { __shared__ int s[64]; __shared__ uint64_t full[2]; if (T == 0) { mb_init(&full[0], 32); mb_init(&full[1], 32); } __syncthreads(); int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 2; i++) { 
    if (T < 32) { s[i * 32 + T] = a[T] + i; mb_arrive(&full[i]); }
    else { mb_wait(&full[i], 0); acc += s[i * 32 + 63 - T]; } } o[T] = acc; }
//! race block=64
K(u_pipe_bad) { __shared__ int s[2][64]; __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto g = cg::this_thread_block(); auto p = cuda::make_pipeline(g, &st); int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { p.producer_acquire();
    cuda::memcpy_async(&s[i & 1][T], &a[i * 64 + T], 4, p); //@A
    p.producer_commit();
    if (i) { p.consumer_wait(); p.consumer_release(); acc += s[(i - 1) & 1][63 - T]; } } //@B
  p.consumer_wait(); acc += s[1][63 - T]; p.consumer_release(); o[T] = acc; }
//! race block=64
K(u_pipe_ok) { __shared__ int s[2][64]; __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
  auto g = cg::this_thread_block(); auto p = cuda::make_pipeline(g, &st); int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { p.producer_acquire(); cuda::memcpy_async(&s[i & 1][T], &a[i * 64 + T], 4, p); p.producer_commit();
    if (i) { p.consumer_wait(); acc += s[(i - 1) & 1][63 - T]; p.consumer_release(); } }
  p.consumer_wait(); acc += s[1][63 - T]; p.consumer_release(); o[T] = acc; }
//! race block=64
K(u_wait_prior_bad) { __shared__ int s[2][64]; auto g = cg::this_thread_block();
  cg::memcpy_async(g, s[0], a, 256); cg::memcpy_async(g, s[1], a + 64, 256); //@A
  cg::wait_prior<1>(g); o[T] = s[1][63 - T]; //@B
  cg::wait(g); }
//! race block=64
K(u_wait_prior_ok) { __shared__ int s[2][64]; auto g = cg::this_thread_block();
  cg::memcpy_async(g, s[0], a, 256); cg::memcpy_async(g, s[1], a + 64, 256);
  cg::wait_prior<1>(g); int v = s[0][63 - T]; cg::wait(g); o[T] = v + s[1][63 - T]; }
//! race grid=4 block=32 cluster=4
K(u_ring_bad) { __shared__ int s[32]; s[T] = a[B * 32 + T]; //@A
  cl_arrive(); int v = cl_ld(cl_map(&s[31 - T], (cl_rank() + 1) & 3)); //@B
  cl_wait(); cl_sync(); o[B * 32 + T] = v; }
//! race grid=4 block=32 cluster=4
K(u_ring_ok) { __shared__ int s[32]; s[T] = a[B * 32 + T]; cl_arrive(); cl_wait();
  int v = cl_ld(cl_map(&s[31 - T], (cl_rank() + 1) & 3)); cl_sync(); o[B * 32 + T] = v; }
//! race grid=2 block=32 cluster=2
K(u_cluster_map_bad) { __shared__ int s[32]; auto c = cg::this_cluster(); int *p = c.map_shared_rank(s, c.block_rank() ^ 1);
  p[T] = a[T]; //@A
  __syncthreads(); o[B * 32 + T] = s[31 - T]; //@B
  c.sync(); }
//! race grid=2 block=32 cluster=2
K(u_cluster_map_ok) { __shared__ int s[32]; auto c = cg::this_cluster(); c.sync(); int *p = c.map_shared_rank(s, c.block_rank() ^ 1);
  p[T] = a[T]; c.sync(); o[B * 32 + T] = s[31 - T]; }
//! race grid=2 block=32 cluster=2
K(u_cluster_begin_bad) { __shared__ int s[32]; auto c = cg::this_cluster(); int *p = c.map_shared_rank(s, c.block_rank() ^ 1);
  p[T] = a[T]; //@A
  c.sync(); o[B * 32 + T] = s[31 - T]; }
//! race grid=2 block=32 cluster=2
K(u_cluster_begin_ok) { __shared__ int s[32]; auto c = cg::this_cluster(); int *p = c.map_shared_rank(s, c.block_rank() ^ 1);
  c.barrier_arrive(); int v = a[T]; c.barrier_wait();
  p[T] = v; c.sync(); o[B * 32 + T] = s[31 - T]; }
//! race block=96
K(u_named_id_bad) { __shared__ int s[96]; s[T] = a[T]; //@A
  named_bar(1 + (T >= 64), T >= 64 ? 32 : 64); o[T] = s[95 - T]; } //@B
//! race block=96
K(u_named_id_ok) { __shared__ int s[96]; s[T] = a[T]; named_bar(1 + (T >= 64), T >= 64 ? 32 : 64); o[T] = s[T < 64 ? 63 - T : 159 - T]; }
//! race block=64
K(u_elect_bad) { __shared__ int s[64]; __shared__ int best; s[T] = a[T]; __syncthreads();
  if (T == 0) { int m = 0; for (int i = 0; i < 64; i++) m = max(m, s[i]); best = m; } //@A
  if (T < 32) __syncwarp(); o[T] = s[T] - best; } //@B
//! race block=64
K(u_elect_ok) { __shared__ int s[64]; __shared__ int best; s[T] = a[T]; __syncthreads();
  if (T == 0) { int m = 0; for (int i = 0; i < 64; i++) m = max(m, s[i]); best = m; } __syncthreads(); o[T] = s[T] - best; }
// ---- race: global memory
//! race grid=2 block=32
K(u_sum_plain_bad) { int v = a[B * 32 + T]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if (T == 0) b[0] += v; } //@A
//! race grid=2 block=32
K(u_sum_plain_ok) { int v = a[B * 32 + T]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (T == 0) atomicAdd(&b[0], v); }
//! race grid=2 block=32
K(u_bits_bad) { int i = B * 32 + T; if (a[i] % 3) ((unsigned char *)b)[i >> 3] |= 1 << (i & 7); } //@A
//! race grid=2 block=32
K(u_bits_ok) { int i = B * 32 + T; if (a[i] % 3) atomicOr(&b[i >> 5], 1 << (i & 31)); }
//! race grid=4 block=32
K(u_jacobi_bad) { int i = B * 32 + T + 1; int v = a[i - 1] + a[i + 1]; //@A
  a[i] = v >> 1; } //@B
//! race grid=4 block=32
K(u_jacobi_ok) { int i = B * 32 + T + 1; int v = a[i - 1] + a[i + 1]; b[i] = v >> 1; }
//! race grid=2 block=1
K(u_ref_block_scope_bad) { cuda::atomic_ref<int, cuda::thread_scope_block> f(b[0]);
  if (B == 0) { a[0] = 5; f.store(1, cuda::memory_order_release); } //@A
  else { for (int k = 0; k < 500; k++) if (f.load(cuda::memory_order_acquire)) { o[0] = a[0]; break; } } } //@A
//! race grid=2 block=1
K(u_ref_block_scope_ok) { cuda::atomic_ref<int, cuda::thread_scope_device> f(b[0]);
  if (B == 0) { a[0] = 5; f.store(1, cuda::memory_order_release); }
  else { for (int k = 0; k < 500; k++) if (f.load(cuda::memory_order_acquire)) { o[0] = a[0]; break; } } }
//! race grid=2 block=1
K(u_ref_relaxed_bad) { cuda::atomic_ref<int, cuda::thread_scope_device> f(b[0]);
  if (B == 0) { a[0] = 5; f.store(1, cuda::memory_order_relaxed); } //@A
  else { while (!f.load(cuda::memory_order_acquire)) ; o[0] = a[0]; } } //@A
//! race grid=2 block=1
K(u_ref_relaxed_ok) { cuda::atomic_ref<int, cuda::thread_scope_device> f(b[0]);
  if (B == 0) { a[0] = 5; cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device); f.store(1, cuda::memory_order_relaxed); }
  else { while (!f.load(cuda::memory_order_acquire)) ; o[0] = a[0]; } }
//! race grid=4 block=1
K(u_lock_acquire_bad) { while (atomicExch(&b[0], 1)) ;
  int v = a[0]; a[0] = v + 1; //@A
  asm volatile("" ::: "memory"); atomicExch(&b[0], 0); }
//! race grid=4 block=1
K(u_lock_acquire_ok) { while (atomicExch(&b[0], 1)) ;
  __threadfence(); int v = a[0]; a[0] = v + 1; __threadfence(); atomicExch(&b[0], 0); }
//! race grid=4 block=32
K(u_lookback_bad) { if (T == 0) { int sum = a[B] + 1;
  if (B) { while (ld_relaxed(&b[B - 1]) == 0) ; sum += a[64 + B - 1]; } //@A
  a[64 + B] = sum; //@B
  st_relaxed(&b[B], 1); } }
//! race grid=4 block=32
K(u_lookback_ok) { if (T == 0) { int sum = a[B] + 1;
  if (B) { while (ld_acquire(&b[B - 1]) == 0) ; sum += a[64 + B - 1]; }
  a[64 + B] = sum; st_release(&b[B], 1); } }
//! race grid=4 block=32
K(u_work_queue_bad) { __shared__ int job; if (B == 0) { b[128 + T] = T * 2; //@A
    __syncwarp(); if (T == 0) atomicExch(&b[0], 32); }
  else { if (T == 0) { do job = atomicSub(&b[0], 1); while (job <= 0); } __syncwarp(); o[B] = b[128 + job - 1]; } } //@B
//! race grid=4 block=32
K(u_work_queue_ok) { __shared__ int job; if (B == 0) { b[128 + T] = T * 2; __syncwarp(); __threadfence(); if (T == 0) { __threadfence(); atomicExch(&b[0], 32); } }
  else { if (T == 0) { do job = atomicSub(&b[0], 1); while (job <= 0); __threadfence(); } __syncwarp(); o[B] = b[128 + job - 1]; } }
//! race grid=2 block=1
K(u_halves_bad) { if (B == 0) b[1] = 7; //@A
  else { long long v = *(long long *)b; o[0] = (int)(v >> 7); } } //@B
//! race grid=2 block=1
K(u_halves_ok) { if (B == 0) b[3] = 7; else { long long v = *(long long *)b; o[0] = (int)(v >> 7); } }
//! race grid=4 block=32 cluster=2
K(u_two_clusters_bad) { auto c = cg::this_cluster(); b[B * 32 + T] = a[T]; //@A
  c.sync(); o[B * 32 + T] = b[(B ^ 2) * 32 + T]; } //@B
//! race grid=4 block=32 cluster=2
K(u_two_clusters_ok) { auto c = cg::this_cluster(); b[B * 32 + T] = a[T]; c.sync(); o[B * 32 + T] = b[(B ^ 1) * 32 + T]; }
//! race grid=2 block=32
K(u_float_sum_bad) { float *f = (float *)b; if (B == 0 && T == 0) f[0] = 0.f; //@A
  atomicAdd(&f[0], (float)a[T]); } //@B
//! race grid=2 block=32
K(u_float_sum_ok) { float *f = (float *)b; atomicAdd(&f[0], (float)a[T]); }
//! race grid=2 block=32
K(u_row_overlap_bad) { int *r = b + B * 31; r[T] = a[T] + B; } //@A
//! race grid=2 block=32
K(u_row_overlap_ok) { int *r = b + B * 32; r[T] = a[T] + B; }
//! race grid=2 block=1
K(u_seqlock_bad) { if (B == 0) { atomicAdd(&b[0], 1); a[0] = 3; a[1] = 4; atomicAdd(&b[0], 1); } //@A
  else { int s = atomicAdd(&b[0], 0); int x = a[0]; int y = a[1]; if (s == atomicAdd(&b[0], 0)) o[0] = x + y; } } //@A
//! race grid=2 block=1
K(u_seqlock_ok) { if (B == 0) { atomicAdd(&b[0], 1); __threadfence(); atomicExch(&a[0], 3); atomicExch(&a[1], 4); __threadfence(); atomicAdd(&b[0], 1); }
  else { int s = atomicAdd(&b[0], 0); __threadfence(); int x = atomicAdd(&a[0], 0); int y = atomicAdd(&a[1], 0); __threadfence(); if (s == atomicAdd(&b[0], 0)) o[0] = x + y; } }
//! race grid=2 block=64
K(u_group_count_bad) { auto g = cg::tiled_partition<32>(cg::this_thread_block()); int s = cg::reduce(g, a[T], cg::plus<int>());
  if (g.thread_rank() == 0) b[B] += s; } //@A
//! race grid=2 block=64
K(u_group_count_ok) { auto g = cg::tiled_partition<32>(cg::this_thread_block()); int s = cg::reduce(g, a[T], cg::plus<int>());
  if (g.thread_rank() == 0) atomicAdd(&b[B], s); }
// ---- init
//! init block=64
K(u_local_acc_bad) { int c[4];
  #pragma unroll 1
  for (int i = 0; i < 3; i++) c[i] = 0;
  #pragma unroll 1
  for (int i = 0; i < 8; i++) c[a[T + i] & 3]++; 
  if (c[n & 3 | 3] > 1) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_local_acc_ok) { int c[4];
  #pragma unroll 1
  for (int i = 0; i < 4; i++) c[i] = 0;
  #pragma unroll 1
  for (int i = 0; i < 8; i++) c[a[T + i] & 3]++; 
  if (c[n & 3 | 3] > 1) b[T] = 1; o[T] = 0; }
struct Hit { int id; float t; };
NI bool find(const int *p, int i, Hit *h) { if (p[i] % 5 == 0) return false; h->id = p[i]; h->t = 1.f; return true; }
//! init block=64
K(u_out_param_bad) { Hit h; find(a, T, &h); if (h.id > 9) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_out_param_ok) { Hit h; if (find(a, T, &h) && h.id > 9) b[T] = 1; o[T] = 0; }
union Pun { int word; unsigned char byte[4]; };
//! init block=64
K(u_union_bad) { __shared__ Pun s[64]; s[T].byte[0] = (unsigned char)a[T]; s[T].byte[1] = 0; __syncthreads(); if (s[63 - T].word > 300) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_union_ok) { __shared__ Pun s[64]; s[T].byte[0] = (unsigned char)a[T]; s[T].byte[1] = 0; __syncthreads(); if (s[63 - T].byte[1] + s[63 - T].byte[0] > 300) b[T] = 1; o[T] = 0; }
//! init block=64
K(u_float4_bad) { __shared__ float4 s[64]; s[T].x = a[T]; s[T].y = 1.f; s[T].z = 2.f; __syncthreads(); float4 v = s[63 - T];
  if (v.x * v.y + v.z * v.w > 8.f) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_float4_ok) { __shared__ float4 s[64]; s[T].x = a[T]; s[T].y = 1.f; s[T].z = 2.f; __syncthreads(); float4 v = s[63 - T];
  if (v.x * v.y + v.z > 8.f) b[T] = 1; o[T] = 0; }
//! init block=64
K(u_pad_column_bad) { __shared__ int s[8][9]; s[T >> 3][T & 7] = a[T]; __syncthreads(); int m = 0;
  for (int j = 0; j < 9; j++) m = max(m, s[T & 7][j]);
  if (m > 5) b[T] = m; o[T] = 0; } //@A
//! init block=64
K(u_pad_column_ok) { __shared__ int s[8][9]; s[T >> 3][T & 7] = a[T]; __syncthreads(); int m = 0;
  for (int j = 0; j < 8; j++) m = max(m, s[T & 7][j]);
  if (m > 5) b[T] = m; o[T] = 0; }
//! init block=64
K(u_flag_bad) { __shared__ int done; if (a[T] >= 5000) done = a[T]; __syncthreads(); if (!done) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_flag_ok) { __shared__ int done; if (T == 0) done = 0; __syncthreads(); if (a[T] >= 5000) done = a[T]; __syncthreads(); if (!done) b[T] = 1; o[T] = 0; }
struct Node { int key; Node *next; };
//! init block=32
K(u_new_node_bad) { Node *p = new Node; p->key = T; if (p->next != nullptr) b[T] = 1; delete p; o[T] = 0; } //@A
//! init block=32
K(u_new_node_ok) { Node *p = new Node; p->key = T; p->next = nullptr; if (p->next != nullptr) b[T] = 1; delete p; o[T] = 0; }
//! init block=32
K(u_atomic_out_bad) { atomicAdd(&o[a[T] & 7], 1); } //@A
//! init block=32 oinit=1
K(u_atomic_out_ok) { atomicAdd(&o[a[T] & 7], 1); }
//! init block=32
K(u_index_bad) { __shared__ int perm[32]; if (T < 31) perm[T] = T ^ 1; __syncwarp(); o[T] = a[perm[T] & 255]; } //@A
//! init block=32
K(u_index_ok) { __shared__ int perm[32]; perm[T] = T ^ 1; __syncwarp(); o[T] = a[perm[T] & 255]; }
//! init block=32
K(u_ballot_bad) { __shared__ int s[32]; if (T & 1) s[T] = a[T]; __syncwarp(); unsigned m = __ballot_sync(~0u, s[T ^ 1] > 3); //@A
  o[T] = m; }
//! init block=32
K(u_ballot_ok) { __shared__ int s[32]; s[T] = a[T]; __syncwarp(); unsigned m = __ballot_sync(~0u, s[T ^ 1] > 3); o[T] = m; }
//! init block=64
K(u_first_tile_bad) { __shared__ int s[2][64]; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { s[(i + 1) & 1][T] = a[(i + 1) * 64 + T]; acc += s[i & 1][T]; } 
  if (acc > 7) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_first_tile_ok) { __shared__ int s[2][64]; int acc = 0; s[0][T] = a[T];
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { s[(i + 1) & 1][T] = a[(i + 1) * 64 + T]; acc += s[i & 1][T]; } 
  if (acc > 7) b[T] = 1; o[T] = 0; }
//! init block=64
K(u_half_bad) { __shared__ __half2 s[64]; ((__half *)s)[2 * T] = __int2half_rn(a[T]); __syncthreads(); __half2 v = s[63 - T]; __half w = __hadd(__low2half(v), __high2half(v));
  if (__hgt(w, __int2half_rn(9))) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_half_ok) { __shared__ __half2 s[64]; ((__half *)s)[2 * T] = __int2half_rn(a[T]); __syncthreads(); __half2 v = s[63 - T]; __half w = __low2half(v);
  if (__hgt(w, __int2half_rn(9))) b[T] = 1; o[T] = 0; }
struct Bits { unsigned kind : 3, size : 5, rest : 24; };
//! init block=64
K(u_bitfield_bad) { __shared__ Bits s[64]; s[T].kind = a[T] & 7; __syncthreads(); if (s[63 - T].size > 3) b[T] = 1; o[T] = 0; } //@A
//! init block=64
K(u_bitfield_ok) { __shared__ Bits s[64]; s[T].kind = a[T] & 7; __syncthreads(); if (s[63 - T].kind > 3) b[T] = 1; o[T] = 0; }
//! init block=32
K(u_prefix_bad) { int v = a[T]; __shared__ int w[2]; if (T == 31) w[0] = v; __syncwarp(); 
  int base = w[(a[T] >> 4) & 1]; if (v + base > 40) b[T] = 1; o[T] = 0; } //@A
//! init block=32
K(u_prefix_ok) { int v = a[T]; __shared__ int w[2]; if (T == 31) { w[0] = v; w[1] = 0; } __syncwarp(); 
  int base = w[(a[T] >> 4) & 1]; if (v + base > 40) b[T] = 1; o[T] = 0; }
//! init block=64
K(u_min_init_bad) { __shared__ int lo; if (T == 64) lo = 1 << 30; __syncthreads(); atomicMin(&lo, a[T]); //@A
  __syncthreads(); o[T] = lo; }
//! init block=64
K(u_min_init_ok) { __shared__ int lo; if (T == 63) lo = 1 << 30; __syncthreads(); atomicMin(&lo, a[T]); __syncthreads(); o[T] = lo; }
//! init grid=2 block=64
K(u_partial_sums_bad) { __shared__ int s[64]; int i = B * 64 + T; if (i < 100) s[T] = a[i]; __syncthreads();
  if (T < 32) { int v = s[T] + s[T + 32]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (T == 0) b[B] = v; } } //@A
//! init grid=2 block=64
K(u_partial_sums_ok) { __shared__ int s[64]; int i = B * 64 + T; s[T] = i < 100 ? a[i] : 0; __syncthreads();
  if (T < 32) { int v = s[T] + s[T + 32]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (T == 0) b[B] = v; } }
// ---- sync
//! sync block=64
K(u_switch_barrier_bad) { __shared__ int s[64]; s[T] = a[T]; switch (a[T] & 3) { case 0: __syncthreads(); o[T] = s[T]; break; //@A
  case 1: o[T] = 1; break; default: o[T] = 2; } }
//! sync block=64
K(u_switch_barrier_ok) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); switch (a[T] & 3) { case 0: o[T] = s[T]; break; case 1: o[T] = 1; break; default: o[T] = 2; } }
//! sync grid=2 block=64
K(u_guard_barrier_bad) { __shared__ int s[64]; int i = B * 64 + T; if (i < 100) { s[T] = a[i]; __syncthreads(); //@A
  o[i] = s[T ^ 1]; } }
//! sync grid=2 block=64
K(u_guard_barrier_ok) { __shared__ int s[64]; int i = B * 64 + T; if (i < 100) s[T] = a[i]; __syncthreads(); if (i < 100) o[i] = s[T ^ 1]; }
//! sync block=64
K(u_group_sync_branch_bad) { __shared__ int s[64]; auto g = cg::this_thread_block(); s[T] = a[T]; if (T % 3) { g.sync(); b[T] = 1; } //@A
  o[T] = s[T]; }
//! sync block=64
K(u_group_sync_branch_ok) { __shared__ int s[64]; auto g = cg::this_thread_block(); s[T] = a[T]; g.sync(); if (T % 3) { b[T] = 1; } o[T] = s[T]; }
//! sync block=32
K(u_shfl_down_part_bad) { int v = a[T]; if (T < 20) { for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); } o[T] = v; } //@A
//! sync block=32
K(u_shfl_down_part_ok) { int v = T < 20 ? a[T] : 0; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); o[T] = v; }
//! sync block=32
K(u_shfl_var_bad) { unsigned m = __ballot_sync(~0u, a[T] & 1); int r = 0; if (a[T] & 1) r = __shfl_sync(m, a[T], (a[T] * 3 + 1) & 31); o[T] = r; } //@A
//! sync block=32
K(u_shfl_var_ok) { unsigned m = __ballot_sync(~0u, a[T] & 1); int r = 0; if (a[T] & 1) r = __shfl_sync(m, a[T], (a[T] * 3 + 2) & 31 | 1); o[T] = r; }
//! sync block=32
K(u_all_loop_bad) { int k = a[T] & 3, c = 0;
  #pragma unroll 1
  for (int i = 0; i <= k; i++) c += __all_sync(~0u, a[T] > i); //@A
  o[T] = c; }
//! sync block=32
K(u_all_loop_ok) { int k = a[T] & 3, c = 0;
  #pragma unroll 1
  for (int i = 0; i <= 3; i++) { int v = __all_sync(~0u, a[T] > i); if (i <= k) c += v; }
  o[T] = c; }
//! sync block=64
K(u_bar_expect_bad) { using bar = cuda::barrier<cuda::thread_scope_block>; __shared__ bar m; if (T == 0) init(&m, 65); __syncthreads(); m.arrive_and_wait(); //@A
  o[T] = 1; }
//! sync block=64
K(u_bar_expect_ok) { using bar = cuda::barrier<cuda::thread_scope_block>; __shared__ bar m; if (T == 0) init(&m, 64); __syncthreads(); m.arrive_and_wait(); o[T] = 1; }
//! sync block=64
K(u_producer_leaves_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T < 32) { if (a[T] == 7) return; s[T] = a[T]; mb_arrive(&m); }
  else { mb_wait(&m, 0); o[T] = s[63 - T]; } } //@A
//! sync block=64
K(u_producer_leaves_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T < 32) { if (a[T] != 7) s[T] = a[T]; else s[T] = 0; mb_arrive(&m); }
  else { mb_wait(&m, 0); o[T] = s[63 - T]; } }
//! sync grid=4 block=32
K(u_grid_sync_part_bad) { auto g = cg::this_grid(); b[B * 32 + T] = a[T]; if (B != 3) g.sync(); //@A
  o[B * 32 + T] = a[T]; }
//! sync grid=4 block=32
K(u_grid_sync_part_ok) { auto g = cg::this_grid(); b[B * 32 + T] = a[T]; g.sync(); o[B * 32 + T] = b[(B ^ 1) * 32 + T]; }
//! sync block=64
K(u_exit_mid_warp_bad) { __shared__ int s[64]; if (T >= 40) return; s[T] = a[T]; __syncthreads(); //@A
  o[T] = s[39 - T]; }
//! sync block=64
K(u_exit_mid_warp_ok) { __shared__ int s[64]; if (T < 40) s[T] = a[T]; __syncthreads(); if (T >= 40) return; o[T] = s[39 - T]; }
//! sync block=32
K(u_mask_other_bad) { unsigned m = T < 16 ? 0x0000ffffu : 0xffff0000u; int v = a[T]; if (T < 20) v += __shfl_xor_sync(m, v, 1); o[T] = v; } //@A
//! sync block=32
K(u_mask_other_ok) { unsigned m = T < 16 ? 0x0000ffffu : 0xffff0000u; int v = a[T]; v += __shfl_xor_sync(m, v, 1); o[T] = v; }
//! sync block=32
K(u_xor_across_bad) { unsigned m = T < 16 ? 0x0000ffffu : 0xffff0000u; int v = a[T]; v += __shfl_xor_sync(m, v, 16); o[T] = v; } //@A
//! sync block=32
K(u_xor_across_ok) { int v = a[T]; v += __shfl_xor_sync(~0u, v, 16); o[T] = v; }
//! sync block=64
K(u_break_barrier_bad) { __shared__ int s[64]; s[T] = a[T];
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { if (s[T] + i > 60) break; __syncthreads(); b[T] = i; } //@A
  o[T] = 1; }
//! sync block=64
K(u_break_barrier_ok) { __shared__ int s[64]; s[T] = a[T]; bool live = true;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { live &= s[T] + i <= 60; __syncthreads(); if (live) b[T] = i; }
  o[T] = 1; }
//! sync block=32
K(u_match_part_bad) { int r = 0; if (a[T] % 3 != 1) r = __match_any_sync(~0u, a[T] & 3); o[T] = r; } //@A
//! sync block=32
K(u_match_part_ok) { unsigned m = __ballot_sync(~0u, a[T] % 3 != 1); int r = 0; if (a[T] % 3 != 1) r = __match_any_sync(m, a[T] & 3); o[T] = r; }
//! sync block=64
K(u_tx_two_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 128); bulk_g2s(s, a, 128, &m); bulk_g2s(s + 32, a + 32, 128, &m); } //@A
  mb_wait(&m, 0); o[T] = s[T & 31]; }
//! sync block=64
K(u_tx_two_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 128, &m); bulk_g2s(s + 32, a + 32, 128, &m); }
  mb_wait(&m, 0); o[T] = s[T]; }
//! sync block=128
K(u_pair_wrong_bad) { if (T < 64) named_bar(1, 64); else named_bar(1, 128); //@A
  o[T] = 1; }
//! sync block=128
K(u_pair_wrong_ok) { if (T < 64) named_bar(1, 64); else named_bar(2, 64); o[T] = 1; }
//! sync block=64
K(u_cp_left_bad) { __shared__ int s[2][64];
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { __pipeline_memcpy_async(&s[i & 1][T], &a[i * 64 + T], 4); //@A
    __pipeline_commit(); if (i) { __pipeline_wait_prior(1); o[T] = s[(i - 1) & 1][T]; } } }
//! sync block=64
K(u_cp_left_ok) { __shared__ int s[2][64];
  #pragma unroll 1
  for (int i = 0; i < 3; i++) { __pipeline_memcpy_async(&s[i & 1][T], &a[i * 64 + T], 4); __pipeline_commit(); if (i) { __pipeline_wait_prior(1); o[T] = s[(i - 1) & 1][T]; } }
  __pipeline_wait_prior(0); }
// ---- mem
//! mem grid=1 block=64
K(u_reverse_bad) { b[n - T] = a[T]; } //@A
//! mem grid=1 block=64
K(u_reverse_ok) { b[n - 1 - T] = a[T]; }
//! mem block=64
K(u_unsigned_wrap_bad) { unsigned i = T; o[T] = a[i - 1u]; } //@A
//! mem block=64
K(u_unsigned_wrap_ok) { unsigned i = T; o[T] = i ? a[i - 1u] : 0; }
//! mem grid=4 block=256
K(u_swapped_dims_bad) { int y = T >> 4, x = B * 16 + (T & 15); o[x * 17 + y] = a[y * 64 + x]; } //@A
//! mem grid=4 block=256
K(u_swapped_dims_ok) { int y = T >> 4, x = B * 16 + (T & 15); o[x * 16 + y] = a[y * 64 + x]; }
//! mem block=64
K(u_plane_bad) { __shared__ int s[4][4][4]; int z = T >> 4, y = (T >> 2) & 3, x = T & 3; s[z][y][x] = a[T]; __syncthreads(); o[T] = s[z + 1][y][x]; } //@A
//! mem block=64
K(u_plane_ok) { __shared__ int s[4][4][4]; int z = T >> 4, y = (T >> 2) & 3, x = T & 3; s[z][y][x] = a[T]; __syncthreads(); o[T] = s[(z + 1) & 3][y][x]; }
//! mem block=64
K(u_local_le_bad) { int l[6];
  #pragma unroll 1
  for (int i = 0; i <= (n >> 7) - 2; i++) l[i] = a[i]; //@A
  o[T] = l[a[T] % 6]; }
//! mem block=64
K(u_local_le_ok) { int l[6];
  #pragma unroll 1
  for (int i = 0; i < (n >> 7) - 2; i++) l[i] = a[i];
  o[T] = l[a[T] % 6]; }
//! mem block=32
K(u_double_align_bad) { double *d = (double *)(b + 1); d[T] = 1.0; } //@A
//! mem block=32
K(u_double_align_ok) { double *d = (double *)(b + 2); d[T] = 1.0; }
//! mem block=32
K(u_heap_one_past_bad) { int *p = (int *)malloc(40); for (int i = 0; i <= (n >> 7) + 2; i++) p[i] = a[i]; //@A
  o[T] = p[a[T] & 7]; free(p); }
//! mem block=32
K(u_heap_one_past_ok) { int *p = (int *)malloc(40); for (int i = 0; i < (n >> 7) + 2; i++) p[i] = a[i]; o[T] = p[a[T] & 7]; free(p); }
//! mem block=32
K(u_heap_early_return_bad) { int *p = (int *)malloc(16); p[0] = a[T]; if (p[0] == 3) { o[T] = 1; return; } o[T] = p[0]; free(p); } //@A
//! mem block=32
K(u_heap_early_return_ok) { int *p = (int *)malloc(16); p[0] = a[T]; if (p[0] == 3) { o[T] = 1; free(p); return; } o[T] = p[0]; free(p); }
//! mem block=64
K(u_freed_shared_ptr_bad) { __shared__ int *p; if (T == 0) { p = (int *)malloc(256); for (int i = 0; i < 64; i++) p[i] = i; } __syncthreads();
  int v = p[T]; __syncthreads(); if (T == 0) free(p); __syncthreads(); o[T] = v + p[63 - T]; } //@A
//! mem block=64
K(u_freed_shared_ptr_ok) { __shared__ int *p; if (T == 0) { p = (int *)malloc(256); for (int i = 0; i < 64; i++) p[i] = i; } __syncthreads();
  int v = p[T] + p[63 - T]; __syncthreads(); if (T == 0) free(p); o[T] = v; }
struct P3 { int x, y, z; };
//! mem grid=4 block=128
K(u_soa_bad) { P3 *p = (P3 *)b; int i = B * 128 + T; if (i < n / 3 + 1) p[i].z = i; } //@A
//! mem grid=4 block=128
K(u_soa_ok) { P3 *p = (P3 *)b; int i = B * 128 + T; if (i < n / 3) p[i].z = i; }
//! mem block=32
K(u_null_bad) { int *p; asm volatile("mov.b64 %0,%1;" : "=l"(p) : "l"(a[T] == 17 ? nullptr : b + T)); *p = T; } //@A
//! mem block=32
K(u_null_ok) { int *p = a[T] == 17 ? nullptr : b + T; if (p) *p = T; }
//! mem block=32
K(u_truncated_bad) { unsigned q = (unsigned)(size_t)b; volatile int *p; asm volatile("cvt.u64.u32 %0,%1;" : "=l"(p) : "r"(q)); p[T] = T; } //@A
//! mem block=32
K(u_truncated_ok) { size_t q = (size_t)b; volatile int *p; asm volatile("mov.b64 %0,%1;" : "=l"(p) : "l"(q)); p[T] = T; }
//! mem block=32
K(u_tail_vector_bad) { uchar4 *p = (uchar4 *)a; int i = n - 31 + T; uchar4 v = p[i]; o[T] = v.x + v.w; } //@A
//! mem block=32
K(u_tail_vector_ok) { uchar4 *p = (uchar4 *)a; int i = n - 32 + T; uchar4 v = p[i]; o[T] = v.x + v.w; }
//! mem block=64
K(u_bulk_misaligned_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 128); bulk_g2s(s, a + 1, 128, &m); } //@A
  mb_wait(&m, 0); o[T] = s[T & 31]; }
//! mem block=64
K(u_bulk_misaligned_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 128); bulk_g2s(s, a + 4, 128, &m); }
  mb_wait(&m, 0); o[T] = s[T & 31]; }
//! mem block=64
K(u_hist_bin_bad) { __shared__ int h[16]; if (T < 16) h[T] = 0; __syncthreads(); atomicAdd(&h[a[T] >> 2 | a[T] & 16], 1); //@A
  __syncthreads(); if (T < 16) o[T] = h[T]; }
//! mem block=64
K(u_hist_bin_ok) { __shared__ int h[32]; if (T < 32) h[T] = 0; __syncthreads(); atomicAdd(&h[a[T] >> 2 | a[T] & 16], 1); __syncthreads(); if (T < 32) o[T] = h[T]; }
__device__ int first[32], second[32];
//! mem block=32
K(u_device_next_bad) { first[T + 1] = a[T]; __syncwarp(); second[T] = first[T]; o[T] = second[T]; } //@A
//! mem block=32
K(u_device_next_ok) { first[(T + 1) & 31] = a[T]; __syncwarp(); second[T] = first[T]; o[T] = second[T]; }
//! mem block=64 dyn=256
K(u_dyn_second_bad) { int *x = dyn, *y = dyn + 64; x[T] = a[T]; y[T] = T; __syncthreads(); o[T] = x[63 - T] + y[63 - T]; } //@A
//! mem block=64 dyn=512
K(u_dyn_second_ok) { int *x = dyn, *y = dyn + 64; x[T] = a[T]; y[T] = T; __syncthreads(); o[T] = x[63 - T] + y[63 - T]; }
//! mem block=32
K(u_ldg_written_bad) { int v; b[T] = T; asm volatile("ld.global.nc.s32 %0,[%1];" : "=r"(v) : "l"(b + T) : "memory"); o[T] = v; } //@A
//! mem block=32
K(u_ldg_written_ok) { int v; b[T] = T; asm volatile("ld.global.nc.s32 %0,[%1];" : "=r"(v) : "l"(a + T) : "memory"); o[T] = v; }
NI int *pick(int i) { int l[4]; l[i & 3] = i; int *volatile p = l; return p; }
//! mem block=32
K(u_stack_escape_bad) { __shared__ int *p; int l[4]; l[T & 3] = T; if (T == 0) p = l; __syncwarp(); o[T] = p[0]; } //@A
//! mem block=32
K(u_stack_escape_ok) { __shared__ int *p[32]; int l[4]; l[0] = a[T]; l[T & 3] = T; p[T] = l; __syncwarp(); o[T] = p[T][0]; }
//! mem grid=2 block=1
K(u_int64_index_bad) { int k = 50000 + B; int i = k * k; o[B] = a[i & 0x7fffffff ? i % n : 0]; } //@A
//! mem grid=2 block=1
K(u_int64_index_ok) { long long k = 50000 + B; long long i = k * k; o[B] = a[i % n]; }
//! mem block=32
K(u_free_stack_bad) { int l[4]; l[a[T] & 3] = 1; int *p = a[T] == 4 ? l : (int *)malloc(16); o[T] = T; free(p); } //@A
//! mem block=32
K(u_free_stack_ok) { int l[4]; l[a[T] & 3] = 1; int *p = a[T] == 4 ? nullptr : (int *)malloc(16); o[T] = T; free(p); }
