// A cooperative launch: all blocks wait for each other between the steps of a prefix sum.
// > prefix sums: 2048 as on the host
// > too many blocks: cudaErrorCooperativeLaunchTooLarge
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void scan(int *from, int *to, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 1; step < n; step *= 2) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            to[i] = from[i] + (i >= step ? from[i - step] : 0);
        grid.sync();
        int *other = from;
        from = to, to = other;
    }
}

int main()
{
    const int n = 2048;
    int x[n], wanted[n], *from, *to, count = n, supported;
    for (int i = 0, sum = 0; i < n; i++) {
        x[i] = (int)(next_random() % 100);
        wanted[i] = sum += x[i];
    }
    CALL(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(supported);
    CALL(cudaMalloc(&from, sizeof x));
    CALL(cudaMalloc(&to, sizeof x));
    CALL(cudaMemcpy(from, x, sizeof x, cudaMemcpyHostToDevice));
    void *arguments[] = {&from, &to, &count};
    CALL(cudaLaunchCooperativeKernel((void *)scan, dim3(4), dim3(128), arguments, 0, nullptr));
    CALL(cudaMemcpy(x, to, sizeof x, cudaMemcpyDeviceToHost));   // after 11 steps
    same("prefix sums", x, wanted, n);
    cudaError_t error = cudaLaunchCooperativeKernel((void *)scan, dim3(1 << 20), dim3(1024), arguments, 0, nullptr);
    printf("too many blocks: %s\n", cudaGetErrorName(error));
    return 0;
}
