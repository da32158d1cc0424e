// Atomic operations of every kind: what they leave behind does not depend on the order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void atomic_integers(const int *in, int *s, unsigned *u, unsigned long long *w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    atomicAdd(s + 0, v), atomicSub(s + 1, v), atomicMin(s + 2, v), atomicMax(s + 3, v);
    atomicAnd(s + 4, v | 15), atomicOr(s + 5, v & 255), atomicXor(s + 6, v);
    atomicAdd(u + 0, (unsigned)v), atomicMin(u + 1, (unsigned)v), atomicMax(u + 2, (unsigned)v);
    atomicInc(u + 3, 9u), atomicDec(u + 4, 9u);
    long long x = (long long)v * 1000003;
    atomicAdd(w + 0, (unsigned long long)x), atomicMin(w + 1, (unsigned long long)x), atomicMax(w + 2, (unsigned long long)x);
    atomicMin((long long *)w + 3, x), atomicMax((long long *)w + 4, x);
    atomicAnd(w + 5, (unsigned long long)x | 255), atomicOr(w + 6, (unsigned long long)x & 0xffff), atomicXor(w + 7, (unsigned long long)x);
}

// The values returned: every ticket exactly once, marked in a table; exchange passes a baton.
extern "C" __global__ void atomic_tickets(int *counter, int *seen, unsigned long long *baton, unsigned long long *sum) {
    int ticket = atomicAdd(counter, 3);
    seen[ticket / 3] += 1;
    unsigned long long old = atomicExch(baton, (unsigned long long)(ticket / 3 + 1));
    atomicAdd(sum, old);
}

// Floats that are small integers: sums are exact in any order.
extern "C" __global__ void atomic_floats(const int *in, float *f, double *d, __half *h, __half2 *h2, __nv_bfloat16 *b) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(f, (float)v);
    atomicAdd(d, v * 0.5);
#ifndef __CUDA_HOST_RUN__
    atomicAdd(h, __int2half_rn(v));
    atomicAdd(h2, __halves2half2(__int2half_rn(v), __int2half_rn(-v)));
    atomicAdd(b, __int2bfloat16_rn(v & 1));
#endif
}

// Loops around compare-and-swap: float maximum, multiply modulo a prime, bytes and shorts inside a word.
extern "C" __global__ void cas_loops(const float *in, int *top, unsigned long long *product, unsigned *bytes, unsigned short *half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, old = *top, seen;
    while (__int_as_float(old) < in[i]) {
        seen = atomicCAS(top, old, __float_as_int(in[i]));
        if (seen == old) break;
        old = seen;
    }
    unsigned long long was = *product, now;
    do {
        now = was;
        was = atomicCAS(product, now, now * (unsigned long long)(i + 2) % 1000000007ull);
    } while (was != now);
    unsigned *word = bytes + i % 16 / 4, before = *word, then;
    do {
        then = before;
        unsigned shift = i % 4 * 8, byte = (then >> shift & 255) + 1;
        before = atomicCAS(word, then, (then & ~(255u << shift)) | (byte & 255) << shift);
    } while (before != then);
#ifndef __CUDA_HOST_RUN__
    unsigned short h = *half, g;
    do {
        g = h;
        h = atomicCAS(half, g, (unsigned short)(g + 3));
    } while (h != g);
#endif
}

// Scopes: block in shared memory, system in global.
extern "C" __global__ void atomic_scopes(const int *in, int *out) {
    __shared__ int s[4];
    int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];
    if (t < 4) s[t] = t == 3 ? -1000 : 0;
    __syncthreads();
    atomicAdd_block(&s[0], v);
    atomicXor(&s[1], v);
    atomicOr(&s[2], 1 << t % 32);
    atomicMax(&s[3], v);
    __syncthreads();
    if (t < 4) atomicAdd_system(&out[t], s[t]);
}

// Union-find by atomicMin on roots: the components of a graph.
extern "C" __global__ void components(const int2 *edges, int *parent, int edge_count, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) parent[i] = i;
    __syncthreads();
    for (int e = threadIdx.x; e < edge_count; e += blockDim.x) {
        int a = edges[e].x, b = edges[e].y;
        while (true) {
            while (a != ((volatile int *)parent)[a]) a = ((volatile int *)parent)[a];
            while (b != ((volatile int *)parent)[b]) b = ((volatile int *)parent)[b];
            if (a == b) break;
            int high = max(a, b), low = min(a, b);
            int old = atomicMin(&parent[high], low);
            if (old == high) break;
            a = old;
            b = low;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int root = i;
        while (root != ((volatile int *)parent)[root]) root = ((volatile int *)parent)[root];
        parent[i] = root;
    }
}
