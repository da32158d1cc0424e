// Prefix sums: within a block, within warps, and over a whole grid in one pass.

// Hillis and Steele, inclusive, two buffers in dynamic shared memory; any block size.
extern "C" __global__ void hillis_steele(const int *in, int *out, int n) {
    extern __shared__ int buffer[];
    int t = threadIdx.x, from = 0;
    buffer[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int to = 1 - from;
        buffer[to * blockDim.x + t] = buffer[from * blockDim.x + t] + (t >= d ? buffer[from * blockDim.x + t - d] : 0);
        from = to;
        __syncthreads();
    }
    if (t < n) out[t] = buffer[from * blockDim.x + t];
}

// Blelloch, exclusive, work efficient, in place; two elements a thread.
extern "C" __global__ void blelloch(unsigned *data) {
    extern __shared__ unsigned s[];
    int t = threadIdx.x, n = 2 * blockDim.x, offset = 1;
    s[2 * t] = data[2 * t];
    s[2 * t + 1] = data[2 * t + 1];
    for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    }
    if (t == 0) s[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            unsigned left = s[a];
            s[a] = s[b];
            s[b] += left;
        }
    }
    __syncthreads();
    data[2 * t] = s[2 * t];
    data[2 * t + 1] = s[2 * t + 1];
}

// Inclusive maximum over each warp by shuffles.
extern "C" __global__ void warp_running_max(const short *in, short *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, v, d);
        if (threadIdx.x % 32 >= d) v = max(v, left);
    }
    out[i] = (short)v;
}

// Chained scan over the grid: each block waits for the sum of all blocks before it, so blocks must all advance.
extern "C" __global__ void chained_scan(const int *in, long long *out, long long *carry, int *ready, int *turn, int n) {
    __shared__ long long sums[128];
    __shared__ long long before;
    __shared__ int block;
    int t = threadIdx.x;
    if (t == 0) block = atomicAdd(turn, 1);
    __syncthreads();
    int i = block * 128 + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        long long v = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += v;
        __syncthreads();
    }
    if (t == 127) {
        long long previous = 0;
        if (block > 0) {
            while (((volatile int *)ready)[block - 1] == 0) __nanosleep(20);
            __threadfence();
            previous = ((volatile long long *)carry)[block - 1];
        }
        before = previous;
        carry[block] = previous + sums[127];
        __threadfence();
        atomicExch(&ready[block], 1);
    }
    __syncthreads();
    if (i < n) out[i] = before + sums[t];
}

// Keeps what is odd, in order, and says how many: a ballot gives each lane its place.
extern "C" __global__ void compact_odd(const int *in, int *out, int *count, int n) {
    __shared__ int base[33];
    int t = threadIdx.x, warp = t / 32;
    bool keep = t < n && (in[t] & 1);
    unsigned votes = __ballot_sync(0xffffffff, keep);
    if (t % 32 == 0) base[warp + 1] = __popc(votes);
    if (t == 0) base[0] = 0;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w <= blockDim.x / 32; w++) base[w] += base[w - 1];
        *count = base[blockDim.x / 32];
    }
    __syncthreads();
    if (keep) out[base[warp] + __popc(votes & ((1u << t % 32) - 1))] = in[t];
}
