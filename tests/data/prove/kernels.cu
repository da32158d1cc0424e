// Elementwise kernels of tests/unit/prove/test_prove_compilers.py.
#include <cuda_fp16.h>
#define KERNEL(name, T, ...) \
    extern "C" __global__ void name(int n, const T *x, T *y) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) { T v = x[i]; y[i] = __VA_ARGS__; } \
    }

KERNEL(relu, float, v > 0.0f ? v : 0.0f)
KERNEL(leaky, float, v > 0.0f ? v : 0.01f * v)
KERNEL(affine, float, fmaf(v, 2.5f, -1.0f))
KERNEL(horner, float, ((0.5f * v + 0.25f) * v + 0.125f) * v + 1.0f)
KERNEL(reciprocal, float, 1.0f / (v * v + 1.0f))
KERNEL(rounded, float, floorf(v * 16.0f + 0.5f) * 0.0625f)
KERNEL(sign, int, v > 0 ? 1 : v < 0 ? -1 : 0)
KERNEL(gray, unsigned, v ^ (v >> 1))
KERNEL(swapped, unsigned, (v << 24) | ((v & 0xff00u) << 8) | ((v >> 8) & 0xff00u) | (v >> 24))
KERNEL(hashed, unsigned, ((v ^ (v >> 16)) * 0x45d9f3bu) ^ (v >> 13))
KERNEL(bits, unsigned, __popc(v) + __clz(v) * 64)
KERNEL(average, unsigned char, (v + 77 + 1) >> 1)
KERNEL(widened, short, (short)min(32767, max(-32768, 3 * v + 5)))
KERNEL(doubled, double, v * 1.5 + 0.25)
KERNEL(halved, __half, __hfma(v, __float2half(0.5f), __float2half(1.0f)))
KERNEL(shifted, long long, (v >> 7) + (v << 3))
KERNEL(power, float, [](float b) { float r = b; for (int k = 0; k < 4; k++) r = r * b + 0.5f; return r; }(v))
