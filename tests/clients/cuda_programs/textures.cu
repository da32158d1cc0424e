// Texture and surface objects: arrays, linear and pitched memory, filtering, address modes, channels, surface writes.
// > points: 48 as on the host
// > halfway: 35 as on the host
// > normalized, wrapped: 48 as on the host
// > bytes as fractions: 256 as on the host
// > linear memory: 100 as on the host
// > surface: 48 as on the host
#include "check.h"

const int W = 8, H = 6;

__global__ void points(cudaTextureObject_t t, float *out) { out[threadIdx.y * W + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f); }

__global__ void halfway(cudaTextureObject_t t, float *out) { out[threadIdx.y * (W - 1) + threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, threadIdx.y + 1.0f); }

__global__ void wrapped(cudaTextureObject_t t, float *out) { out[threadIdx.y * W + threadIdx.x] = tex2D<float>(t, (threadIdx.x + 0.5f) / W + 3.0f, (threadIdx.y + 0.5f) / H - 2.0f); }

__global__ void fractions(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); }

__global__ void fetched(cudaTextureObject_t t, int4 *out) { out[threadIdx.x] = tex1Dfetch<int4>(t, threadIdx.x); }

__global__ void tripled(cudaSurfaceObject_t s)
{
    float x;
    surf2Dread(&x, s, threadIdx.x * sizeof(float), threadIdx.y);
    surf2Dwrite(3 * x, s, threadIdx.x * sizeof(float), threadIdx.y);
}

static cudaTextureObject_t texture(cudaResourceDesc &resource, cudaTextureFilterMode filter, bool normalized, cudaTextureReadMode mode)
{
    cudaTextureDesc description = {};
    for (cudaTextureAddressMode &one : description.addressMode)
        one = normalized ? cudaAddressModeWrap : cudaAddressModeClamp;
    description.filterMode = filter;
    description.readMode = mode;
    description.normalizedCoords = normalized;
    cudaTextureObject_t object;
    CALL(cudaCreateTextureObject(&object, &resource, &description, nullptr));
    return object;
}

int main()
{
    float image[W * H], middle[(W - 1) * (H - 1)], tripled_image[W * H], got[W * H], *out;
    for (int i = 0; i < W * H; i++) {
        image[i] = (float)(next_random() % 64);
        tripled_image[i] = 3 * image[i];
    }
    for (int y = 0; y < H - 1; y++)
        for (int x = 0; x < W - 1; x++)   // multiples of 1/4, so that no rounding is left to the filter
            middle[y * (W - 1) + x] = (image[y * W + x] + image[y * W + x + 1] + image[(y + 1) * W + x] + image[(y + 1) * W + x + 1]) / 4;
    CALL(cudaMalloc(&out, 4096));
    cudaArray_t array;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&array, &floats, W, H, cudaArraySurfaceLoadStore));
    CALL(cudaMemcpy2DToArray(array, 0, 0, image, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;

    cudaTextureObject_t t = texture(resource, cudaFilterModePoint, false, cudaReadModeElementType);
    points<<<1, dim3(W, H)>>>(t, out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    same("points", got, image, W * H);
    CALL(cudaDestroyTextureObject(t));
    t = texture(resource, cudaFilterModeLinear, false, cudaReadModeElementType);
    halfway<<<1, dim3(W - 1, H - 1)>>>(t, out);
    CALL(cudaMemcpy(got, out, sizeof middle, cudaMemcpyDeviceToHost));
    same("halfway", got, middle, (W - 1) * (H - 1));
    CALL(cudaDestroyTextureObject(t));
    t = texture(resource, cudaFilterModePoint, true, cudaReadModeElementType);
    wrapped<<<1, dim3(W, H)>>>(t, out);
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    same("normalized, wrapped", got, image, W * H);
    CALL(cudaDestroyTextureObject(t));

    cudaArray_t bytes;
    cudaChannelFormatDesc byte = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    unsigned char every[256];
    float fraction[256], of255[256];
    for (int i = 0; i < 256; i++) {
        every[i] = (unsigned char)i;
        of255[i] = i / 255.0f;
    }
    CALL(cudaMallocArray(&bytes, &byte, 256));
    CALL(cudaMemcpy2DToArray(bytes, 0, 0, every, 256, 256, 1, cudaMemcpyHostToDevice));
    resource.res.array.array = bytes;
    t = texture(resource, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
    fractions<<<1, 256>>>(t, out);
    CALL(cudaMemcpy(fraction, out, sizeof fraction, cudaMemcpyDeviceToHost));
    same("bytes as fractions", fraction, of255, 256);
    CALL(cudaDestroyTextureObject(t));
    CALL(cudaFreeArray(bytes));

    int4 quads[100], *there, fetched_quads[100];
    for (int i = 0; i < 100; i++)
        quads[i] = make_int4(i, -i, i * i, 7);
    CALL(cudaMalloc(&there, sizeof quads));
    CALL(cudaMemcpy(there, quads, sizeof quads, cudaMemcpyHostToDevice));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = there;
    linear.res.linear.desc = cudaCreateChannelDesc<int4>();
    linear.res.linear.sizeInBytes = sizeof quads;
    t = texture(linear, cudaFilterModePoint, false, cudaReadModeElementType);
    fetched<<<1, 100>>>(t, (int4 *)out);
    CALL(cudaMemcpy(fetched_quads, out, sizeof quads, cudaMemcpyDeviceToHost));
    same("linear memory", fetched_quads, quads, 100);
    CALL(cudaDestroyTextureObject(t));

    cudaSurfaceObject_t s;
    resource.res.array.array = array;
    CALL(cudaCreateSurfaceObject(&s, &resource));
    tripled<<<1, dim3(W, H)>>>(s);
    CALL(cudaMemcpy2DFromArray(got, W * sizeof(float), array, 0, 0, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    same("surface", got, tripled_image, W * H);
    CALL(cudaDestroySurfaceObject(s));
    cudaChannelFormatDesc described;
    cudaExtent extent;
    unsigned flags;
    CALL(cudaArrayGetInfo(&described, &extent, &flags, array));
    EXPECT(described.x == 32 && described.y == 0 && described.f == cudaChannelFormatKindFloat);
    EXPECT(extent.width == W && extent.height == H && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
    CALL(cudaFreeArray(array));
    CALL(cudaFree(out));
    CALL(cudaFree(there));
    return 0;
}
