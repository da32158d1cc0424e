// Shapes of launches: what threads know about themselves; vectors; structures; all state spaces.

extern "C" __global__ void identities(int *out) {
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int *o = out + (b * blockDim.x * blockDim.y * blockDim.z + t) * 6;
    o[0] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
    o[1] = blockIdx.x + 100 * blockIdx.y + 10000 * blockIdx.z;
    o[2] = blockDim.x + 100 * blockDim.y + 10000 * blockDim.z;
    o[3] = gridDim.x + 100 * gridDim.y + 10000 * gridDim.z;
#ifdef __CUDA_HOST_RUN__
    o[4] = t % 32, o[5] = (1 << t % 32) - 1;
#else
    unsigned lane, below;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    o[4] = lane, o[5] = below;
#endif
}

// Loads and stores of vectors of every width.
extern "C" __global__ void vectors(const uchar4 *a, const short2 *b, const float4 *c, const double2 *d, const ulonglong2 *e, uchar4 *oa, short2 *ob, float4 *oc, double2 *od, ulonglong2 *oe) {
    int i = threadIdx.x;
    uchar4 x = a[i];
    oa[i] = make_uchar4(x.w, x.z, x.y + 1, x.x ^ 255);
    short2 s = b[i];
    ob[i] = make_short2(s.y, -s.x);
    float4 f = c[i];
    oc[i] = make_float4(f.y, f.x, f.w + f.z, f.z);
    double2 g = d[i];
    od[i] = make_double2(g.y - g.x, g.x);
    ulonglong2 h = e[i];
    oe[i] = make_ulonglong2(h.x + h.y, h.x & h.y);
}

// Several dynamic arrays of different types carved out of one.
extern "C" __global__ void carved(const double *in, int *out) {
    extern __shared__ double space[];
    double *d = space;
    int *i = (int *)(d + blockDim.x);
    unsigned char *c = (unsigned char *)(i + blockDim.x);
    int t = threadIdx.x;
    d[t] = in[t];
    i[t] = (int)(in[t] * 2);
    c[t] = t * 3;
    __syncthreads();
    int r = blockDim.x - 1 - t;
    out[t] = (int)d[r] + i[r] * 1000 + c[r];
}

__device__ int hundreds[4] = {100, 200, 300};
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float scale = 0.5f;
__device__ int lookup[4] = {100, 200, 300};
__device__ int counter = 40;
struct Entry {
    const char *name;
    short size;
    double value;
};
__device__ const char *const words[3] = {"zero", "one", "eleven"};
__device__ Entry entries[2] = {{"first", 5, 1.25}, {"second", -6, -2.5e10}};
__device__ int *pointer = &lookup[2];

// Initialised globals: arrays with tails of zeros, structures with strings, pointers to other globals, constants.
extern "C" __global__ void globals(int *out, double *values) {
    int t = threadIdx.x;
    if (t == 0) counter += 2, lookup[3] = 7;
    __syncthreads();
    int n = 0;
    for (const char *c = words[t % 3]; *c; c++) n = n * 31 + *c;
    for (const char *c = entries[t & 1].name; *c; c++) n += *c;
    out[t] = n + primes[t % 8] * 1000 + lookup[t % 4] + *pointer + ((volatile int *)&counter)[0] + entries[t & 1].size;
    values[t] = entries[t & 1].value * scale;
}

// One function, pointers into every space: generic addressing decides at run time.
__device__ __noinline__ int total(const int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s = s * 3 + p[i];
    return s;
}
extern "C" __global__ void generic_pointers(const int *in, int *out) {
    __shared__ int shared[4];
    int local[4], t = threadIdx.x;
    if (t < 4) shared[t] = in[t] + 1;
    for (int i = 0; i < 4; i++) local[(i + t) % 4] = in[i] * 2;
    __syncthreads();
    const int *p = t % 4 == 0 ? in : t % 4 == 1 ? shared : t % 4 == 2 ? local : hundreds;
    out[t] = total(p, 4);
}

// Unions, bit fields, and an array of structures in local memory.
struct Packed {
    unsigned a : 5, b : 11;
    int c : 9;
    union {
        float f;
        unsigned u;
        unsigned char bytes[4];
    };
};
extern "C" __global__ void layouts(const int *in, unsigned *out) {
    Packed p[3];
    int v = in[threadIdx.x], n = blockDim.x;
    for (int i = 0; i < 3; i++) p[i].a = v + i, p[i].b = v >> 3, p[i].c = v - i, p[i].f = (float)(v * (i + 1));
    Packed &q = p[(unsigned)v % 3];
    out[threadIdx.x] = q.a | q.b << 5;
    out[threadIdx.x + n] = q.c;
    out[threadIdx.x + 2 * n] = q.u ^ q.bytes[3];
}
