/* What test_exec_nvjitlink.py compiles three times: NVIDIA's linker as far as it is called here (LINKER), a library that
   was linked with it, as cuSPARSE is (CLIENT), and a program that opens that library. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int __nvJitLinkCreate_12_9(void **, uint32_t, const char **);
int __nvJitLinkGetLinkedCubinSize_12_9(void *, size_t *);
int __nvJitLinkGetLinkedCubin_12_9(void *, void *);
int nvJitLinkVersion(unsigned *, unsigned *);

#if defined LINKER
/* Of `-lto` it makes 5 bytes of machine code, and of `-ptx` as well 4 of PTX. */
static int is_ptx;
int nvJitLinkCreate(void **handle, uint32_t count, const char **options) {
    for (uint32_t i = 0; i < count; i++) is_ptx |= !strcmp(options[i], "-ptx");
    *handle = &is_ptx;
    return 0;
}
int nvJitLinkGetLinkedPtxSize(void *handle, size_t *size) { return *(int *)handle ? *size = 4, 0 : 3; }
int nvJitLinkGetLinkedPtx(void *handle, char *out) { return strcpy(out, "ptx"), 0; }
int nvJitLinkGetLinkedCubinSize(void *handle, size_t *size) { return *size = 5, 0; }
int nvJitLinkGetLinkedCubin(void *handle, char *out) { return strcpy(out, "code"), 0; }
int nvJitLinkVersion(unsigned *major, unsigned *minor) { return *major = 12, *minor = 9, 0; }
int __nvJitLinkCreate_12_9(void **h, uint32_t n, const char **o) { return nvJitLinkCreate(h, n, o); }
int __nvJitLinkGetLinkedCubinSize_12_9(void *h, size_t *size) { return nvJitLinkGetLinkedCubinSize(h, size); }
int __nvJitLinkGetLinkedCubin_12_9(void *h, void *out) { return nvJitLinkGetLinkedCubin(h, out); }

#elif defined CLIENT
int report(int count, const char **options) {
    void *handle = NULL;
    char code[8] = "";
    size_t size = 0;
    unsigned major = 0, minor = 0;
    int version = nvJitLinkVersion(&major, &minor), result = __nvJitLinkCreate_12_9(&handle, count, options);
    printf("version %d: %u.%u, create %d", version, major, minor, result);
    if (!result && !(result = __nvJitLinkGetLinkedCubinSize_12_9(handle, &size)) && size <= sizeof code)
        result = __nvJitLinkGetLinkedCubin_12_9(handle, code);
    printf(", linked %d: %zu bytes, %s\n", result, size, code);
    return 0;
}

#else
int main(int count, const char **arguments) {
    void *client = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!client) return fprintf(stderr, "%s\n", dlerror()), 1;
    printf("found by name: %d %d, ", dlsym(RTLD_DEFAULT, "nvJitLinkVersion") != NULL,
           dlsym(RTLD_DEFAULT, "__nvJitLinkCreate_12_9") != NULL);
    return ((int (*)(int, const char **))dlsym(client, "report"))(count - 2, arguments + 2);
}
#endif
