// Asynchronous copies and matrix instructions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>

// Double buffering with cp.async: the next tile is on its way while this one is added up.
extern "C" __global__ void double_buffer(const int4 *in, int *out, int tiles) {
    __shared__ int4 buffer[2][32];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], 16);
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) __pipeline_memcpy_async(&buffer[(i + 1) % 2][t], &in[(i + 1) * 32 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 v = buffer[i % 2][31 - t];
        sum += (v.x + 2 * v.y + 3 * v.z + 4 * v.w) * (i + 1);
        __syncthreads();
    }
    out[t] = sum;
}

// 4-byte copies whose tails are zero-filled.
extern "C" __global__ void zero_fill(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
    int bytes = t < n ? 4 : 0;
    s[t] = -1;
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + (t < n ? t : 0)), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = s[63 - t];
}

// One m16n8k16 product of halves with float accumulators: ldmatrix feeds mma.sync.
extern "C" __global__ void mma_f16(const __half *a, const __half *b, const float *c, float *d) {
    __shared__ __align__(16) __half sa[16 * 16], sb[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) sa[i] = a[i];
    for (int i = lane; i < 128; i += 32) sb[i] = b[i];
    __syncwarp();
    unsigned fa[4], fb[2], at = (unsigned)__cvta_generic_to_shared(&sa[lane % 16 * 16 + lane / 16 * 8]);
    unsigned bt = (unsigned)__cvta_generic_to_shared(&sb[lane % 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(bt));
    int row = lane / 4, column = lane % 4 * 2;
    float f[4] = {c[row * 8 + column], c[row * 8 + column + 1], c[(row + 8) * 8 + column], c[(row + 8) * 8 + column + 1]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    d[row * 8 + column] = f[0], d[row * 8 + column + 1] = f[1], d[(row + 8) * 8 + column] = f[2], d[(row + 8) * 8 + column + 1] = f[3];
}

// Bytes: m16n8k32 with s32 accumulators, fragments loaded by hand.
extern "C" __global__ void mma_s8(const int *a, const int *bt, int *d) {
    int lane = threadIdx.x, row = lane / 4, k = lane % 4;
    int f[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(f[0]), "+r"(f[1]), "+r"(f[2]), "+r"(f[3])
                 : "r"(a[row * 8 + k]), "r"(a[(row + 8) * 8 + k]), "r"(a[row * 8 + k + 4]), "r"(a[(row + 8) * 8 + k + 4]),
                   "r"(bt[row * 8 + k]), "r"(bt[row * 8 + k + 4]));
    int column = k * 2;
    d[row * 8 + column] = f[0], d[row * 8 + column + 1] = f[1], d[(row + 8) * 8 + column] = f[2], d[(row + 8) * 8 + column + 1] = f[3];
}

// wmma through its header: half in, float out, a loop over k.
extern "C" __global__ void wmma_loop(const __half *a, const __half *b, float *d, int k) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + i, k);
        wmma::load_matrix_sync(fb, b + i, k);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2.0f;
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
