/* What nvcc's constructors register before main: images with kernels and variables, by addresses of the host.
   An image is loaded when something of it is first used. */
#include "driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243b1, LINKED_WRAPPER = 2, LINK_INPUT_FATBINARY = 2 };

typedef struct {                            /* __fatBinC_Wrapper_t, section .nvFatBinSegment */
    int magic, version;
    const void *data;
    void **parts;                           /* of a LINKED_WRAPPER, which -rdc=true makes: fat binaries to link, then null */
} Wrapper;

typedef struct Symbol {
    const void *host;                       /* the stub of a kernel, or the host's copy of a variable */
    const char *name;
    enum { KERNEL, VARIABLE, MANAGED, MANAGED_POINTER } kind;
    struct Image *image;
    size_t size;                            /* of a variable */
    Handle kernel;
    struct Symbol *next_in_bucket, *next_in_image;
} Symbol;

typedef struct Image {
    const Wrapper *wrapper;
    Handle library;
    Symbol *symbols;
    struct Image *next;
} Image;

enum { BUCKETS = 4096 };
static Symbol *table[BUCKETS];
static Image *images;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Symbol **bucket(const void *host) { return &table[((uintptr_t)host >> 4) % BUCKETS]; }

static Symbol *symbol_at(const void *host)
{
    Symbol *symbol = *bucket(host);
    while (symbol && symbol->host != host)
        symbol = symbol->next_in_bucket;
    return symbol;
}

/* With the lock held. */
static void insert(Image *image, const void *host, const char *name, int kind, size_t size)
{
    Symbol *symbol = calloc(1, sizeof *symbol);
    if (!symbol)
        abort();                            /* registration has no way to report an error */
    *symbol = (Symbol){host, name, kind, image, size, NULL, *bucket(host), image->symbols};
    *bucket(host) = image->symbols = symbol;
}

static void add(void **image, const void *host, const char *name, int kind, size_t size)
{
    pthread_mutex_lock(&lock);
    insert((Image *)image, host, name, kind, size);
    pthread_mutex_unlock(&lock);
}

typedef struct {                            /* what begins a fat binary */
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size;                          /* of what follows the header */
} FatBinary;

/* The parts that -rdc=true leaves to be linked, as one image. A part without PTX for the device is left out; what it
   defines is missing when the link is completed. Our driver ignores that of libcudadevrt.a. */
static int link_parts(void **parts, Handle *library)
{
    const struct Driver *d = driver();
    Handle state;
    void *linked;
    size_t size;
    int left_out = SUCCESS, error = d->cuLinkCreate_v2(0, NULL, NULL, &state);
    if (error)
        return error;
    for (; !error && *parts; parts++) {
        const FatBinary *part = *parts;
        size_t size = part->header_size + part->size;
        error = d->cuLinkAddData_v2(state, LINK_INPUT_FATBINARY, part, size, NULL, 0, NULL, NULL);
        if (error == NO_KERNEL_IMAGE)
            left_out = error, error = SUCCESS;
    }
    if (!error)
        error = d->cuLinkComplete(state, &linked, &size);
    if (error == INVALID_IMAGE && left_out)    /* there was nothing else */
        error = left_out;
    if (!error)
        error = d->cuLibraryLoadData(library, linked, NULL, NULL, 0, NULL, NULL, 0);
    d->cuLinkDestroy(state);
    return error;
}

/* The host reaches a managed variable through a pointer, and names it to the runtime by where that points. */
static int place_managed(Image *image)
{
    int error = SUCCESS;
    for (Symbol *s = image->symbols; s && !error; s = s->next_in_image)
        if (s->kind == MANAGED_POINTER) {
            Address address;
            size_t size;
            error = driver()->cuLibraryGetManaged(&address, &size, image->library, s->name);
            if (!error) {
                *(Address *)s->host = address;
                insert(image, (void *)address, s->name, MANAGED, size);
            }
        }
    return error;
}

/* With the lock held. A failure is not remembered: each use tries again and gives the same error. */
static int load(Image *image)
{
    if (image->library)
        return SUCCESS;
    const Wrapper *wrapper = image->wrapper;
    bool linked = wrapper->version == LINKED_WRAPPER && wrapper->parts && *wrapper->parts;
    int error = linked ? link_parts(wrapper->parts, &image->library)
                       : driver()->cuLibraryLoadData(&image->library, wrapper, NULL, NULL, 0, NULL, NULL, 0);
    return error ? error : place_managed(image);
}

static int load_locked(Image *image)
{
    int error = enter();
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    error = load(image);
    pthread_mutex_unlock(&lock);
    return error;
}

/* A kernel of cudaLibraryGetKernel or cudaGetKernel is given as itself. */
static int find_handle(const void *given, Handle *kernel)
{
    Handle function;
    int error = enter();
    if (!error)
        error = driver()->cuKernelGetFunction(&function, (Handle)given);
    *kernel = (Handle)given;
    return error == INVALID_HANDLE ? INVALID_DEVICE_FUNCTION : error;
}

int find_kernel(const void *host, Handle *kernel)
{
    pthread_mutex_lock(&lock);
    Symbol *symbol = symbol_at(host);
    pthread_mutex_unlock(&lock);
    if (!host || (symbol && symbol->kind != KERNEL))
        return INVALID_DEVICE_FUNCTION;
    if (!symbol)
        return find_handle(host, kernel);
    int error = load_locked(symbol->image);
    if (!error && !symbol->kernel)
        error = driver()->cuLibraryGetKernel(&symbol->kernel, symbol->image->library, symbol->name);
    *kernel = symbol->kernel;
    return error == NOT_FOUND_BY_DRIVER ? INVALID_DEVICE_FUNCTION : error;
}

int find_function(const void *host, Handle *function)
{
    Handle kernel;
    int error = find_kernel(host, &kernel);
    return error ? error : driver()->cuKernelGetFunction(function, kernel);
}

static bool is_function(const Symbol *symbol, Handle function)
{
    Handle found;
    return symbol->kernel && !driver()->cuKernelGetFunction(&found, symbol->kernel) && found == function;
}

int host_of_function(Handle function, const void **host)
{
    int error = INVALID_DEVICE_FUNCTION;
    pthread_mutex_lock(&lock);
    for (const Image *image = images; image && error; image = image->next)
        for (const Symbol *s = image->symbols; s && error; s = s->next_in_image)
            if (is_function(s, function))
                *host = s->host, error = SUCCESS;
    pthread_mutex_unlock(&lock);
    Handle same;
    if (error && !driver()->cuKernelGetFunction(&same, function))
        *host = function, error = SUCCESS;  /* of cudaLibraryGetKernel, which stands for itself */
    return error;
}

int find_variable(const void *host, Address *address, size_t *size)
{
    pthread_mutex_lock(&lock);
    Symbol *symbol = symbol_at(host);
    pthread_mutex_unlock(&lock);
    if (!symbol || (symbol->kind != VARIABLE && symbol->kind != MANAGED))
        return INVALID_SYMBOL;
    int error = load_locked(symbol->image);
    if (error)
        return error;
    Handle library = symbol->image->library;
    error = symbol->kind == MANAGED ? driver()->cuLibraryGetManaged(address, size, library, symbol->name)
                                    : driver()->cuLibraryGetGlobal(address, size, library, symbol->name);
    return error == NOT_FOUND_BY_DRIVER ? INVALID_SYMBOL : error;
}

void unload_images(void)
{
    pthread_mutex_lock(&lock);
    for (Image *image = images; image; image = image->next) {
        if (image->library)
            driver()->cuLibraryUnload(image->library);
        image->library = NULL;
        for (Symbol *s = image->symbols; s; s = s->next_in_image)
            s->kernel = NULL;
    }
    pthread_mutex_unlock(&lock);
}

API void **__cudaRegisterFatBinary(const Wrapper *wrapper)
{
    Image *image = calloc(1, sizeof *image);
    if (!image || wrapper->magic != WRAPPER_MAGIC)
        abort();
    image->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    image->next = images;
    images = image;
    pthread_mutex_unlock(&lock);
    return (void **)image;
}

API void __cudaRegisterFatBinaryEnd(void **image) { (void)image; }

API void __cudaUnregisterFatBinary(void **handle)
{
    Image *image = (Image *)handle;
    if (!image)
        return;
    if (image->library)
        driver()->cuLibraryUnload(image->library);    /* at exit the driver may be gone: it says so, and nobody asks */
    pthread_mutex_lock(&lock);
    Image **place = &images;
    while (*place != image)
        place = &(*place)->next;
    *place = image->next;
    for (Symbol *next, *symbol = image->symbols; symbol; symbol = next) {
        Symbol **link = bucket(symbol->host);
        while (*link != symbol)
            link = &(*link)->next_in_bucket;
        *link = symbol->next_in_bucket;
        next = symbol->next_in_image;
        free(symbol);
    }
    pthread_mutex_unlock(&lock);
    free(image);
}

API void __cudaRegisterFunction(void **image, const void *host, char *device, const char *name, int threads,
                                void *thread, void *block, void *block_size, void *grid_size, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp;
    add(image, host, name, KERNEL, 0);
}

API void __cudaRegisterVar(void **image, const void *host, char *device, const char *name, int external, size_t size,
                           int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    add(image, host, name, VARIABLE, size);
}

API void __cudaRegisterManagedVar(void **image, void **host, char *device, const char *name, int external, size_t size,
                                  int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    add(image, host, name, MANAGED_POINTER, size);
}

API void __cudaRegisterHostVar(void **image, const char *name, void *host, size_t size)
{
    (void)image, (void)name, (void)host, (void)size;  /* a name for host code; nothing looks it up */
}

/* The host uses managed variables right after this, whatever it returns: where the image cannot be loaded they are
   memory of the host, and every launch gives the error. */
API char __cudaInitModule(void **handle)
{
    Image *image = (Image *)handle;
    int error = load_locked(image);
    pthread_mutex_lock(&lock);
    for (Symbol *s = image->symbols; s && error; s = s->next_in_image)
        if (s->kind == MANAGED_POINTER && !*(void **)s->host)
            *(void **)s->host = calloc(1, s->size);
    pthread_mutex_unlock(&lock);
    return !done(error);
}

API int __cudaGetKernel(Handle *kernel, const void *host)
{
    *kernel = (Handle)host;                 /* found again at each launch, so that a failed load is that launch's error */
    return SUCCESS;
}

API int cudaGetKernel(Handle *kernel, const void *host) { return done(kernel ? find_kernel(host, kernel) : INVALID_VALUE); }

API int cudaGetFuncBySymbol(Handle *function, const void *host) { return done(function ? find_function(host, function) : INVALID_VALUE); }

API int cudaGetSymbolAddress(void **address, const void *symbol)
{
    size_t size;
    return done(address ? find_variable(symbol, (Address *)address, &size) : INVALID_VALUE);
}

API int cudaGetSymbolSize(size_t *size, const void *symbol)
{
    Address address;
    return done(size ? find_variable(symbol, &address, size) : INVALID_VALUE);
}
