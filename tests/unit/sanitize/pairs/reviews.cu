// Pairs of kernels: what reviews of real programs find. Comments are as in basics.cu.
// reviews.ptx: nvcc 13.5 -arch=compute_90a -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#include <cstdint>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define NI __device__ __noinline__
#define FI __device__ __forceinline__
namespace cg = cooperative_groups;
extern __shared__ int dyn[];

// ---- race
//! race block=64
K(z_arrive_no_wait_bad) { __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ int s[64];
  if (T == 0) init(&bar, 64); __syncthreads();
  s[T] = a[T]; //@A
  auto token = bar.arrive(); (void)token; o[T] = s[T ^ 33]; bar.arrive_and_wait(); } //@B
//! race block=64
K(z_arrive_no_wait_ok) { __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ int s[64];
  if (T == 0) init(&bar, 64); __syncthreads();
  s[T] = a[T];
  auto token = bar.arrive(); bar.wait(std::move(token)); o[T] = s[T ^ 33]; }
//! race block=64
K(z_block_minimum_bad) { __shared__ int least; if (T == 0) least = 1 << 30; __syncthreads();
  if (a[T ^ 5] + T < least) least = a[T ^ 5] + T; //@A
  __syncthreads(); o[T] = least; }
//! race block=64
K(z_block_minimum_ok) { __shared__ int least; if (T == 0) least = 1 << 30; __syncthreads();
  atomicMin(&least, a[T ^ 5] + T); __syncthreads(); o[T] = least; }
//! race block=64 oinit=1
K(z_append_bad) { __shared__ int count; if (T == 0) count = 0; __syncthreads();
  if (a[T] & 1) { int i = count; count = i + 1; b[i] = a[T]; } //@A
  __syncthreads(); if (T == 0) o[0] = count; }
//! race block=64 oinit=1
K(z_append_ok) { __shared__ int count; if (T == 0) count = 0; __syncthreads();
  if (a[T] & 1) { int i = atomicAdd(&count, 1); b[i] = a[T]; }
  __syncthreads(); if (T == 0) o[0] = count; }
//! race block=128
K(z_tile_sync_bad) { __shared__ int s[128]; auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  s[T] = a[T]; //@A
  tile.sync(); o[T] = s[T ^ 64]; } //@B
//! race block=128
K(z_tile_sync_ok) { __shared__ int s[128]; auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  s[T] = a[T]; tile.sync(); o[T] = s[T ^ 16]; }
//! race block=64
K(z_leader_writes_bad) { __shared__ int mean; auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) mean = a[0] / 2; //@A
  o[T] = a[T] - mean; } //@B
//! race block=64
K(z_leader_writes_ok) { __shared__ int mean; auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) mean = a[0] / 2; block.sync();
  o[T] = a[T] - mean; }
//! race block=64
K(z_loop_reuse_bad) { __shared__ int s[64]; int sum = 0;
  for (int i = 0; i < 3; i++) { s[T] = a[T + i]; __syncthreads(); //@A
    sum += s[(T + 7) & 63]; } //@B
  o[T] = sum; }
//! race block=64
K(z_loop_reuse_ok) { __shared__ int s[64]; int sum = 0;
  for (int i = 0; i < 3; i++) { s[T] = a[T + i]; __syncthreads();
    sum += s[(T + 7) & 63]; __syncthreads(); }
  o[T] = sum; }
//! race block=64
K(z_two_buffers_bad) { __shared__ int s[2][64]; s[0][T] = a[T]; __syncthreads();
  for (int i = 0; i < 4; i++) { int v = s[0][(T + 1) & 63]; //@A
    s[0][T] = v + i; __syncthreads(); } //@B
  o[T] = s[0][T] + s[1][0] * 0; }
//! race block=64
K(z_two_buffers_ok) { __shared__ int s[2][64]; s[0][T] = a[T]; __syncthreads();
  for (int i = 0; i < 4; i++) { int v = s[i & 1][(T + 1) & 63];
    s[~i & 1][T] = v + i; __syncthreads(); }
  o[T] = s[0][T]; }
//! race block=64
K(z_memcpy_async_bad) { __shared__ int s[64]; auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, a, sizeof(s)); //@A
  o[T] = s[T ^ 1]; cg::wait(block); } //@B
//! race block=64
K(z_memcpy_async_ok) { __shared__ int s[64]; auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, a, sizeof(s)); cg::wait(block); o[T] = s[T ^ 1]; }
//! race block=64
K(z_memcpy_refill_bad) { __shared__ int s[64]; auto block = cg::this_thread_block(); int sum = 0;
  for (int i = 0; i < 2; i++) { cg::memcpy_async(block, s, a + 64 * i, sizeof(s)); cg::wait(block); //@A
    sum += s[T ^ 1]; } //@B
  o[T] = sum; }
//! race block=64
K(z_memcpy_refill_ok) { __shared__ int s[64]; auto block = cg::this_thread_block(); int sum = 0;
  for (int i = 0; i < 2; i++) { cg::memcpy_async(block, s, a + 64 * i, sizeof(s)); cg::wait(block);
    sum += s[T ^ 1]; block.sync(); }
  o[T] = sum; }
//! race block=32 grid=4 oinit=1
K(z_device_scope_bad) { cuda::atomic_ref<int, cuda::thread_scope_block> total(o[0]);
  total.fetch_add(a[T], cuda::memory_order_relaxed); } //@A
//! race block=32 grid=4 oinit=1
K(z_device_scope_ok) { cuda::atomic_ref<int, cuda::thread_scope_device> total(o[0]);
  total.fetch_add(a[T], cuda::memory_order_relaxed); }
//! race block=32 grid=2 oinit=1
K(z_flag_relaxed_bad) { cuda::atomic_ref<int, cuda::thread_scope_device> flag(o[1]);
  if (B == 0) { if (T == 0) { o[0] = a[3]; flag.store(1, cuda::memory_order_relaxed); } } //@A
  else if (T == 0) { while (flag.load(cuda::memory_order_acquire) == 0) { } o[2] = o[0]; } } //@B
//! race block=32 grid=2 oinit=1
K(z_flag_relaxed_ok) { cuda::atomic_ref<int, cuda::thread_scope_device> flag(o[1]);
  if (B == 0) { if (T == 0) { o[0] = a[3]; flag.store(1, cuda::memory_order_release); } }
  else if (T == 0) { while (flag.load(cuda::memory_order_acquire) == 0) { } o[2] = o[0]; } }
//! race block=32 grid=2 oinit=1
K(z_rows_bad) { for (int i = T; i < 34; i += 32) o[B * 32 + i] = a[i] + B; } //@A
//! race block=32 grid=2 oinit=1
K(z_rows_ok) { for (int i = T; i < 34; i += 32) if (i < 32) o[B * 32 + i] = a[i] + B; }
//! race block=64 dyn=512
K(z_smem_alias_bad) { int *x = dyn, *y = dyn + 48; x[T] = a[T]; //@A
  y[T] = a[T] * 2; __syncthreads(); o[T] = x[T] + y[T]; } //@B
//! race block=64 dyn=512
K(z_smem_alias_ok) { int *x = dyn, *y = dyn + 64; x[T] = a[T];
  y[T] = a[T] * 2; __syncthreads(); o[T] = x[T] + y[T]; }
//! race block=64
K(z_warp_shared_bad) { __shared__ int s[2][32]; int w = T / 32, l = T % 32; s[w][l] = a[T]; //@A
  for (int d = 16; d; d /= 2) if (l < d) s[w][l] += s[w][l + d]; //@A
  if (l == 0) o[w] = s[w][0]; else o[T + 64] = 0; }
//! race block=64
K(z_warp_shared_ok) { __shared__ int s[2][32]; int w = T / 32, l = T % 32; s[w][l] = a[T]; __syncwarp();
  for (int d = 16; d; d /= 2) { if (l < d) s[w][l] += s[w][l + d]; __syncwarp(); }
  if (l == 0) o[w] = s[w][0]; else o[T + 64] = 0; }
//! race block=64
K(z_transposed_bad) { __shared__ int s[8][8]; int x = T & 7, y = T >> 3; s[y][x] = a[T]; __syncthreads();
  int v = s[x][y]; //@A
  s[y][x] = v + 1; __syncthreads(); o[T] = s[y][x]; } //@B
//! race block=64
K(z_transposed_ok) { __shared__ int s[8][8]; int x = T & 7, y = T >> 3; s[y][x] = a[T]; __syncthreads();
  int v = s[x][y]; __syncthreads();
  s[y][x] = v + 1; __syncthreads(); o[T] = s[y][x]; }

// ---- init
struct Padded { char kind; int value; };
struct Mixed { short k; double v; char c; };
struct Link { int n; int *next; int last; };
//! init block=64
K(z_struct_copy_bad) { __shared__ Padded s[64]; s[T].kind = a[T]; if (T < 60) s[T].value = a[T];
  __syncthreads(); o[T] = s[63 - T].value * 3; } //@A
//! init block=64
K(z_struct_copy_ok) { __shared__ Padded s[64]; s[T].kind = a[T]; s[T].value = a[T];
  __syncthreads(); Padded p = s[63 - T]; ((Padded *)o)[T] = p; }
//! init block=64
K(z_words_of_struct_ok) { __shared__ Padded s[64]; s[T].kind = a[T]; s[T].value = a[T];
  __syncthreads(); int *w = (int *)s; for (int i = T; i < 128; i += 64) o[i] = w[i]; }
//! init block=64
K(z_words_of_mixed_ok) { __shared__ Mixed s[16]; if (T < 16) { s[T].k = a[T]; s[T].v = a[T]; s[T].c = 1; }
  __syncthreads(); int *w = (int *)s; for (int i = T; i < 96; i += 64) o[i] = w[i]; }
//! init block=64
K(z_words_of_pointers_ok) { __shared__ Link s[16]; if (T < 16) { s[T].n = a[T]; s[T].next = b + T; s[T].last = T; }
  __syncthreads(); int *w = (int *)s; for (int i = T; i < 96; i += 64) o[i] = w[i]; }
//! init block=64
K(z_every_second_bad) { __shared__ int s[64]; __shared__ double d; if (T == 0) d = a[1]; if (!(T & 1)) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T]; if (T == 0) *(double *)b = d; } //@A
//! init block=64
K(z_one_left_out_bad) { __shared__ int s[64]; if (T != 5) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T]; } //@A
//! init block=64
K(z_words_local_ok) { Mixed m; m.k = a[T]; m.v = a[T + 1]; m.c = T; Mixed list[2] = { m, m };
  int *w = (int *)list; int *p = o + T * 12; for (int i = 0; i < 12; i++) p[i] = ((volatile int *)w)[i]; }
//! init block=64
K(z_accumulate_bad) { __shared__ int s[64]; for (int i = 0; i < 4; i++) s[T] += a[T + 64 * i]; //@A
  o[T] = s[T]; }
//! init block=64
K(z_accumulate_ok) { __shared__ int s[64]; s[T] = 0; for (int i = 0; i < 4; i++) s[T] += a[T + 64 * i];
  o[T] = s[T]; }
//! init block=64
K(z_argmax_bad) { int best, at; for (int i = 0; i < (n & 3); i++) if (!i || a[i] > best) best = a[i], at = i;
  __shared__ int s[64]; if (T > 2) s[T] = T; __syncthreads(); if (s[T] > 1) o[T] = 1; else o[T] = 2; } //@A
//! init block=64
K(z_max_of_part_bad) { __shared__ int s[64]; if (T < 40) s[T] = a[T]; __syncthreads();
  for (int d = 32; d; d /= 2) { if (T < d) s[T] = max(s[T], s[T + d]); __syncthreads(); } //@A
  if (T == 0) o[0] = s[0]; else o[T] = 0; }
//! init block=64
K(z_max_of_part_ok) { __shared__ int s[64]; s[T] = T < 40 ? a[T] : -1; __syncthreads();
  for (int d = 32; d; d /= 2) { if (T < d) s[T] = max(s[T], s[T + d]); __syncthreads(); }
  if (T == 0) o[0] = s[0]; else o[T] = 0; }

// ---- sync
//! sync block=64
K(z_reduce_in_branch_bad) { int v = a[T]; if (v & 1) v = __reduce_add_sync(~0u, v); o[T] = v; } //@A
//! sync block=64
K(z_reduce_in_branch_ok) { int v = a[T]; unsigned m = __ballot_sync(~0u, v & 1); if (v & 1) v = __reduce_add_sync(m, v); o[T] = v; }
//! sync block=96
K(z_early_return_bad) { if (T >= 70) return; __shared__ int s[96]; s[T] = a[T]; __syncthreads(); //@A
  o[T] = s[(T + 1) % 70]; }

// ---- mem
//! mem block=64
K(z_last_neighbour_bad) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); o[T] = s[T] + s[T + 1]; } //@A
//! mem block=64
K(z_last_neighbour_ok) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); o[T] = s[T] + s[T < 63 ? T + 1 : T]; }
//! mem block=64 grid=2
K(z_guard_le_bad) { int i = (B * 64 + T + 1) * 8; if (i <= n) o[i] = a[B]; } //@A
//! mem block=64 grid=2
K(z_guard_le_ok) { int i = (B * 64 + T + 1) * 8; if (i < n) o[i] = a[B]; }
//! mem block=64
K(z_prefix_index_bad) { __shared__ int s[64]; s[T] = a[T]; __syncthreads(); o[T] = s[T - 1]; } //@A
//! mem block=64
K(z_wide_row_bad) { int4 *v = (int4 *)(o + 1022); if (T == 0) *v = make_int4(1, 2, 3, 4); else o[T] = 1; } //@A
//! mem block=64
K(z_freed_node_bad) { int *p = (int *)malloc(16); *p = T; o[T] = *p; free(p); if (T == 3) o[T] = p[1] + *(volatile int *)p; } //@A
//! mem block=64
K(z_double_free_bad) { int *p = (int *)malloc(16); *p = T; o[T] = *p; free(p); if (T == 3) free(p); } //@A
//! mem block=64
K(z_double_free_ok) { int *p = (int *)malloc(16); *p = T; o[T] = *p; free(p); p = 0; if (T == 3) free(p); }
