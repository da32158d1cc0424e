// The benchmark's kernels, as one writes them in CUDA. kernels.ptx is what NVRTC makes of them (make_ptx.py).
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef unsigned u32;

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void half_axpy(int n, float a, const __half *x, __half *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2half(a), x[i], y[i]);
}
extern "C" __global__ void brain_axpy(int n, float a, const __nv_bfloat16 *x, __nv_bfloat16 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2bfloat16(a), x[i], y[i]);
}
extern "C" __global__ void mandelbrot(int *out, int size, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * x / size, cy = -1.5f + 3.0f * y / size, zx = 0, zy = 0;
    int n = 0;
    while (n < most && zx * zx + zy * zy <= 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        n++;
    }
    out[y * size + x] = n;
}
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + col];
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += as[ty][j] * bs[j][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
extern "C" __global__ void sum_shared(const float *in, float *sums, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    float v = 0;
    int each = n / gridDim.x, from = blockIdx.x * each;
    for (int i = t; i < each; i += 256) v += in[from + i];
    s[t] = v;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}
extern "C" __global__ void sum_shuffle(const float *in, float *sums, int n) {
    __shared__ float warps[8];
    int t = threadIdx.x;
    float v = 0;
    int each = n / gridDim.x, from = blockIdx.x * each;
    for (int i = t; i < each; i += 256) v += in[from + i];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) warps[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++) v += warps[w];
        sums[blockIdx.x] = v;
    }
}
extern "C" __global__ void xorshift(u32 *state, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 v = state[i];
    for (int r = 0; r < rounds; r++) v ^= v << 13, v ^= v >> 17, v ^= v << 5;
    state[i] = v;
}
extern "C" __global__ void histogram(const unsigned char *in, u32 *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}
extern "C" __global__ void scan(const u32 *in, u32 *out) {
    __shared__ u32 totals[32];
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * blockDim.x + t;
    u32 v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        u32 other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    if (lane == 31) totals[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        u32 w = totals[t];
        for (int d = 1; d < 32; d *= 2) {
            u32 other = __shfl_up_sync(~0u, w, d);
            if (lane >= d) w += other;
        }
        totals[t] = w;
    }
    __syncthreads();
    out[i] = v + (t >= 32 ? totals[t / 32 - 1] : 0);
}
extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
__constant__ u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ u32 rotr(u32 v, int n) { return v >> n | v << (32 - n); }
extern "C" __global__ void sha256(const u32 *in, u32 *out, int count) {
    int who = blockIdx.x * blockDim.x + threadIdx.x;
    u32 w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
    for (int i = 0; i < 16; i++) w[i] = in[i * count + who];
    for (int i = 0; i < 8; i++) v[i] = h[i];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            u32 a = w[(i + 1) % 16], b = w[(i + 14) % 16];
            w[i % 16] += w[(i + 9) % 16] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
        }
        u32 s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        u32 t1 = v[7] + s1 + choice + K[i] + w[i % 16];
        u32 s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) out[i * count + who] = h[i] + v[i];
}
extern "C" __global__ void nbody(const float4 *bodies, float3 *force, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = bodies[i];
    float3 f = {0, 0, 0};
    for (int from = 0; from < n; from += 128) {
        tile[threadIdx.x] = bodies[from + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float4 b = tile[j];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float d = dx * dx + dy * dy + dz * dz + 0.01f, inverse = 1.0f / sqrtf(d), s = b.w * inverse * inverse * inverse;
            f.x += s * dx, f.y += s * dy, f.z += s * dz;
        }
        __syncthreads();
    }
    force[i] = f;
}
extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    __shared__ float s[256];
    const float *row = in + blockIdx.x * columns;
    int t = threadIdx.x;
    float top = -3e38f;
    for (int c = t; c < columns; c += 256) top = fmaxf(top, row[c]);
    s[t] = top;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    top = s[0];
    __syncthreads();
    float sum = 0;
    for (int c = t; c < columns; c += 256) sum += expf(row[c] - top);
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    float scale = 1.0f / s[0];
    for (int c = t; c < columns; c += 256) out[blockIdx.x * columns + c] = expf(row[c] - top) * scale;
}
extern "C" __global__ void layer_norm(const float *in, const float *gain, const float *bias, float *out, int columns) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *x = in + row * columns;
    float sum = 0, squares = 0;
    for (int c = lane; c < columns; c += 32) sum += x[c], squares += x[c] * x[c];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d), squares += __shfl_xor_sync(~0u, squares, d);
    float mean = sum / columns, scale = 1.0f / sqrtf(squares / columns - mean * mean + 1e-5f);
    for (int c = lane; c < columns; c += 32) out[row * columns + c] = (x[c] - mean) * scale * gain[c] + bias[c];
}
