/* What test_library_names.py compiles twice: a CUDA runtime that counts 77 devices, and a program whose RPATH names it. */
#ifdef RUNTIME
int cudaGetDeviceCount(int *count) { return *count = 77, 0; }
#else
#include <stdio.h>
int cudaGetDeviceCount(int *);
int main(void) {
    int count = 0, result = cudaGetDeviceCount(&count);
    return printf("%d: %d\n", result, count), 0;
}
#endif
