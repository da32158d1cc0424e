// Groups of threads that happen to be together: aggregated atomics, labelled partitions, matches, votes, predicates.
// > kept: 338 of 1024, in any order
// > by label: 8 as on the host
// > equal values: 1024 as on the host
// > ballots: 32 as on the host
#include "check.h"
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void filter(const int *x, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 3 == 0) {
        auto together = cg::coalesced_threads();
        int place;
        if (together.thread_rank() == 0)
            place = atomicAdd(count, (int)together.size());
        place = together.shfl(place, 0) + (int)together.thread_rank();
        out[place] = x[i];
    }
}

__global__ void by_label(const int *x, int *sums)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, label = x[i] % 8;
    auto alike = cg::labeled_partition(warp, label);
    int sum = cg::reduce(alike, x[i], cg::plus<int>());
    int last = cg::inclusive_scan(alike, 1);
    if (last == (int)alike.size())
        atomicAdd(&sums[label], sum);
}

__global__ void matches(const int *x, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, all;
    unsigned same = __match_any_sync(~0u, x[i] % 5);
    __match_all_sync(~0u, x[i] % 5, &all);
    auto odd = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), x[i] & 1);
    out[i] = same ^ (all ? 1u << 31 : 0) ^ odd.size();
}

__global__ void ballots(const int *x, unsigned *out)
{
    unsigned found = __ballot_sync(~0u, x[threadIdx.x] > 500);
    bool any = __any_sync(~0u, x[threadIdx.x] > 990), every = __all_sync(~0u, x[threadIdx.x] >= 0);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = found ^ (any ? 2u : 0) ^ (every ? 4u : 0);
}

int main()
{
    const int n = 1024;
    int *x, *out, *count, *sums, kept = 0, wanted_sums[8] = {};
    unsigned *results, wanted[n], votes[32];
    CALL(cudaMallocManaged(&x, n * sizeof *x));
    CALL(cudaMallocManaged(&out, n * sizeof *out));
    CALL(cudaMallocManaged(&count, sizeof *count));
    CALL(cudaMallocManaged(&sums, sizeof wanted_sums));
    CALL(cudaMallocManaged(&results, sizeof wanted));
    std::vector<int> chosen;
    for (int i = 0; i < n; i++) {
        x[i] = (int)(next_random() % 1000);
        if (x[i] % 3 == 0)
            chosen.push_back(x[i]), kept++;
        wanted_sums[x[i] % 8] += x[i];
    }
    for (int i = 0; i < n; i++) {
        unsigned same = 0, odd = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            same |= (unsigned)(x[k] % 5 == x[i] % 5) << k % 32;
            odd += (x[k] & 1) == (x[i] & 1);
        }
        wanted[i] = same ^ (same == ~0u ? 1u << 31 : 0) ^ odd;
    }
    for (int w = 0; w < 32; w++) {
        unsigned found = 0, any = 0;
        for (int k = 0; k < 32; k++)
            found |= (unsigned)(x[w * 32 + k] > 500) << k, any |= x[w * 32 + k] > 990;
        votes[w] = found ^ (any ? 2u : 0) ^ 4u;
    }
    *count = 0;
    memset(sums, 0, sizeof wanted_sums);
    filter<<<8, 128>>>(x, n, out, count);
    by_label<<<8, 128>>>(x, sums);
    matches<<<8, 128>>>(x, results);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    std::sort(out, out + *count);
    std::sort(chosen.begin(), chosen.end());
    EXPECT(*count == kept && std::equal(chosen.begin(), chosen.end(), out));
    printf("kept: %d of %d, in any order\n", kept, n);
    same("by label", sums, wanted_sums, 8);
    same("equal values", results, wanted, n);
    ballots<<<1, 1024>>>(x, results);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("ballots", results, votes, 32);
    return 0;
}
