// Histograms and other scattered counting.

// Bytes into 256 bins: private to the block in shared memory, merged with global atomics.
extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}

// Lanes with the same bin elect one of them to add for all: match.any.
extern "C" __global__ void matched_histogram(const int *in, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned here = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int bin = in[i];
    unsigned same = __match_any_sync(here, bin);
    if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&bins[bin], __popc(same));
}

// Weighted histogram of doubles: f64 atomics; the bin comes from a floor.
extern "C" __global__ void weighted_histogram(const double *x, const double *weight, double *bins, int n, double low, double width, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = (int)floor((x[i] - low) / width);
    if (b >= 0 && b < count) atomicAdd(&bins[b], weight[i]);
}

// Letters of a text, case folded, each thread its own 16-bit counters in local memory.
extern "C" __global__ void letter_counts(const char *text, int *counts, int each, int n) {
    unsigned short mine[26] = {};
    int from = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = from; i < from + each && i < n; i++) {
        char c = text[i] | 32;
        if (c >= 'a' && c <= 'z') mine[c - 'a']++;
    }
    for (int b = 0; b < 26; b++)
        if (mine[b]) atomicAdd(counts + b, (int)mine[b]);
}
