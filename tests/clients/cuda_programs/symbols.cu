// Variables of a module: constant and global memory, initial values, copies to parts of them, addresses, sizes.
// > polynomials: 64 as on the host
// > table: 8 as on the host
// > history: 4 as on the host
#include "check.h"

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int table[8] = {10, 20, 30, 40, 50, 60, 70, 80};
__device__ int history[4];
__device__ double scale;

__global__ void evaluate(float *out, int round)
{
    float x = threadIdx.x * 0.5f;
    out[threadIdx.x] = (float)scale * (coefficients[0] + x * (coefficients[1] + x * (coefficients[2] + x * coefficients[3])));
    if (threadIdx.x == 0)
        history[round] = table[round] + round;
}

int main()
{
    float *out, got[64], wanted[64], middle[2] = {-5, 7};
    double two = 2;
    CALL(cudaMalloc(&out, sizeof got));
    CALL(cudaMemcpyToSymbol(scale, &two, sizeof two));
    CALL(cudaMemcpyToSymbol(coefficients, middle, sizeof middle, sizeof(float)));
    evaluate<<<1, 64>>>(out, 0);
    LAUNCHED();
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {   // each step is exact in binary32
        float x = i * 0.5f;
        wanted[i] = 2 * (1 + x * (-5 + x * (7 + x * 4)));
    }
    same("polynomials", got, wanted, 64);
    int values[8], expected[8] = {10, 20, -1, -2, 50, 60, 70, 80}, replaced[2] = {-1, -2};
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMemcpyToSymbolAsync(table, replaced, sizeof replaced, 2 * sizeof(int), cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyFromSymbolAsync(values, table, sizeof values, 0, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    same("table", values, expected, 8);
    for (int round = 1; round < 4; round++)
        evaluate<<<1, 64>>>(out, round);
    int past[4], wanted_past[4] = {10, 21, 1, 1};
    CALL(cudaMemcpyFromSymbol(past, history, sizeof past));
    same("history", past, wanted_past, 4);
    void *address;
    size_t size;
    CALL(cudaGetSymbolAddress(&address, table));
    CALL(cudaGetSymbolSize(&size, table));
    EXPECT(size == sizeof table);
    CALL(cudaMemcpy(values, (int *)address + 5, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 60);
    CALL(cudaGetSymbolAddress(&address, coefficients));
    CALL(cudaMemcpy(got, address, 4 * sizeof(float), cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 1 && got[1] == -5 && got[2] == 7 && got[3] == 4);
    FAILS(cudaMemcpyToSymbol(table, values, sizeof table, sizeof(int)), cudaErrorInvalidValue);
    FAILS(cudaMemcpyFromSymbol(values, table, sizeof(int), 0, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
    int not_a_symbol;
    FAILS(cudaGetSymbolAddress(&address, not_a_symbol), cudaErrorInvalidSymbol);
    return 0;
}
