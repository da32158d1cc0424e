// Copies that the runtime has beside cudaMemcpy2D and cudaMemcpy3D: runs of an array's bytes, arrays to arrays, boxes
// between devices, batches.
// > through an array: 48 as on the host
// > array to array: 40 as on the host
// > box between devices: 24 as on the host
// > batch: 48 as on the host
#include "check.h"

const int WIDTH = 8, HEIGHT = 6, N = WIDTH * HEIGHT;

static int first[N], host[N];

int main()
{
    for (int i = 0; i < N; i++)
        first[i] = i * 7 + 1;
    cudaStream_t stream;
    cudaArray_t array, narrow;
    cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>();
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMallocArray(&array, &whole, WIDTH, HEIGHT));
    CALL(cudaMallocArray(&narrow, &whole, 5, 8));
    CALL(cudaMemcpyToArrayAsync(array, 0, 0, first, 12, cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyToArrayAsync(array, 12, 0, first + 3, sizeof first - 12, cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyFromArrayAsync(host, array, 0, 0, sizeof host, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    same("through an array", host, first, N);
    EXPECT(cudaMemcpyToArrayAsync(array, 4 * WIDTH, 0, first, 4, cudaMemcpyHostToDevice, stream) == cudaErrorInvalidValue);

    CALL(cudaMemcpyArrayToArray(narrow, 0, 0, array, 8, 0, 160, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyFromArray(host, narrow, 0, 0, 160, cudaMemcpyDeviceToHost));
    same("array to array", host, first + 2, 40);

    int *box, *rows, small[24], expected[24];
    CALL(cudaMalloc(&box, sizeof first));
    CALL(cudaMalloc(&rows, sizeof small));
    CALL(cudaMemcpy(box, first, sizeof first, cudaMemcpyHostToDevice));
    cudaMemcpy3DPeerParms parameters = {};
    parameters.srcPtr = make_cudaPitchedPtr(box, WIDTH * 4, WIDTH, 3), parameters.srcPos = make_cudaPos(8, 1, 0);
    parameters.dstPtr = make_cudaPitchedPtr(rows, 24, 6, 2), parameters.extent = make_cudaExtent(24, 2, 2);
    CALL(cudaMemcpy3DPeerAsync(&parameters, stream));
    CALL(cudaMemcpyAsync(small, rows, sizeof small, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    for (int i = 0; i < 24; i++)
        expected[i] = first[(i / 12 * 3 + i / 6 % 2 + 1) * WIDTH + i % 6 + 2];
    same("box between devices", small, expected, 24);
    parameters.dstDevice = 99;
    EXPECT(cudaMemcpy3DPeer(&parameters) == cudaErrorInvalidDevice);

    memset(host, 0, sizeof host);
    const void *from[] = {box + 16, box};
    void *to[] = {host + 16, host};
    size_t sizes[] = {sizeof host - 64, 64}, of_all = 0;
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CALL(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &of_all, 1, stream));
    CALL(cudaStreamSynchronize(stream));
    same("batch", host, first, N);
    (void)cudaGetLastError();
}
