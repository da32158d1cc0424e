// Constant memory: structures, parts of arrays by offsets, addresses of symbols, a table that a stream changes.
// > polynomials: 1024 as on the host
// > after a part has changed: 1024 as on the host
// > pointers to symbols: 4 right
#include "check.h"

struct Polynomial {
    float coefficient[4];
    short degree;
    char name[6];
};

__constant__ Polynomial polynomials[8];
__constant__ unsigned char order[256];
__device__ int counters[4] = {1, 2, 3, 4};

__global__ void evaluate(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Polynomial &p = polynomials[order[i % 256]];
    float value = p.coefficient[p.degree];
    for (int k = p.degree - 1; k >= 0; k--)
        value = __fadd_rn(__fmul_rn(value, x[i]), p.coefficient[k]);
    y[i] = value + p.name[p.degree];
}

__global__ void through_pointers(const unsigned char *table, int *out)
{
    if (threadIdx.x < 4)
        out[threadIdx.x] = atomicAdd(&counters[threadIdx.x], (int)table[threadIdx.x]);
}

static float on_host(const Polynomial &p, float x)
{
    volatile float value = p.coefficient[p.degree];
    for (int k = p.degree - 1; k >= 0; k--) {
        volatile float product = value * x;
        value = product + p.coefficient[k];
    }
    return value + p.name[p.degree];
}

int main()
{
    const int n = 1024;
    static float x[n], y[n], wanted[n], *there, *out;
    Polynomial host[8];
    unsigned char places[256];
    for (int i = 0; i < 8; i++) {
        for (float &c : host[i].coefficient)
            c = (float)(next_random() % 100) / 7;
        host[i].degree = (short)(1 + i % 3);
        memcpy(host[i].name, "abcde", 6);
    }
    for (int i = 0; i < 256; i++)
        places[i] = (unsigned char)(next_random() % 8);
    for (float &one : x)
        one = (float)(next_random() % 1000) / 99;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&out, sizeof y));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(polynomials, host, sizeof host));
    CALL(cudaMemcpyToSymbol(order, places, sizeof places));
    evaluate<<<4, 256>>>(there, out);
    LAUNCHED();
    for (int i = 0; i < n; i++)
        wanted[i] = on_host(host[places[i % 256]], x[i]);
    CALL(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));
    same("polynomials", y, wanted, n);

    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    host[5].coefficient[0] = -1000, places[3] = 5;
    CALL(cudaMemcpyToSymbolAsync(polynomials, &host[5], sizeof host[5], 5 * sizeof host[5], cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyToSymbolAsync(order, &places[3], 1, 3, cudaMemcpyHostToDevice, stream));
    evaluate<<<4, 256, 0, stream>>>(there, out);
    LAUNCHED();
    CALL(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        wanted[i] = on_host(host[places[i % 256]], x[i]);
    CALL(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));
    same("after a part has changed", y, wanted, n);

    void *table, *counts;
    size_t size;
    int before[4], after[4], right = 0;
    CALL(cudaGetSymbolAddress(&table, order));
    CALL(cudaGetSymbolAddress(&counts, counters));
    CALL(cudaGetSymbolSize(&size, order));
    EXPECT(size == 256);
    through_pointers<<<1, 32>>>((const unsigned char *)table, (int *)out);
    LAUNCHED();
    CALL(cudaMemcpy(before, out, sizeof before, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(after, counts, sizeof after, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        right += before[i] == i + 1 && after[i] == i + 1 + places[i];
    printf("pointers to symbols: %d right\n", right);
    FAILS(cudaMemcpyToSymbol(order, places, 256, 1), cudaErrorInvalidValue);
    return 0;
}
