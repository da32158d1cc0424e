// Integer algorithms: division, roots, primes, big numbers, number theory.
typedef unsigned int u32;
typedef unsigned long long u64;

// Every division and remainder, by variables and by constants.
extern "C" __global__ void divisions(const long long *a, const long long *b, long long *out) {
    long long x = a[threadIdx.x], y = b[threadIdx.x], n = blockDim.x, *o = out + threadIdx.x;
    int p = (int)x, q = (int)y | 1;
    o[0 * n] = x / y, o[1 * n] = x % y;
    o[2 * n] = (u64)x / (u64)y, o[3 * n] = (u64)x % (u64)y;
    o[4 * n] = p / q, o[5 * n] = p % q, o[6 * n] = (u32)p / (u32)q, o[7 * n] = (u32)p % (u32)q;
    o[8 * n] = (short)p / (short)q, o[9 * n] = (unsigned char)p % (unsigned char)(q | 1);
    o[10 * n] = x / 10 + p / 7 + (u32)p / 1000000007u + x % 60 + p % -13;
    o[11 * n] = x / 4096 + p % 64;
}

extern "C" __global__ void primes(unsigned char *composite, int *count, int n) {
    for (int p = 2; p * p < n; p++) {
        if (!((volatile unsigned char *)composite)[p])
            for (int m = p * p + threadIdx.x * p; m < n; m += blockDim.x * p) composite[m] = 1;
        __syncthreads();
    }
    for (int i = 2 + threadIdx.x; i < n; i += blockDim.x)
        if (!composite[i]) atomicAdd(count, 1);
}

extern "C" __global__ void collatz(const u32 *in, int *steps, u64 *highest) {
    u64 v = in[threadIdx.x], high = v;
    int n = 0;
    for (; v != 1; n++) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (v > high) high = v;
    }
    steps[threadIdx.x] = n;
    highest[threadIdx.x] = high;
}

// gcd, integer square root, modular power, digits.
extern "C" __global__ void number_theory(const u64 *a, const u64 *b, u64 *out) {
    u64 x = a[threadIdx.x], y = b[threadIdx.x], n = blockDim.x, *o = out + threadIdx.x;
    u64 g = x, h = y;
    while (h) {
        u64 r = g % h;
        g = h;
        h = r;
    }
    o[0] = g;
    u64 root = 0;
    for (int bit = 31; bit >= 0; bit--) {
        u64 t = root | 1ull << bit;
        if (t * t <= x) root = t;
    }
    o[n] = root;
    u64 base = x % 998244353, e = y, r = 1;
    for (; e; e >>= 1, base = base * base % 998244353)
        if (e & 1) r = r * base % 998244353;
    o[2 * n] = r;
    u32 digits = 0;
    for (u64 v = x; v; v /= 10) digits += v % 10;
    o[3 * n] = digits;
}

// The number theoretic transform modulo 998244353 in shared memory.
extern "C" __global__ void number_transform(u32 *data, int log2n, u32 root) {
    __shared__ u32 s[256];
    const u32 p = 998244353;
    int t = threadIdx.x, n = 1 << log2n;
    for (int i = t; i < n; i += blockDim.x) s[__brev(i) >> (32 - log2n)] = data[i];
    for (int half = 1; half < n; half *= 2) {
        u64 step = root;
        for (int k = 2 * half; k < n; k *= 2) step = step * step % p;
        __syncthreads();
        for (int i = t; i < n / 2; i += blockDim.x) {
            int k = i % half, a = i / half * 2 * half + k;
            u64 w = 1, f = step;
            for (int e = k; e; e >>= 1, f = f * f % p)
                if (e & 1) w = w * f % p;
            u32 u = s[a], v = (u32)(w * s[a + half] % p);
            s[a] = u + v >= p ? u + v - p : u + v;
            s[a + half] = u >= v ? u - v : u + p - v;
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) data[i] = s[i];
}

// Factorials as big numbers: an array of 32-bit limbs a thread, 64-bit carries.
extern "C" __global__ void factorials(u32 *out, int limbs) {
    u32 *mine = out + threadIdx.x * limbs;
    mine[0] = 1;
    for (u32 f = 2; f <= threadIdx.x; f++) {
        u64 carry = 0;
        for (int i = 0; i < limbs; i++) {
            carry += (u64)mine[i] * f;
            mine[i] = (u32)carry;
            carry >>= 32;
        }
    }
}

// Small types: bytes and shorts that wrap, sign extension, mixed signedness, booleans.
extern "C" __global__ void small_types(const int *in, signed char *b, unsigned char *ub, short *s, unsigned short *us, bool *flag) {
    int i = threadIdx.x, v = in[i];
    signed char c = v;
    c += 100;
    b[i] = c / 3;
    unsigned char d = v;
    d = d * d - 7;
    ub[i] = d >> 1;
    short e = v;
    e = -e << 3;
    s[i] = e % 1000;
    unsigned short f = v;
    f = ~f;
    us[i] = f > 1000 ? f : f + c;
    flag[i] = (c < d) != (e > f);
}

// 128-bit quotients and remainders: estimates corrected by chains of carries, in which sums follow differences.
extern "C" __global__ void wide_quotients(const unsigned long long *a, unsigned long long *out) {
    const unsigned long long *in = a + 4 * threadIdx.x;
    unsigned __int128 x = (unsigned __int128)in[0] << 64 | in[1], y = (unsigned __int128)in[2] << 64 | in[3];
    unsigned __int128 q = x / y, r = (unsigned __int128)((__int128)x % (__int128)y);
    unsigned long long *o = out + 4 * threadIdx.x;
    o[0] = q, o[1] = q >> 64, o[2] = r, o[3] = r >> 64;
}
