/* Asks for an attribute of the device in a thread of its own and waits for it for at most 30 s. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

static int number, value, result;

static void *ask(void *unused)
{
    int (*attribute)(int *, int, int) =
        (int (*)(int *, int, int))dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "cuDeviceGetAttribute");
    result = attribute(&value, number, 0);
    return unused;
}

/* The value; -1 after an error, -2 if there is no answer in time. */
int asked(int wanted)
{
    pthread_t thread;
    struct timespec until;
    number = wanted;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    if (pthread_create(&thread, NULL, ask, NULL)) return -1;
    if (pthread_timedjoin_np(thread, NULL, &until)) return -2;
    return result ? -1 : value;
}
