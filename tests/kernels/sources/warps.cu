// What lanes of a warp tell each other: shuffles, votes, matches, reductions, with whole and partial masks.

extern "C" __global__ void shuffle_modes(const int *in, int *out) {
    int v = in[threadIdx.x], n = blockDim.x, *o = out + threadIdx.x;
    o[0 * n] = __shfl_sync(0xffffffff, v, 5);
    o[1 * n] = __shfl_sync(0xffffffff, v, threadIdx.x * 7 + 3);
    o[2 * n] = __shfl_up_sync(0xffffffff, v, 3);
    o[3 * n] = __shfl_down_sync(0xffffffff, v, 9);
    o[4 * n] = __shfl_xor_sync(0xffffffff, v, 21);
    o[5 * n] = __shfl_sync(0xffffffff, v, 6, 8);
    o[6 * n] = __shfl_up_sync(0xffffffff, v, 2, 4);
    o[7 * n] = __shfl_down_sync(0xffffffff, v, 1, 16);
    o[8 * n] = __shfl_xor_sync(0xffffffff, v, 4, 8);
}

// 64-bit values are shuffled as two halves by the headers.
extern "C" __global__ void shuffle_wide(const double *in, const long long *key, double *out, long long *other) {
    int t = threadIdx.x;
    out[t] = __shfl_xor_sync(0xffffffff, in[t], 1) + __shfl_down_sync(0xffffffff, in[t], 4, 8);
    other[t] = __shfl_sync(0xffffffff, key[t], 31 - t % 32);
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
    int v = in[threadIdx.x], n = blockDim.x;
    unsigned *o = out + threadIdx.x;
    o[0 * n] = __ballot_sync(0xffffffff, v > 0);
    o[1 * n] = __any_sync(0xffffffff, v == 3) << 1 | __all_sync(0xffffffff, v < 50);
    o[2 * n] = __match_any_sync(0xffffffff, v);
    int all;
    o[3 * n] = __match_all_sync(0xffffffff, v / 64, &all) + all;
    o[4 * n] = __match_any_sync(0xffffffff, (long long)v << 33);
}

// Inside divergent branches, with the mask of those that came.
extern "C" __global__ void divergent_votes(const int *in, unsigned *out) {
    int v = in[threadIdx.x];
    unsigned odd = __ballot_sync(0xffffffff, v & 1), mine;
    if (v & 1) {
        mine = __ballot_sync(odd, v > 8);
        mine = mine * 2 + __any_sync(odd, v == 15);
        __syncwarp(odd);
    } else {
        mine = __ballot_sync(~odd, v > 8);
        mine += __shfl_sync(~odd, v, __ffs(~odd) - 1);
    }
    out[threadIdx.x] = mine;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
// redux.sync in every operation; subsets by predicate.
extern "C" __global__ void reduce_all(const int *in, int *out) {
    int v = in[threadIdx.x], n = blockDim.x, *o = out + threadIdx.x;
    o[0 * n] = __reduce_add_sync(0xffffffff, v);
    o[1 * n] = __reduce_min_sync(0xffffffff, v);
    o[2 * n] = __reduce_max_sync(0xffffffff, v);
    o[3 * n] = __reduce_min_sync(0xffffffff, (unsigned)v);
    o[4 * n] = __reduce_max_sync(0xffffffff, (unsigned)v);
    o[5 * n] = __reduce_and_sync(0xffffffff, (unsigned)v | 0xf0);
    o[6 * n] = __reduce_or_sync(0xffffffff, (unsigned)v & 0xff);
    o[7 * n] = __reduce_xor_sync(0xffffffff, (unsigned)v);
    unsigned low = __ballot_sync(0xffffffff, threadIdx.x % 32 < 11);
    o[8 * n] = threadIdx.x % 32 < 11 ? __reduce_add_sync(low, v) : 0;
}
#endif

// A block that ends in the middle of a warp: the mask is what is there.
extern "C" __global__ void partial_warp(const int *in, int *out) {
    unsigned here = __activemask();
    int v = in[threadIdx.x];
    for (int d = 16; d; d /= 2) {
        int other = __shfl_down_sync(here, v, d);
        if ((threadIdx.x + d) % 32 > threadIdx.x % 32 && threadIdx.x + d < blockDim.x) v += other;
    }
    out[threadIdx.x] = threadIdx.x % 32 == 0 ? v : __popc(here);
}

// Lanes with equal keys add up among themselves, leader by leader.
extern "C" __global__ void segmented(const int *key, const int *value, int *out) {
    int lane = threadIdx.x % 32, k = key[threadIdx.x], v = value[threadIdx.x];
    unsigned peers = __match_any_sync(0xffffffff, k);
    int sum = 0;
    for (unsigned rest = 0xffffffff; rest; rest &= rest - 1) {
        int from = __ffs(rest) - 1, x = __shfl_sync(0xffffffff, v, from);
        if (peers >> from & 1) sum += x;
    }
    out[threadIdx.x] = sum * 64 + __popc(peers & ((1u << lane) - 1));
}

// A 32 by 32 bit matrix transposed by shuffles and masks.
extern "C" __global__ void bit_transpose(const unsigned *in, unsigned *out) {
    unsigned v = in[threadIdx.x], lane = threadIdx.x % 32;
    unsigned mask = 0x0000ffff;
#pragma unroll
    for (int d = 16; d; d /= 2, mask ^= mask << d) {
        unsigned other = __shfl_xor_sync(0xffffffff, v, d);
        v = lane & d ? (v & ~mask) | (other >> d & mask) : (v & mask) | (other << d & ~mask);
    }
    out[threadIdx.x] = v;
}
