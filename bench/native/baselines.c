// The same jobs in C, as one writes them for a processor: gcc vectorises what it can.
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <immintrin.h>
typedef uint32_t u32;

void saxpy(int n, float a, const float *restrict x, float *restrict y) {
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}
void half_axpy(int n, float a, const uint16_t *restrict x, uint16_t *restrict y) {
    for (int i = 0; i < n; i += 8) {
        __m256 v = _mm256_fmadd_ps(_mm256_set1_ps(a), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i))),
                                   _mm256_cvtph_ps(_mm_loadu_si128((const void *)(y + i))));
        _mm_storeu_si128((void *)(y + i), _mm256_cvtps_ph(v, 0));
    }
}
static inline float widen(uint16_t v) {
    u32 w = (u32)v << 16;
    float f;
    memcpy(&f, &w, 4);
    return f;
}
void brain_axpy(int n, float a, const uint16_t *restrict x, uint16_t *restrict y) {
    for (int i = 0; i < n; i++) {
        float f = a * widen(x[i]) + widen(y[i]);
        u32 w;
        memcpy(&w, &f, 4);
        y[i] = (w + 0x7fff + (w >> 16 & 1)) >> 16;
    }
}
void mandelbrot(int *out, int size, int most) {
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            float cx = -2.0f + 3.0f * x / size, cy = -1.5f + 3.0f * y / size, zx = 0, zy = 0;
            int n = 0;
            while (n < most && zx * zx + zy * zy <= 4.0f) {
                float t = zx * zx - zy * zy + cx;
                zy = 2.0f * zx * zy + cy;
                zx = t;
                n++;
            }
            out[y * size + x] = n;
        }
}
void matmul(const float *restrict a, const float *restrict b, float *restrict c, int n) {
    memset(c, 0, sizeof(float) * n * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void sum(const float *in, float *sums, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += in[i];
    sums[0] = s;
}
void xorshift(u32 *state, int rounds, int n) {
    for (int i = 0; i < n; i += 64) {
        u32 v[64];
        memcpy(v, state + i, sizeof v);
        for (int r = 0; r < rounds; r++)
            for (int k = 0; k < 64; k++) v[k] ^= v[k] << 13, v[k] ^= v[k] >> 17, v[k] ^= v[k] << 5;
        memcpy(state + i, v, sizeof v);
    }
}
void histogram(const unsigned char *in, u32 *bins, int n) {
    u32 four[4][256] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4) four[0][in[i]]++, four[1][in[i + 1]]++, four[2][in[i + 2]]++, four[3][in[i + 3]]++;
    for (; i < n; i++) four[0][in[i]]++;
    for (int b = 0; b < 256; b++) bins[b] += four[0][b] + four[1][b] + four[2][b] + four[3][b];
}
void scan(const u32 *restrict in, u32 *restrict out, int n) {
    for (int from = 0; from < n; from += 1024) {
        u32 s = 0;
        for (int i = 0; i < 1024; i++) out[from + i] = s += in[from + i];
    }
}
void transpose(const float *restrict in, float *restrict out, int n) {
    for (int y = 0; y < n; y += 16)
        for (int x = 0; x < n; x += 16)
            for (int i = 0; i < 16; i++)
                for (int j = 0; j < 16; j++) out[(x + i) * n + y + j] = in[(y + j) * n + x + i];
}
static const u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static inline u32 rotr(u32 v, int n) { return v >> n | v << (32 - n); }
#define L 16  // messages side by side, for the vectoriser
void sha256(const u32 *restrict in, u32 *restrict out, int count) {
    static const u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    typedef u32 V __attribute__((vector_size(4 * L)));
    for (int who = 0; who < count; who += L) {
        V w[16], v[8];
        for (int i = 0; i < 16; i++) memcpy(&w[i], in + i * count + who, sizeof(V));
        for (int i = 0; i < 8; i++) v[i] = (V){} + h[i];
#define R(x, n) ((x) >> (n) | (x) << (32 - (n)))
        for (int i = 0; i < 64; i++) {
            if (i >= 16) {
                V a = w[(i + 1) % 16], b = w[(i + 14) % 16];
                w[i % 16] += w[(i + 9) % 16] + (R(a, 7) ^ R(a, 18) ^ a >> 3) + (R(b, 17) ^ R(b, 19) ^ b >> 10);
            }
            V s1 = R(v[4], 6) ^ R(v[4], 11) ^ R(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
            V t1 = v[7] + s1 + choice + K[i] + w[i % 16];
            V s0 = R(v[0], 2) ^ R(v[0], 13) ^ R(v[0], 22), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + majority;
        }
        for (int i = 0; i < 8; i++) {
            V d = v[i] + h[i];
            memcpy(out + i * count + who, &d, sizeof(V));
        }
    }
}
void nbody(const float *restrict bodies, float *restrict force, int n) {
    for (int i = 0; i < n; i++) {
        float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2], fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; j++) {
            float dx = bodies[4 * j] - x, dy = bodies[4 * j + 1] - y, dz = bodies[4 * j + 2] - z;
            float d = dx * dx + dy * dy + dz * dz + 0.01f, inverse = 1.0f / sqrtf(d), s = bodies[4 * j + 3] * inverse * inverse * inverse;
            fx += s * dx, fy += s * dy, fz += s * dz;
        }
        force[3 * i] = fx, force[3 * i + 1] = fy, force[3 * i + 2] = fz;
    }
}
void softmax(const float *restrict in, float *restrict out, int columns, int rows) {
    for (int r = 0; r < rows; r++, in += columns, out += columns) {
        float top = -3e38f, sum = 0;
        for (int c = 0; c < columns; c++) top = in[c] > top ? in[c] : top;
        for (int c = 0; c < columns; c++) out[c] = expf(in[c] - top);
        for (int c = 0; c < columns; c++) sum += out[c];
        float scale = 1.0f / sum;
        for (int c = 0; c < columns; c++) out[c] *= scale;
    }
}
void layer_norm(const float *restrict in, const float *restrict gain, const float *restrict bias, float *restrict out, int columns, int rows) {
    for (int r = 0; r < rows; r++, in += columns, out += columns) {
        float sum = 0, squares = 0;
        for (int c = 0; c < columns; c++) sum += in[c], squares += in[c] * in[c];
        float mean = sum / columns, scale = 1.0f / sqrtf(squares / columns - mean * mean + 1e-5f);
        for (int c = 0; c < columns; c++) out[c] = (in[c] - mean) * scale * gain[c] + bias[c];
    }
}
