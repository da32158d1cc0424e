/* CUDA arrays, and texture and surface objects: the runtime's descriptions of them as the driver's. */
#include "driver.h"

#include <string.h>

enum { SIGNED, UNSIGNED, FLOAT };           /* cudaChannelFormatKind */
enum { AD_UNSIGNED = 1, AD_SIGNED = 8, AD_HALF = 0x10, AD_FLOAT = 0x20 };   /* CUarray_format, of 8 bits where it is whole */

/* Formats go by 8, 16 and 32 bits. */
static int format_of(int bits, int kind)
{
    int step = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : -1;
    if (step < 0)
        return -1;
    switch (kind) {
    case SIGNED: return AD_SIGNED + step;
    case UNSIGNED: return AD_UNSIGNED + step;
    case FLOAT: return step == 2 ? AD_FLOAT : step == 1 ? AD_HALF : -1;
    default: return -1;
    }
}

static int format_bits(int format)
{
    switch (format) {
    case AD_UNSIGNED: case AD_SIGNED: return 8;
    case AD_UNSIGNED + 1: case AD_SIGNED + 1: case AD_HALF: return 16;
    default: return 32;
    }
}

int channel_format(const Channels *channels, int *format, unsigned *count)
{
    int bits[] = {channels->x, channels->y, channels->z, channels->w};
    for (*count = 0; *count < 4 && bits[*count]; ++*count)
        if (bits[*count] != bits[0])
            return INVALID_CHANNELS;
    for (unsigned after = *count; after < 4; after++)
        if (bits[after])
            return INVALID_CHANNELS;
    *format = format_of(bits[0], channels->kind);
    return *format < 0 || *count == 0 || *count == 3 ? INVALID_CHANNELS : SUCCESS;
}

int element_size(Handle array, size_t *size)
{
    ArrayDescriptor shape;
    int error = driver()->cuArray3DGetDescriptor_v2(&shape, array);
    *size = (size_t)format_bits(shape.format) / 8 * shape.channels;
    return error;
}

API Channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return (Channels){x, y, z, w, kind}; }

static int describe(const Channels *channels, Extent extent, unsigned flags, ArrayDescriptor *shape)
{
    int error = channels ? enter() : INVALID_VALUE;
    if (error)
        return error;
    *shape = (ArrayDescriptor){extent.width, extent.height, extent.depth, 0, 0, flags};
    return channel_format(channels, &shape->format, &shape->channels);
}

API int cudaMalloc3DArray(Handle *array, const Channels *channels, Extent extent, unsigned flags)
{
    ArrayDescriptor shape;
    int error = describe(channels, extent, flags, &shape);
    return done(error ? error : driver()->cuArray3DCreate_v2(array, &shape));
}

API int cudaMallocArray(Handle *array, const Channels *channels, size_t width, size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, channels, (Extent){width, height, 0}, flags);
}

API int cudaMallocMipmappedArray(Handle *array, const Channels *channels, Extent extent, unsigned levels, unsigned flags)
{
    ArrayDescriptor shape;
    int error = describe(channels, extent, flags, &shape);
    return done(error ? error : driver()->cuMipmappedArrayCreate(array, &shape, levels));
}

static Channels channels_of(const ArrayDescriptor *shape)
{
    int bits[4] = {0};
    for (unsigned i = 0; i < shape->channels && i < 4; i++)
        bits[i] = format_bits(shape->format);
    int kind = shape->format >= AD_HALF ? FLOAT : shape->format >= AD_SIGNED ? SIGNED : UNSIGNED;
    return (Channels){bits[0], bits[1], bits[2], bits[3], kind};
}

API int cudaArrayGetInfo(Channels *channels, Extent *extent, unsigned *flags, Handle array)
{
    ArrayDescriptor shape;
    int error = enter();
    if (!error)
        error = driver()->cuArray3DGetDescriptor_v2(&shape, array);
    if (error)
        return done(error);
    if (channels)
        *channels = channels_of(&shape);
    if (extent)
        *extent = (Extent){shape.width, shape.height, shape.depth};
    if (flags)
        *flags = shape.flags;
    return SUCCESS;
}

API int cudaGetChannelDesc(Channels *channels, Handle array) { return cudaArrayGetInfo(channels, NULL, NULL, array); }

/* ---- objects ---- */

enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCHED };

typedef struct {                            /* cudaResourceDesc */
    int type;
    union {
        Handle array;
        struct { void *pointer; Channels channels; size_t size; } linear;
        struct { void *pointer; Channels channels; size_t width, height, pitch; } pitched;
#if OPENPTX_CUDART == 13
        int reserved[32];
#endif
    } of;
#if OPENPTX_CUDART == 13
    unsigned flags;
#endif
} Resource;

typedef struct {                            /* CUDA_RESOURCE_DESC */
    int type;
    union {
        Handle array;
        struct { Address pointer; int format; unsigned channels; size_t size; } linear;
        struct { Address pointer; int format; unsigned channels; size_t width, height, pitch; } pitched;
        int reserved[32];
    } of;
    unsigned flags;
} DriverResource;

typedef struct {                            /* cudaTextureDesc */
    int address_modes[3], filter, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float level_bias, least_level, greatest_level;
    int no_trilinear_optimization, seamless_cubemap;
} Texture;

typedef struct {                            /* CUDA_TEXTURE_DESC */
    int address_modes[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float level_bias, least_level, greatest_level, border[4];
    int reserved[12];
} DriverTexture;

enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, NO_TRILINEAR = 0x20, SEAMLESS = 0x40 };    /* flags */

static int driver_resource(const Resource *given, DriverResource *there)
{
    memset(there, 0, sizeof *there);
    there->type = given->type;
    switch (given->type) {
    case RESOURCE_ARRAY:
    case RESOURCE_MIPMAPPED:
        there->of.array = given->of.array;
        return SUCCESS;
    case RESOURCE_LINEAR:
        there->of.linear.pointer = (Address)given->of.linear.pointer;
        there->of.linear.size = given->of.linear.size;
        return channel_format(&given->of.linear.channels, &there->of.linear.format, &there->of.linear.channels);
    case RESOURCE_PITCHED:
        there->of.pitched.pointer = (Address)given->of.pitched.pointer;
        there->of.pitched.width = given->of.pitched.width;
        there->of.pitched.height = given->of.pitched.height;
        there->of.pitched.pitch = given->of.pitched.pitch;
        return channel_format(&given->of.pitched.channels, &there->of.pitched.format, &there->of.pitched.channels);
    default:
        return INVALID_VALUE;
    }
}

static DriverTexture driver_texture(const Texture *given)
{
    enum { READ_ELEMENTS = 0 };             /* cudaReadModeElementType, which matters for integers alone */
    DriverTexture there = {
        .filter = given->filter, .anisotropy = given->anisotropy, .mipmap_filter = given->mipmap_filter,
        .level_bias = given->level_bias, .least_level = given->least_level, .greatest_level = given->greatest_level,
        .flags = (given->read_mode == READ_ELEMENTS ? READ_AS_INTEGER : 0u) | (given->normalized ? NORMALIZED : 0u) |
                 (given->srgb ? SRGB : 0u) | (given->no_trilinear_optimization ? NO_TRILINEAR : 0u) |
                 (given->seamless_cubemap ? SEAMLESS : 0u)};
    memcpy(there.address_modes, given->address_modes, sizeof there.address_modes);
    memcpy(there.border, given->border, sizeof there.border);
    return there;
}

static int runtime_resource(const DriverResource *there, Resource *found)
{
    memset(found, 0, sizeof *found);
    found->type = there->type;
    ArrayDescriptor shape = {0};
    switch (there->type) {
    case RESOURCE_LINEAR:
        shape.format = there->of.linear.format, shape.channels = there->of.linear.channels;
        found->of.linear.pointer = (void *)there->of.linear.pointer;
        found->of.linear.size = there->of.linear.size;
        found->of.linear.channels = channels_of(&shape);
        return SUCCESS;
    case RESOURCE_PITCHED:
        shape.format = there->of.pitched.format, shape.channels = there->of.pitched.channels;
        found->of.pitched.pointer = (void *)there->of.pitched.pointer;
        found->of.pitched.width = there->of.pitched.width;
        found->of.pitched.height = there->of.pitched.height;
        found->of.pitched.pitch = there->of.pitched.pitch;
        found->of.pitched.channels = channels_of(&shape);
        return SUCCESS;
    default:
        found->of.array = there->of.array;
        return SUCCESS;
    }
}

static void runtime_texture(const DriverTexture *there, Texture *found)
{
    *found = (Texture){
        .filter = there->filter, .anisotropy = there->anisotropy, .mipmap_filter = there->mipmap_filter,
        .level_bias = there->level_bias, .least_level = there->least_level, .greatest_level = there->greatest_level,
        .read_mode = !(there->flags & READ_AS_INTEGER), .normalized = !!(there->flags & NORMALIZED),
        .srgb = !!(there->flags & SRGB), .no_trilinear_optimization = !!(there->flags & NO_TRILINEAR),
        .seamless_cubemap = !!(there->flags & SEAMLESS)};
    memcpy(found->address_modes, there->address_modes, sizeof found->address_modes);
    memcpy(found->border, there->border, sizeof found->border);
}

/* cudaResourceViewDesc is CUDA_RESOURCE_VIEW_DESC. */
API int cudaCreateTextureObject(uint64_t *object, const Resource *resource, const Texture *texture, const void *view)
{
    DriverResource there;
    int error = object && resource && texture ? enter() : INVALID_VALUE;
    if (!error)
        error = driver_resource(resource, &there);
    if (error)
        return done(error);
    DriverTexture sampler = driver_texture(texture);
    return done(driver()->cuTexObjectCreate(object, &there, &sampler, view));
}

API int cudaCreateSurfaceObject(uint64_t *object, const Resource *resource)
{
    DriverResource there;
    int error = object && resource ? enter() : INVALID_VALUE;
    if (!error)
        error = resource->type == RESOURCE_ARRAY ? driver_resource(resource, &there) : INVALID_CHANNELS;
    return done(error ? error : driver()->cuSurfObjectCreate(object, &there));
}

API int cudaGetTextureObjectResourceDesc(Resource *resource, uint64_t object)
{
    DriverResource there;
    int error = resource ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuTexObjectGetResourceDesc(&there, object);
    return done(error ? error : runtime_resource(&there, resource));
}

API int cudaGetSurfaceObjectResourceDesc(Resource *resource, uint64_t object)
{
    DriverResource there;
    int error = resource ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuSurfObjectGetResourceDesc(&there, object);
    return done(error ? error : runtime_resource(&there, resource));
}

API int cudaGetTextureObjectTextureDesc(Texture *texture, uint64_t object)
{
    DriverTexture there;
    int error = texture ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuTexObjectGetTextureDesc(&there, object);
    if (!error)
        runtime_texture(&there, texture);
    return done(error);
}

API int cudaFreeArray(Handle array)
{
    if (!array)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuArrayDestroy(array));
}

API int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const Channels *channels, int device)
{
    int format;
    unsigned count;
    int error = width && channels ? enter() : INVALID_VALUE;
    if (!error)
        error = channel_format(channels, &format, &count);
    return done(error ? error : driver()->cuDeviceGetTexture1DLinearMaxWidth(width, format, count, device));
}
