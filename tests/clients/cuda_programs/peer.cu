// One device: copies from it to itself as between peers, and what is asked of peers that are not there.
// > copied: 300 as on the host
// > copied in a stream: 300 as on the host
#include "check.h"

int main()
{
    const int n = 300;
    int host[n], got[n], *from, *to, count, device = -1, can = -1;
    for (int i = 0; i < n; i++)
        host[i] = (int)next_random();
    CALL(cudaGetDeviceCount(&count));
    EXPECT(count == 1);
    CALL(cudaMalloc(&from, sizeof host));
    CALL(cudaMalloc(&to, sizeof host));
    CALL(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyPeer(to, 0, from, 0, sizeof host));
    CALL(cudaMemcpy(got, to, sizeof host, cudaMemcpyDeviceToHost));
    same("copied", got, host, n);
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMemsetAsync(to, 0, sizeof host, stream));
    CALL(cudaMemcpyPeerAsync(to, 0, from, 0, sizeof host, stream));
    CALL(cudaMemcpyAsync(got, to, sizeof host, cudaMemcpyDefault, stream));
    CALL(cudaStreamSynchronize(stream));
    same("copied in a stream", got, host, n);

    CALL(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0);                                       // a device is no peer of itself
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    FAILS(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    FAILS(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
    FAILS(cudaMemcpyPeer(to, 1, from, 0, 4), cudaErrorInvalidDevice);
    cudaGetLastError();

    char bus[32];
    CALL(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CALL(cudaDeviceGetByPCIBusId(&device, bus));
    EXPECT(device == 0);
    cudaPointerAttributes attributes;
    CALL(cudaPointerGetAttributes(&attributes, to + 5));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && attributes.devicePointer == to + 5);
    CALL(cudaPointerGetAttributes(&attributes, host));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    return 0;
}
