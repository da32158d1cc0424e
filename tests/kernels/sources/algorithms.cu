// Whole algorithms: graphs, strings, dynamic programming, compression.

// Breadth-first distances, level by level in one block, compressed rows.
extern "C" __global__ void breadth_first(const int *start, const int *edges, int *distance, int n) {
    __shared__ int changed;
    for (int level = 0;; level++) {
        __syncthreads();
        if (threadIdx.x == 0) changed = 0;
        __syncthreads();
        for (int v = threadIdx.x; v < n; v += blockDim.x)
            if (distance[v] == level)
                for (int e = start[v]; e < start[v + 1]; e++)
                    if (atomicCAS(&distance[edges[e]], -1, level + 1) == -1) changed = 1;
        __syncthreads();
        if (!changed) break;
    }
}

// Edit distance by anti-diagonals in shared memory.
extern "C" __global__ void edit_distance(const char *a, const char *b, int la, int lb, int *out) {
    __shared__ int d[3][65];
    int t = threadIdx.x;
    for (int k = 0; k <= la + lb; k++) {
        int j = k - t;
        if (t <= la && j >= 0 && j <= lb) {
            int v;
            if (t == 0) v = j;
            else if (j == 0) v = t;
            else {
                int change = d[(k + 1) % 3][t - 1] + (a[t - 1] != b[j - 1]);
                v = min(change, min(d[(k + 2) % 3][t - 1], d[(k + 2) % 3][t]) + 1);
            }
            d[k % 3][t] = v;
            if (k == la + lb) *out = v;
        }
        __syncthreads();
    }
}

// Base64 of whole triples, a triple a thread.
__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
extern "C" __global__ void base64(const unsigned char *in, char *out, int triples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= triples) return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int k = 0; k < 4; k++) out[4 * i + k] = alphabet[v >> (18 - 6 * k) & 63];
}

// Queens on a board, one first row a thread, backtracking with bit masks and an explicit stack.
extern "C" __global__ void queens(int *solutions, int n) {
    unsigned all = (1u << n) - 1, columns[16], left[16], right[16], free[16];
    int depth = 1, count = 0;
    unsigned first = 1u << threadIdx.x;
    columns[1] = first, left[1] = first << 1, right[1] = first >> 1;
    free[1] = all & ~(columns[1] | left[1] | right[1]);
    while (depth > 0) {
        if (!free[depth]) {
            depth--;
            continue;
        }
        unsigned bit = free[depth] & -free[depth];
        free[depth] ^= bit;
        if (depth == n - 1) {
            count++;
            continue;
        }
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        free[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    solutions[threadIdx.x] = count;
}

// A knapsack table, one capacity a thread, items one after the other.
extern "C" __global__ void knapsack(const int *weight, const int *value, int *best, int items) {
    extern __shared__ int row[];
    int c = threadIdx.x;
    row[c] = 0;
    __syncthreads();
    for (int i = 0; i < items; i++) {
        int with = c >= weight[i] ? row[c - weight[i]] + value[i] : 0;
        __syncthreads();
        if (with > row[c]) row[c] = with;
        __syncthreads();
    }
    best[c] = row[c];
}

// k-means steps in one dimension with integers: nearest centre, shared atomics, mean by division.
extern "C" __global__ void k_means(const int *points, int *centres, int n, int k, int rounds) {
    __shared__ int sum[8], count[8];
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x < k) sum[threadIdx.x] = count[threadIdx.x] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int nearest = 0;
            for (int c = 1; c < k; c++)
                if (abs(points[i] - centres[c]) < abs(points[i] - centres[nearest])) nearest = c;
            atomicAdd(&sum[nearest], points[i]);
            atomicAdd(&count[nearest], 1);
        }
        __syncthreads();
        if (threadIdx.x < k && count[threadIdx.x]) centres[threadIdx.x] = sum[threadIdx.x] / count[threadIdx.x];
        __syncthreads();
    }
}
