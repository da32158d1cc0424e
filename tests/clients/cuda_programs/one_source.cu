// The same functions on host and device: 128-bit integers, several bases, tables of functions, backtracking, bit fields.
// > 128-bit integers: 500 as on the host
// > objects of several bases: 300 as on the host
// > calls through a table: 300 as on the host
// > queens: 98 as on the host
// > bit fields: 300 as on the host
// > remainders of cooperative copies: 96 as on the host
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <new>
#include <vector>

namespace cg = cooperative_groups;
using Wide = unsigned __int128;

__host__ __device__ uint64_t mixed(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

struct Divide {
    __host__ __device__ uint64_t operator()(int i) const
    {
        Wide a = ((Wide)mixed(i) << 64) | mixed(i + 77);
        Wide b = (((Wide)mixed(i * 3) << 64) | mixed(i * 7 + 1)) >> (i % 120);
        if (b == 0)
            b = 3;
        __int128 c = (__int128)a, d = (__int128)(b >> 1) | 1;
        Wide sum = a / b * (a % b) + (a << (i % 128)) + (a >> (i % 127)) + (Wide)(c >> (i % 126));
        sum += (Wide)(c / (i % 2 ? -d : d)) * 3 + (Wide)(c % d);
        return (uint64_t)sum ^ (uint64_t)(sum >> 64) * 31;
    }
};

struct Base {
    int v;
    __host__ __device__ Base(int v) : v(v) {}
    __host__ __device__ virtual int f(int x) const { return x + v; }
};

struct Other {
    int w = 0;
    __host__ __device__ virtual int g(int x) const { return x * w; }
};

struct Both : Base, Other {
    __host__ __device__ Both(int a) : Base(a) { w = a + 2; }
    __host__ __device__ int f(int x) const override { return g(x) - v; }
    __host__ __device__ int g(int x) const override { return x * w + 1; }
};

struct Third : Both {
    int z;
    __host__ __device__ Third(int a) : Both(a), z(a * a) {}
    __host__ __device__ int f(int x) const override { return Both::f(x) ^ z; }
};

struct Objects {
    __host__ __device__ int operator()(int i) const
    {
        alignas(16) char place[64];
        if (i % 3 == 0)
            return (new (place) Base(i))->f(i * 3 + 1);
        Both *both = i % 3 == 1 ? new (place) Both(i) : new (place) Third(i);
        const Base *base = both;
        const Other *other = both;
        return base->f(i * 3 + 1) * 7 + other->g(i);
    }
};

__host__ __device__ int add(int a, int b) { return a + b; }
__host__ __device__ int subtract(int a, int b) { return a - b; }
__host__ __device__ int exclusive(int a, int b) { return a ^ b; }

struct Table {
    __host__ __device__ int operator()(int i) const
    {
        int (*const table[3])(int, int) = {add, subtract, exclusive};
        int stack[24], top = 0;
        uint64_t random = mixed(i);
        for (stack[top++] = i; random; random >>= 2) {
            if (top < 2 || (random % 4 == 3 && top < 24))
                stack[top++] = (int)(random & 0xffff);
            else {
                top--;
                stack[top - 1] = table[random % 3](stack[top - 1], stack[top]);
            }
        }
        unsigned sum = 0;
        while (top)
            sum = sum * 17 + stack[--top];
        return (int)sum;
    }
};

__host__ __device__ int queens(unsigned columns, unsigned left, unsigned right, unsigned all)
{
    if (columns == all)
        return 1;
    int found = 0;
    for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
        unsigned place = free & -free;
        found += queens(columns | place, (left | place) << 1, (right | place) >> 1, all);
    }
    return found;
}

struct Queens {
    __host__ __device__ int operator()(int i) const { return queens(0, 0, 0, (2u << i % 7) - 1); }
};

struct Fields {
    unsigned a : 3;
    int b : 7;
    unsigned c : 13;
    uint64_t d : 37;
    int64_t e : 27;
    __host__ __device__ uint64_t operator()(int i) const
    {
        Fields x = {};
        for (int k = 0; k < 20; k++) {
            uint64_t random = mixed(i * 20 + k);
            x.a += random, x.b -= random >> 8, x.c ^= random >> 16;
            x.d = x.d * 3 + x.c, x.e -= x.b * (int)x.a;
        }
        return x.a + ((uint64_t)x.b << 8) + ((uint64_t)x.c << 20) + x.d * 5 + (uint64_t)x.e * 11;
    }
};

template <typename F, typename T> __global__ void each(T *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = F()(i);
}

template <typename F> void compare(const char *what, int count)
{
    using T = decltype(F()(0));
    std::vector<T> host(count), device(count);
    for (int i = 0; i < count; i++)
        host[i] = F()(i);
    T *out;
    CALL(cudaMalloc(&out, count * sizeof(T)));
    each<F, T><<<(count + 66) / 67, 67>>>(out, count);
    LAUNCHED();
    CALL(cudaMemcpy(device.data(), out, count * sizeof(T), cudaMemcpyDeviceToHost));
    same(what, device.data(), host.data(), count);
    CALL(cudaFree(out));
}

// A warp copies 33 elements: what is left over is copied by all lanes, most of which copy the last one.
__global__ void copy(int *out, const int *in)
{
    __shared__ int tile[99];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int *mine = tile + warp.meta_group_rank() * 33;
    cg::memcpy_async(warp, mine, in + warp.meta_group_rank() * 33 + 1, sizeof(int) * 33);
    cg::wait(warp);
    out[threadIdx.x] = mine[32 - warp.thread_rank()];
}

int main()
{
    compare<Divide>("128-bit integers", 500);
    compare<Objects>("objects of several bases", 300);
    compare<Table>("calls through a table", 300);
    compare<Queens>("queens", 98);
    compare<Fields>("bit fields", 300);

    int host[100], wanted[96], *in, *out;
    for (int i = 0; i < 100; i++)
        host[i] = i * i;
    for (int i = 0; i < 96; i++)
        wanted[i] = host[i / 32 * 33 + 1 + 32 - i % 32];
    CALL(cudaMalloc(&in, sizeof host));
    CALL(cudaMalloc(&out, sizeof wanted));
    CALL(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    copy<<<1, 96>>>(out, in);
    LAUNCHED();
    CALL(cudaMemcpy(host, out, sizeof wanted, cudaMemcpyDeviceToHost));
    same("remainders of cooperative copies", host, wanted, 96);
}
