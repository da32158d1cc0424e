// CUB, which comes with the toolkit: sums, prefix sums, sorted pairs, selection and a histogram of the whole device.
// > sum: 1 as on the host
// > greatest: 1 as on the host
// > prefix sums: 10007 as on the host
// > sorted keys: 10007 as on the host
// > sorted values: 10007 as on the host
// > selected: 4991 as on the host
// > histogram: 16 as on the host
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

const int N = 10007;

template <typename T> struct Array {
    T *there;
    size_t count;
    Array(size_t count) : count(count) { CALL(cudaMalloc(&there, count * sizeof(T))); }
    Array(const std::vector<T> &host) : Array(host.size())
    {
        CALL(cudaMemcpy(there, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Array() { cudaFree(there); }
    std::vector<T> host() const
    {
        std::vector<T> copy(count);
        CALL(cudaMemcpy(copy.data(), there, count * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
};

// CUB's functions are called twice: for the size of the memory that they need, and to do it.
template <typename Function> static void with_storage(Function function)
{
    size_t bytes = 0;
    CALL(function(nullptr, bytes));
    void *storage;
    CALL(cudaMalloc(&storage, bytes));
    CALL(function(storage, bytes));
    CALL(cudaDeviceSynchronize());
    CALL(cudaFree(storage));
}

struct IsOdd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

int main()
{
    std::vector<int> x(N), indices(N), wanted(N);
    for (int &one : x)
        one = (int)(next_random() % 100000);
    std::iota(indices.begin(), indices.end(), 0);
    Array<int> there(x), result(N), one(1), selected(N);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, there.there, one.there, N); });
    int sum = std::accumulate(x.begin(), x.end(), 0);
    same("sum", one.host().data(), &sum, 1);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Max(s, b, there.there, one.there, N); });
    int greatest = *std::max_element(x.begin(), x.end());
    same("greatest", one.host().data(), &greatest, 1);

    with_storage([&](void *s, size_t &b) { return cub::DeviceScan::InclusiveSum(s, b, there.there, result.there, N); });
    std::partial_sum(x.begin(), x.end(), wanted.begin());
    same("prefix sums", result.host().data(), wanted.data(), N);

    Array<int> values(indices), sorted_values(N);
    with_storage([&](void *s, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(s, b, there.there, result.there, values.there, sorted_values.there, N);
    });
    std::vector<int> order = indices;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] < x[b]; });
    for (int i = 0; i < N; i++)
        wanted[i] = x[order[i]];
    same("sorted keys", result.host().data(), wanted.data(), N);
    same("sorted values", sorted_values.host().data(), order.data(), N);

    with_storage([&](void *s, size_t &b) {
        return cub::DeviceSelect::If(s, b, there.there, selected.there, one.there, N, IsOdd());
    });
    wanted.clear();
    std::copy_if(x.begin(), x.end(), std::back_inserter(wanted), IsOdd());
    EXPECT(one.host()[0] == (int)wanted.size());
    same("selected", selected.host().data(), wanted.data(), wanted.size());

    Array<int> histogram(16);
    with_storage([&](void *s, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(s, b, there.there, histogram.there, 17, 0, 100000, N);
    });
    std::vector<int> counts(16);
    for (int value : x)
        counts[value / 6250]++;
    same("histogram", histogram.host().data(), counts.data(), 16);
    return 0;
}
