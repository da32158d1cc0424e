// CUB's algorithms for whole devices: one file of several megabytes, as libraries ship them.
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

template <class K, class V> void sort(K *in, K *out, V *values, V *sorted, int n, void *space, size_t size) {
    cub::DeviceRadixSort::SortPairs(space, size, in, out, values, sorted, n);
    cub::DeviceRadixSort::SortKeysDescending(space, size, in, out, n);
}
template <class K> void summarise(K *in, K *out, int n, void *space, size_t size, int *count) {
    cub::DeviceScan::InclusiveSum(space, size, in, out, n);
    cub::DeviceReduce::Sum(space, size, in, out, n);
    cub::DeviceReduce::ArgMax(space, size, in, (cub::KeyValuePair<int, K> *)out, n);
    cub::DeviceSelect::Unique(space, size, in, out, count, n);
}
template void sort(uint32_t *, uint32_t *, uint32_t *, uint32_t *, int, void *, size_t);
template void sort(float *, float *, uint64_t *, uint64_t *, int, void *, size_t);
template void sort(int64_t *, int64_t *, double *, double *, int, void *, size_t);
template void summarise(float *, float *, int, void *, size_t, int *);
template void summarise(double *, double *, int, void *, size_t, int *);
template void summarise(int64_t *, int64_t *, int, void *, size_t, int *);
