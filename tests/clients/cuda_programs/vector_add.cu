// Sums of vectors: cudaMalloc, cudaMemcpy, blocks that do not fill up, no elements at all.
// > 1 elements: 1 as on the host
// > 100003 elements: 100003 as on the host
#include "check.h"
#include <vector>

__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

static void run(int n)
{
    std::vector<float> a(n), b(n), sum(n), wanted(n);
    for (int i = 0; i < n; i++) {
        a[i] = next_random() * 0.37f, b[i] = next_random() * -0.11f;
        wanted[i] = a[i] + b[i];
    }
    float *there[3];
    for (float *&one : there)
        CALL(cudaMalloc(&one, n * sizeof(float)));
    CALL(cudaMemcpy(there[0], a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(there[1], b.data(), n * sizeof(float), cudaMemcpyDefault));
    add<<<(n + 255) / 256, 256>>>(there[0], there[1], there[2], n);
    LAUNCHED();
    CALL(cudaMemcpy(sum.data(), there[2], n * sizeof(float), cudaMemcpyDeviceToHost));
    char what[32];
    snprintf(what, sizeof what, "%d elements", n);
    same(what, sum.data(), wanted.data(), n);
    for (float *one : there)
        CALL(cudaFree(one));
}

int main()
{
    run(1);
    run(100003);
    void *nothing = &nothing;
    CALL(cudaMalloc(&nothing, 0));
    EXPECT(nothing == nullptr);
    CALL(cudaFree(nothing));
    return 0;
}
