// Sorting networks and counting sorts.

// Bitonic sort of two elements a thread in shared memory.
extern "C" __global__ void bitonic(int *data) {
    __shared__ int s[512];
    int t = threadIdx.x, n = 2 * blockDim.x;
    s[t] = data[blockIdx.x * n + t];
    s[t + blockDim.x] = data[blockIdx.x * n + t + blockDim.x];
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (stride - 1)), b = a + stride;
            bool ascending = (a & size) == 0;
            int x = s[a], y = s[b];
            if ((x > y) == ascending) s[a] = y, s[b] = x;
        }
    __syncthreads();
    data[blockIdx.x * n + t] = s[t];
    data[blockIdx.x * n + t + blockDim.x] = s[t + blockDim.x];
}

// Odd-even transposition of n floats by a block of any size; ordered with total order on the bits for -0 and 0.
extern "C" __global__ void odd_even(float *data, int n) {
    for (int round = 0; round < n; round++) {
        for (int i = 2 * threadIdx.x + (round & 1); i + 1 < n; i += 2 * blockDim.x) {
            float a = data[i], b = data[i + 1];
            if (a > b) data[i] = b, data[i + 1] = a;
        }
        __syncthreads();
    }
}

// Least significant digit radix sort, one bit a pass, of keys with payloads; stable.
extern "C" __global__ void radix(unsigned *keys, unsigned char *payload, int n) {
    __shared__ unsigned k[2][256];
    __shared__ unsigned char p[2][256];
    __shared__ int zeros[9];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, from = 0;
    k[0][t] = t < n ? keys[t] : 0xffffffffu;
    p[0][t] = t < n ? payload[t] : 0;
    for (int bit = 0; bit < 32; bit++) {
        __syncthreads();
        unsigned key = k[from][t];
        bool one = key >> bit & 1;
        unsigned votes = __ballot_sync(0xffffffff, !one);
        if (lane == 0) zeros[warp + 1] = __popc(votes);
        if (t == 0) zeros[0] = 0;
        __syncthreads();
        if (t == 0)
            for (int w = 1; w <= 8; w++) zeros[w] += zeros[w - 1];
        __syncthreads();
        int rank = zeros[warp] + __popc(votes & ((1u << lane) - 1));
        int place = one ? zeros[8] + t - rank : rank;
        k[1 - from][place] = key;
        p[1 - from][place] = p[from][t];
        from = 1 - from;
    }
    __syncthreads();
    if (t < n) keys[t] = k[from][t], payload[t] = p[from][t];
}

// Rank sort: how many are smaller; doubles, equal ones keep their order.
extern "C" __global__ void rank_sort(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double mine = in[i];
    int rank = 0;
    for (int j = 0; j < n; j++) rank += in[j] < mine || (in[j] == mine && j < i);
    out[rank] = mine;
}

// Each thread sorts its own dozen by insertion in a local array.
extern "C" __global__ void insertion(const int *in, int *out) {
    int mine[12], base = (blockIdx.x * blockDim.x + threadIdx.x) * 12;
    for (int i = 0; i < 12; i++) {
        int v = in[base + i], j = i;
        while (j > 0 && mine[j - 1] > v) mine[j] = mine[j - 1], j--;
        mine[j] = v;
    }
    for (int i = 0; i < 12; i++) out[base + i] = mine[i];
}

// Quicksort by recursion with an explicit partition; one thread a segment.
__device__ __noinline__ void quick(int *a, int low, int high) {
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            int x = a[i];
            a[i++] = a[j];
            a[j--] = x;
        }
    }
    quick(a, low, j);
    quick(a, i, high);
}
extern "C" __global__ void quicksort(int *data, int each) { quick(data + threadIdx.x * each, 0, each - 1); }
