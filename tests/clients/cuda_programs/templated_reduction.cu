// A reduction in templates: the block size is a constant of the code, operators are functors, types are any.
// > sums for 32 to 512 threads: 5 right
// > least double -250.50, greatest long long 9000000000
// > dot product of float4: 16000
#include "check.h"
#include <climits>
#include <cfloat>

struct Sum {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Least {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
struct Greatest {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, unsigned Block, typename Op> __global__ void reduce(const T *x, unsigned n, T first, Op op, T *out)
{
    __shared__ T shared[Block];
    T mine = first;
    for (unsigned i = blockIdx.x * Block * 2 + threadIdx.x; i < n; i += gridDim.x * Block * 2) {
        mine = op(mine, x[i]);
        if (i + Block < n)
            mine = op(mine, x[i + Block]);
    }
    shared[threadIdx.x] = mine;
    __syncthreads();
#pragma unroll
    for (unsigned half = 256; half >= 32; half /= 2)
        if (Block >= 2 * half) {
            if (threadIdx.x < half)
                shared[threadIdx.x] = mine = op(mine, shared[threadIdx.x + half]);
            __syncthreads();
        }
    if (threadIdx.x < 32) {
#pragma unroll
        for (int half = 16; half; half /= 2)
            mine = op(mine, __shfl_down_sync(~0u, mine, half));
        if (!threadIdx.x)
            out[blockIdx.x] = mine;
    }
}

template <typename T, unsigned Block, typename Op> static T on_device(const T *x, unsigned n, T first, Op op)
{
    T *there, *out, parts[8];
    CALL(cudaMalloc(&there, n * sizeof *x));
    CALL(cudaMalloc(&out, sizeof parts));
    CALL(cudaMemcpy(there, x, n * sizeof *x, cudaMemcpyHostToDevice));
    reduce<T, Block><<<8, Block>>>(there, n, first, op, out);
    LAUNCHED();
    CALL(cudaMemcpy(parts, out, sizeof parts, cudaMemcpyDeviceToHost));
    CALL(cudaFree(there));
    CALL(cudaFree(out));
    T found = first;
    for (T one : parts)
        found = op(found, one);
    return found;
}

__global__ void dot(const float4 *a, const float4 *b, float *out)
{
    float4 x = a[threadIdx.x], y = b[threadIdx.x];
    float mine = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    for (int half = 16; half; half /= 2)
        mine += __shfl_xor_sync(~0u, mine, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, mine);
}

int main()
{
    const unsigned n = 10007;
    static int x[n];
    static double d[n];
    static long long l[n];
    int sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += x[i] = (int)(next_random() % 2001) - 1000;
        d[i] = x[i] * 0.25;
        l[i] = 9000000LL * x[i];
    }
    d[77] = -250.5, l[5000] = 9000000000LL;
    int right = on_device<int, 32>(x, n, 0, Sum()) == sum;
    right += on_device<int, 64>(x, n, 0, Sum()) == sum;
    right += on_device<int, 128>(x, n, 0, Sum()) == sum;
    right += on_device<int, 256>(x, n, 0, Sum()) == sum;
    right += on_device<int, 512>(x, n, 0, Sum()) == sum;
    printf("sums for 32 to 512 threads: %d right\n", right);
    printf("least double %.2f, ", on_device<double, 128>(d, n, DBL_MAX, Least()));
    printf("greatest long long %lld\n", on_device<long long, 256>(l, n, LLONG_MIN, Greatest()));
    float4 a[64], b[64], *there;
    float *out, result;
    for (int i = 0; i < 64; i++)
        a[i] = make_float4(1, 2, 3, 4), b[i] = make_float4(5, (float)i, 60, (float)(32 - i));
    float wanted = 0;
    for (int i = 0; i < 64; i++)
        wanted += a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z + a[i].w * b[i].w;
    CALL(cudaMalloc(&there, sizeof a + sizeof b));
    CALL(cudaMalloc(&out, sizeof *out));
    CALL(cudaMemset(out, 0, sizeof *out));
    CALL(cudaMemcpy(there, a, sizeof a, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(there + 64, b, sizeof b, cudaMemcpyHostToDevice));
    dot<<<1, 64>>>(there, there + 64, out);
    LAUNCHED();
    CALL(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == wanted);
    printf("dot product of float4: %.0f\n", result);
    return 0;
}
