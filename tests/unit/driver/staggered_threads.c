/* Threads whose first calls come at different moments: argv[1] microseconds after each other. Fails if one does. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 16 };
static long step;
static int (*cuInit)(unsigned);
static pthread_barrier_t together;
static int results[THREADS];

static void *call(void *number) {
    pthread_barrier_wait(&together);
    usleep((long)number * step);
    results[(long)number] = cuInit(0);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[THREADS];
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || count != 2) return 2;
    step = atol(arguments[1]);
    cuInit = (int (*)(unsigned))dlsym(library, "cuInit");
    pthread_barrier_init(&together, NULL, THREADS);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, call, (void *)i);
    int failed = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        printf("%d ", results[i]);
        failed |= results[i];
    }
    return failed != 0;
}
