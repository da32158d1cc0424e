// Matrix instructions of Turing to Ada: wmma through its header, mma.sync and its relatives by hand.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <class A, class C, int M, int N, int K, class L> __device__ void product(const A *a, const A *b, C *c) {
    wmma::fragment<wmma::matrix_a, M, N, K, A, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, A, L> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, M, wmma::mem_col_major);
}
extern "C" __global__ void wmma_shapes(const __half *h, float *f, __half *o, const signed char *s, const unsigned char *u, int *i) {
    product<__half, float, 16, 16, 16, wmma::col_major>(h, h, f);
    product<__half, float, 32, 8, 16, wmma::row_major>(h, h, f);
    product<__half, __half, 8, 32, 16, wmma::col_major>(h, h, o);
    product<signed char, int, 16, 16, 16, wmma::col_major>(s, s, i);
    product<unsigned char, int, 32, 8, 16, wmma::row_major>(u, u, i);
}
extern "C" __global__ void wmma_bits(const unsigned *a, int *c) {
    wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, a, 32);
    wmma::fill_fragment(fc, 0);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> ba;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> bb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> bc;
    wmma::load_matrix_sync(ba, a, 128);
    wmma::load_matrix_sync(bb, a, 128);
    wmma::fill_fragment(bc, 1);
    wmma::bmma_sync(bc, ba, bb, bc);
    wmma::store_matrix_sync(c + 64, bc, 8, wmma::mem_row_major);
}
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void wmma_ampere(const __nv_bfloat16 *b, const float *t, const double *d, float *f, double *od) {
    product<__nv_bfloat16, float, 16, 16, 16, wmma::col_major>(b, b, f);
    product<double, double, 8, 8, 4, wmma::col_major>(d, d, od);
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
    wmma::load_matrix_sync(fa, t, 8);
    wmma::load_matrix_sync(fb, t, 8);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    wmma::fill_fragment(fc, 0.0f);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(f, fc, 16, wmma::mem_row_major);
}
#define D4 "{%0, %1, %2, %3}"
extern "C" __global__ void mma_ampere(const unsigned *in, float *f, int *i, double *d) {
    unsigned a[8], e = in[40];
    for (int k = 0; k < 8; k++) a[k] = in[threadIdx.x * 8 + k];
    float c[4] = {1, 2, 3, 4};
    int s[4] = {1, 2, 3, 4};
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " D4 ", {%4, %5}, {%6}, " D4 ";" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]));
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 " D4 ", {%4, %5, %6, %7}, {%8, %9, %10, %11}, " D4 ", %12, 0x0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(e));
    asm("mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    double x[2] = {d[0], d[1]};
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(x[0]), "+d"(x[1]) : "d"(d[2]), "d"(d[3]));
#if __CUDA_ARCH__ >= 890 && !defined(__CUDA_ARCH_FEAT_SM100_ALL)
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
#endif
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ", %10, {0, 1}, %11, {0, 2};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]));
    asm("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ", %10, {0, 0}, %11, {0, 0};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]));
#endif
    f[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
    i[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
    d[threadIdx.x] = x[0] + x[1];
}
#endif
extern "C" __global__ void matrices_moved(unsigned *out) {
    __shared__ __align__(16) __half s[512];
    unsigned at = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 8), r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4+64];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[1]) : "r"(r[0]));
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(r[0]));
#endif
    out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
}
