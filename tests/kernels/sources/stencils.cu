// Stencils: a point and its neighbours, in one, two and three dimensions.

// Radius 3 in shared memory with a halo; ends clamp.
extern "C" __global__ void stencil_1d(const int *in, int *out, int n) {
    __shared__ int s[100 + 6];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < blockDim.x + 6; k += blockDim.x) {
        int at = (int)(blockIdx.x * blockDim.x) + k - 3;
        s[k] = in[at < 0 ? 0 : at >= n ? n - 1 : at];
    }
    __syncthreads();
    if (i >= n) return;
    int sum = 0;
#pragma unroll
    for (int d = -3; d <= 3; d++) sum += s[t + 3 + d] * (4 - (d < 0 ? -d : d));
    out[i] = sum;
}

// Five points of the heat equation, several steps, two buffers; a block of odd shape walks the plane.
extern "C" __global__ void heat_2d(float *a, float *b, int width, int height, int steps) {
    for (int step = 0; step < steps; step++) {
        for (int y = threadIdx.y; y < height; y += blockDim.y)
            for (int x = threadIdx.x; x < width; x += blockDim.x) {
                int i = y * width + x;
                float c = a[i];
                float l = x > 0 ? a[i - 1] : 0.0f, r = x + 1 < width ? a[i + 1] : 0.0f;
                float u = y > 0 ? a[i - width] : 0.0f, d = y + 1 < height ? a[i + width] : 0.0f;
                b[i] = c + 0.125f * (((l + r) + (u + d)) - 4.0f * c);
            }
        __syncthreads();
        float *t = a;
        a = b;
        b = t;
    }
}

// Seven points in space: three-dimensional grid and block.
extern "C" __global__ void laplace_3d(const double *in, double *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    auto at = [&](int i, int j, int k) {
        return i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz ? 0.0 : in[(k * ny + j) * nx + i];
    };
    out[(z * ny + y) * nx + x] = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                                 at(x, y, z - 1) + at(x, y, z + 1) - 6.0 * at(x, y, z);
}

// Conway's life on a torus of bytes.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

__constant__ int sobel_x[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
__constant__ int sobel_y[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};

// Edges of a grey image: two masks in constant memory, saturated to a byte.
extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int gx = 0, gy = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        for (int k = 0; k < 9; k++) {
            int v = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
            gx += sobel_x[k] * v;
            gy += sobel_y[k] * v;
        }
    out[y * width + x] = (unsigned char)min(abs(gx) + abs(gy), 255);
}

// A transpose through a padded tile, so that both sides are coalesced; shapes need not divide.
extern "C" __global__ void transpose(const unsigned short *in, unsigned short *out, int width, int height) {
    __shared__ unsigned short tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int k = 0; k < 16; k += blockDim.y)
        if (x < width && y + k < height) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (int k = 0; k < 16; k += blockDim.y)
        if (x < height && y + k < width) out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}
