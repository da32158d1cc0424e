// Linkage and layout: extern and weak symbols, visible functions, alignment, launch bounds, big parameters, stack arrays.
extern __device__ int elsewhere(int);
extern __device__ float outside[4];
__device__ __noinline__ int here(int x) { return x * 3 + 1; }
__device__ __align__(64) unsigned char aligned[100] = {1, 2, 3};
__device__ double grid_of[3][4] = {{1, 2, 3, 4}, {5.5, 6.25, -7, 1e300}};
__device__ int (*hook)(int) = here;
static __device__ long long hidden = -1;
__managed__ int managed = 5;
template <int N> __device__ __noinline__ int repeated(int x) { return x + repeated<N - 1>(x * N); }
template <> __device__ __noinline__ int repeated<0>(int x) { return x; }
struct __align__(16) Big {
    double a[20];
    char name[33];
    short tail;
};
__global__ void __launch_bounds__(128, 2) bounded(Big big, int *out) {
    out[threadIdx.x] = (int)big.a[threadIdx.x % 20] + big.name[threadIdx.x % 33] + big.tail + repeated<5>(threadIdx.x);
}
__global__ void __maxnreg__(64) linked(int *out) {
    out[threadIdx.x] = elsewhere(here(threadIdx.x)) + (int)outside[threadIdx.x % 4] + hook(2) + aligned[threadIdx.x % 100] + (int)grid_of[1][threadIdx.x % 4] + (int)hidden++ + managed;
}
#ifndef __CUDACC_RTC__
__global__ void stack_array(int *out, int n) {
    int *p = (int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++) p[i] = out[i];
    for (int i = 0; i < n; i++) out[i] = p[(i * 7 + 3) % n];
}
#endif
template <class T> __global__ void generic(T *out, T v) { out[threadIdx.x] = v + T(threadIdx.x); }
template __global__ void generic<float>(float *, float);
template __global__ void generic<unsigned long long>(unsigned long long *, unsigned long long);
template __global__ void generic<signed char>(signed char *, signed char);
