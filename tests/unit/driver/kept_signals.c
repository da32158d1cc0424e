/* Ctrl-C in a program that is not Python's: ends it with `default`, calls its own handler with `own`. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void handle(int number) { printf("signal %d\n", number); }

int main(int count, char **arguments) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || count != 2) return 2;
    signal(SIGINT, strcmp(arguments[1], "own") ? SIG_DFL : handle);
    if (((int (*)(unsigned))dlsym(library, "cuInit"))(0)) return 3;
    raise(SIGINT);
    return 0;
}
