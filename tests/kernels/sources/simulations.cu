// Numerical simulations and fractals.

// Steps until escape; without fma the counts are defined to the last pixel.
extern "C" __global__ void mandelbrot(unsigned short *out, int width, int height, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cx = -2.25f + 3.0f * x / width, cy = -1.25f + 2.5f * y / height, zx = 0, zy = 0;
    int n = 0;
    while (n < most && zx * zx + zy * zy <= 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        n++;
    }
    out[y * width + x] = n;
}

extern "C" __global__ void julia(int *out, int size, double cx, double cy) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size * size) return;
    double zx = -1.5 + 3.0 * (i % size) / size, zy = -1.5 + 3.0 * (i / size) / size;
    int n = 0;
    for (; n < 60; n++) {
        double xx = zx * zx, yy = zy * zy;
        if (xx + yy > 4.0) break;
        zy = 2.0 * zx * zy + cy;
        zx = xx - yy + cx;
    }
    out[i] = n;
}

// Gravity: positions as float4 tiles in shared memory, rsqrtf.
extern "C" __global__ void nbody(const float4 *bodies, float3 *force, int n) {
    __shared__ float4 tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 f = {0, 0, 0};
    for (int from = 0; from < n; from += 32) {
        tile[threadIdx.x] = from + threadIdx.x < n ? bodies[from + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 32; j++) {
            float4 b = tile[j];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = b.w * inverse * inverse * inverse;
            f.x += s * dx, f.y += s * dy, f.z += s * dz;
        }
        __syncthreads();
    }
    if (i < n) force[i] = f;
}

// Options by Black and Scholes: logf, expf, sqrtf, erfcf.
extern "C" __global__ void black_scholes(const float *spot, const float *strike, const float *years, float *call, float rate, float sigma, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = spot[i], x = strike[i], t = years[i], root = sigma * sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * sigma * sigma) * t) / root, d2 = d1 - root;
    call[i] = s * 0.5f * erfcf(-d1 * 0.70710678f) - x * expf(-rate * t) * 0.5f * erfcf(-d2 * 0.70710678f);
}

// A radix-2 Fourier transform in shared memory, double precision, sincospi.
extern "C" __global__ void fourier(const double *in, double2 *out, int log2n) {
    extern __shared__ double2 z[];
    int t = threadIdx.x, n = 1 << log2n;
    for (int i = t; i < n; i += blockDim.x) z[__brev(i) >> (32 - log2n)] = make_double2(in[i], 0);
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        for (int i = t; i < n / 2; i += blockDim.x) {
            int k = i % half, a = i / half * 2 * half + k, b = a + half;
            double s, c;
            sincospi(-(double)k / half, &s, &c);
            double2 u = z[a], v = z[b], w = make_double2(v.x * c - v.y * s, v.x * s + v.y * c);
            z[a] = make_double2(u.x + w.x, u.y + w.y);
            z[b] = make_double2(u.x - w.x, u.y - w.y);
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) out[i] = z[i];
}

// Runge and Kutta's fourth order for a pendulum in double precision.
extern "C" __global__ void pendulum(const double *start, double *angle, int steps, double h) {
    double a = start[threadIdx.x], v = 0;
    for (int i = 0; i < steps; i++) {
        double a1 = v, v1 = -sin(a);
        double a2 = v + h / 2 * v1, v2 = -sin(a + h / 2 * a1);
        double a3 = v + h / 2 * v2, v3 = -sin(a + h / 2 * a2);
        double a4 = v + h * v3, v4 = -sin(a + h * a3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    }
    angle[threadIdx.x] = a;
}
