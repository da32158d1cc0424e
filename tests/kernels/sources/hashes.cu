// Hashes and ciphers: rotations, carries, tables.
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

__constant__ u32 K256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ u32 rotr(u32 v, int n) { return v >> n | v << (32 - n); }
__device__ u32 rotl(u32 v, int n) { return v << n | v >> (32 - n); }

// SHA-256 of messages of `length` bytes, one message a thread, any length.
extern "C" __global__ void sha256(const u8 *messages, u8 *digests, int length, int count) {
    int who = blockIdx.x * blockDim.x + threadIdx.x;
    if (who >= count) return;
    const u8 *m = messages + who * length;
    u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    int blocks = (length + 8) / 64 + 1;
    for (int b = 0; b < blocks; b++) {
        u32 w[64];
        for (int i = 0; i < 16; i++) {
            u32 word = 0;
            for (int j = 0; j < 4; j++) {
                int at = b * 64 + i * 4 + j;
                word = word << 8 | (at < length ? m[at] : at == length ? 0x80 : 0);
            }
            w[i] = word;
        }
        if (b == blocks - 1) w[15] = length * 8;
        for (int i = 16; i < 64; i++) {
            u32 s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
            u32 s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        u32 v[8];
        for (int i = 0; i < 8; i++) v[i] = h[i];
        for (int i = 0; i < 64; i++) {
            u32 s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
            u32 t1 = v[7] + s1 + choice + K256[i] + w[i];
            u32 s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + majority;
        }
        for (int i = 0; i < 8; i++) h[i] += v[i];
    }
    for (int i = 0; i < 32; i++) digests[who * 32 + i] = (u8)(h[i / 4] >> (24 - i % 4 * 8));
}

// MurmurHash3 (32 bit) of one word and of a byte tail, by length.
extern "C" __global__ void murmur3(const u8 *data, u32 *out, u32 seed, int longest) {
    int length = threadIdx.x;
    if (length > longest) return;
    u32 h = seed, k = 0;
    int i = 0;
    for (; i + 4 <= length; i += 4) {
        k = data[i] | data[i + 1] << 8 | data[i + 2] << 16 | (u32)data[i + 3] << 24;
        h ^= rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u;
        h = rotl(h, 13) * 5 + 0xe6546b64u;
    }
    k = 0;
    switch (length & 3) {
        case 3: k ^= data[i + 2] << 16;
        case 2: k ^= data[i + 1] << 8;
        case 1: k ^= data[i]; h ^= rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u;
    }
    h ^= length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    out[length] = h ^ h >> 16;
}

// CRC-32: the block makes its table in shared memory, each thread does the prefix up to its number.
extern "C" __global__ void crc32(const u8 *data, u32 *out) {
    __shared__ u32 table[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        u32 c = b;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[b] = c;
    }
    __syncthreads();
    u32 c = ~0u;
    for (int i = 0; i < threadIdx.x; i++) c = table[(c ^ data[i]) & 255] ^ c >> 8;
    out[threadIdx.x] = ~c;
}

// SipHash-2-4, 64-bit words.
#define ROTL64(v, n) ((v) << (n) | (v) >> (64 - (n)))
#define SIP { a += b; b = ROTL64(b, 13) ^ a; a = ROTL64(a, 32); c += d; d = ROTL64(d, 16) ^ c; \
              a += d; d = ROTL64(d, 21) ^ a; c += b; b = ROTL64(b, 17) ^ c; c = ROTL64(c, 32); }
extern "C" __global__ void siphash(const u8 *data, u64 *out, u64 k0, u64 k1) {
    u64 n = threadIdx.x;
    u64 a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull, c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
    for (u64 from = 0; from <= n; from += 8) {
        u64 m = from + 8 > n ? n << 56 : 0;
        for (int i = 0; i < 8 && from + i < n; i++) m |= (u64)data[from + i] << 8 * i;
        d ^= m;
        SIP SIP
        a ^= m;
    }
    c ^= 255;
    SIP SIP SIP SIP
    out[n] = a ^ b ^ c ^ d;
}

// ChaCha20 blocks, one a thread: an array of 16 words that stays in registers.
#define QUARTER(a, b, c, d) \
    x[a] += x[b], x[d] = rotl(x[d] ^ x[a], 16), x[c] += x[d], x[b] = rotl(x[b] ^ x[c], 12), \
    x[a] += x[b], x[d] = rotl(x[d] ^ x[a], 8), x[c] += x[d], x[b] = rotl(x[b] ^ x[c], 7);
extern "C" __global__ void chacha20(const u32 *key, u32 *out, u32 counter) {
    u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    for (int i = 0; i < 8; i++) s[4 + i] = key[i];
    s[12] = counter + threadIdx.x;
    for (int i = 0; i < 3; i++) s[13 + i] = key[8 + i];
    for (int i = 0; i < 16; i++) x[i] = s[i];
    for (int round = 0; round < 10; round++) {
        QUARTER(0, 4, 8, 12) QUARTER(1, 5, 9, 13) QUARTER(2, 6, 10, 14) QUARTER(3, 7, 11, 15)
        QUARTER(0, 5, 10, 15) QUARTER(1, 6, 11, 12) QUARTER(2, 7, 8, 13) QUARTER(3, 4, 9, 14)
    }
    for (int i = 0; i < 16; i++) out[threadIdx.x * 16 + i] = x[i] + s[i];
}

// A Merkle root of FNV-1a hashes, level by level in one block.
extern "C" __global__ void merkle(const u32 *leaves, u64 *root) {
    __shared__ u64 level[128];
    int t = threadIdx.x;
    u64 h = 0xcbf29ce484222325ull;
    for (int i = 0; i < 4; i++) h = (h ^ (leaves[t] >> 8 * i & 255)) * 0x100000001b3ull;
    level[t] = h;
    for (int n = blockDim.x; n > 1; n /= 2) {
        __syncthreads();
        if (t < n / 2) {
            h = level[2 * t];
            for (int i = 0; i < 8; i++) h = (h ^ (level[2 * t + 1] >> 8 * i & 255)) * 0x100000001b3ull;
        }
        __syncthreads();
        if (t < n / 2) level[t] = h;
    }
    if (t == 0) *root = level[0];
}
