// Pairs of kernels: copies of words that nobody has written, and what ordinary programs do wrong. Comments are as in basics.cu.
// copies.ptx: nvcc 13.5 -arch=compute_90a -lineinfo -O2 -ptx -w, without comments and names of inlined functions.
#define K(name) extern "C" __global__ void name(int *a, int *b, int *o, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)

// ---- init: whole words that nobody has written are copied, shifted or selected
//! init block=64
K(y_half_tile_bad) { __shared__ int s[64]; if (T < 32) s[T] = a[T];
  __syncthreads(); o[T] = s[T ^ 1]; } //@A
//! init block=64
K(y_half_tile_ok) { __shared__ int s[64]; s[T] = a[T];
  __syncthreads(); o[T] = s[T ^ 1]; }
//! init block=64
K(y_first_bad) { __shared__ int s[64]; if (T > 0) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T]; } //@A
//! init block=64
K(y_first_ok) { __shared__ int s[64]; if (T >= 0) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T]; }
//! init block=64
K(y_transpose_bad) { __shared__ int s[8][9]; int x = T & 7, y = T >> 3; if (x < 7) s[y][x] = a[T];
  __syncthreads(); o[T] = s[x][y]; } //@A
//! init block=64
K(y_transpose_ok) { __shared__ int s[8][9]; int x = T & 7, y = T >> 3; s[y][x] = a[T];
  __syncthreads(); o[T] = s[x][y]; }
//! init block=64
K(y_local_tail_bad) { int v[8]; for (int i = 0; i < (n & 7) + 4; i++) v[i] = a[i];
  o[T] = v[(T + n) & 7]; } //@A
//! init block=64
K(y_local_tail_ok) { int v[8]; for (int i = 0; i < (n & 7) + 8; i++) v[i] = a[i];
  o[T] = v[(T + n) & 7]; }
//! init block=64
K(y_doubled_bad) { __shared__ int s[64]; if (T < 63) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T] * 2; } //@A
//! init block=64
K(y_doubled_ok) { __shared__ int s[64]; if (T < 64) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T] * 2; }
//! init block=64
K(y_halved_bad) { __shared__ unsigned s[64]; if (T != 5) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T] / 4; } //@A
//! init block=64
K(y_halved_ok) { __shared__ unsigned s[64]; if (T != 64) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T] / 4; }
//! init block=64
K(y_bytes_bad) { __shared__ unsigned char s[64]; if (T < 48) s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T]; } //@A
//! init block=64
K(y_bytes_ok) { __shared__ unsigned char s[64]; s[T] = a[T];
  __syncthreads(); o[T] = s[63 - T]; }
//! init block=64
K(y_vector_bad) { __shared__ float4 s[64]; if (T & 1) s[T] = make_float4(a[T], 1, 2, 3);
  __syncthreads(); ((float4 *)o)[T] = s[63 - T]; } //@A
//! init block=64
K(y_vector_ok) { __shared__ float4 s[64]; s[T] = make_float4(a[T], 1, 2, 3);
  __syncthreads(); ((float4 *)o)[T] = s[63 - T]; }
//! init block=64
K(y_negated_bits_bad) { __shared__ int s[64]; if (T < 32) s[T] = a[T];
  __syncthreads(); o[T] = ~s[T ^ 1]; } //@A
//! init block=64
K(y_negated_bits_ok) { __shared__ int s[64]; s[T] = a[T];
  __syncthreads(); o[T] = ~s[T ^ 1]; }

// ---- padding that is copied is no defect; what is written is the member beside it
struct Pair { double weight; int index; };
struct alignas(16) Triple { int x, y, z; };
//! init block=64
K(y_pair_bad) { __shared__ Pair s[32]; if (T < 31) { s[T].weight = a[T]; s[T].index = T; }
  __syncthreads(); if (T < 32) ((Pair *)o)[T] = s[31 - T]; } //@A
//! init block=64
K(y_pair_ok) { __shared__ Pair s[32]; if (T < 32) { s[T].weight = a[T]; s[T].index = T; }
  __syncthreads(); if (T < 32) ((Pair *)o)[T] = s[31 - T]; }
//! init block=64
K(y_triple_bad) { __shared__ Triple s[64]; if (T < 60) { s[T].x = a[T]; s[T].y = T; s[T].z = n; }
  __syncthreads(); ((Triple *)o)[T] = s[63 - T]; } //@A
//! init block=64
K(y_triple_ok) { __shared__ Triple s[64]; s[T].x = a[T]; s[T].y = T; s[T].z = n;
  __syncthreads(); ((Triple *)o)[T] = s[63 - T]; }
