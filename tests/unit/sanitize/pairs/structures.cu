// Pairs of kernels: matrix instructions, lock-free structures, recursion, parameters and locals. Comments are as in basics.cu.
// structures.ptx: nvcc 13.5 -arch=compute_90a -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>
#include <cuda/atomic>
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
FI void bulk_s2g(void *g, const void *s, int bytes) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" :: "l"(g), "r"(sm32(s)), "r"(bytes) : "memory"); }
FI void bulk_red(void *g, const void *s, int bytes) { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0],[%1],%2;" :: "l"(g), "r"(sm32(s)), "r"(bytes) : "memory"); }
FI void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
FI void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
FI void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
FI void cp4(void *s, const void *g) { asm volatile("cp.async.ca.shared.global [%0],[%1],4;" :: "r"(sm32(s)), "l"(g) : "memory"); }
FI void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
FI void cp_wait() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }
FI uint64_t desc(const void *p) { return ((uint64_t)(sm32(p) & 0x3ffff) >> 4) | (1ull << 16) | (8ull << 32); }
FI void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
FI void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
FI void wg_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
FI void wg_mma(float *d, uint64_t x, uint64_t y) { asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3},%4,%5,1,1,1,0,0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(x), "l"(y)); }
FI void ldm4(unsigned *r, const void *p) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sm32(p)) : "memory"); }
FI void stm2(void *p, unsigned x, unsigned y) { asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0],{%1,%2};" :: "r"(sm32(p)), "r"(x), "r"(y) : "memory"); }
FI void cl_sync() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
FI int  cl_rank() { int r; asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r)); return r; }
FI unsigned cl_map(const void *p, int rank) { unsigned r; asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(r) : "r"(sm32(p)), "r"(rank)); return r; }
FI int ld_acquire(const int *p) { int v; asm volatile("ld.acquire.gpu.global.s32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
FI int ld_relaxed(const int *p) { int v; asm volatile("ld.relaxed.gpu.global.s32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
FI void st_release(int *p, int v) { asm volatile("st.release.gpu.global.s32 [%0],%1;" :: "l"(p), "r"(v) : "memory"); }
FI void st_relaxed(int *p, int v) { asm volatile("st.relaxed.gpu.global.s32 [%0],%1;" :: "l"(p), "r"(v) : "memory"); }
FI int at_add(int *p, int v) { int r; asm volatile("atom.relaxed.gpu.global.add.s32 %0,[%1],%2;" : "=r"(r) : "l"(p), "r"(v) : "memory"); return r; }
FI int cas_acq(int *p, int c, int v) { int r; asm volatile("atom.acquire.gpu.global.cas.b32 %0,[%1],%2,%3;" : "=r"(r) : "l"(p), "r"(c), "r"(v) : "memory"); return r; }
FI int cas_rlx(int *p, int c, int v) { int r; asm volatile("atom.relaxed.gpu.global.cas.b32 %0,[%1],%2,%3;" : "=r"(r) : "l"(p), "r"(c), "r"(v) : "memory"); return r; }
FI int cas_rel(int *p, int c, int v) { int r; asm volatile("atom.acq_rel.gpu.global.cas.b32 %0,[%1],%2,%3;" : "=r"(r) : "l"(p), "r"(c), "r"(v) : "memory"); return r; }
extern __shared__ int dyn[];

// ---- race: matrix instructions
//! race block=64
K(w_ldmatrix_bad) { __shared__ alignas(128) int s[256]; for (int i = T; i < 256; i += 64) s[i] = a[i]; //@A
  unsigned r[4]; ldm4(r, &s[T % 32 * 4]); //@B
  o[T] = r[0] + r[3]; }
//! race block=64
K(w_ldmatrix_ok) { __shared__ alignas(128) int s[256]; for (int i = T; i < 256; i += 64) s[i] = a[i];
  __syncthreads(); unsigned r[4]; ldm4(r, &s[T % 32 * 4]); o[T] = r[0] + r[3]; }
//! race block=64
K(w_stmatrix_bad) { __shared__ alignas(128) int s[128]; stm2(&s[T / 32 * 64 + T % 16 * 4], a[T], a[T + 64]); //@A
  __syncwarp(); o[T] = s[127 - T]; } //@B
//! race block=64
K(w_stmatrix_ok) { __shared__ alignas(128) int s[128]; stm2(&s[T / 32 * 64 + T % 16 * 4], a[T], a[T + 64]); __syncthreads(); o[T] = s[127 - T]; }
//! race block=32
K(w_stmatrix_lane_bad) { __shared__ alignas(128) int s[64]; stm2(&s[T % 16 * 4], a[T], a[T + 64]); //@A
  o[T] = s[63 - T]; } //@B
//! race block=32
K(w_stmatrix_lane_ok) { __shared__ alignas(128) int s[64]; stm2(&s[T % 16 * 4], a[T], a[T + 64]); __syncwarp(); o[T] = s[63 - T]; }
//! race block=64
K(w_wmma_bad) { __shared__ alignas(128) __half s[256]; using namespace nvcuda; for (int i = T; i < 256; i += 64) s[i] = __int2half_rn(a[i] & 7); //@A
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::load_matrix_sync(x, s, 16); //@B
  o[T] = __half2int_rn(x.x[0]) + __half2int_rn(x.x[7]); }
//! race block=64
K(w_wmma_ok) { __shared__ alignas(128) __half s[256]; using namespace nvcuda; for (int i = T; i < 256; i += 64) s[i] = __int2half_rn(a[i] & 7);
  __syncthreads(); wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::load_matrix_sync(x, s, 16); o[T] = __half2int_rn(x.x[0]) + __half2int_rn(x.x[7]); }
//! race block=128
K(w_wgmma_overwrite_bad) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); //@A
  s[T] = 0; //@B
  wg_wait(); o[T] = (int)d[0]; }
//! race block=128
K(w_wgmma_overwrite_ok) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); __syncthreads(); s[T] = 0; o[T] = (int)d[0]; }
//! race block=128
K(w_wgmma_noproxy_bad) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {}; //@A
  __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); o[T] = (int)d[0]; } //@B
//! race block=128
K(w_wgmma_noproxy_ok) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); o[T] = (int)d[0]; }
//! sync block=128
K(w_wgmma_nowait_bad) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit();
  o[T] = (int)d[0]; wg_wait(); } //@A
//! sync block=128
K(w_wgmma_nowait_ok) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); o[T] = (int)d[0]; }
//! sync block=128
K(w_wgmma_nofence_bad) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4];
  fence_async(); __syncthreads(); for (int k = 0; k < 4; k++) d[k] = a[T + k]; wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); o[T] = (int)d[0]; } //@A
//! sync block=128
K(w_wgmma_nofence_ok) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4];
  fence_async(); __syncthreads(); for (int k = 0; k < 4; k++) d[k] = a[T + k]; wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); o[T] = (int)d[0]; }
//! sync block=128
K(w_wgmma_nocommit_bad) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_wait(); o[T] = (int)d[0]; } //@A
//! sync block=128
K(w_wgmma_nocommit_ok) { __shared__ alignas(1024) int s[1024]; for (int i = T; i < 1024; i += 128) s[i] = a[i] & 0x3c003c00; float d[4] = {};
  fence_async(); __syncthreads(); wg_fence(); wg_mma(d, desc(s), desc(s + 512)); wg_commit(); wg_wait(); o[T] = (int)d[0]; }
// ---- race: copies
//! race block=64
K(w_bulk_reduce_proxy_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; //@A
  __syncthreads(); if (T == 0) { bulk_red(o, s, 256); bulk_commit(); bulk_wait(); } } //@B
//! race block=64
K(w_bulk_reduce_proxy_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; if (T == 0) {} fence_async(); __syncthreads(); if (T == 0) { bulk_red(b, s, 256); bulk_commit(); bulk_wait(); } }
//! race block=64
K(w_bulk_out_read_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0) { bulk_s2g(b, s, 256); bulk_commit(); bulk_wait_read(); } //@A
  __syncthreads(); o[T] = b[T]; } //@B
//! race block=64
K(w_bulk_out_read_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0) { bulk_s2g(b, s, 256); bulk_commit(); bulk_wait(); }
  __syncthreads(); o[T] = b[T]; }
//! race block=64
K(w_bulk_two_bad) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0 || T == 32) { bulk_s2g(b + (T ? 60 : 0), s, 256); bulk_commit(); bulk_wait(); } } //@A
//! race block=64
K(w_bulk_two_ok) { __shared__ alignas(16) int s[64]; s[T] = a[T]; fence_async(); __syncthreads(); if (T == 0 || T == 32) { bulk_s2g(b + (T ? 64 : 0), s, 256); bulk_commit(); bulk_wait(); } }
//! race block=64
K(w_cp_lane_bad) { __shared__ int s[64]; cp4(&s[T], &a[T]); cp_commit(); cp_wait(); //@A
  o[T] = s[T ^ 1]; } //@B
//! race block=64
K(w_cp_lane_ok) { __shared__ int s[64]; cp4(&s[T], &a[T]); cp_commit(); cp_wait(); __syncwarp(); o[T] = s[T ^ 1]; }
//! race block=64
K(w_cp_store_bad) { __shared__ int s[64]; cp4(&s[T], &a[T]); cp_commit(); //@A
  s[T] = 7; cp_wait(); o[T] = s[T]; } //@B
//! race block=64
K(w_cp_store_ok) { __shared__ int s[64]; cp4(&s[T], &a[T]); cp_commit(); cp_wait(); s[T] = 7; o[T] = s[T]; }
//! race block=64
K(w_bulk_in_source_bad) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (!T) { mb_init(&m, 1); asm volatile("fence.proxy.async;"); } __syncthreads();
  if (!T) { mb_expect(&m, 256); bulk_g2s(s, b, 256, &m); } //@A
  b[T] = 3; //@B
  mb_wait(&m, 0); o[T] = s[T]; }
//! race block=64
K(w_bulk_in_source_ok) { __shared__ alignas(16) int s[64]; __shared__ uint64_t m; if (!T) { mb_init(&m, 1); asm volatile("fence.proxy.async;"); } __syncthreads();
  if (!T) { mb_expect(&m, 256); bulk_g2s(s, b, 256, &m); } mb_wait(&m, 0); b[T] = 3; o[T] = s[T]; }
//! race block=64
K(w_cp_rest_bad) { __shared__ int s[64]; cp4(&s[T % 32 < 9 ? T : T / 32 * 32 + 9], &a[T]); cp_commit(); cp_wait(); __syncwarp(); if (T % 32 < 10) o[T] = s[T]; } //@A
//! race block=64
K(w_cp_rest_ok) { __shared__ int s[64]; int k = T % 32 < 9 ? T : T / 32 * 32 + 9; cp4(&s[k], &a[k]); cp_commit(); cp_wait(); __syncwarp(); if (T % 32 < 10) o[T] = s[T]; }
// ---- race: lock-free structures
//! race grid=3 block=32
K(w_stack_bad) { if (T == 0) { int h; b[8 + B] = a[B] + 1; //@A
  do { h = ld_relaxed(b); b[16 + B] = h; } while (cas_rlx(b, h, B + 1) != h);
  int t = ld_relaxed(b); if (t) o[B] = b[8 + t - 1]; } } //@B
//! race grid=3 block=32
K(w_stack_ok) { if (T == 0) { int h; b[8 + B] = a[B] + 1;
  do { h = ld_relaxed(b); b[16 + B] = h; } while (cas_rel(b, h, B + 1) != h);
  int t = ld_acquire(b); if (t) o[B] = b[8 + t - 1]; } }
//! race grid=2 block=32
K(w_spsc_bad) { if (T == 0) { if (B == 0) for (int i = 0; i < 6; i++) { while (i - ld_acquire(b + 1) >= 2) { } b[8 + i % 2] = i; st_relaxed(b, i + 1); } //@A
    else for (int i = 0; i < 6; i++) { while (ld_acquire(b) <= i) { } o[i] = b[8 + i % 2]; st_release(b + 1, i + 1); } } } //@B
//! race grid=2 block=32
K(w_spsc_ok) { if (T == 0) { if (B == 0) for (int i = 0; i < 6; i++) { while (i - ld_acquire(b + 1) >= 2) { } b[8 + i % 2] = i; st_release(b, i + 1); }
    else for (int i = 0; i < 6; i++) { while (ld_acquire(b) <= i) { } o[i] = b[8 + i % 2]; st_release(b + 1, i + 1); } } }
//! race grid=2 block=32
K(w_spsc_back_bad) { if (T == 0) { if (B == 0) for (int i = 0; i < 6; i++) { while (i - ld_relaxed(b + 1) >= 2) { } b[8 + i % 2] = i; st_release(b, i + 1); } //@A
    else for (int i = 0; i < 6; i++) { while (ld_acquire(b) <= i) { } o[i] = b[8 + i % 2]; st_relaxed(b + 1, i + 1); } } } //@B
//! race grid=2 block=32
K(w_spsc_back_ok) { if (T == 0) { if (B == 0) for (int i = 0; i < 6; i++) { while (i - ld_acquire(b + 1) >= 2) { } b[8 + i % 2] = i; st_release(b, i + 1); }
    else for (int i = 0; i < 6; i++) { while (ld_acquire(b) <= i) { } o[i] = b[8 + i % 2]; st_release(b + 1, i + 1); } } }
//! race grid=4 block=32
K(w_reader_count_bad) { if (T == 0) { if (B) { o[B] = b[4]; at_add(b, 1); } else { while (ld_acquire(b) < 3) { } b[4] = 9; } } } //@A
//! race grid=4 block=32
K(w_reader_count_ok) { if (T == 0) { if (B) { o[B] = b[4]; __threadfence(); at_add(b, 1); } else { while (ld_acquire(b) < 3) { } b[4] = 9; } } }
//! race block=64
K(w_ref_weak_bad) { __shared__ int f, v; if (!T) f = v = 0; __syncthreads(); cuda::atomic_ref<int, cuda::thread_scope_block> r(f);
  if (T == 0) { v = 5; r.store(1, cuda::memory_order_relaxed); } //@A
  if (T == 32) { while (!r.load(cuda::memory_order_acquire)) { } o[0] = v; } } //@B
//! race block=64
K(w_ref_weak_ok) { __shared__ int f, v; if (!T) f = v = 0; __syncthreads(); cuda::atomic_ref<int, cuda::thread_scope_block> r(f);
  if (T == 0) { v = 5; r.store(1, cuda::memory_order_release); }
  if (T == 32) { while (!r.load(cuda::memory_order_acquire)) { } o[0] = v; } }
//! race grid=2 block=64
K(w_block_barrier_then_plain_bad) { b[B * 32 + T % 32] = T; //@A
  __syncthreads(); if (T < 32) o[B * 32 + T] = b[63 - B * 32 - T]; } //@B
//! race grid=2 block=64
K(w_block_barrier_then_plain_ok) { if (T < 32) b[B * 32 + T] = T; __syncthreads(); if (T < 32) o[B * 32 + T] = b[B * 32 + 31 - T]; }
//! race block=96
K(w_wrong_half_bad) { __shared__ int s[96]; s[T] = a[T]; //@A
  if (T < 64) asm volatile("bar.sync 1,64;" ::: "memory"); else asm volatile("bar.sync 2,32;" ::: "memory"); o[T] = s[(T + 32) % 96]; } //@B
//! race block=96
K(w_wrong_half_ok) { __shared__ int s[96]; s[T] = a[T]; if (T < 64) asm volatile("bar.sync 1,64;" ::: "memory"); else asm volatile("bar.sync 2,32;" ::: "memory"); o[T] = s[T < 64 ? (T + 32) % 64 : T]; }
//! race block=64 grid=2 cluster=2
K(w_cluster_hist_bad) { __shared__ int h[8]; if (T < 8) h[T] = 0; //@A
  __syncthreads(); unsigned p = cl_map(&h[a[T] & 7], cl_rank() ^ 1); asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0],1;" :: "r"(p) : "memory"); cl_sync(); if (T < 8) o[B * 8 + T] = h[T]; } //@B
//! race block=64 grid=2 cluster=2
K(w_cluster_hist_ok) { __shared__ int h[8]; if (T < 8) h[T] = 0; cl_sync(); unsigned p = cl_map(&h[a[T] & 7], cl_rank() ^ 1); asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0],1;" :: "r"(p) : "memory"); cl_sync(); if (T < 8) o[B * 8 + T] = h[T]; }
// ---- init
//! init block=32
K(w_fragment_bad) { using namespace nvcuda; __shared__ alignas(32) __half s[256]; for (int i = T; i < 256; i += 32) s[i] = __int2half_rn(a[i] & 3); __syncwarp(); __shared__ alignas(32) float c[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y; wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::load_matrix_sync(x, s, 16); wmma::load_matrix_sync(y, s, 16); wmma::load_matrix_sync(z, c, 16, wmma::mem_row_major); wmma::mma_sync(z, x, y, z); o[T] = (int)z.x[0]; } //@A
//! init block=32
K(w_fragment_ok) { using namespace nvcuda; __shared__ alignas(32) __half s[256]; for (int i = T; i < 256; i += 32) s[i] = __int2half_rn(a[i] & 3); __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y; wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::load_matrix_sync(x, s, 16); wmma::load_matrix_sync(y, s, 16); wmma::fill_fragment(z, 0.f); wmma::mma_sync(z, x, y, z); o[T] = (int)z.x[0]; }
//! init block=64
K(w_ldmatrix_tail_bad) { __shared__ alignas(128) int s[128]; if (T < 60) s[T] = a[T]; s[64 + T] = 0; __syncthreads(); unsigned r[4]; ldm4(r, &s[T % 32 * 4]);
  if (r[1] + r[0] > 40) o[T] = 1; } //@A
//! init block=64
K(w_ldmatrix_tail_ok) { __shared__ alignas(128) int s[128]; s[T] = T < 60 ? a[T] : 0; s[64 + T] = 0; __syncthreads(); unsigned r[4]; ldm4(r, &s[T % 32 * 4]); if (r[1] + r[0] > 40) o[T] = 1; else o[T] = 0; }
struct Pair { short k; int v; };
NI bool less_(const Pair &x, const Pair &y) { return *(long long *)&x < *(long long *)&y; }
//! init block=32
K(w_padding_compare_bad) { Pair p[2]; for (int i = 0; i < 2; i++) { p[i].k = a[T + i]; p[i].v = a[T] * i; } volatile int z = T & 1;
  o[T] = less_(p[z], p[1 - z]); }
//! init block=32
K(w_padding_compare_ok) { Pair p[2]; for (int i = 0; i < 2; i++) { *(int *)&p[i].k = 0; p[i].k = a[T + i]; p[i].v = a[T] * i; } volatile int z = T & 1; o[T] = less_(p[z], p[1 - z]); }
NI int find_(const int *p, int n, int *where) { for (int i = 0; i < n; i++) if (p[i] == 700) { *where = i; return 1; } return 0; }
//! init block=32
K(w_out_unset_bad) { int w; int r = find_(a + T, 16, &w); o[T] = a[w & 255] + r; } //@A
//! init block=32
K(w_out_unset_ok) { int w = 0; int r = find_(a + T, 16, &w); o[T] = a[w & 255] + r; }
//! init block=64
K(w_tail_block_bad) { __shared__ int s[64]; int live = n - 1024 + 50; if (T < live) s[T] = a[T]; __syncthreads(); for (int k = 32; k; k /= 2) { if (T < k) s[T] += s[T + k]; __syncthreads(); } if (!T) o[0] = s[0]; }
//! init block=64
K(w_tail_block_ok) { __shared__ int s[64]; int live = n - 1024 + 50; s[T] = T < live ? a[T] : 0; __syncthreads(); for (int k = 32; k; k /= 2) { if (T < k) s[T] += s[T + k]; __syncthreads(); } if (!T) o[0] = s[0]; }
//! init block=32
K(w_stack_vm_bad) { int st[8]; int sp = 0; for (int i = 0; i < 4; i++) { if (a[i + T] % 5) st[sp++] = a[i]; else if (sp) sp--; } volatile int top = sp; o[T] = st[top & 7] > 3 ? 1 : 2; } //@A
//! init block=32
K(w_stack_vm_ok) { int st[8] = {}; int sp = 0; for (int i = 0; i < 4; i++) { if (a[i + T] % 5) st[sp++] = a[i]; else if (sp) sp--; } volatile int top = sp; o[T] = st[top & 7] > 3 ? 1 : 2; }
// ---- sync
NI int depth(int *s, int d, int t) { if (d == 0) return s[t]; if (t < 16 * d) __syncthreads(); return depth(s, d - 1, t) + d; } //@X
//! sync block=64
K(w_recursive_barrier_bad) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); o[T] = depth(s, 3, T); }
NI int depth2(int *s, int d, int t) { if (d == 0) return s[t]; __syncthreads(); return depth2(s, d - 1, t) + d; }
//! sync block=64
K(w_recursive_barrier_ok) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); o[T] = depth2(s, 3, T); }
typedef void (*Step)(int *, int);
NI void step_plain(int *s, int t) { s[t] += 1; }
NI void step_sync(int *s, int t) { s[t] += 2; __syncthreads(); } //@Y
__device__ Step steps[2] = {step_plain, step_sync};
//! sync block=64
K(w_pointer_barrier_bad) { __shared__ int s[64]; s[T] = a[T]; steps[a[T] % 3 == 0](s, T); o[T] = s[T]; }
//! sync block=64
K(w_pointer_barrier_ok) { __shared__ int s[64]; s[T] = a[T]; steps[a[0] % 3 == 0](s, T); o[T] = s[T]; }
//! sync block=64
K(w_shfl_after_return_bad) { if (a[T] % 4 == 3) return; o[T] = __shfl_down_sync(~0u, a[T], 3); } //@A
//! sync block=64
K(w_shfl_after_return_ok) { int v = __shfl_down_sync(~0u, a[T], 3); if (a[T] % 4 == 3) { o[T] = 0; return; } o[T] = v; }
//! sync block=32
K(w_ldmatrix_part_bad) { __shared__ alignas(128) int s[128]; for (int i = T; i < 128; i += 32) s[i] = i; __syncwarp(); unsigned r[4] = {}; if (T < 16) ldm4(r, &s[T * 4]); o[T] = r[0]; } //@A
//! sync block=32
K(w_ldmatrix_part_ok) { __shared__ alignas(128) int s[128]; for (int i = T; i < 128; i += 32) s[i] = i; __syncwarp(); unsigned r[4] = {}; ldm4(r, &s[T * 4]); o[T] = r[0]; }
// ---- mem
struct Big { int v[12]; };
NI int pick(const int *p, int i) { return p[i]; }
//! mem block=32
K(w_local_struct_bad) { Big g; for (int i = 0; i < 12; i++) g.v[i] = a[i] + T; volatile int k = 12 + (T == 31) * 20; o[T] = k == 32 ? pick(g.v, k) : g.v[11]; }
//! mem block=32
K(w_local_struct_ok) { Big g; for (int i = 0; i < 12; i++) g.v[i] = a[i] + T; volatile int k = 10 + (T == 31); o[T] = k == 11 ? pick(g.v, k) : g.v[11]; }
//! mem block=32
K(w_ldmatrix_past_bad) { __shared__ alignas(128) int s[100]; for (int i = T; i < 100; i += 32) s[i] = i; __syncwarp(); unsigned r[4]; ldm4(r, &s[T * 4]); o[T] = r[0]; } //@A
//! mem block=32
K(w_ldmatrix_past_ok) { __shared__ alignas(128) int s[128]; for (int i = T; i < 128; i += 32) s[i] = i; __syncwarp(); unsigned r[4]; ldm4(r, &s[T * 4]); o[T] = r[0]; }
//! mem block=32
K(w_wmma_past_bad) { using namespace nvcuda; wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::load_matrix_sync(x, (__half *)(a + 900), 16); o[T] = __half2int_rn(x.x[0]); } //@A
//! mem block=32
K(w_wmma_past_ok) { using namespace nvcuda; wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x; wmma::load_matrix_sync(x, (__half *)(a + 896), 16); o[T] = __half2int_rn(x.x[0]); }
//! mem block=32
K(w_recursion_bad) { struct F { NI static int f(int *p, int d) { volatile int big[64]; big[d & 63] = p[d & 7]; return f(p, d + 1) + big[d & 63]; } }; o[T] = F::f(a, T); }
//! mem block=32
K(w_recursion_ok) { struct F { NI static int f(int *p, int d) { volatile int big[64]; big[d & 63] = p[d & 7]; return d > 3 ? 0 : f(p, d + 1) + big[d & 63]; } }; o[T] = F::f(a, T & 3); }
__constant__ int table[20] = {1, 2, 3}; __constant__ int after[8] = {7};
//! mem block=32
K(w_constant_next_bad) { o[T] = table[T] + after[T & 7]; } //@A
//! mem block=32
K(w_constant_next_ok) { o[T] = table[T % 20] + after[T & 7]; }
//! mem block=64
K(w_red_past_bad) { __shared__ int h[16], g[16]; if (T < 16) h[T] = g[T] = 0; __syncthreads(); atomicAdd(&h[a[T] % 17], 1); __syncthreads(); if (T < 16) o[T] = h[T] + g[T]; } //@A
//! mem block=64
K(w_red_past_ok) { __shared__ int h[16], g[16]; if (T < 16) h[T] = g[T] = 0; __syncthreads(); atomicAdd(&h[a[T] % 16], 1); __syncthreads(); if (T < 16) o[T] = h[T] + g[T]; }
//! mem block=32
K(w_size_t_bad) { size_t i = T; o[T] = a[i - 1 < 5 ? i : i - 1]; } //@A
//! mem block=32
K(w_size_t_ok) { size_t i = T; o[T] = a[i - 1 < 5 ? i : i ? i - 1 : 0]; }
//! mem block=32
K(w_heap_realloc_bad) { int *p = (int *)malloc(16 + T); int *q = (int *)malloc(64); q[3] = 1; p[3] = T; free(p); o[T] = q[3]; p = (int *)malloc(8); p[2] = 4; free(p); free(q); } //@A
//! mem block=32
K(w_heap_realloc_ok) { int *p = (int *)malloc(16 + T); int *q = (int *)malloc(64); q[3] = 1; p[3] = T; free(p); o[T] = q[3]; p = (int *)malloc(12); p[2] = 4; free(p); free(q); }
//! mem block=32
K(w_alloca_bad) { int c = (a[T] & 3) + 2; int *v = (int *)alloca(c * 4); for (int i = 0; i <= c; i++) v[i] = i; o[T] = v[a[T] & 1]; }
//! mem block=32
K(w_alloca_ok) { int c = (a[T] & 3) + 2; int *v = (int *)alloca(c * 4); for (int i = 0; i < c; i++) v[i] = i; o[T] = v[a[T] & 1]; }
