/* Error codes: the last one of each thread, and what they are called. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local int last;
static atomic_int sticky;                   /* what broke the context: every call gives it, until cudaDeviceReset */

/* Faults of kernels, after which the context is of no more use (CUDA C++ Programming Guide, Error Checking). */
static bool breaks_context(int error)
{
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719);
}

int done(int error)
{
    if (error && error != NOT_READY) {      /* which cudaStreamQuery gives, and which is no error */
        last = error;
        if (breaks_context(error))
            sticky = error;
    }
    return error;
}

void forget_errors(void) { last = sticky = SUCCESS; }

int unsupported(const char *name, atomic_flag *told)
{
    if (!atomic_flag_test_and_set(told))
        fprintf(stderr, "openptx: %s is not implemented; it returns cudaErrorNotSupported\n", name);
    return done(NOT_SUPPORTED);
}

API int cudaPeekAtLastError(void) { return last ? last : sticky; }

API int cudaGetLastError(void)
{
    int error = cudaPeekAtLastError();
    last = SUCCESS;
    return error;
}

static const struct { int code; const char *name, *text; } NAMES[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "errors.def"
#undef ERROR
};

static const char UNKNOWN[] = "unrecognized error code";

static int row_of(int code)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (NAMES[i].code == code)
            return (int)i;
    return -1;
}

API const char *cudaGetErrorName(int code)
{
    int row = row_of(code);
    return row < 0 ? UNKNOWN : NAMES[row].name;
}

API const char *cudaGetErrorString(int code)
{
    int row = row_of(code);
    return row < 0 ? UNKNOWN : NAMES[row].text;
}
