// Lambdas of the device: a loop over a range as a template, captured by value; Thrust on zipped and counted iterators.
// nvcc: --extended-lambda
// > saxpy: 1000 as on the host
// > nested: 240 as on the host
// > dot product 332833500, greatest at 617
// > by key: 3 groups, sums 10 9 21
#include "check.h"
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>

template <typename Body> __global__ void loop(int n, Body body)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        body(i);
}

template <typename Body> static void for_each(int n, Body body)
{
    int least, block;
    CALL(cudaOccupancyMaxPotentialBlockSize(&least, &block, loop<Body>, 0, 256));
    loop<<<(n + block - 1) / block, block>>>(n, body);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
}

int main()
{
    const int n = 1000;
    float *x, *y, wanted[n], a = 2.5f;
    int *table, grid[240];
    CALL(cudaMallocManaged(&x, n * sizeof *x));
    CALL(cudaMallocManaged(&y, n * sizeof *y));
    CALL(cudaMallocManaged(&table, sizeof grid));
    for (int i = 0; i < n; i++) {
        x[i] = (float)(next_random() % 512);
        y[i] = (float)i;
        wanted[i] = a * x[i] + y[i];
    }
    for_each(n, [=] __device__(int i) { y[i] = a * x[i] + y[i]; });
    same("saxpy", y, wanted, n);
    const int width = 20;
    for_each(240, [=] __device__(int i) {
        auto inner = [=](int row, int column) { return row * 100 + column; };
        table[i] = inner(i / width, i % width);
    });
    for (int i = 0; i < 240; i++)
        grid[i] = i / width * 100 + i % width;
    same("nested", table, grid, 240);

    thrust::counting_iterator<long long> numbers(0);
    long long dot = thrust::inner_product(thrust::device, numbers, numbers + n, numbers, 0LL);
    thrust::device_vector<int> values(n);
    int *raw = thrust::raw_pointer_cast(values.data());
    for_each(n, [=] __device__(int i) { raw[i] = i * 7919 % 1009 * (i == 617 ? 1000 : 1); });
    auto greatest = thrust::max_element(values.begin(), values.end()) - values.begin();
    printf("dot product %lld, greatest at %lld\n", dot, (long long)greatest);
    int keys[] = {1, 1, 1, 1, 4, 4, 9, 9, 9}, given[] = {1, 2, 3, 4, 4, 5, 6, 7, 8};
    thrust::device_vector<int> k(keys, keys + 9), v(given, given + 9), unique(9), sums(9);
    auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), unique.begin(), sums.begin());
    int groups = (int)(ends.first - unique.begin());
    printf("by key: %d groups, sums", groups);
    for (int i = 0; i < groups; i++)
        printf(" %d", (int)sums[i]);
    printf("\n");
    return 0;
}
