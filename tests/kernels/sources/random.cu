// Random numbers: generators whose streams are defined to the bit.
typedef unsigned int u32;
typedef unsigned long long u64;

// Philox 4x32-10 of Random123: the counter is the thread, the key the seed.
extern "C" __global__ void philox(u32 *out, u32 key0, u32 key1) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, c[4] = {i, ~i, i * 7, 0x12345678};
    for (int round = 0; round < 10; round++) {
        u32 h0 = __umulhi(0xd2511f53u, c[0]), l0 = 0xd2511f53u * c[0];
        u32 h1 = __umulhi(0xcd9e8d57u, c[2]), l1 = 0xcd9e8d57u * c[2];
        c[0] = h1 ^ c[1] ^ key0, c[1] = l1, c[2] = h0 ^ c[3] ^ key1, c[3] = l0;
        key0 += 0x9e3779b9u, key1 += 0xbb67ae85u;
    }
    ((uint4 *)out)[i] = make_uint4(c[0], c[1], c[2], c[3]);
}

// xorshift128+, then to a double in [0, 1) with 53 bits.
extern "C" __global__ void xorshift(const u64 *seeds, double *out, int each) {
    int t = threadIdx.x;
    u64 a = seeds[2 * t], b = seeds[2 * t + 1];
    for (int i = 0; i < each; i++) {
        u64 x = a ^ a << 23;
        a = b;
        b = x ^ b ^ x >> 17 ^ b >> 26;
        out[t * each + i] = (double)((a + b) >> 11) * 0x1p-53;
    }
}

// PCG32, and an unbiased number below a bound by rejection: a loop whose length differs by lane.
extern "C" __global__ void pcg_below(u32 *out, u32 bound, int each) {
    u64 state = threadIdx.x * 0x9e3779b97f4a7c15ull, step = 2 * threadIdx.x + 1;
    u32 least = -bound % bound;
    for (int i = 0; i < each; i++) {
        u32 v;
        do {
            u64 old = state;
            state = old * 6364136223846793005ull + step;
            u32 x = (u32)((old >> 18 ^ old) >> 27), r = old >> 59;
            v = x >> r | x << (-r & 31);
        } while (v < least);
        out[threadIdx.x * each + i] = v % bound;
    }
}

// Monte Carlo for pi with a linear congruential generator: integers only, one atomic a warp.
extern "C" __global__ void count_in_circle(unsigned *hits, int each) {
    u32 s = 12345u + 2654435761u * (blockIdx.x * blockDim.x + threadIdx.x);
    int mine = 0;
    for (int i = 0; i < each; i++) {
        s = s * 1664525u + 1013904223u;
        u32 x = s >> 16;
        s = s * 1664525u + 1013904223u;
        u32 y = s >> 16;
        mine += (u64)x * x + (u64)y * y < (u64)1 << 32;
    }
    for (int d = 16; d; d /= 2) mine += __shfl_xor_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, mine);
}

// Fisher-Yates in local memory, driven by xorshift32.
extern "C" __global__ void shuffle(unsigned char *out, u32 seed) {
    unsigned char deck[52];
    u32 s = seed + threadIdx.x * 77773;
    for (int i = 0; i < 52; i++) deck[i] = i;
    for (int i = 51; i > 0; i--) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        int j = s % (i + 1);
        unsigned char x = deck[i];
        deck[i] = deck[j];
        deck[j] = x;
    }
    for (int i = 0; i < 52; i++) out[threadIdx.x * 52 + i] = deck[i];
}
