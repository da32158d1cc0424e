/* What the files of this library share. The types are laid out as CUDA's runtime and driver lay theirs out; no header
   of the toolkit is needed. OPENPTX_CUDART is the major version of the runtime that is built: 12 or 13. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if OPENPTX_CUDART != 12 && OPENPTX_CUDART != 13
#error "compile with -DOPENPTX_CUDART=12 or 13"
#endif

typedef uint64_t Address;          /* in device memory */
typedef uint64_t Word;             /* what a register passes: an integer, or a pointer */
typedef void *Handle;              /* of a stream, an event, a kernel, an array: the driver's */
typedef struct { unsigned x, y, z; } Dim3;
typedef struct { size_t width, height, depth; } Extent;
typedef struct { size_t x, y, z; } Position;
typedef struct { void *pointer; size_t pitch, width, height; } Pitched;
typedef struct { int x, y, z, w, kind; } Channels;
typedef struct { char reserved[64]; } IpcHandle;

enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONFIGURATION = 9,
    INVALID_PITCH = 12, INVALID_SYMBOL = 13, INVALID_CHANNELS = 20, INVALID_COPY_DIRECTION = 21, INSUFFICIENT_DRIVER = 35,
    MISSING_CONFIGURATION = 52, INVALID_DEVICE_FUNCTION = 98, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
    NO_KERNEL_IMAGE = 209, INVALID_HANDLE = 400, NOT_FOUND_BY_DRIVER = 500, NOT_READY = 600, TOO_MANY_BLOCKS = 720,
    NOT_SUPPORTED = 801
};

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT_DIRECTION };

#define PER_THREAD_STREAM ((Handle)2)

#define API __attribute__((visibility("default")))

/* A function whose callers were compiled with --default-stream per-thread: for them, stream 0 is stream 2. */
static inline Handle per_thread(Handle stream) { return stream ? stream : PER_THREAD_STREAM; }

/* `also` is one more name of the function `name`. */
#define SAME_FUNCTION(also, name) API extern __typeof__(name) also __attribute__((alias(#name)))

/* errors.c */
int done(int error);                        /* keeps an error for cudaGetLastError, and gives it back */
int unsupported(const char *name, atomic_flag *told);   /* says so once, and gives cudaErrorNotSupported */
void forget_errors(void);                   /* after cudaDeviceReset */

/* context.c */
int enter(void);                            /* makes sure that the thread has a context: an error, or 0 */
int current_device(int *device);
int primary_context(int device, Handle *context);

/* Runs `call`, which is an error code, in a context of the calling thread. */
#define IN_CONTEXT(call) do { int error_ = enter(); return done(error_ ? error_ : (call)); } while (0)

/* registration.c */
int find_kernel(const void *host, Handle *kernel);
int find_function(const void *host, Handle *function);          /* the kernel in the current context */
int host_of_function(Handle function, const void **host);       /* what find_function found it by */
/* Runs `call`, which is an error code, with the function `f` of a kernel. */
#define WITH_FUNCTION(f, host, call) \
    do { Handle f; int error_ = find_function(host, &f); return done(error_ ? error_ : (call)); } while (0)
int find_variable(const void *host, Address *address, size_t *size);
void unload_images(void);                   /* each is loaded again, with its variables' first values, when it is used */

/* functions of the runtime that others use */
API int cudaGetDeviceCount(int *count);
API int cudaGetDevice(int *device);
API int cudaRuntimeGetVersion(int *version);

/* arrays.c */
int element_size(Handle array, size_t *size);
int channel_format(const Channels *channels, int *format, unsigned *count);

/* copies.c: a side of CUDA_MEMCPY3D, and all of it */
typedef struct {
    size_t x, y, z, level;
    int type;                               /* 1 host, 2 device, 3 array, 4 unified */
    const void *host;
    Address device;
    Handle array;
    void *reserved;
    size_t pitch, height;
} Side;
typedef struct { Side from, to; size_t width, height, depth; } Copy3D;

typedef struct {                            /* cudaMemcpy3DParms */
    Handle from_array; Position from_position; Pitched from;
    Handle to_array; Position to_position; Pitched to;
    Extent extent;
    int direction;
} Copy3DParameters;

int within_variable(const void *symbol, size_t size, size_t offset, Address *address);
int describe_copy(const Copy3DParameters *given, Copy3D *copy);
int runtime_copy(const Copy3D *copy, Copy3DParameters *out);            /* the other way */
API int cudaMemcpy3D(const Copy3DParameters *parameters);
API int cudaMemcpy3DAsync(const Copy3DParameters *parameters, Handle stream);
