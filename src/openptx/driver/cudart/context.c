/* Devices and contexts: each thread has a device, and uses its primary context unless the program made another current
   through the driver (CUDA C++ Programming Guide, Interoperability between Runtime and Driver APIs). */
#include "driver.h"

#include <pthread.h>

enum { DEVICES = 64 };

static _Thread_local int chosen;            /* by cudaSetDevice */
static Handle primaries[DEVICES];
static _Thread_local Handle bound;          /* the primary context that was made this thread's */
static _Thread_local Handle foreign;        /* another context, which the program made this thread's */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int initialize(void)
{
    const struct Driver *d = driver();
    return d ? d->cuInit(0) : INSUFFICIENT_DRIVER;
}

static int device_count(int *count)
{
    int error = initialize();
    return error ? error : driver()->cuDeviceGetCount(count);
}

int primary_context(int device, Handle *context)
{
    int count = 0, error = device_count(&count);
    if (error)
        return error;
    if (device < 0 || device >= count || device >= DEVICES)
        return INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    if (!primaries[device])
        error = driver()->cuDevicePrimaryCtxRetain(&primaries[device], device);
    *context = primaries[device];
    pthread_mutex_unlock(&lock);
    return error;
}

static int use_device(int device)
{
    Handle context;
    int error = primary_context(device, &context);
    if (!error)
        error = driver()->cuCtxSetCurrent(context);
    if (!error)
        bound = context;
    return error;
}

/* Looks at a context that the program made this thread's. If it is the primary one, the runtime retains it from now on,
   which makes it active again after the program's last cuDevicePrimaryCtxRelease. */
static int look_at(Handle context)
{
    Handle primary;
    pthread_mutex_lock(&lock);
    int error = driver()->cuDevicePrimaryCtxRetain(&primary, chosen);
    bool kept = !error && primary == context && !primaries[chosen];
    if (!error && !kept)
        error = driver()->cuDevicePrimaryCtxRelease_v2(chosen);
    if (kept)
        primaries[chosen] = primary;
    pthread_mutex_unlock(&lock);
    if (!error)
        *(primary == context ? &bound : &foreign) = context;
    return error;
}

/* Whether a thread's context ended with a cudaDeviceReset, and another is to take its place. */
static bool is_stale(Handle context)
{
    if (context != bound)
        return false;                       /* one that the program made itself */
    pthread_mutex_lock(&lock);
    bool stale = primaries[chosen] != context;
    pthread_mutex_unlock(&lock);
    return stale;
}

int enter(void)
{
    int error = initialize();
    Handle context = NULL;
    if (error)
        return error;
    error = driver()->cuCtxGetCurrent(&context);
    if (!error && context && context != bound && context != foreign)
        error = look_at(context);
    return error || (context && !is_stale(context)) ? error : use_device(chosen);
}

int current_device(int *device)
{
    Handle context = NULL;
    int error = initialize();
    if (error)
        return error;
    error = driver()->cuCtxGetCurrent(&context);
    if (error || (context && !is_stale(context)))
        return error ? error : driver()->cuCtxGetDevice(device);
    *device = chosen;
    return SUCCESS;
}

API int cudaGetDeviceCount(int *count) { return done(count ? device_count(count) : INVALID_VALUE); }

API int cudaGetDevice(int *device) { return done(device ? current_device(device) : INVALID_VALUE); }

API int cudaSetDevice(int device)
{
    int error = use_device(device);
    if (!error)
        chosen = device;
    return done(error);
}

API int cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    Handle context;
    return done(primary_context(device, &context));
}

API int cudaSetValidDevices(const int *devices, int count)
{
    return devices && count > 0 ? cudaSetDevice(devices[0]) : done(INVALID_VALUE);
}

API int cudaSetDeviceFlags(unsigned flags)
{
    int device, error = current_device(&device);
    return done(error ? error : driver()->cuDevicePrimaryCtxSetFlags_v2(device, flags));
}

API int cudaGetDeviceFlags(unsigned *flags)
{
    int device, active, error = current_device(&device);
    return done(error ? error : driver()->cuDevicePrimaryCtxGetState(device, flags, &active));
}

API int cudaDeviceReset(void)
{
    int device, error = current_device(&device);
    if (error)
        return done(error);
    unload_images();
    pthread_mutex_lock(&lock);
    primaries[device] = NULL;               /* the next call of each thread has a new context */
    error = driver()->cuDevicePrimaryCtxReset_v2(device);
    pthread_mutex_unlock(&lock);
    forget_errors();
    return done(error);
}

API int cudaDriverGetVersion(int *version)
{
    const struct Driver *d = driver();
    if (!version)
        return done(INVALID_VALUE);
    *version = 0;
    return d ? done(d->cuDriverGetVersion(version)) : SUCCESS;
}

API int cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return done(INVALID_VALUE);
    *version = OPENPTX_CUDART == 12 ? 12090 : 13000;
    return SUCCESS;
}

API int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    int count = 0, error = can ? device_count(&count) : INVALID_VALUE;
    if (error)
        return done(error);
    *can = 0;                               /* each device of OpenPTX has memory of its own; nor is one its own peer */
    return done(device < 0 || peer < 0 || device >= count || peer >= count ? INVALID_DEVICE : SUCCESS);
}

API int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    Handle context;
    int device, error = current_device(&device);
    if (!error)
        error = peer == device ? INVALID_DEVICE : primary_context(peer, &context);
    if (error)
        return done(error);
    IN_CONTEXT(driver()->cuCtxEnablePeerAccess(context, flags));
}

API int cudaDeviceDisablePeerAccess(int peer)
{
    Handle context;
    int error = primary_context(peer, &context);
    if (error)
        return done(error);
    IN_CONTEXT(driver()->cuCtxDisablePeerAccess(context));
}

#if OPENPTX_CUDART == 12
SAME_FUNCTION(cudaThreadExit, cudaDeviceReset);
#endif
