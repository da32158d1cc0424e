// Textures and surfaces of every shape.
extern "C" __global__ void fetches(cudaTextureObject_t t, cudaTextureObject_t u, float4 *out, float x, float y, float z, int l) {
    float4 s = tex1D<float4>(t, x), r;
    auto add = [&](float4 v) { s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w; };
    add(tex1Dfetch<float4>(t, l)), add(tex2D<float4>(t, x, y)), add(tex3D<float4>(t, x, y, z));
    add(tex1DLayered<float4>(t, x, l)), add(tex2DLayered<float4>(t, x, y, l)), add(texCubemap<float4>(t, x, y, z));
    add(texCubemapLayered<float4>(t, x, y, z, l)), add(tex2DLod<float4>(t, x, y, z)), add(tex3DLod<float4>(t, x, y, z, 1.0f));
    add(tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x)));
    add(tex3DGrad<float4>(t, x, y, z, make_float4(x, y, z, 0), make_float4(y, x, z, 0)));
    add(tex2Dgather<float4>(t, x, y, 0)), add(tex2Dgather<float4>(t, x, y, 3));
    int4 i = tex2D<int4>(u, x, y);
    uchar4 c = tex1Dfetch<uchar4>(u, l);
    ushort2 h = tex3D<ushort2>(u, x, y, z);
    float one = tex2D<float>(t, x, y);
    add(make_float4(i.x + c.x, i.y + c.y + h.x, i.z + h.y, one));
    unsigned width, samples;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
    asm("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(samples) : "l"(t));
    s.x += width + samples;
    out[threadIdx.x] = s;
}
extern "C" __global__ void surfaces(cudaSurfaceObject_t s, int x, int y, int z, float *out) {
    float a;
    int2 b;
    uchar4 c;
    surf1Dread(&a, s, x * 4);
    surf2Dread(&b, s, x * 8, y, cudaBoundaryModeClamp);
    surf3Dread(&c, s, x * 4, y, z, cudaBoundaryModeZero);
    surf2Dwrite(a + 1, s, x * 4, y), surf3Dwrite(b, s, x * 8, y, z, cudaBoundaryModeTrap);
    surf1Dwrite(c, s, x * 4), surf2DLayeredwrite(a, s, x * 4, y, z), surf1DLayeredread(&a, s, x * 4, z);
    short h;
    surf2DLayeredread(&h, s, x * 2, y, z);
    unsigned w;
    asm("suq.width.b32 %0, [%1];" : "=r"(w) : "l"(s));
    out[threadIdx.x] = a + b.x + c.y + h + w;
}
