/* What errors are called, and the version of the driver. */
#include "library.h"
#include <stdlib.h>
#include <string.h>

struct result {
    int number;
    const char *name, *text;
};
static struct result results[] = {
#define ENTRY(index, symbol, stem, since)
#define ALIAS(slot, index, symbol)
#define RESULT(number, name, text) {number, name, text},
#include "entries.h"
};
enum { RESULTS = sizeof results / sizeof *results };

static struct result *result_of(int number) {
    for (int i = 0; i < RESULTS; i++)
        if (results[i].number == number) return &results[i];
    return NULL;
}

/* From now on cuGetErrorString says more. What it gave before may still be in use and is not freed. */
PUBLIC void openptx_driver_text(int number, const char *text) {
    struct result *found = result_of(number);
    char *copy = found ? strdup(text) : NULL;
    if (copy) found->text = copy;
}

static int own_cuGetErrorString(int number, const char **text) {
    if (!text) return INVALID_VALUE;
    struct result *found = result_of(number);
    *text = found ? found->text : NULL;
    return found ? SUCCESS : INVALID_VALUE;
}

static int own_cuGetErrorName(int number, const char **text) {
    if (!text) return INVALID_VALUE;
    struct result *found = result_of(number);
    *text = found ? found->name : NULL;
    return found ? SUCCESS : INVALID_VALUE;
}

int driver_version(void) {
    const char *chosen = getenv("OPENPTX_CUDA_VERSION");
    int number = chosen ? atoi(chosen) : 0;
    return number >= 3020 ? number : DRIVER_VERSION;
}

static int own_cuDriverGetVersion(int *version) {
    if (!version) return INVALID_VALUE;
    *version = driver_version();
    return SUCCESS;
}

void own_errors(void) { OWN(cuGetErrorString), OWN(cuGetErrorName), OWN(cuDriverGetVersion); }
