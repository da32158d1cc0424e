// Warps: shuffles, votes, matches and reductions.
// > scans: 64 as on the host
// > butterfly sums: 64 as on the host
// > votes: 64 as on the host
// > matches: 64 as on the host
// > greatest: 64 as on the host
#include "check.h"

struct Results {
    int scan[64], sum[64];
    unsigned vote[64], match[64], greatest[64];
};

__global__ void exchange(const int *x, Results *out)
{
    int i = threadIdx.x, lane = i % 32, mine = x[i], scan = mine, sum = mine;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(0xffffffff, scan, step);
        if (lane >= step)
            scan += other;
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    out->scan[i] = scan;
    out->sum[i] = sum;
    out->vote[i] = __ballot_sync(0xffffffff, mine > 0);
    out->match[i] = __match_any_sync(0xffffffff, mine & 3);
    out->greatest[i] = __reduce_max_sync(0xffffffff, (unsigned)mine);
}

int main()
{
    int x[64], *there;
    static Results got, wanted;
    Results *results;
    for (int &one : x)
        one = (int)(next_random() % 201) - 100;
    for (int i = 0; i < 64; i++)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) {
            if (j <= i)
                wanted.scan[i] += x[j];
            wanted.sum[i] += x[j];
            wanted.vote[i] |= (unsigned)(x[j] > 0) << j % 32;
            wanted.match[i] |= (unsigned)((x[j] & 3) == (x[i] & 3)) << j % 32;
            wanted.greatest[i] = (unsigned)x[j] > wanted.greatest[i] ? (unsigned)x[j] : wanted.greatest[i];
        }
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&results, sizeof got));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    exchange<<<1, 64>>>(there, results);
    LAUNCHED();
    CALL(cudaMemcpy(&got, results, sizeof got, cudaMemcpyDeviceToHost));
    same("scans", got.scan, wanted.scan, 64);
    same("butterfly sums", got.sum, wanted.sum, 64);
    same("votes", got.vote, wanted.vote, 64);
    same("matches", got.match, wanted.match, 64);
    same("greatest", got.greatest, wanted.greatest, 64);
    return 0;
}
