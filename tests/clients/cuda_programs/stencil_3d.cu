// A wave in three dimensions: pitched volumes, planes in shared memory, a layer of ghosts, copies between the steps.
// > after 6 steps: 5832 as on the host
// > a plane: 324 as on the host
#include "check.h"
#include <utility>
#include <vector>

const int N = 18;

__global__ void step(cudaPitchedPtr now, cudaPitchedPtr before)
{
    __shared__ float plane[10][10];
    auto row = [](cudaPitchedPtr p, int z, int y) { return (float *)((char *)p.ptr + ((size_t)z * N + y) * p.pitch); };
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, x = blockIdx.x * 8 + tx + 1, y = blockIdx.y * 8 + ty + 1;
    for (int z = 1; z < N - 1; z++) {
        plane[ty + 1][tx + 1] = row(now, z, y)[x];
        if (!tx)
            plane[ty + 1][0] = row(now, z, y)[x - 1];
        if (tx == 7)
            plane[ty + 1][9] = row(now, z, y)[x + 1];
        if (!ty)
            plane[0][tx + 1] = row(now, z, y - 1)[x];
        if (ty == 7)
            plane[9][tx + 1] = row(now, z, y + 1)[x];
        __syncthreads();
        float around = plane[ty + 1][tx] + plane[ty + 1][tx + 2] + plane[ty][tx + 1] + plane[ty + 2][tx + 1];
        around += row(now, z - 1, y)[x] + row(now, z + 1, y)[x];
        float &old = row(before, z, y)[x];
        old = plane[ty + 1][tx + 1] * 0.5f - old + around * 0.25f;
        __syncthreads();
    }
}

int main()
{
    std::vector<float> now(N * N * N), before(N * N * N), got(N * N * N);
    for (float &one : now)
        one = (float)(next_random() % 16);
    auto at = [](int z, int y, int x) { return (z * N + y) * N + x; };
    cudaExtent extent = make_cudaExtent(N * sizeof(float), N, N);
    cudaPitchedPtr there[2];
    for (cudaPitchedPtr &one : there) {
        CALL(cudaMalloc3D(&one, extent));
        CALL(cudaMemset3D(one, 0, extent));
    }
    EXPECT(there[0].pitch > N * sizeof(float));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(now.data(), N * sizeof(float), N, N);
    copy.dstPtr = there[0];
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&copy));
    for (int i = 0; i < 6; i++) {
        step<<<dim3(2, 2), dim3(8, 8)>>>(there[0], there[1]);
        LAUNCHED();
        std::swap(there[0], there[1]);
        for (int z = 1; z < N - 1; z++)
            for (int y = 1; y < N - 1; y++)
                for (int x = 1; x < N - 1; x++) {      // quarters of small integers, so that every sum is exact
                    float around = now[at(z, y, x - 1)] + now[at(z, y, x + 1)] + now[at(z, y - 1, x)] + now[at(z, y + 1, x)];
                    around += now[at(z - 1, y, x)] + now[at(z + 1, y, x)];
                    before[at(z, y, x)] = now[at(z, y, x)] * 0.5f - before[at(z, y, x)] + around * 0.25f;
                }
        std::swap(now, before);
    }
    cudaMemcpy3DParms back = {};
    back.srcPtr = there[0];
    back.dstPtr = make_cudaPitchedPtr(got.data(), N * sizeof(float), N, N);
    back.extent = extent;
    back.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&back));
    same("after 6 steps", got.data(), now.data(), got.size());
    float plane[N * N], wanted[N * N];
    cudaMemcpy3DParms part = {};
    part.srcPtr = there[0];
    part.srcPos = make_cudaPos(0, 0, 7);
    part.dstPtr = make_cudaPitchedPtr(plane, N * sizeof(float), N, N);
    part.extent = make_cudaExtent(N * sizeof(float), N, 1);
    part.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3DAsync(&part));
    CALL(cudaDeviceSynchronize());
    memcpy(wanted, &now[at(7, 0, 0)], sizeof wanted);
    same("a plane", plane, wanted, N * N);
    return 0;
}
