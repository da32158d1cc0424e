// Textures and surfaces of other kinds: three dimensions, layers, one dimension, pitched memory, four channels.
// > volume: 120 as on the host
// > between slices: 120 as on the host
// > layers: 96 as on the host
// > one dimension: 50 as on the host
// > pitched: 63 as on the host
// > four channels: 40 as on the host
// > surface of a volume: 120 as on the host
// > surface of layers: 96 as on the host
#include "check.h"

const int W = 6, H = 5, D = 4;

__global__ void read_volume(cudaTextureObject_t t, float shift, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * H + y) * W + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f + shift);
}

__global__ void read_layers(cudaTextureObject_t t, int *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    out[(z * 4 + y) * 8 + x] = tex2DLayered<int>(t, x + 0.5f, y + 0.5f, z);
}

__global__ void read_line(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x * 0.5f + 0.5f); }

__global__ void read_pitched(cudaTextureObject_t t, unsigned char *out)
{
    out[threadIdx.y * 9 + threadIdx.x] = tex2D<unsigned char>(t, threadIdx.x - 1.0f, threadIdx.y);   // clamped at the left
}

__global__ void read_fours(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x); }

__global__ void write_volume(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    float old = surf3Dread<float>(s, x * sizeof(float), y, z);
    surf3Dwrite(old * 2 + x, s, x * sizeof(float), y, z);
}

__global__ void write_layers(cudaSurfaceObject_t s)
{
    surf2DLayeredwrite((int)(threadIdx.x * 100 + threadIdx.y * 10 + blockIdx.x), s, threadIdx.x * sizeof(int), threadIdx.y, blockIdx.x);
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureFilterMode filter, int read_mode = 0)
{
    cudaTextureDesc description = {};
    for (cudaTextureAddressMode &mode : description.addressMode)
        mode = cudaAddressModeClamp;
    description.filterMode = filter;
    description.readMode = (cudaTextureReadMode)read_mode;
    cudaTextureObject_t object;
    CALL(cudaCreateTextureObject(&object, &resource, &description, nullptr));
    return object;
}

static cudaResourceDesc array_resource(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void copy_volume(void *host, cudaArray_t array, int width, int height, int depth, bool back)
{
    cudaMemcpy3DParms copy = {};
    cudaPitchedPtr memory = make_cudaPitchedPtr(host, width * 4, width, height);
    if (back)
        copy.srcArray = array, copy.dstPtr = memory, copy.kind = cudaMemcpyDeviceToHost;
    else
        copy.dstArray = array, copy.srcPtr = memory, copy.kind = cudaMemcpyHostToDevice;
    copy.extent = make_cudaExtent(width, height, depth);
    CALL(cudaMemcpy3D(&copy));
}

int main()
{
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), ints = cudaCreateChannelDesc<int>();
    static float volume[D][H][W], got[D][H][W], wanted[D][H][W];
    for (int i = 0; i < D * H * W; i++)
        volume[0][0][i] = (int)next_random() % 1024;
    float *out;
    CALL(cudaMalloc(&out, sizeof volume));
    cudaArray_t array;
    CALL(cudaMalloc3DArray(&array, &floats, make_cudaExtent(W, H, D), cudaArraySurfaceLoadStore));
    copy_volume(volume, array, W, H, D, false);
    cudaTextureObject_t points = texture_of(array_resource(array), cudaFilterModePoint);
    read_volume<<<1, dim3(W, H, D)>>>(points, 0, out);
    LAUNCHED();
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    same("volume", got[0][0], volume[0][0], D * H * W);
    cudaTextureObject_t linear = texture_of(array_resource(array), cudaFilterModeLinear);
    read_volume<<<1, dim3(W, H, D)>>>(linear, 0.25f, out);
    LAUNCHED();
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int z = 0; z < D; z++)                 // a quarter of the next slice: exact in the 8 bits of a weight
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wanted[z][y][x] = 0.75f * volume[z][y][x] + 0.25f * volume[z + 1 < D ? z + 1 : z][y][x];
    same("between slices", got[0][0], wanted[0][0], D * H * W);

    int layers[3][4][8], layers_got[3][4][8];
    for (int i = 0; i < 96; i++)
        layers[0][0][i] = (int)next_random();
    cudaArray_t layered;
    CALL(cudaMalloc3DArray(&layered, &ints, make_cudaExtent(8, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
    copy_volume(layers, layered, 8, 4, 3, false);
    int *numbers;
    CALL(cudaMalloc(&numbers, sizeof layers));
    cudaTextureObject_t layer_texture = texture_of(array_resource(layered), cudaFilterModePoint);
    read_layers<<<3, dim3(8, 4)>>>(layer_texture, numbers);
    LAUNCHED();
    CALL(cudaMemcpy(layers_got, numbers, sizeof layers, cudaMemcpyDeviceToHost));
    same("layers", layers_got[0][0], layers[0][0], 96);

    float line[26], line_wanted[50];
    for (int i = 0; i < 26; i++)
        line[i] = i * i;
    for (int i = 0; i < 50; i++)
        line_wanted[i] = i % 2 ? (line[i / 2] + line[i / 2 + 1]) / 2 : line[i / 2];
    cudaArray_t line_array;
    CALL(cudaMallocArray(&line_array, &floats, 26));
    CALL(cudaMemcpy2DToArray(line_array, 0, 0, line, sizeof line, sizeof line, 1, cudaMemcpyHostToDevice));
    read_line<<<1, 50>>>(texture_of(array_resource(line_array), cudaFilterModeLinear), out);
    LAUNCHED();
    CALL(cudaMemcpy(got, out, sizeof line_wanted, cudaMemcpyDeviceToHost));
    same("one dimension", got[0][0], line_wanted, 50);

    unsigned char bytes[7][9], bytes_got[7][9], bytes_wanted[7][9], *pitched, *byte_out;
    size_t pitch;
    for (int i = 0; i < 63; i++)
        bytes[0][i] = (unsigned char)next_random();
    for (int i = 0; i < 63; i++)
        bytes_wanted[0][i] = bytes[i / 9][i % 9 ? i % 9 - 1 : 0];
    CALL(cudaMallocPitch(&pitched, &pitch, 9, 7));
    CALL(cudaMemcpy2D(pitched, pitch, bytes, 9, 9, 7, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched, resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = 9, resource.res.pitch2D.height = 7, resource.res.pitch2D.pitchInBytes = pitch;
    CALL(cudaMalloc(&byte_out, sizeof bytes));
    read_pitched<<<1, dim3(9, 7)>>>(texture_of(resource, cudaFilterModePoint), byte_out);
    LAUNCHED();
    CALL(cudaMemcpy(bytes_got, byte_out, sizeof bytes, cudaMemcpyDeviceToHost));
    same("pitched", bytes_got[0], bytes_wanted[0], 63);

    ushort4 fours[10];
    float4 four_got[10], four_wanted[10], *four_out;
    for (int i = 0; i < 10; i++) {
        fours[i] = make_ushort4(i, 1000 * i, 65535, 0);
        four_wanted[i] = make_float4(fours[i].x / 65535.0f, fours[i].y / 65535.0f, 1, 0);
    }
    ushort4 *four_there;
    CALL(cudaMalloc(&four_there, sizeof fours));
    CALL(cudaMalloc(&four_out, sizeof four_got));
    CALL(cudaMemcpy(four_there, fours, sizeof fours, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = four_there, resource.res.linear.desc = cudaCreateChannelDesc<ushort4>();
    resource.res.linear.sizeInBytes = sizeof fours;
    cudaTextureObject_t four_texture = texture_of(resource, cudaFilterModePoint, cudaReadModeNormalizedFloat);
    read_fours<<<1, 10>>>(four_texture, four_out);
    LAUNCHED();
    CALL(cudaMemcpy(four_got, four_out, sizeof four_got, cudaMemcpyDeviceToHost));
    same("four channels", &four_got[0].x, &four_wanted[0].x, 40);

    cudaSurfaceObject_t surface, layer_surface;
    cudaResourceDesc whole = array_resource(array), of_layers = array_resource(layered);
    CALL(cudaCreateSurfaceObject(&surface, &whole));
    write_volume<<<1, dim3(W, H, D)>>>(surface);
    LAUNCHED();
    copy_volume(got, array, W, H, D, true);
    for (int i = 0; i < D * H * W; i++)
        wanted[0][0][i] = volume[0][0][i] * 2 + i % W;
    same("surface of a volume", got[0][0], wanted[0][0], D * H * W);
    CALL(cudaCreateSurfaceObject(&layer_surface, &of_layers));
    write_layers<<<3, dim3(8, 4)>>>(layer_surface);
    LAUNCHED();
    copy_volume(layers_got, layered, 8, 4, 3, true);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 8; x++)
                layers[z][y][x] = x * 100 + y * 10 + z;
    same("surface of layers", layers_got[0][0], layers[0][0], 96);

    cudaExtent extent;
    cudaChannelFormatDesc channels;
    unsigned flags;
    CALL(cudaArrayGetInfo(&channels, &extent, &flags, layered));
    EXPECT(extent.width == 8 && extent.height == 4 && extent.depth == 3 && channels.x == 32 && channels.y == 0);
    EXPECT(channels.f == cudaChannelFormatKindSigned && flags == (cudaArrayLayered | cudaArraySurfaceLoadStore));
    cudaResourceDesc asked;
    CALL(cudaGetTextureObjectResourceDesc(&asked, points));
    EXPECT(asked.resType == cudaResourceTypeArray && asked.res.array.array == array);
    CALL(cudaGetSurfaceObjectResourceDesc(&asked, layer_surface));
    EXPECT(asked.resType == cudaResourceTypeArray && asked.res.array.array == layered);
    CALL(cudaGetTextureObjectResourceDesc(&asked, four_texture));
    EXPECT(asked.resType == cudaResourceTypeLinear && asked.res.linear.devPtr == four_there);
    EXPECT(asked.res.linear.desc.w == 16 && asked.res.linear.desc.f == cudaChannelFormatKindUnsigned);
    cudaTextureDesc description;
    CALL(cudaGetTextureObjectTextureDesc(&description, linear));
    EXPECT(description.filterMode == cudaFilterModeLinear && description.addressMode[2] == cudaAddressModeClamp);
    EXPECT(!description.normalizedCoords && description.readMode == cudaReadModeElementType);
    CALL(cudaGetTextureObjectTextureDesc(&description, four_texture));
    EXPECT(description.readMode == cudaReadModeNormalizedFloat);
    CALL(cudaDestroySurfaceObject(surface));
    CALL(cudaDestroyTextureObject(points));
    CALL(cudaDestroyTextureObject(linear));
    CALL(cudaFreeArray(array));
    return 0;
}
