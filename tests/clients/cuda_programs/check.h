// What the programs share: a call that fails ends them, and results are compared with those of the host.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define LAUNCHED() CALL(cudaGetLastError())

// Prints how many results are those of the host; the first that is not ends the program.
template <typename T> void same(const char *what, const T *device, const T *host, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&device[i], &host[i], sizeof(T))) {
            printf("%s: differs at %zu of %zu\n", what, i, count);
            exit(1);
        }
    printf("%s: %zu as on the host\n", what, count);
}

inline void expect(bool right, const char *what)
{
    if (!right) {
        printf("wrong: %s\n", what);
        exit(1);
    }
}

#define EXPECT(condition) expect(condition, #condition)

inline void expect_error(cudaError_t got, cudaError_t wanted, const char *call)
{
    if (got != wanted) {
        printf("%s: %s, not %s\n", call, cudaGetErrorName(got), cudaGetErrorName(wanted));
        exit(1);
    }
}

#define FAILS(call, error) expect_error(call, error, #call)

// Small pseudo-random numbers, the same on each run.
inline unsigned next_random()
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
