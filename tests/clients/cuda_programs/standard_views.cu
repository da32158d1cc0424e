// Views and sums of types of libcu++ in kernels: span, mdspan, variant with visit, and searches of its algorithms.
// > transposed by mdspan: 96 as on the host
// > visited: 64 as on the host
// > found by lower_bound: 64 as on the host
#include "check.h"
#include <cuda/std/__algorithm/lower_bound.h>
#include <cuda/std/mdspan>
#include <cuda/std/span>
#include <cuda/std/variant>

using Shape = cuda::std::extents<int, 8, cuda::std::dynamic_extent>;

__global__ void transpose(const int *from, int *to, int columns)
{
    cuda::std::mdspan<const int, Shape> a(from, columns);
    cuda::std::mdspan<int, cuda::std::dextents<int, 2>, cuda::std::layout_left> b(to, 8, columns);
    for (int i = threadIdx.x; i < a.extent(0) * a.extent(1); i += blockDim.x)
        b(i / columns, i % columns) = a(i / columns, i % columns);
}

struct Value {
    __host__ __device__ long long operator()(int x) const { return x; }
    __host__ __device__ long long operator()(double x) const { return (long long)(x * 4); }
    __host__ __device__ long long operator()(char x) const { return -x; }
};
using Any = cuda::std::variant<int, double, char>;

__host__ __device__ static Any make(int i)
{
    if (i % 3 == 0)
        return i;
    if (i % 3 == 1)
        return i + 0.25;
    return (char)i;
}

__global__ void visit(long long *out) { out[threadIdx.x] = cuda::std::visit(Value(), make(threadIdx.x)); }

__global__ void search(cuda::std::span<const int> sorted, int *out)
{
    auto found = cuda::std::lower_bound(sorted.begin(), sorted.end(), (int)(3 * threadIdx.x + 1));
    out[threadIdx.x] = (int)(found - sorted.begin());
}

int main()
{
    const int columns = 12, n = 8 * columns;
    int *from, *to, wanted[n];
    CALL(cudaMallocManaged(&from, sizeof wanted));
    CALL(cudaMallocManaged(&to, sizeof wanted));
    for (int i = 0; i < n; i++)
        from[i] = 7 * i, wanted[i % columns * 8 + i / columns] = 7 * i;
    transpose<<<1, 32>>>(from, to, columns);
    CALL(cudaDeviceSynchronize());
    same("transposed by mdspan", to, wanted, n);

    long long *visited, right[64];
    CALL(cudaMallocManaged(&visited, sizeof right));
    visit<<<1, 64>>>(visited);
    for (int i = 0; i < 64; i++)
        right[i] = i % 3 == 0 ? i : i % 3 == 1 ? 4 * i + 1 : -i;
    CALL(cudaDeviceSynchronize());
    same("visited", visited, right, 64);

    int places[64];
    for (int i = 0; i < n; i++)
        from[i] = 2 * i;
    search<<<1, 64>>>(cuda::std::span<const int>(from, n), to);
    for (int i = 0; i < 64; i++)
        places[i] = (3 * i + 2) / 2 < n ? (3 * i + 2) / 2 : n;
    CALL(cudaDeviceSynchronize());
    same("found by lower_bound", to, places, 64);
    return 0;
}
