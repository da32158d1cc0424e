/* A program in C that finds every function by cuGetProcAddress, as NVIDIA's clients do, and launches from two threads. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static const char PTX[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry add(.param .u64 x, .param .f32 y) {\n"
                          ".reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .f32 %f<3>;\n"
                          "ld.param.u64 %rd1, [x]; ld.param.f32 %f1, [y]; mov.u32 %r1, %tid.x;\n"
                          "mad.wide.u32 %rd2, %r1, 4, %rd1; ld.global.f32 %f2, [%rd2];\n"
                          "add.rn.f32 %f2, %f2, %f1; st.global.f32 [%rd2], %f2; ret; }\n";
static int (*address)(const char *, void **, int, uint64_t, int *);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*set_current)(void *);
static void *context, *kernel;
static uint64_t memory;

static void *get(const char *name, uint64_t flags) {
    void *found = NULL;
    int status = -1, result = address(name, &found, 12000, flags, &status);
    if (result || !found) printf("%s: %d %d\n", name, result, status);
    return found;
}

static void *add(void *given) {
    uint64_t part = memory + 128 * (intptr_t)given;
    float y = 0.5f;
    void *parameters[] = {&part, &y};
    int bound = set_current(context), result = launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL);
    if (bound || result) printf("launch: %d %d\n", bound, result);
    return NULL;
}

int main(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *module, *missing = NULL;
    address = (int (*)(const char *, void **, int, uint64_t, int *))dlsym(library, "cuGetProcAddress_v2");
    int (*init)(unsigned) = (int (*)(unsigned))get("cuInit", 0);
    int (*retain)(void **, int) = (int (*)(void **, int))get("cuDevicePrimaryCtxRetain", 0);
    int (*load)(void **, const void *) = (int (*)(void **, const void *))get("cuModuleLoadData", 0);
    int (*function)(void **, void *, const char *) = (int (*)(void **, void *, const char *))get("cuModuleGetFunction", 0);
    int (*allocate)(uint64_t *, size_t) = (int (*)(uint64_t *, size_t))get("cuMemAlloc", 0);
    int (*fill)(uint64_t, unsigned, size_t) = (int (*)(uint64_t, unsigned, size_t))get("cuMemsetD32", 0);
    int (*read)(void *, uint64_t, size_t) = (int (*)(void *, uint64_t, size_t))get("cuMemcpyDtoH", 0);
    launch = (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                      void **))get("cuLaunchKernel", 2); /* for the default stream of each thread */
    set_current = (int (*)(void *))get("cuCtxSetCurrent", 0);
    printf("missing: %d", address("cuNoSuchFunction", &missing, 12000, 0, NULL));
    printf(" %d\n", missing == NULL);
    int failed = init(0) || retain(&context, 0) || set_current(context) || load(&module, PTX) || function(&kernel, module, "add") ||
                 allocate(&memory, 256) || fill(memory, 0x3f800000, 64);
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    float x[64], sum = 0;
    failed = failed || read(x, memory, sizeof x);
    for (int i = 0; i < 64; i++) sum += x[i];
    printf("failed: %d, sum: %g\n", failed, sum);
    return 0;
}
