// Surfaces of one dimension, of layers and of a cube's faces; textures that gather four texels, and of a cube.
// > a surface of one dimension: 64 as on the host
// > layers: 192 as on the host
// > faces of a cube: 384 as on the host
// > gathered texels: 49 as on the host
// > directions into a cube: 6 as on the host
#include "check.h"

__global__ void line(cudaSurfaceObject_t s)
{
    int value;
    surf1Dread(&value, s, threadIdx.x * 4);
    surf1Dwrite(value * 3 + 1, s, threadIdx.x * 4);
}

__global__ void layers(cudaSurfaceObject_t s)
{
    int value = 1000 * blockIdx.x + 8 * threadIdx.y + threadIdx.x;
    surf2DLayeredwrite(value, s, threadIdx.x * 4, threadIdx.y, blockIdx.x);
}

__global__ void faces(cudaSurfaceObject_t s)
{
    surfCubemapwrite((float)(100 * blockIdx.x + 8 * threadIdx.y + threadIdx.x), s, threadIdx.x * 4, threadIdx.y, blockIdx.x);
}

__global__ void gather(cudaTextureObject_t t, float *out)
{
    float4 found = tex2Dgather<float4>(t, threadIdx.x + 1.0f, threadIdx.y + 1.0f, 0);
    out[threadIdx.y * 7 + threadIdx.x] = found.x + 10 * found.y + 100 * found.z + 1000 * found.w;
}

__global__ void directions(cudaTextureObject_t t, float *out)
{
    float sign = threadIdx.x % 2 ? -1 : 1;
    float x = threadIdx.x / 2 == 0 ? sign : 0, y = threadIdx.x / 2 == 1 ? sign : 0, z = threadIdx.x / 2 == 2 ? sign : 0;
    out[threadIdx.x] = texCubemap<float>(t, x, y, z);
}

static cudaArray_t make(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags)
{
    cudaArray_t made;
    CALL(cudaMalloc3DArray(&made, &format, extent, flags));
    return made;
}

static cudaResourceDesc resource(cudaArray_t array)
{
    cudaResourceDesc found = {};
    found.resType = cudaResourceTypeArray;
    found.res.array.array = array;
    return found;
}

static cudaSurfaceObject_t surface(cudaArray_t array)
{
    cudaSurfaceObject_t made;
    cudaResourceDesc what = resource(array);
    CALL(cudaCreateSurfaceObject(&made, &what));
    return made;
}

static cudaTextureObject_t texture(cudaArray_t array, bool normalized)
{
    cudaTextureObject_t made;
    cudaResourceDesc what = resource(array);
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = normalized;
    CALL(cudaCreateTextureObject(&made, &what, &how, nullptr));
    return made;
}

template <typename T> static void read(cudaArray_t array, T *out, int width, int height, int depth)
{
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(out, width * sizeof(T), width, height);
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CALL(cudaMemcpy3D(&copy));
}

int main()
{
    int row[64], wanted[64], got[192], right[192];
    for (int i = 0; i < 64; i++)
        row[i] = i * i, wanted[i] = 3 * i * i + 1;
    cudaArray_t one = make(cudaCreateChannelDesc<int>(), make_cudaExtent(64, 0, 0), cudaArraySurfaceLoadStore);
    CALL(cudaMemcpy2DToArray(one, 0, 0, row, sizeof row, sizeof row, 1, cudaMemcpyHostToDevice));
    line<<<1, 64>>>(surface(one));
    LAUNCHED();
    CALL(cudaMemcpy2DFromArray(row, sizeof row, one, 0, 0, sizeof row, 1, cudaMemcpyDeviceToHost));
    same("a surface of one dimension", row, wanted, 64);

    cudaArray_t some = make(cudaCreateChannelDesc<int>(), make_cudaExtent(8, 8, 3), cudaArraySurfaceLoadStore | cudaArrayLayered);
    layers<<<3, dim3(8, 8)>>>(surface(some));
    LAUNCHED();
    read(some, got, 8, 8, 3);
    for (int i = 0; i < 192; i++)
        right[i] = i / 64 * 1000 + i % 64;
    same("layers", got, right, 192);

    float cube[384], numbers[384];
    cudaArray_t six = make(cudaCreateChannelDesc<float>(), make_cudaExtent(8, 8, 6), cudaArraySurfaceLoadStore | cudaArrayCubemap);
    faces<<<6, dim3(8, 8)>>>(surface(six));
    LAUNCHED();
    read(six, cube, 8, 8, 6);
    for (int i = 0; i < 384; i++)
        numbers[i] = i / 64 * 100 + i % 64;
    same("faces of a cube", cube, numbers, 384);

    float image[64], *out, sums[49], middles[6];
    for (int i = 0; i < 64; i++)
        image[i] = i * 5 % 17;
    cudaArray_t flat = make(cudaCreateChannelDesc<float>(), make_cudaExtent(8, 8, 0), cudaArrayTextureGather);
    CALL(cudaMemcpy2DToArray(flat, 0, 0, image, 32, 32, 8, cudaMemcpyHostToDevice));
    CALL(cudaMallocManaged(&out, sizeof sums));
    gather<<<1, dim3(7, 7)>>>(texture(flat, false), out);
    CALL(cudaDeviceSynchronize());
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 7; x++) // the lower left one first, then against the clock
            sums[y * 7 + x] = image[8 * y + 8 + x] + 10 * image[8 * y + 9 + x] + 100 * image[8 * y + 1 + x] + 1000 * image[8 * y + x];
    same("gathered texels", out, sums, 49);

    directions<<<1, 6>>>(texture(six, true), out);
    CALL(cudaDeviceSynchronize());
    for (int face = 0; face < 6; face++)
        middles[face] = 100 * face + 36;
    same("directions into a cube", out, middles, 6);
    return 0;
}
