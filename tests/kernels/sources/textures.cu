// Texture and surface objects: element reads, filtering, address modes, layers, gathers, surfaces read and written.

extern "C" __global__ void fetch_row(cudaTextureObject_t t, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(t, i - 3) + 2.0f * tex1Dfetch<float>(t, n - 1 - i);
}

extern "C" __global__ void sample_plane(cudaTextureObject_t t, const float2 *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}

extern "C" __global__ void sample_colours(cudaTextureObject_t t, const float2 *at, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float4>(t, at[i].x, at[i].y);
}

extern "C" __global__ void sample_volume(cudaTextureObject_t t, const float4 *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<float>(t, at[i].x, at[i].y, at[i].z);
}

extern "C" __global__ void sample_layers(cudaTextureObject_t t, const float2 *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLayered<float>(t, at[i].x, at[i].y, i % 5);
}

extern "C" __global__ void sample_levels(cudaTextureObject_t t, const float2 *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = tex2DLod<float>(t, at[i].x, at[i].y, 0.0f);
    float b = tex2DGrad<float>(t, at[i].x, at[i].y, make_float2(1.0f, 0.0f), make_float2(0.0f, 1.0f));
    out[i] = a - 4.0f * b;
}

extern "C" __global__ void gather_squares(cudaTextureObject_t t, const float2 *at, uint4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2Dgather<uint4>(t, at[i].x, at[i].y, 1);
}

// Two textures chosen lane by lane.
extern "C" __global__ void choose_texture(cudaTextureObject_t s, cudaTextureObject_t t, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int>(i % 3 ? s : t, i);
}

extern "C" __global__ void transpose_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    short2 v = surf2Dread<short2>(from, x * sizeof(short2), y);
    surf2Dwrite(make_short2(v.y, v.x), to, y * sizeof(short2), x);
}

extern "C" __global__ void swap_channels(cudaSurfaceObject_t s, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x >= width) return;
    uchar4 v = surf2Dread<uchar4>(s, x * 4, y);
    surf2Dwrite(make_uchar4(v.z, v.y, v.x, v.w), s, x * 4, y);
}

// Every thread looks one to the right, beyond the end of its row.
extern "C" __global__ void edges(cudaSurfaceObject_t s, float *clamped, float *zero, int width) {
    int x = threadIdx.x - 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    clamped[i] = surf2Dread<float>(s, x * 4, blockIdx.x - 1, cudaBoundaryModeClamp);
    zero[i] = surf2Dread<float>(s, x * 4, blockIdx.x - 1, cudaBoundaryModeZero);
}

extern "C" __global__ void fill_outside(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x - 4;
    surf1Dwrite(100 + (int)threadIdx.x, s, x * 4, cudaBoundaryModeZero);
}

extern "C" __global__ void scale_volume(cudaTextureObject_t t, cudaSurfaceObject_t s, int width) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x >= width) return;
    surf3Dwrite(3.0f * tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f), s, x * 4, y, z);
}

extern "C" __global__ void beyond_surface(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, threadIdx.x * 4, 0);
}
