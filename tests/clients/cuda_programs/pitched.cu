// Pitched memory: rows and slices that are copied, filled, and used by kernels; parts of them; wrong pitches.
// > rows: 851 as on the host
// > a part: 40 as on the host
// > filled: 851 as on the host
// > slices: 660 as on the host
// > from slice to slice: 660 as on the host
#include "check.h"

const int W = 37, H = 23, D = 5;

__global__ void scale_rows(float *x, size_t pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < W && row < H)
        ((float *)((char *)x + row * pitch))[column] *= row;
}

__global__ void number(cudaPitchedPtr p, cudaExtent extent)
{
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = threadIdx.y; y < extent.height; y += blockDim.y)
            for (size_t x = threadIdx.x; x < extent.width / sizeof(short); x += blockDim.x)
                ((short *)((char *)p.ptr + (z * p.ysize + y) * p.pitch))[x] += (short)(z * 1000 + y * 30 + x);
}

int main()
{
    static float host[H][W], got[H][W], wanted[H][W], part[5][8], wanted_part[5][8];
    for (int i = 0; i < W * H; i++) {
        host[0][i] = (int)next_random() % 1000 * 0.5f;
        wanted[0][i] = host[0][i] * (i / W);
    }
    float *x;
    size_t pitch;
    CALL(cudaMallocPitch(&x, &pitch, W * sizeof(float), H));
    EXPECT(pitch >= W * sizeof(float) && pitch % 256 == 0);
    CALL(cudaMemcpy2D(x, pitch, host, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    scale_rows<<<dim3(2, 3), dim3(32, 8)>>>(x, pitch);
    LAUNCHED();
    CALL(cudaMemcpy2D(got, W * sizeof(float), x, pitch, W * sizeof(float), H, cudaMemcpyDefault));
    same("rows", got[0], wanted[0], W * H);
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 8; column++)
            wanted_part[row][column] = wanted[10 + row][20 + column];
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    float *corner = (float *)((char *)x + 10 * pitch) + 20;
    CALL(cudaMemcpy2DAsync(part, sizeof part[0], corner, pitch, sizeof part[0], 5, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    same("a part", part[0], wanted_part[0], 40);
    CALL(cudaMemset2D(corner, pitch, 0, sizeof part[0], 5));
    for (int row = 0; row < 5; row++)
        memset(&wanted[10 + row][20], 0, sizeof part[0]);
    CALL(cudaMemcpy2D(got, W * sizeof(float), x, pitch, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    same("filled", got[0], wanted[0], W * H);
    FAILS(cudaMemcpy2D(got, 8, x, pitch, 12, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    FAILS(cudaMemcpy2D(got, W * 4, x, pitch, W * 4, 2, (cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();

    const int w = 12, h = 11;
    static short volume[D][h][w], wanted_volume[D][h][w], copied[D][h][w];
    for (int z = 0; z < D; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                volume[z][y][x] = (short)next_random();
                wanted_volume[z][y][x] = (short)(volume[z][y][x] + z * 1000 + y * 30 + x);
            }
    cudaPitchedPtr there, other;
    cudaExtent extent = make_cudaExtent(w * sizeof(short), h, D);
    CALL(cudaMalloc3D(&there, extent));
    CALL(cudaMalloc3D(&other, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(volume, w * sizeof(short), w, h);
    copy.dstPtr = there;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&copy));
    number<<<1, dim3(8, 4)>>>(there, extent);
    LAUNCHED();
    copy.srcPtr = there;
    copy.dstPtr = make_cudaPitchedPtr(copied, w * sizeof(short), w, h);
    copy.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&copy));
    same("slices", copied[0][0], wanted_volume[0][0], D * h * w);

    CALL(cudaMemset3D(other, 0, extent));
    copy.srcPtr = there, copy.dstPtr = other, copy.kind = cudaMemcpyDeviceToDevice;
    copy.srcPos = make_cudaPos(0, 0, 1);        // slices 1 to 4 become slices 0 to 3
    copy.extent = make_cudaExtent(w * sizeof(short), h, D - 1);
    CALL(cudaMemcpy3DAsync(&copy, stream));
    copy.srcPtr = other, copy.srcPos = make_cudaPos(0, 0, 0), copy.extent = extent;
    copy.dstPtr = make_cudaPitchedPtr(copied, w * sizeof(short), w, h), copy.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3DAsync(&copy, stream));
    CALL(cudaStreamSynchronize(stream));
    memmove(wanted_volume[0], wanted_volume[1], sizeof wanted_volume[0] * (D - 1));
    memset(wanted_volume[D - 1], 0, sizeof wanted_volume[0]);
    same("from slice to slice", copied[0][0], wanted_volume[0][0], D * h * w);
    CALL(cudaFree(there.ptr));
    CALL(cudaFree(x));
    return 0;
}
