// Types of the standard library on the device: cuda::std's array, span, complex, optional, variant, tuple, chrono.
// nvcc: --expt-relaxed-constexpr
// > complex powers: 64 as on the host
// > visited: 96 as on the host
// > sorted arrays: 32, in a span: 32
// > optional: 1 none, 3 some
#include "check.h"
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

namespace stdc = cuda::std;
using Value = stdc::variant<int, float, stdc::array<short, 2>>;

__host__ __device__ stdc::complex<double> power(stdc::complex<double> z, int n)
{
    stdc::complex<double> result(1, 0);
    while (n--)
        result *= z;
    return result;
}

struct Visitor {
    __host__ __device__ double operator()(int i) const { return i * 2; }
    __host__ __device__ double operator()(float f) const { return f + 0.5; }
    __host__ __device__ double operator()(stdc::array<short, 2> a) const { return a[0] * 100 + a[1]; }
};

__host__ __device__ Value made(int i)
{
    switch (i % 3) {
    case 0: return i;
    case 1: return (float)i / 4;
    default: return stdc::array<short, 2>{(short)i, (short)-i};
    }
}

__host__ __device__ stdc::optional<int> root(int n)
{
    for (int i = 0; i * i <= n; i++)
        if (i * i == n)
            return i;
    return stdc::nullopt;
}

template <typename Span> __host__ __device__ void sort(Span values)
{
    for (size_t i = 1; i < values.size(); i++)
        for (size_t j = i; j && values[j] < values[j - 1]; j--)
            stdc::swap(values[j], values[j - 1]);
}

__global__ void compute(double *powers, double *visited, int *sorted, int *roots)
{
    int i = (int)threadIdx.x;
    if (i < 32) {
        auto z = power(stdc::complex<double>(1 + i * 0.125, 0.5), 3);
        auto [re, im] = stdc::make_tuple(z.real(), z.imag());
        powers[2 * i] = re, powers[2 * i + 1] = im;
        stdc::array<int, 4> four{i * 7 % 5, i * 3 % 7, 2, i};
        sort(stdc::span<int>(four.data(), four.size()));
        bool rising = four[0] <= four[1] && four[1] <= four[2] && four[2] <= four[3];
        sorted[i] = rising ? 1 : stdc::numeric_limits<int>::min();
    }
    if (i < 4) {
        auto found = root(i == 2 ? 50 : i * i);
        roots[i] = found ? *found : -1;
    }
    visited[i] = stdc::visit(Visitor(), made(i));
}

int main()
{
    double *powers, *visited, wanted_powers[64], wanted[96];
    int *sorted, *roots, ones = 0, none = 0;
    CALL(cudaMallocManaged(&powers, sizeof wanted_powers));
    CALL(cudaMallocManaged(&visited, sizeof wanted));
    CALL(cudaMallocManaged(&sorted, 32 * sizeof *sorted));
    CALL(cudaMallocManaged(&roots, 4 * sizeof *roots));
    compute<<<1, 96>>>(powers, visited, sorted, roots);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        auto z = power(stdc::complex<double>(1 + i * 0.125, 0.5), 3);   // small sums of powers of two: exact
        wanted_powers[2 * i] = z.real(), wanted_powers[2 * i + 1] = z.imag();
        ones += sorted[i];
    }
    for (int i = 0; i < 96; i++)
        wanted[i] = stdc::visit(Visitor(), made(i));
    for (int i = 0; i < 4; i++) {
        none += roots[i] < 0;
        EXPECT(roots[i] == (i == 2 ? -1 : i));
    }
    using namespace stdc::chrono;
    EXPECT(duration_cast<milliseconds>(seconds(2)).count() == 2000);
    same("complex powers", powers, wanted_powers, 64);
    same("visited", visited, wanted, 96);
    printf("sorted arrays: %d, in a span: %d\n", ones, ones);
    printf("optional: %d none, %d some\n", none, 4 - none);
    return 0;
}
