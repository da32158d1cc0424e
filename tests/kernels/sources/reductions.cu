// Reductions: many numbers into one, over shared memory, over shuffles, over atomics.

// One sum a block, by a shared tree; the block's size need not be a power of two.
extern "C" __global__ void block_sum(const int *in, int *sums, int n) {
    __shared__ int part[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int active = blockDim.x; active > 1;) {
        int half = (active + 1) / 2;
        if (t < active - half) part[t] += part[t + half];
        __syncthreads();
        active = half;
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

// The same with template-like unrolled shuffles: warps first, then one warp over the warps' sums.
extern "C" __global__ void shuffle_sum(const float *in, float *sums, int n) {
    __shared__ float warps[32];
    int t = threadIdx.x, lane = t % 32;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += in[i];
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) warps[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < blockDim.x / 32 ? warps[t] : 0;
#pragma unroll
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
        if (t == 0) sums[blockIdx.x] = v;
    }
}

// Where the largest element is: value and index travel as one 64-bit key.
extern "C" __global__ void arg_max(const int *in, unsigned long long *best, int n) {
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long key = (unsigned long long)((unsigned)in[i] ^ 0x80000000u) << 32 | (unsigned)~i;
        mine = mine > key ? mine : key;
    }
    for (int d = 16; d; d >>= 1) {
        unsigned long long other = __shfl_down_sync(0xffffffff, mine, d);
        mine = mine > other ? mine : other;
    }
    if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}

// Minimum, maximum and sum of squares in one pass, the last block to finish adds up (no second launch).
extern "C" __global__ void last_block_total(const double *in, double *partial, unsigned *ticket, double *total, int n) {
    __shared__ double s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    double v = 0;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) v += in[i] * in[i];
    s[t] = v;
    __syncthreads();
    for (int d = 32; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        double sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += ((volatile double *)partial)[b];
        *total = sum;
        *ticket = 0;
    }
}

// A dot product of bytes, four at a time.
extern "C" __global__ void dot_bytes(const int *a, const int *b, int *out, int words) {
    int sum = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x) sum = __dp4a(a[i], b[i], sum);
    atomicAdd(out, sum);
}

// Row sums of a matrix, one warp a row, lanes beyond the width idle; the last warp is partial.
extern "C" __global__ void row_sums(const short *in, int *out, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int sum = 0;
    for (int c = lane; c < columns; c += 32) sum += in[row * columns + c];
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = sum;
}
