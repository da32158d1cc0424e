// c = a * transpose(b) of n by n matrices, by tiles in shared memory. The two kernels differ in PAD alone:
// without it, the lanes of a warp read a column of the tile of b, all of it in one bank.
constexpr int TILE = 32;

template <int PAD>
__device__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float rows[TILE][TILE];
    __shared__ float columns[TILE][TILE + PAD];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        rows[y][x] = a[row * n + tile + x];
        columns[y][x] = b[(blockIdx.x * TILE + y) * n + tile + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += rows[y][k] * columns[x][k];
        __syncthreads();
    }
    c[row * n + blockIdx.x * TILE + x] = sum;
}

extern "C" __global__ void matmul_conflicts(const float *a, const float *b, float *c, int n) { multiply<0>(a, b, c, n); }

extern "C" __global__ void matmul_padded(const float *a, const float *b, float *c, int n) { multiply<1>(a, b, c, n); }
