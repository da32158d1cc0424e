// Thrust: vectors of the device, transformations, reductions, sorting by key, and unique elements.
// > transformed: 5000 as on the host
// > sums by key: 17 as on the host
// > sorted: 5000 as on the host
#include "check.h"
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>

const int N = 5000;

struct Polynomial {
    __host__ __device__ long long operator()(long long x) const { return x * x * 3 - 7 * x; }
};

int main()
{
    std::vector<long long> x(N), wanted(N);
    for (long long &one : x)
        one = (int)(next_random() % 2000) - 1000;
    thrust::device_vector<long long> there = x, result(N);
    thrust::transform(there.begin(), there.end(), result.begin(), Polynomial());
    std::transform(x.begin(), x.end(), wanted.begin(), Polynomial());
    std::vector<long long> got(N);
    thrust::copy(result.begin(), result.end(), got.begin());
    same("transformed", got.data(), wanted.data(), N);
    long long sum = 0;
    for (long long one : wanted)
        sum += one;
    EXPECT(thrust::transform_reduce(there.begin(), there.end(), Polynomial(), 0ll, thrust::plus<long long>()) == sum);

    std::vector<int> keys(N);
    std::vector<long long> sums(17);
    for (int i = 0; i < N; i++) {
        keys[i] = i * 17 / N;
        sums[keys[i]] += x[i];
    }
    thrust::device_vector<int> key_there = keys, key_out(17);
    thrust::device_vector<long long> sum_out(17);
    thrust::reduce_by_key(key_there.begin(), key_there.end(), there.begin(), key_out.begin(), sum_out.begin());
    thrust::copy(sum_out.begin(), sum_out.end(), got.begin());
    same("sums by key", got.data(), sums.data(), 17);

    thrust::sort(there.begin(), there.end(), thrust::greater<long long>());
    std::sort(x.begin(), x.end(), std::greater<long long>());
    thrust::copy(there.begin(), there.end(), got.begin());
    same("sorted", got.data(), x.data(), N);
    int different = (int)(thrust::unique(there.begin(), there.end()) - there.begin());
    EXPECT(different == std::unique(x.begin(), x.end()) - x.begin());
    EXPECT(there[0] == x[0] && there[different - 1] == x[different - 1]);
    return 0;
}
