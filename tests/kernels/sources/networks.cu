// The pieces of neural networks, in single precision: compared within a tolerance.

// Softmax of each row: a block a row, columns need not fill it.
extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ float s[];
    const float *row = in + blockIdx.x * columns;
    int t = threadIdx.x;
    float top = __int_as_float(0xff800000);
    for (int c = t; c < columns; c += blockDim.x) top = fmaxf(top, row[c]);
    s[t] = top;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    top = s[0];
    __syncthreads();
    float sum = 0;
    for (int c = t; c < columns; c += blockDim.x) sum += expf(row[c] - top);
    s[t] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    for (int c = t; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = expf(row[c] - top) / s[0];
}

// Layer norm, a warp a row, Welford's means merged by shuffles.
extern "C" __global__ void layer_norm(const float *in, const float *gain, const float *bias, float *out, int columns, float eps) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float mean = 0, m2 = 0, count = 0;
    for (int c = lane; c < columns; c += 32) {
        float v = in[row * columns + c], d = v - mean;
        count += 1;
        mean += d / count;
        m2 += d * (v - mean);
    }
    for (int step = 16; step; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, mean, step), om2 = __shfl_xor_sync(0xffffffff, m2, step);
        float oc = __shfl_xor_sync(0xffffffff, count, step), total = count + oc, d = other - mean;
        mean = total > 0 ? (mean * count + other * oc) / total : 0;
        m2 += om2 + (total > 0 ? d * d * count * oc / total : 0);
        count = total;
    }
    float scale = rsqrtf(m2 / count + eps);
    for (int c = lane; c < columns; c += 32) {
        int i = row * columns + c;
        out[i] = (in[i] - mean) * scale * gain[c] + bias[c];
    }
}

// Attention of one head with the running softmax: one query a thread, keys staged in shared memory.
extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out, int n, float scale) {
    __shared__ float sk[16][8], sv[16][8];
    int i = blockIdx.x * 16 + threadIdx.x;
    float query[8], sum[8] = {}, top = __int_as_float(0xff800000), weight = 0;
    for (int d = 0; d < 8; d++) query[d] = i < n ? q[i * 8 + d] * scale : 0;
    for (int from = 0; from < n; from += 16) {
        __syncthreads();
        for (int e = threadIdx.x; e < 128; e += 16) {
            int at = from * 8 + e;
            sk[e / 8][e % 8] = at < n * 8 ? k[at] : 0;
            sv[e / 8][e % 8] = at < n * 8 ? v[at] : 0;
        }
        __syncthreads();
        for (int j = 0; j < 16 && from + j < n; j++) {
            float score = 0;
            for (int d = 0; d < 8; d++) score += query[d] * sk[j][d];
            float higher = fmaxf(top, score), shrink = expf(top - higher), w = expf(score - higher);
            weight = weight * shrink + w;
            for (int d = 0; d < 8; d++) sum[d] = sum[d] * shrink + w * sv[j][d];
            top = higher;
        }
    }
    if (i < n)
        for (int d = 0; d < 8; d++) out[i * 8 + d] = sum[d] / weight;
}

// GELU by tanh and by erf, SiLU, softplus: one function a row, chosen by a switch on blockIdx.y.
extern "C" __global__ void activations(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], y;
    switch (blockIdx.y) {
        case 0: y = fmaxf(x, 0.0f); break;
        case 1: y = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); break;
        case 2: y = 0.5f * x * (1.0f + erff(x * 0.70710678f)); break;
        case 3: y = x / (1.0f + expf(-x)); break;
        default: y = log1pf(expf(-fabsf(x))) + fmaxf(x, 0.0f); break;
    }
    out[blockIdx.y * n + i] = y;
}

// A convolution of an image with several filters and padding, three-dimensional grid.
extern "C" __global__ void convolve(const float *image, const float *filters, float *out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, f = blockIdx.z;
    if (x >= width || y >= height) return;
    int size = 2 * radius + 1;
    float sum = 0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            int u = x + i, v = y + j;
            if (u >= 0 && v >= 0 && u < width && v < height) sum += image[v * width + u] * filters[(f * size + j + radius) * size + i + radius];
        }
    out[(f * height + y) * width + x] = sum;
}
