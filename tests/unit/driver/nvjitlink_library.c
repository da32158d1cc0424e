/* What test_exec_nvjitlink.py compiles three times: NVIDIA's linker as far as it is called here (LINKER), a library that
   was linked with it, as cuSPARSE is (CLIENT), and a program that opens that library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_INPUT = 3, INCORRECT_INPUT_TYPE = 12, PTX = 2, LTO_IR = 3, LIBRARY = 6 };

int __nvJitLinkCreate_12_9(void **, uint32_t, const char **);
int __nvJitLinkDestroy_12_9(void **);
int __nvJitLinkAddData_12_9(void *, int, const void *, size_t, const char *);
int __nvJitLinkAddFile_12_9(void *, int, const char *);
int __nvJitLinkComplete_12_9(void *);
int __nvJitLinkGetLinkedCubinSize_12_9(void *, size_t *);
int __nvJitLinkGetLinkedCubin_12_9(void *, void *);
int __nvJitLinkGetErrorLogSize_12_9(void *, size_t *);
int __nvJitLinkGetErrorLog_12_9(void *, char *);
int nvJitLinkVersion(unsigned *, unsigned *);

#if defined LINKER
/* With `-ptx` it returns its only input, which must be LTO IR, and no machine code. Otherwise the code is "code". */
struct link {
    int ptx, other;
    const char *input;
};
int nvJitLinkCreate(void **handle, uint32_t count, const char **options) {
    struct link *link = *handle = calloc(1, sizeof *link);
    for (uint32_t i = 0; i < count; i++) link->ptx |= !strcmp(options[i], "-ptx");
    return 0;
}
int nvJitLinkDestroy(void **handle) { return free(*handle), 0; }
int nvJitLinkAddData(void *handle, int type, const void *data, size_t size, const char *name) {
    struct link *link = handle;
    if (type == LIBRARY && !name) abort(); /* as NVIDIA's */
    link->other |= type != LTO_IR && !memmem(data, size, "LTO IR", 6);
    link->input = data;
    return 0;
}
int nvJitLinkComplete(void *handle) {
    struct link *link = handle;
    return link->ptx && link->other ? INCORRECT_INPUT_TYPE : 0;
}
int nvJitLinkGetLinkedPtxSize(void *handle, size_t *size) {
    struct link *link = handle;
    return link->ptx && link->input ? *size = strlen(link->input) + 1, 0 : INVALID_INPUT;
}
int nvJitLinkGetLinkedPtx(void *handle, char *out) { return strcpy(out, ((struct link *)handle)->input), 0; }
int nvJitLinkGetLinkedCubinSize(void *handle, size_t *size) { return (void)handle, *size = 5, 0; }
int nvJitLinkGetLinkedCubin(void *handle, char *out) { return (void)handle, strcpy(out, "code"), 0; }
int nvJitLinkGetErrorLogSize(void *handle, size_t *size) { return (void)handle, *size = 6, 0; }
int nvJitLinkGetErrorLog(void *handle, char *out) { return (void)handle, memcpy(out, "none: ", 6), 0; }
int nvJitLinkVersion(unsigned *major, unsigned *minor) { return *major = 12, *minor = 9, 0; }
int __nvJitLinkCreate_12_9(void **h, uint32_t n, const char **o) { return nvJitLinkCreate(h, n, o); }
int __nvJitLinkDestroy_12_9(void **h) { return nvJitLinkDestroy(h); }
int __nvJitLinkAddData_12_9(void *h, int t, const void *d, size_t s, const char *n) {
    return nvJitLinkAddData(h, t, d, s, n);
}
int __nvJitLinkAddFile_12_9(void *h, int t, const char *f) { return (void)h, (void)t, (void)f, INVALID_INPUT; }
int __nvJitLinkComplete_12_9(void *h) { return nvJitLinkComplete(h); }
int __nvJitLinkGetLinkedCubinSize_12_9(void *h, size_t *size) { return nvJitLinkGetLinkedCubinSize(h, size); }
int __nvJitLinkGetLinkedCubin_12_9(void *h, void *out) { return nvJitLinkGetLinkedCubin(h, out); }
int __nvJitLinkGetErrorLogSize_12_9(void *h, size_t *size) { return nvJitLinkGetErrorLogSize(h, size); }
int __nvJitLinkGetErrorLog_12_9(void *h, char *out) { return nvJitLinkGetErrorLog(h, out); }

#elif defined CLIENT
/* Links files with options: the type is a number before the file's name, `3:kernel.ltoir`; `0:` and a name is a file
   that the linker reads. */
int report(int count, const char **arguments) {
    void *handle = NULL;
    size_t size = 0;
    int options = 0;
    unsigned major = 0, minor = 0;
    int version = nvJitLinkVersion(&major, &minor);
    while (options < count && *arguments[options] == '-') options++;
    int result = __nvJitLinkCreate_12_9(&handle, options, arguments);
    printf("version %d: %u.%u, create %d", version, major, minor, result);
    for (int i = options; i < count && !result; i++) {
        static char data[10][4096];
        const char *name = strchr(arguments[i], ':') + 1;
        int type = atoi(arguments[i]);
        FILE *file = fopen(name, "rb");
        size_t read = file ? fread(data[i], 1, sizeof *data - 1, file) : 0;
        result = type ? __nvJitLinkAddData_12_9(handle, type, data[i], read, name)
                      : __nvJitLinkAddFile_12_9(handle, PTX, name);
    }
    if (handle && result) printf(", add %d", result);
    if (!result) result = __nvJitLinkComplete_12_9(handle);
    printf(", complete %d", result);
    if (!result && !(result = __nvJitLinkGetLinkedCubinSize_12_9(handle, &size))) {
        char *code = calloc(size, 1);
        result = __nvJitLinkGetLinkedCubin_12_9(handle, code);
        printf(", linked %d: %zu bytes\n%s\n", result, size, code);
    }
    if (handle && !__nvJitLinkGetErrorLogSize_12_9(handle, &size)) {
        char *log = calloc(size + 1, 1);
        __nvJitLinkGetErrorLog_12_9(handle, log);
        printf("\nlog: %s\n", log);
        __nvJitLinkDestroy_12_9(&handle);
    }
    return 0;
}

#else
int main(int count, const char **arguments) {
    void *client = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!client) return fprintf(stderr, "%s\n", dlerror()), 1;
    void *linker = dlopen("libnvJitLink.so.12", RTLD_NOW | RTLD_NOLOAD);
    printf("found by name: %d %d, ", dlsym(linker, "nvJitLinkVersion") != NULL,
           dlsym(linker, "__nvJitLinkCreate_12_9") != NULL);
    return ((int (*)(int, const char **))dlsym(client, "report"))(count - 2, arguments + 2);
}
#endif
