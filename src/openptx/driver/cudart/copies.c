/* cudaMemcpy in all its forms. Those with rows are one function of the driver, cuMemcpy3D. */
#include "driver.h"

#include <string.h>

enum { HOST = 1, DEVICE = 2, ARRAY = 3, UNIFIED = 4 };

static bool is_direction(int direction) { return direction >= HOST_TO_HOST && direction <= DEFAULT_DIRECTION; }

API int cudaMemcpy(void *to, const void *from, size_t size, int direction)
{
    const struct Driver *d = driver();
    int error = !is_direction(direction) ? INVALID_COPY_DIRECTION : enter();
    if (error || !size)
        return done(error);
    switch (direction) {
    case HOST_TO_DEVICE: return done(d->cuMemcpyHtoD_v2((Address)to, from, size));
    case DEVICE_TO_HOST: return done(d->cuMemcpyDtoH_v2(to, (Address)from, size));
    case DEVICE_TO_DEVICE: return done(d->cuMemcpyDtoD_v2((Address)to, (Address)from, size));
    default: return done(d->cuMemcpy((Address)to, (Address)from, size));
    }
}

API int cudaMemcpyAsync(void *to, const void *from, size_t size, int direction, Handle stream)
{
    const struct Driver *d = driver();
    int error = !is_direction(direction) ? INVALID_COPY_DIRECTION : enter();
    if (error || !size)
        return done(error);
    switch (direction) {
    case HOST_TO_DEVICE: return done(d->cuMemcpyHtoDAsync_v2((Address)to, from, size, stream));
    case DEVICE_TO_HOST: return done(d->cuMemcpyDtoHAsync_v2(to, (Address)from, size, stream));
    case DEVICE_TO_DEVICE: return done(d->cuMemcpyDtoDAsync_v2((Address)to, (Address)from, size, stream));
    default: return done(d->cuMemcpyAsync((Address)to, (Address)from, size, stream));
    }
}

/* ---- variables ---- */

int within_variable(const void *symbol, size_t size, size_t offset, Address *address)
{
    size_t whole;
    int error = find_variable(symbol, address, &whole);
    if (error)
        return error;
    *address += offset;
    return offset <= whole && size <= whole - offset ? SUCCESS : INVALID_VALUE;
}

/* The same for copies, whose direction is `ours`, or between two places on the device. */
static int copied_variable(const void *symbol, size_t size, size_t offset, int direction, int ours, Address *address)
{
    bool right = direction == ours || direction == DEVICE_TO_DEVICE || direction == DEFAULT_DIRECTION;
    return right ? within_variable(symbol, size, offset, address) : INVALID_COPY_DIRECTION;
}

API int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset, int direction,
                                Handle stream)
{
    Address to;
    int error = copied_variable(symbol, size, offset, direction, HOST_TO_DEVICE, &to);
    return error ? done(error) : cudaMemcpyAsync((void *)to, from, size, direction, stream);
}

API int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset, int direction)
{
    Address to;
    int error = copied_variable(symbol, size, offset, direction, HOST_TO_DEVICE, &to);
    return error ? done(error) : cudaMemcpy((void *)to, from, size, direction);
}

API int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset, int direction, Handle stream)
{
    Address from;
    int error = copied_variable(symbol, size, offset, direction, DEVICE_TO_HOST, &from);
    return error ? done(error) : cudaMemcpyAsync(to, (void *)from, size, direction, stream);
}

API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, int direction)
{
    Address from;
    int error = copied_variable(symbol, size, offset, direction, DEVICE_TO_HOST, &from);
    return error ? done(error) : cudaMemcpy(to, (void *)from, size, direction);
}

/* ---- rows, slices and arrays ---- */

static Side memory(const void *pointer, bool host, int direction)
{
    Side side = {0};
    side.type = direction == DEFAULT_DIRECTION ? UNIFIED : host ? HOST : DEVICE;
    side.host = side.type == HOST ? pointer : NULL;
    side.device = side.type == HOST ? 0 : (Address)pointer;
    return side;
}

static Side source(const void *pointer, int direction)
{
    return memory(pointer, direction == HOST_TO_HOST || direction == HOST_TO_DEVICE, direction);
}

static Side target(const void *pointer, int direction)
{
    return memory(pointer, direction == HOST_TO_HOST || direction == DEVICE_TO_HOST, direction);
}

static Side rows(Side side, size_t pitch)
{
    side.pitch = pitch;
    return side;
}

static Side array_side(Handle array, size_t x, size_t y)
{
    return (Side){.x = x, .y = y, .type = ARRAY, .array = array};
}

/* A synchronous copy has a null `stream`: a stream of 0 is passed by address. */
static int copy_rows(Side from, Side to, size_t width, size_t height, int direction, const Handle *stream)
{
    Copy3D copy = {from, to, width, height, 1};
    int error = !is_direction(direction) ? INVALID_COPY_DIRECTION : enter();
    if (error || !width || !height)
        return done(error);
    if ((from.type != ARRAY && from.pitch < width) || (to.type != ARRAY && to.pitch < width))
        return done(INVALID_PITCH);
    return done(stream ? driver()->cuMemcpy3DAsync_v2(&copy, *stream) : driver()->cuMemcpy3D_v2(&copy));
}

#define COPY_ROWS(name, from_side, to_side, ...)                                                                       \
    API int cuda##name(__VA_ARGS__, size_t width, size_t height, int direction)                                        \
    {                                                                                                                  \
        return copy_rows(from_side, to_side, width, height, direction, NULL);                                          \
    }                                                                                                                  \
    API int cuda##name##Async(__VA_ARGS__, size_t width, size_t height, int direction, Handle stream)                  \
    {                                                                                                                  \
        return copy_rows(from_side, to_side, width, height, direction, &stream);                                       \
    }                                                                                                                  \
    API int cuda##name##Async_ptsz(__VA_ARGS__, size_t width, size_t height, int direction, Handle stream)             \
    {                                                                                                                  \
        stream = per_thread(stream);                                                                                   \
        return copy_rows(from_side, to_side, width, height, direction, &stream);                                       \
    }                                                                                                                  \
    SAME_FUNCTION(cuda##name##_ptds, cuda##name);

COPY_ROWS(Memcpy2D, rows(source(from, direction), from_pitch), rows(target(to, direction), to_pitch),
          void *to, size_t to_pitch, const void *from, size_t from_pitch)
COPY_ROWS(Memcpy2DToArray, rows(source(from, direction), pitch), array_side(to, x, y),
          Handle to, size_t x, size_t y, const void *from, size_t pitch)
COPY_ROWS(Memcpy2DFromArray, array_side(from, x, y), rows(target(to, direction), pitch),
          void *to, size_t pitch, Handle from, size_t x, size_t y)

API int cudaMemcpy2DArrayToArray(Handle to, size_t to_x, size_t to_y, Handle from, size_t from_x, size_t from_y,
                                 size_t width, size_t height, int direction)
{
    return copy_rows(array_side(from, from_x, from_y), array_side(to, to_x, to_y), width, height, direction, NULL);
}
SAME_FUNCTION(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

/* Bytes that go on at the array's next row where one ends. Deprecated, and in many old programs. */
static int copy_run(Handle array, size_t x, size_t y, void *memory_, size_t size, int direction, bool to_array,
                    const Handle *stream)
{
    ArrayDescriptor shape;
    size_t element;
    int error = enter();
    if (!error)
        error = element_size(array, &element);
    if (!error)
        error = driver()->cuArray3DGetDescriptor_v2(&shape, array);
    for (char *run = memory_; !error && size; x = 0, y++) {
        size_t row = shape.width * element;
        if (x >= row)
            return done(INVALID_VALUE);
        size_t part = size < row - x ? size : row - x;
        Side inside = array_side(array, x, y), outside = to_array ? source(run, direction) : target(run, direction);
        error = to_array ? copy_rows(rows(outside, part), inside, part, 1, direction, stream)
                         : copy_rows(inside, rows(outside, part), part, 1, direction, stream);
        run += part, size -= part;
    }
    return done(error);
}

#define COPY_RUN(name, array, memory_, to_array, ...)                                                                  \
    API int cuda##name(__VA_ARGS__, size_t size, int direction)                                                        \
    {                                                                                                                  \
        return copy_run(array, x, y, memory_, size, direction, to_array, NULL);                                        \
    }                                                                                                                  \
    API int cuda##name##Async(__VA_ARGS__, size_t size, int direction, Handle stream)                                  \
    {                                                                                                                  \
        return copy_run(array, x, y, memory_, size, direction, to_array, &stream);                                     \
    }                                                                                                                  \
    API int cuda##name##Async_ptsz(__VA_ARGS__, size_t size, int direction, Handle stream)                             \
    {                                                                                                                  \
        stream = per_thread(stream);                                                                                   \
        return copy_run(array, x, y, memory_, size, direction, to_array, &stream);                                     \
    }                                                                                                                  \
    SAME_FUNCTION(cuda##name##_ptds, cuda##name);

COPY_RUN(MemcpyToArray, to, (void *)from, true, Handle to, size_t x, size_t y, const void *from)
COPY_RUN(MemcpyFromArray, from, to, false, void *to, Handle from, size_t x, size_t y)

static int row_size(Handle array, size_t *size)
{
    ArrayDescriptor shape;
    int error = element_size(array, size);
    if (!error)
        error = driver()->cuArray3DGetDescriptor_v2(&shape, array);
    *size *= error ? 0 : shape.width;
    return error;
}

API int cudaMemcpyArrayToArray(Handle to, size_t to_x, size_t to_y, Handle from, size_t from_x, size_t from_y,
                               size_t size, int direction)
{
    size_t to_row, from_row;
    int error = enter();
    if (!error)
        error = row_size(to, &to_row);
    if (!error)
        error = row_size(from, &from_row);
    while (!error && size) {
        if (to_x >= to_row || from_x >= from_row)
            return done(INVALID_VALUE);
        size_t part = to_row - to_x < from_row - from_x ? to_row - to_x : from_row - from_x;
        part = part < size ? part : size;
        error = copy_rows(array_side(from, from_x, from_y), array_side(to, to_x, to_y), part, 1, direction, NULL);
        size -= part, to_x += part, from_x += part;
        if (to_x == to_row)
            to_x = 0, to_y++;
        if (from_x == from_row)
            from_x = 0, from_y++;
    }
    return done(error);
}
SAME_FUNCTION(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);

/* Whether rows of memory overlap. A pitch of 0 stands for rows without padding. */
static bool overlap(Handle array, size_t pitch, size_t width) { return !array && pitch && pitch < width; }

/* Positions and widths count elements where an array takes part, and bytes otherwise. */
int describe_copy(const Copy3DParameters *given, Copy3D *copy)
{
    size_t element = 1;
    int error = given ? enter() : INVALID_VALUE;
    if (error)
        return error;
    if (!is_direction(given->direction))
        return INVALID_COPY_DIRECTION;
    if (given->from_array || given->to_array)
        error = element_size(given->from_array ? given->from_array : given->to_array, &element);
    if (!error && (overlap(given->from_array, given->from.pitch, given->extent.width * element)
                   || overlap(given->to_array, given->to.pitch, given->extent.width * element)))
        error = INVALID_PITCH;
    copy->from = given->from_array ? array_side(given->from_array, 0, 0)
                                   : rows(source(given->from.pointer, given->direction), given->from.pitch);
    copy->to = given->to_array ? array_side(given->to_array, 0, 0)
                               : rows(target(given->to.pointer, given->direction), given->to.pitch);
    copy->from.height = given->from.height, copy->to.height = given->to.height;
    copy->from.x = given->from_position.x * (given->from_array ? element : 1);
    copy->to.x = given->to_position.x * (given->to_array ? element : 1);
    copy->from.y = given->from_position.y, copy->from.z = given->from_position.z;
    copy->to.y = given->to_position.y, copy->to.z = given->to_position.z;
    copy->width = given->extent.width * element, copy->height = given->extent.height, copy->depth = given->extent.depth;
    return error;
}

static void *pointer_of(const Side *side) { return side->type == HOST ? (void *)side->host : (void *)side->device; }

static int direction_of(int from, int to)
{
    if (from == UNIFIED || to == UNIFIED)
        return DEFAULT_DIRECTION;
    return from == HOST ? to == HOST ? HOST_TO_HOST : HOST_TO_DEVICE : to == HOST ? DEVICE_TO_HOST : DEVICE_TO_DEVICE;
}

int runtime_copy(const Copy3D *copy, Copy3DParameters *out)
{
    const Side *from = &copy->from, *to = &copy->to;
    Handle from_array = from->type == ARRAY ? from->array : NULL, to_array = to->type == ARRAY ? to->array : NULL;
    size_t element = 1;
    int error = SUCCESS;
    if (from_array || to_array)
        error = element_size(from_array ? from_array : to_array, &element);
    if (error)
        return error;
    *out = (Copy3DParameters){
        .from_array = from_array, .to_array = to_array,
        .from_position = {from->x / (from_array ? element : 1), from->y, from->z},
        .to_position = {to->x / (to_array ? element : 1), to->y, to->z},
        .extent = {copy->width / element, copy->height, copy->depth},
        .direction = direction_of(from->type, to->type),
    };
    if (!from_array)
        out->from = (Pitched){pointer_of(from), from->pitch, copy->width, from->height};
    if (!to_array)
        out->to = (Pitched){pointer_of(to), to->pitch, copy->width, to->height};
    return SUCCESS;
}

API int cudaMemcpy3D(const Copy3DParameters *parameters)
{
    Copy3D copy;
    int error = describe_copy(parameters, &copy);
    if (error || !copy.width || !copy.height || !copy.depth)
        return done(error);
    return done(driver()->cuMemcpy3D_v2(&copy));
}
SAME_FUNCTION(cudaMemcpy3D_ptds, cudaMemcpy3D);

API int cudaMemcpy3DAsync(const Copy3DParameters *parameters, Handle stream)
{
    Copy3D copy;
    int error = describe_copy(parameters, &copy);
    if (error || !copy.width || !copy.height || !copy.depth)
        return done(error);
    return done(driver()->cuMemcpy3DAsync_v2(&copy, stream));
}

API int cudaMemcpy3DAsync_ptsz(const Copy3DParameters *parameters, Handle stream)
{
    return cudaMemcpy3DAsync(parameters, per_thread(stream));
}

SAME_FUNCTION(cudaMemcpy_ptds, cudaMemcpy);
SAME_FUNCTION(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
SAME_FUNCTION(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

API int cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size, int direction, Handle stream)
{
    return cudaMemcpyAsync(to, from, size, direction, per_thread(stream));
}

API int cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t size, size_t offset, int direction,
                                     Handle stream)
{
    return cudaMemcpyToSymbolAsync(symbol, from, size, offset, direction, per_thread(stream));
}

API int cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t size, size_t offset, int direction,
                                       Handle stream)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, size, offset, direction, per_thread(stream));
}
