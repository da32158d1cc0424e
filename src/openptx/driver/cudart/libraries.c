/* Entry points of the driver, and code that a program loads by itself: cudaLibrary_t is CUlibrary. */
#include "driver.h"

#include <string.h>

API int cudaLibraryLoadData(Handle *library, const void *code, int *options, void **values, unsigned count,
                            int *library_options, void **library_values, unsigned library_count)
{
    IN_CONTEXT(driver()->cuLibraryLoadData(library, code, options, values, count, library_options, library_values,
                                           library_count));
}

API int cudaLibraryLoadFromFile(Handle *library, const char *file, int *options, void **values, unsigned count,
                                int *library_options, void **library_values, unsigned library_count)
{
    IN_CONTEXT(driver()->cuLibraryLoadFromFile(library, file, options, values, count, library_options, library_values,
                                               library_count));
}

/* The status is 0 for success, 1 for a name that is not known and 2 for a version that is too old, for both. */
API int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, uint64_t flags, int *status)
{
    int ignored;
    int error = name && *name && function ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuGetProcAddress_v2(name, function, (int)version, flags, status ? status : &ignored);
    return done(error);
}

API int cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status)
{
    int version;
    cudaRuntimeGetVersion(&version);
    return cudaGetDriverEntryPointByVersion(name, function, (unsigned)version, flags, status);
}

API int cudaGetDriverEntryPoint_ptsz(const char *name, void **function, uint64_t flags, int *status)
{
    return cudaGetDriverEntryPoint(name, function, flags ? flags : 2, status);
}

API int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version, uint64_t flags,
                                              int *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, version, flags ? flags : 2, status);
}
