// Pairs of kernels: *_bad has one defect, *_ok is the same without it. `//! class key=value` before a kernel is its class
// and launch, comments with `@A` mark lines that a finding must name. basics.ptx: nvcc 13.0 -arch=compute_90 -lineinfo -O2 -ptx -w
#include <cstdint>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/atomic>
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

// ---- race shared
//! race block=128
K(r_reduce_bad) { __shared__ int s[128]; s[T] = a[T]; __syncthreads();
  for (int w = 64; w > 0; w >>= 1) { if (T < w) s[T] += s[T + w]; }  //@A
  if (T == 0) o[0] = s[0]; }
//! race block=128
K(r_reduce_ok) { __shared__ int s[128]; s[T] = a[T]; __syncthreads();
  for (int w = 64; w > 0; w >>= 1) { if (T < w) s[T] += s[T + w]; __syncthreads(); }
  if (T == 0) o[0] = s[0]; }
//! race block=64
K(r_tile_bad) { __shared__ int s[64]; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) {
    s[T] = a[i * 64 + T]; //@A
    __syncthreads();
    acc += s[63 - T];  //@B
  } o[T] = acc; }
//! race block=64
K(r_tile_ok) { __shared__ int s[64]; int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { s[T] = a[i * 64 + T]; __syncthreads(); acc += s[63 - T]; __syncthreads(); } o[T] = acc; }
//! race block=64
K(r_waw_bad) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads();
  s[T & 7] = T; //@A
  __syncthreads(); o[T] = s[T & 7]; }
//! race block=64
K(r_waw_ok) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads();
  atomicExch(&s[T & 7], T); __syncthreads(); o[T] = s[T & 7]; }
//! race block=64
K(r_hist_bad) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads();
  s[a[T] & 7]++; //@A
  __syncthreads(); if (T < 8) o[T] = s[T]; }
//! race block=64
K(r_hist_ok) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads();
  atomicAdd(&s[a[T] & 7], 1); __syncthreads(); if (T < 8) o[T] = s[T]; }
//! race block=32
K(r_warp_reduce_bad) { __shared__ volatile int s[64]; s[T] = a[T]; s[T + 32] = a[T + 32]; __syncwarp();
  if (T < 16) {
  s[T] += s[T + 16]; //@A
  s[T] += s[T + 8]; 
  s[T] += s[T + 4]; s[T] += s[T + 2]; s[T] += s[T + 1]; }
  if (T == 0) o[0] = s[0]; }
//! race block=32
K(r_warp_reduce_ok) { __shared__ int s[64]; s[T] = a[T]; s[T + 32] = a[T + 32]; __syncwarp();
  for (int w = 16; w > 0; w >>= 1) { int v = T < w ? s[T + w] : 0; __syncwarp(); if (T < w) s[T] += v; __syncwarp(); }
  if (T == 0) o[0] = s[0]; }
//! race block=32
K(r_shfl_orders_bad) { __shared__ int s[32]; 
  s[T] = a[T]; //@A
  int x = __shfl_xor_sync(~0u, T, 1);
  o[T] = s[T ^ 1] + x; //@B
}
//! race block=32
K(r_shfl_orders_ok) { __shared__ int s[32]; s[T] = a[T]; int x = __shfl_xor_sync(~0u, T, 1); __syncwarp(); o[T] = s[T ^ 1] + x; }
//! race block=32
K(r_syncwarp_mask_bad) { __shared__ int s[32];
  s[T] = a[T]; //@A
  if (T < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
  o[T] = s[31 - T]; //@B
}
//! race block=32
K(r_syncwarp_mask_ok) { __shared__ int s[32]; s[T] = a[T];
  if (T < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
  o[T] = s[T ^ 1]; }
//! race block=64
K(r_bytes_bad) { __shared__ unsigned char s[256];
  ((int *)s)[T] = 0;
  __syncthreads();
  s[T * 2 + 1] = (unsigned char)T; //@A
  o[T] = ((short *)s)[T ^ 1]; //@B
}
//! race block=64
K(r_bytes_ok) { __shared__ unsigned char s[256]; ((int *)s)[T] = 0; __syncthreads();
  s[T * 2 + 1] = (unsigned char)T; s[128 + T] = 3; __syncthreads(); o[T] = ((short *)s)[T ^ 1]; }
//! race block=64
K(r_bytes_neighbours_ok) { __shared__ unsigned char s[64]; s[T] = (unsigned char)a[T]; o[T] = s[T]; }
//! race block=64
K(r_bytes_neighbours_bad) { __shared__ unsigned char s[64]; s[T] = (unsigned char)a[T]; //@A
  o[T] = ((unsigned short *)s)[T >> 1]; //@B
}
//! race block=96
K(r_arrive_bad) { __shared__ int s[32];
  if (T < 32) { s[T] = a[T];
    asm volatile("bar.arrive 1, 64;" ::: "memory"); s[T] = 5; //@C
  } else if (T < 64) { asm volatile("bar.sync 1, 64;" ::: "memory"); o[T] = s[T - 32]; //@B
  } }
//! race block=96
K(r_arrive_ok) { __shared__ int s[32];
  if (T < 32) { s[T] = a[T]; asm volatile("bar.arrive 1, 64;" ::: "memory"); }
  else if (T < 64) { asm volatile("bar.sync 1, 64;" ::: "memory"); o[T] = s[T - 32]; } }
//! race block=64
K(r_cp_nobar_bad) { __shared__ int s[64];
  __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  __pipeline_commit(); __pipeline_wait_prior(0);
  o[T] = s[63 - T]; //@B
}
//! race block=64
K(r_cp_nobar_ok) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4); __pipeline_commit(); __pipeline_wait_prior(0);
  o[T] = s[T]; }
//! race block=64
K(r_cp_stage_bad) { __shared__ int s[2][64]; int acc = 0;
  __pipeline_memcpy_async(&s[0][T], &a[T], 4); __pipeline_commit();
  #pragma unroll 1
  for (int i = 0; i < 4; i++) {
    __pipeline_memcpy_async(&s[(i + 1) & 1][T], &a[(i + 1) * 64 + T], 4); //@A
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();
    acc += s[i & 1][63 - T]; //@B
  } o[T] = acc; __pipeline_wait_prior(0); }
//! race block=64
K(r_cp_stage_ok) { __shared__ int s[2][64]; int acc = 0;
  __pipeline_memcpy_async(&s[0][T], &a[T], 4); __pipeline_commit();
  #pragma unroll 1
  for (int i = 0; i < 4; i++) {
    __pipeline_memcpy_async(&s[(i + 1) & 1][T], &a[(i + 1) * 64 + T], 4);
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();
    acc += s[i & 1][63 - T]; __syncthreads(); } o[T] = acc; __pipeline_wait_prior(0); }
//! race block=64
K(r_cp_source_bad) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  a[T] = 7; //@B
  __pipeline_commit(); __pipeline_wait_prior(0); o[T] = s[T]; }
//! race block=64
K(r_cp_source_ok) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4);
  __pipeline_commit(); __pipeline_wait_prior(0); a[T] = 7; o[T] = s[T]; }
//! race block=64
K(r_mbar_relaxed_bad) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T < 32) { s[T] = a[T]; //@A
    mb_arrive_relaxed(&m); } else { mb_wait(&m, 0); o[T] = s[63 - T]; //@B
  } }
//! race block=64
K(r_mbar_relaxed_ok) { __shared__ int s[32]; __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads();
  if (T < 32) { s[T] = a[T]; mb_arrive(&m); } else { mb_wait(&m, 0); o[T] = s[63 - T]; } }
//! race block=64
K(r_bulk_reuse_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) {
    if (T == 0) { mb_expect(&m, 256);
      bulk_g2s(s, a + 64 * i, 256, &m); //@A
    } mb_wait(&m, i & 1);
    acc += s[63 - T]; //@B
  } o[T] = acc; }
//! race block=64
K(r_bulk_reuse_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  int acc = 0;
  #pragma unroll 1
  for (int i = 0; i < 3; i++) {
    if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a + 64 * i, 256, &m); } mb_wait(&m, i & 1);
    acc += s[63 - T]; __syncthreads(); } o[T] = acc; }
//! race block=64
K(r_bulk_store_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); //@A
    bulk_commit(); }
  __syncthreads(); s[T] = 5; //@B
  if (T == 0) bulk_wait_read(); }
//! race block=64
K(r_bulk_store_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads();
  if (T == 0) { bulk_s2g(o, s, 256); bulk_commit(); bulk_wait_read(); }
  __syncthreads(); s[T] = 5; }
//! race block=64
K(r_bulk_twomb_bad) { __shared__ alignas(16) int s[2][64]; __shared__ uint64_t m[2]; if (T == 0) { mb_init(&m[0], 1); mb_init(&m[1], 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m[0], 256); bulk_g2s(s[0], a, 256, &m[0]); //@A
   mb_expect(&m[1], 256); bulk_g2s(s[1], a + 64, 256, &m[1]); }
  mb_wait(&m[1], 0); o[T] = s[0][T] + s[1][T]; //@B
  mb_wait(&m[0], 0); }
//! race block=64
K(r_bulk_twomb_ok) { __shared__ alignas(16) int s[2][64]; __shared__ uint64_t m[2]; if (T == 0) { mb_init(&m[0], 1); mb_init(&m[1], 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m[0], 256); bulk_g2s(s[0], a, 256, &m[0]); mb_expect(&m[1], 256); bulk_g2s(s[1], a + 64, 256, &m[1]); }
  mb_wait(&m[1], 0); mb_wait(&m[0], 0); o[T] = s[0][T] + s[1][T]; }
//! race grid=2 block=64 cluster=2
K(r_dsm_write_bad) { __shared__ int s[64]; s[T] = 0; //@A
  __syncthreads(); cl_st(cl_map(&s[T], cl_rank() ^ 1), T); //@B
  cl_sync(); o[B * 64 + T] = s[T]; cl_sync(); }
//! race grid=2 block=64 cluster=2
K(r_dsm_write_ok) { __shared__ int s[64]; s[T] = 0; cl_sync(); cl_st(cl_map(&s[T], cl_rank() ^ 1), T); cl_sync(); o[B * 64 + T] = s[T]; }
//! race grid=2 block=64 cluster=2
K(r_dsm_exit_bad) { __shared__ int s[64]; s[T] = a[T]; cl_sync(); o[B * 64 + T] = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); //@A
}
//! race grid=2 block=64 cluster=2
K(r_dsm_exit_ok) { __shared__ int s[64]; s[T] = a[T]; cl_sync(); o[B * 64 + T] = cl_ld(cl_map(&s[T], cl_rank() ^ 1)); cl_sync(); }
// ---- race global
//! race grid=2 block=32
K(r_scope_bad) { if (T == 0) atomicAdd_block(&b[0], 1); //@A
}
//! race grid=2 block=32
K(r_scope_ok) { if (T == 0) atomicAdd(&b[0], 1); }
//! race grid=4 block=64
K(r_blocks_ww_bad) { a[T] = B; //@A
}
//! race grid=4 block=64
K(r_blocks_ww_ok) { a[B * 64 + T] = B; }
//! race grid=4 block=64
K(r_neighbour_bad) { int i = B * 64 + T; a[i] = i; //@A
  o[i] = a[(i + 1) & 255]; //@B
}
//! race grid=4 block=64
K(r_neighbour_ok) { int i = B * 64 + T; b[i] = i; o[i] = a[(i + 1) & 255]; }
//! race grid=4 block=64
K(r_last_nofence_bad) { __shared__ bool last; 
  o[B * 64 + T] = a[B * 64 + T]; //@A
  __syncthreads();
  if (T == 0) { last = atomicAdd(&b[0], 1) == 3; } __syncthreads();
  if (last) { int v = o[T] + o[64 + T]; //@B
   b[64 + T] = v; } }
//! race grid=4 block=64
K(r_last_nofence_ok) { __shared__ bool last; o[B * 64 + T] = a[B * 64 + T];
  __threadfence(); __syncthreads();
  if (T == 0) { last = atomicAdd(&b[0], 1) == 3; } __syncthreads();
  if (last) { __threadfence(); int v = o[T] + o[64 + T]; b[64 + T] = v; } }
//! race grid=4 block=64
K(r_last_idiom_ok) { __shared__ bool last; o[B * 64 + T] = a[B * 64 + T];
  __threadfence(); __syncthreads();
  if (T == 0) { last = atomicInc((unsigned *)&b[0], 3) == 3; } __syncthreads();
  if (last) { int v = ((volatile int *)o)[T] + ((volatile int *)o)[64 + T]; b[64 + T] = v; } }
//! race grid=2 block=32
K(r_publish_bad) { if (B == 0) { if (T == 0) { a[0] = 42; //@A
     *(volatile int *)&b[0] = 1; } }
  else if (T == 0) { while (*(volatile int *)&b[0] == 0) { } o[0] = a[0]; //@B
  } }
//! race grid=2 block=32
K(r_publish_ok) { if (B == 0) { if (T == 0) { a[0] = 42; __threadfence(); *(volatile int *)&b[0] = 1; } }
  else if (T == 0) { while (*(volatile int *)&b[0] == 0) { } __threadfence(); o[0] = a[0]; } }
//! race grid=2 block=32
K(r_publish_reader_bad) { if (B == 0) { if (T == 0) { a[0] = 42; //@A
   __threadfence(); *(volatile int *)&b[0] = 1; } }
  else if (T == 0) { while (*(volatile int *)&b[0] == 0) { } o[0] = a[0]; //@B
  } }
//! race grid=2 block=32
K(r_publish_reader_ok) { cuda::atomic_ref<int, cuda::thread_scope_device> f(b[0]);
  if (B == 0) { if (T == 0) { a[0] = 42; f.store(1, cuda::memory_order_release); } }
  else if (T == 0) { while (f.load(cuda::memory_order_acquire) == 0) { } o[0] = a[0]; } }
//! race grid=2 block=32
K(r_atomic_relaxed_bad) { cuda::atomic_ref<int, cuda::thread_scope_device> f(b[0]);
  if (B == 0) { if (T == 0) { a[0] = 42; //@A
   f.store(1, cuda::memory_order_relaxed); } }
  else if (T == 0) { while (f.load(cuda::memory_order_acquire) == 0) { } o[0] = a[0]; //@B
  } }
//! race grid=2 block=32
K(r_atomic_relaxed_ok) { cuda::atomic_ref<int, cuda::thread_scope_device> f(b[0]);
  if (B == 0) { if (T == 0) { a[0] = 42; cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device); f.fetch_add(1, cuda::memory_order_relaxed); } }
  else if (T == 0) { while (f.load(cuda::memory_order_relaxed) == 0) { } cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device); o[0] = a[0]; } }
//! race grid=2 block=32
K(r_block_scope_fence_bad) { cuda::atomic_ref<int, cuda::thread_scope_block> f(b[0]);
  if (B == 0) { if (T == 0) { a[0] = 42; 
   f.store(1, cuda::memory_order_release); } } //@A
  else if (T == 0) { while (f.load(cuda::memory_order_acquire) == 0) { } o[0] = a[0]; 
  } }
//! race grid=1 block=64
K(r_block_scope_fence_ok) { cuda::atomic_ref<int, cuda::thread_scope_block> f(b[0]);
  if (T == 0) { a[0] = 42; f.store(1, cuda::memory_order_release); }
  else if (T == 32) { while (f.load(cuda::memory_order_acquire) == 0) { } o[0] = a[0]; } }
//! race grid=4 block=32
K(r_lock_ok) { if (T == 0) { while (atomicCAS(&b[0], 0, 1) != 0) { } __threadfence(); b[4] += 1; __threadfence(); atomicExch(&b[0], 0); } }
//! race grid=4 block=32
K(r_lock_bad) { if (T == 0) { while (atomicCAS(&b[0], 0, 1) != 0) { } 
    b[4] += 1; //@A
    __threadfence(); atomicExch(&b[0], 0); } }
//! race grid=4 block=32
K(r_cas_max_ok) { int v = a[B * 32 + T] * 7 % 31; int old = b[0]; while (old < v) { int seen = atomicCAS(&b[0], old, v); if (seen == old) break; old = seen; } }
//! race grid=4 block=32
K(r_cas_max_bad) { int v = a[B * 32 + T] * 7 % 31;
  if (b[0] < v) b[0] = v; //@A
}
//! race grid=2 block=64
K(r_cg_grid_ok) { cg::grid_group g = cg::this_grid(); a[B * 64 + T] = T; g.sync(); o[B * 64 + T] = a[127 - (B * 64 + T)]; }
//! race grid=2 block=64
K(r_cg_grid_bad) { cg::thread_block g = cg::this_thread_block(); a[B * 64 + T] = T; //@A
  g.sync(); o[B * 64 + T] = a[127 - (B * 64 + T)]; //@B
}
//! race block=64
K(r_cuda_barrier_ok) { __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ int s[64];
  if (T == 0) init(&bar, 64); __syncthreads(); s[T] = a[T]; bar.arrive_and_wait(); o[T] = s[63 - T]; }
//! race block=64
K(r_cuda_barrier_bad) { __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ int s[64];
  if (T == 0) init(&bar, 64); __syncthreads(); s[T] = a[T]; //@A
  auto t = bar.arrive(); o[T] = s[63 - T]; //@B
  bar.wait(std::move(t)); }
//! race block=64
K(r_tile_sync_ok) { __shared__ int s[64]; auto t = cg::tiled_partition<16>(cg::this_thread_block()); s[T] = a[T]; t.sync(); o[T] = s[T ^ 15]; }
//! race block=64
K(r_tile_sync_bad) { __shared__ int s[64]; auto t = cg::tiled_partition<16>(cg::this_thread_block()); s[T] = a[T]; //@A
  t.sync(); o[T] = s[T ^ 16]; //@B
}
// ---- init
//! init block=64
K(i_index_bad) { __shared__ int s[64]; if (T < 32) s[T] = T; __syncthreads(); int i = s[63 - T]; o[T] = a[i & 1023]; //@A
}
//! init block=64
K(i_index_ok) { __shared__ int s[64]; s[T] = T; __syncthreads(); int i = s[63 - T]; o[T] = a[i & 1023]; }
//! init block=64
K(i_malloc_bad) { if (T == 0) { int *p = (int *)malloc(16); p[0] = 1; if (p[1] > 3) b[0] = 1; //@A
   free(p); } }
//! init block=64
K(i_malloc_ok) { if (T == 0) { int *p = (int *)malloc(16); p[0] = 1; p[1] = n; if (p[1] > 3) b[0] = 1; free(p); } }
//! init block=64
K(i_mask_ok) { unsigned char *p = (unsigned char *)o; p[T * 4] = (unsigned char)T; __syncthreads(); int x = o[63 - T]; if ((x & 0xff) > 3) b[T] = 1; }
//! init block=64
K(i_mask_bad) { unsigned char *p = (unsigned char *)o; p[T * 4] = (unsigned char)T; __syncthreads(); int x = o[63 - T]; if ((x & 0x1ff) > 3) b[T] = 1; //@A
}
struct Quad { int x, y, z, w; };
//! init block=32
K(i_quad_ok) { Quad *q = (Quad *)o; q[T].x = T; q[T].y = 1; q[T].z = 2; __syncwarp(); Quad r = q[31 - T]; ((Quad *)a)[T] = r; if (r.x > 3) b[T] = 1; }
//! init block=32
K(i_quad_bad) { Quad *q = (Quad *)o; q[T].x = T; q[T].y = 1; q[T].z = 2; __syncwarp(); Quad r = q[31 - T]; ((Quad *)a)[T] = r; if (r.w > 3) b[T] = 1; //@A
}
//! init block=64
K(i_counter_bad) { __shared__ int c; atomicAdd(&c, 1); //@A
  __syncthreads(); o[T] = c; }
//! init block=64
K(i_counter_ok) { __shared__ int c; if (T == 0) c = 0; __syncthreads(); atomicAdd(&c, 1); __syncthreads(); o[T] = c; }
//! init block=64
K(i_float_bad) { __shared__ float s[65]; s[T] = a[T]; __syncthreads(); b[T] = (int)(s[T] + s[T + 1]); //@A
}
//! init block=64
K(i_float_ok) { __shared__ float s[65]; s[T] = a[T]; if (T == 0) s[64] = 0; __syncthreads(); b[T] = (int)(s[T] + s[T + 1]); }
//! init block=64
K(i_loop_bad) { int k; if (a[T] & 1) k = 3; asm volatile("" : "+r"(k)); int l[4]; if (n > 2000) l[T & 3] = 2; 
  int acc = 0; int lim = l[a[T] & 3]; for (int i = 0; i < (lim & 7); i++) acc += a[i]; //@A
  o[T] = acc; }
//! init block=64
K(i_loop_ok) { int l[4]; for (int i = 0; i < 4; i++) l[i] = i; if (n > 2000) l[T & 3] = 2; 
  int acc = 0; int lim = l[a[T] & 3]; for (int i = 0; i < (lim & 7); i++) acc += a[i]; o[T] = acc; }
// ---- sync
//! sync block=64
K(s_two_bars_bad) { if (T & 1) { b[T] = 1; asm volatile("bar.sync 0;" ::: "memory"); } //@A
  else { b[T] = 2; asm volatile("bar.sync 0;" ::: "memory"); } o[T] = 1; }
//! sync block=64
K(s_two_bars_ok) { if (T & 32) { b[T] = 1; asm volatile("bar.sync 0;" ::: "memory"); } else { b[T] = 2; asm volatile("bar.sync 0;" ::: "memory"); } o[T] = 1; }
//! sync block=64
K(s_return_bad) { if (T >= 40) return; __syncthreads(); //@A
  o[T] = 1; }
//! sync block=64
K(s_return_ok) { if (T >= 32) return; __syncthreads(); o[T] = 1; }
//! sync block=64
K(s_count_bad) { asm volatile("bar.sync 1, 32;" ::: "memory"); o[T] = 1; //@A
}
//! sync block=64
K(s_count_ok) { asm volatile("bar.sync 1, 64;" ::: "memory"); o[T] = 1; }
//! sync block=64
K(s_count_more_bad) { if (T < 32) asm volatile("bar.sync 1, 64;" ::: "memory"); //@A
  o[T] = 1; }
//! sync block=64
K(s_count_more_ok) { if (T < 32) asm volatile("bar.sync 1, 32;" ::: "memory"); o[T] = 1; }
//! sync block=32
K(s_mask_self_bad) { if (T < 16) o[T] = __shfl_sync(0xff, T, 0); //@A
}
//! sync block=32
K(s_mask_self_ok) { if (T < 16) o[T] = __shfl_sync(0xffff, T, 0); }
//! sync block=32
K(s_down_ok) { int v = a[T]; if (T < 16) { for (int d = 8; d; d >>= 1) v += __shfl_down_sync(0xffff, v, d); if (T == 0) o[0] = v; } }
//! sync block=32
K(s_down_bad) { int v = a[T]; if (T < 12) { for (int d = 8; d; d >>= 1) v += __shfl_down_sync(0xfff, v, d); //@A
  if (T == 0) o[0] = v; } }
//! sync block=64
K(s_mb_noinit_bad) { __shared__ uint64_t m; mb_arrive(&m); //@A
  o[T] = 1; }
//! sync block=64
K(s_mb_noinit_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 64); __syncthreads(); mb_arrive(&m); o[T] = 1; }
//! sync block=64
K(s_mb_many_bad) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 32); __syncthreads(); if (T == 0) mb_arrive_n(&m, 40); //@A
  o[T] = 1; }
//! sync block=64
K(s_mb_many_ok) { __shared__ uint64_t m; if (T == 0) mb_init(&m, 40); __syncthreads(); if (T == 0) mb_arrive_n(&m, 40); mb_wait(&m, 0); o[T] = 1; }
//! sync block=64
K(s_tx_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 512); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); //@A
  o[T] = s[T]; }
//! sync block=64
K(s_tx_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (T == 0) { mb_init(&m, 1); fence_async(); } __syncthreads();
  if (T == 0) { mb_expect(&m, 256); bulk_g2s(s, a, 256, &m); } mb_wait(&m, 0); o[T] = s[T]; }
//! sync grid=2 block=32 cluster=2
K(s_cluster_bad) { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); o[B * 32 + T] = 1; //@A
}
//! sync grid=2 block=32 cluster=2
K(s_cluster_ok) { cl_sync(); o[B * 32 + T] = 1; }
//! sync block=64
K(s_unwaited_bad) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4); //@A
  __pipeline_commit(); o[T] = 1; }
//! sync block=64
K(s_unwaited_ok) { __shared__ int s[64]; __pipeline_memcpy_async(&s[T], &a[T], 4); __pipeline_commit(); __pipeline_wait_prior(0); o[T] = s[T]; }
//! sync block=64
K(s_break_bad) { __shared__ int s[64]; s[T] = 0;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { if (a[T] % 5 == i) break; s[T] += i; __syncthreads(); //@A
  } o[T] = s[T]; }
//! sync block=64
K(s_break_ok) { __shared__ int s[64]; s[T] = 0; bool live = true;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) { if (a[T] % 5 == i) live = false; if (live) s[T] += i; __syncthreads(); } o[T] = s[T]; }
// ---- mem
__device__ int garr[64];
//! mem block=64
K(m_device_array_bad) { garr[T + 1] = 5; //@A
}
//! mem block=64
K(m_device_array_ok) { garr[T] = 5; }
//! mem block=64
K(m_neighbour_shared_bad) { __shared__ int s[64]; __shared__ int t[64]; t[T] = 3; s[T + 1] = a[T]; //@A
  __syncthreads(); o[T] = s[T & 31] + t[63 - T]; }
//! mem block=64
K(m_neighbour_shared_ok) { __shared__ int s[65]; __shared__ int t[64]; t[T] = 3; s[T + 1] = a[T]; if (T == 0) s[0] = 0; __syncthreads(); o[T] = s[T] + t[63 - T]; }
//! mem block=64
K(m_heap_past_bad) { if (T == 0) { int *p = (int *)malloc(40); int *q = (int *)malloc(40); p[0] = q[0] = 1; p[10 + (n >> 20)] = 1; //@A
  free(p); free(q); } }
//! mem block=64
K(m_heap_past_ok) { if (T == 0) { int *p = (int *)malloc(44); int *q = (int *)malloc(40); p[0] = q[0] = 1; p[10 + (n >> 20)] = 1; free(p); free(q); } }
//! mem block=1
K(m_use_after_free_bad) { int *volatile p = (int *)malloc(64); p[0] = 1; free(p); int *volatile q = (int *)malloc(64); q[0] = 2; o[0] = p[0]; //@A
  free(q); }
//! mem block=1
K(m_use_after_free_ok) { int *volatile p = (int *)malloc(64); p[0] = 1; o[0] = p[0]; free(p); int *volatile q = (int *)malloc(64); q[0] = 2; free(q); }
//! race block=64
K(m_free_early_bad) { __shared__ int *p; if (T == 0) { p = (int *)malloc(256); } __syncthreads(); p[T] = T; o[T] = p[T]; //@A
  if (T == 0) free(p); //@B
}
//! race block=64
K(m_free_early_ok) { __shared__ int *p; if (T == 0) { p = (int *)malloc(256); } __syncthreads(); p[T] = T; o[T] = p[T]; __syncthreads();
  if (T == 0) free(p); }
//! mem block=1
K(m_leak_bad) { int *volatile p = (int *)malloc(64); p[0] = 1; //@A
  o[0] = p[0]; }
//! mem block=1
K(m_leak_ok) { int *volatile p = (int *)malloc(64); p[0] = 1; o[0] = p[0]; free(p); }
//! mem block=32
K(m_misaligned_bad) { int2 v = *(int2 *)(a + T); o[T] = v.x + v.y; //@A
}
//! mem block=32
K(m_misaligned_ok) { int2 v = *(int2 *)(a + 2 * T); o[T] = v.x + v.y; }
//! mem block=32
K(m_nc_bad) { a[T] = 5; __syncthreads(); o[T] = __ldg(a + 31 - T); //@A
}
//! mem block=32
K(m_nc_ok) { b[T] = 5; __syncthreads(); o[T] = __ldg(a + 31 - T); }
//! mem block=32
K(m_null_bad) { int *p = n > 5 ? nullptr : a; asm volatile("" : "+l"(p)); p[T] = 1; //@A
}
//! mem block=32
K(m_null_ok) { int *p = n < 5 ? nullptr : a; asm volatile("" : "+l"(p)); p[T] = 1; }
extern __shared__ int dyn[];
//! mem block=64 dyn=256
K(m_dyn_bad) { dyn[T + 1] = a[T]; //@A
}
//! mem block=64 dyn=256
K(m_dyn_ok) { dyn[T] = a[T]; }
